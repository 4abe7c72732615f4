"""Means that do not depend on the order, the threads or the device."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

_WORD = 30
_LOW = (1 << _WORD) - 1
BITS = 2 * _WORD


@dataclass(frozen=True, eq=False)
class Groups:
    """How many entities have each (tp, n_pred, n_true): int64 NumPy or CuPy arrays.

    F of an entity depends on nothing else, so every mean is a sum over these few groups.
    """

    tp: Any
    n_pred: Any
    n_true: Any
    size: Any

    @property
    def counts(self) -> tuple[Any, Any, Any]:
        """The three counts of each group."""
        return self.tp, self.n_pred, self.n_true

    def count(self, which: Any) -> int:
        """Return the number of entities in the groups of a mask."""
        return int(self.size[which].sum())

    def total(self, values: Any) -> int:
        """Return the sum of a whole number over all entities."""
        return int((values * self.size).sum())

    def exact_sum(self, values: Any, which: Any = slice(None)) -> int:
        """Return the sum of numbers in [0, 1], one per group, over the entities of a mask."""
        return exact_sum(values[which], self.size[which])

    def mean(self, values: Any, which: Any = slice(None)) -> float:
        """Return the mean of numbers in [0, 1], one per group, over the entities of a mask."""
        return mean_over(self.exact_sum(values, which), self.count(which))


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
