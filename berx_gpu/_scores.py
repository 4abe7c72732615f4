"""Scores as whole numbers in the same order: how far each falls below the best."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True, eq=False)
class Scale:
    """The order of the scores of one column.

    Attributes
    ----------
    dtype : numpy.dtype
        Of the scores.
    top : int
        The place of the highest score in the order of all values of the type.
    bits : int
        How many bits tell how far the lowest score falls below the highest.
    xp : module
    """

    dtype: Any
    top: int
    bits: int
    xp: Any

    @classmethod
    def of(cls, scores: Any, xp: Any) -> Scale:
        """Return the scale of some scores."""
        empty = cls(scores.dtype, 0, 0, xp)
        if not len(scores):
            return empty
        ends = xp.stack([scores.min(), scores.max()])
        low, high = (int(place) for place in empty._places(ends))
        return cls(scores.dtype, high, (high - low).bit_length(), xp)

    def _places(self, scores: Any) -> Any:
        """Return where each score stands among all values of its type, as uint64."""
        xp = self.xp
        if self.dtype.kind == "u":
            return scores.astype(xp.uint64)
        if self.dtype.kind == "i":
            return scores.astype(xp.int64).view(xp.uint64) ^ xp.uint64(1 << 63)
        whole = xp.uint32 if self.dtype.itemsize == 4 else xp.uint64
        sign = whole(1 << (8 * self.dtype.itemsize - 1))
        bits = (scores + self.dtype.type(0)).view(whole)  # -0.0 becomes 0.0
        return xp.where(bits & sign, ~bits, bits | sign).astype(xp.uint64)

    def drops(self, scores: Any) -> Any:
        """Return how far scores fall below the best, as uint64."""
        return self.xp.uint64(self.top) - self._places(scores)

    def scores(self, drops: Any) -> Any:
        """Return the scores that some host drops stand for."""
        if self.dtype.kind in "ui":
            places = np.uint64(self.top) - np.asarray(drops, np.uint64)
            if self.dtype.kind == "u":
                return places.astype(self.dtype)
            return (places ^ np.uint64(1 << 63)).view(np.int64).astype(self.dtype)
        whole = np.uint32 if self.dtype.itemsize == 4 else np.uint64
        sign = whole(1 << (8 * self.dtype.itemsize - 1))
        bits: Any = np.subtract(whole(self.top), np.asarray(drops, whole))
        below = bits < sign
        bits ^= sign
        bits[below] = ~bits[below] ^ sign
        return bits.view(self.dtype)
