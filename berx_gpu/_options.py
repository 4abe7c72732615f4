"""What options may hold: numbers in their range, and a threshold in the type of the scores."""

from __future__ import annotations

import math
import numbers
from typing import Any, cast

import numpy as np

from berx_gpu import _columns, _pairs
from berx_gpu._backends import select
from berx_gpu.errors import DataError


def number(
    option: str, value: Any, low: float = -math.inf, high: float = math.inf, nan: bool = False
) -> float:
    """Return an option as a float, or raise unless it is a number in its range."""
    if not isinstance(value, numbers.Real) or isinstance(value, bool):
        raise DataError(f"{option}={value!r} is not a number")
    found = as_float(value)
    if not (low <= found <= high or (nan and math.isnan(found))):
        bounds = f" from {low:g} up" if math.isinf(high) else f" between {low:g} and {high:g}"
        bounds = "" if math.isinf(low) else bounds
        raise DataError(f"{option}={value!r}: give a number{bounds}")
    return found


def score_limit(option: str, value: Any, nan: bool = False) -> float:
    """Return a score to compare with as a float, or as an int, which integers meet exactly."""
    exact = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    return int(value) if exact else number(option, value, nan=nan)


def whole(option: str, value: Any, low: int, high: int | None = None) -> int:
    """Return an option as an int, or raise unless it is a whole number in its range."""
    is_whole = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if not is_whole or value < low or (high is not None and value > high):
        to = "" if high is None else f" to {high:,}"
        raise DataError(f"{option}={value!r}: give a whole number from {low}{to}")
    return int(value)


def as_float(value: Any) -> float:
    """Return the nearest float, infinite for what no float reaches."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
    except ValueError:  # a Decimal may be a NaN that signals
        return math.nan


def at_least(frame: _pairs.Pairs, threshold: float, present: Any, backend: select.Backend) -> Any:
    """Return a mask of the present rows: whose score is at least the threshold."""
    name, values = cast(_columns.Column, frame.score)
    scores = backend.scores(values, frame.where(name), present)
    if present is not None:
        scores = scores[present]
    return reaches(scores, threshold, backend.xp)


def level(threshold: float, dtype: Any) -> Any:
    """Return a threshold as scores of a type compare with it: rounded once, or up for integers."""
    if isinstance(threshold, float) and math.isnan(threshold):
        return threshold
    if dtype.kind == "f":
        with np.errstate(over="ignore"):  # beyond float32 is infinite there
            return dtype.type(as_float(threshold))
    infinite = isinstance(threshold, float) and math.isinf(threshold)
    return threshold if infinite else math.ceil(threshold)


def reaches(scores: Any, threshold: float, xp: Any) -> Any:
    """Return a mask of the scores of at least a threshold; none is at least NaN."""
    least = level(threshold, scores.dtype)
    if scores.dtype.kind == "f":
        return scores >= least
    if isinstance(least, float):  # infinite, or NaN, which nothing reaches
        return xp.full(len(scores), least < 0)
    bounds = np.iinfo(scores.dtype)
    if least > bounds.max:
        return xp.zeros(len(scores), bool)
    return scores >= max(least, int(bounds.min))
