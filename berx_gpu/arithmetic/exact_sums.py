"""Means that do not depend on the order, the threads or the device."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

_WORD = 30
_LOW = (1 << _WORD) - 1
BITS = 2 * _WORD


def exact_sum(values: Any, size: Any) -> int:
    """Return the sum of numbers in [0, 1], each taken `size` times, for `mean_over`."""
    high, low = words(values)
    return (int((high * size).sum()) << _WORD) + int((low * size).sum())


def words(values: Any) -> tuple[Any, Any]:
    """Return numbers in [0, 1] as two int64 words of 30 bits behind the point.

    Their sums are exact for up to 2**32 numbers, whatever the order, the threads or the device;
    what is cut off is under 2**-60 a number.
    """
    scaled = values * float(1 << _WORD)
    high = scaled.astype("int64")
    low = ((scaled - high) * float(1 << _WORD)).astype("int64")
    return high, low


def mean_of(high: Any, low: Any, n: Any) -> Any:
    """Return sums in two words over n, as floats: equal sums give equal means."""
    scale = float(1 << _WORD)
    return (high + (low >> _WORD) + (low & _LOW) / scale) / scale / n


def sums_by(values: Any, group: Any, n_groups: int) -> tuple[Any, Any]:
    """Return the sums of host numbers by group, in two words for `mean_of`, whatever the order."""
    parts = np.zeros((2, n_groups), np.int64)
    for part, word in zip(parts, words(values), strict=True):
        np.add.at(part, group, word)
    return parts[0], parts[1]


def joined(high: Any, low: Any) -> list[int]:
    """Return the sums that two columns of words stand for."""
    return [(int(h) << _WORD) + int(w) for h, w in zip(high, low, strict=True)]


def mean_over(exact_sum: int, n: int) -> float:
    """Return an exact sum over n as a float, that of `mean_of`; NaN for no numbers."""
    return float(mean_of(exact_sum >> _WORD, exact_sum & _LOW, n)) if n else math.nan
