"""What options may hold: numbers in their range, a β, a seed, a confidence level."""

from __future__ import annotations

import math
import numbers
from typing import Any

import numpy as np

from berx_gpu.errors import DataError

_SUREST = 1 - 1e-12


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


def whole_number(option: str, value: Any, low: int, high: int | None = None) -> int:
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


def seed_of(rng: Any) -> int:
    """Return the seed that an option asks for: itself, one from a generator, or a new one."""
    if rng is None:
        return int(np.random.SeedSequence().generate_state(1)[0])
    if isinstance(rng, np.random.Generator):
        return int(rng.integers(0, 2**64, dtype=np.uint64))
    if not isinstance(rng, numbers.Integral) or isinstance(rng, bool) or not 0 <= int(rng) < 2**64:
        raise DataError(
            f"rng={rng!r}: give a whole number from 0 to 2**64 - 1, a numpy.random.Generator, or "
            "None"
        )
    return int(rng)


def beta_of(beta: Any) -> float:
    """Return the β of F as a float, or raise unless it is one."""
    return number("beta", beta, 1e-100, 1e100)


def confidence(confidence_level: Any) -> float:
    """Return a confidence level, or raise unless it lies between 0 and 1."""
    level = number("confidence_level", confidence_level, 0, 1)
    if not 0 < level <= _SUREST:
        raise DataError(
            f"confidence_level={confidence_level!r}: give a number between 0 and 1, such as 0.95"
        )
    return level
