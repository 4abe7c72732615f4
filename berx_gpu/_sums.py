"""Sums that do not depend on the order, the threads or the device."""

from __future__ import annotations

import math
from typing import Any

_WORD = 30
BITS = 2 * _WORD


def words(xp: Any, values: Any) -> tuple[Any, Any]:
    """Return numbers in [0, 1] as two int64 words of 30 bits behind the point.

    Their sums are exact for up to 2**32 numbers, whatever the order, the threads or the device;
    what is cut off is under 2**-60 a number.
    """
    scaled = values * float(1 << _WORD)
    high = xp.floor(scaled)
    low = xp.floor((scaled - high) * float(1 << _WORD))
    return high.astype(xp.int64), low.astype(xp.int64)


def joined(high: Any, low: Any) -> list[int]:
    return [(int(h) << _WORD) + int(w) for h, w in zip(high, low, strict=True)]


def exact_sum(xp: Any, values: Any) -> int:
    high, low = words(xp, values)
    return (int(high.sum()) << _WORD) + int(low.sum())


def mean_over(exact_sum: int, n: int) -> float:
    """Return an exact sum over n as the nearest float; NaN for no numbers."""
    return exact_sum / (n << BITS) if n else math.nan
