"""A column of scores as numbers, and their order as whole numbers: how far each falls."""

from __future__ import annotations

import math
import numbers
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from berx_gpu.encoding.key_parts import filled, missing
from berx_gpu.errors import DataError, rows
from berx_gpu.inputs.columns import host_array
from berx_gpu.inputs.objects import INT64_MIN, UINT64_MAX, objects
from berx_gpu.options import as_float, number


def score_limit(option: str, value: Any, nan: bool = False) -> float:
    """Return a score to compare with as a float, or as an int, which integers meet exactly."""
    exact = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    return int(value) if exact else number(option, value, nan=nan)


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


def column(values: Any, where: str, present: Any = None) -> Any:
    """Return a host column of scores as a float32, float64, int64 or uint64 array.

    Parameters
    ----------
    values : pandas.Series, pyarrow.Array or pyarrow.ChunkedArray
    where : str
        How messages call the column.
    present : bool array, optional
        Which rows count; a score may be missing in the others.

    Raises
    ------
    DataError
        When they are not integers or floats, or one is missing or NaN.
    """
    if isinstance(values, pd.Series) and values.dtype == object:
        numbers, families = objects(list(values))
        if families in (["float", "int"], ["int"]) and not _all_int64(numbers):
            values = pd.Series([None if v is None else float(v) for v in numbers], dtype="float64")
    array, dtype = host_array(values, where, "exact")
    check_score_type(array.type, dtype, where)
    if _any_missing(array):
        absent = missing(array)
        check_scores_present(absent if present is None else absent & present, where)
    if pa.types.is_null(array.type):
        return np.full(len(array), np.nan)
    if pa.types.is_floating(array.type):
        return array.to_numpy(zero_copy_only=False)
    return filled(array.cast(pa.uint64() if pa.types.is_uint64(array.type) else pa.int64()))


def _all_int64(numbers: list[Any]) -> bool:
    return all(
        v is None or (not isinstance(v, (float, np.floating)) and INT64_MIN <= v <= UINT64_MAX)
        for v in numbers
    )


def check_score_type(kind: pa.DataType, dtype: str, where: str) -> None:
    """Raise unless scores are integers or floats (or there are none)."""
    t = pa.types
    if not (t.is_floating(kind) or t.is_integer(kind) or t.is_null(kind)):
        raise DataError(
            f"{where} holds scores of type {dtype}; scores must be integers or floats, so convert "
            "the column to numbers first"
        )


def check_scores_present(missing: Any, where: str) -> None:
    """Raise when a score is null or NaN."""
    if missing.any():
        raise DataError(
            f"{where} misses a score in {rows(int(missing.sum()))}, first at row "
            f"{int(missing.argmax())}; score these rows, remove them, or give them +inf or -inf"
        )


def _any_missing(array: Any) -> bool:
    """Say whether a score is missing or NaN, without a mask of all rows."""
    if array.null_count or not pa.types.is_floating(array.type):
        return bool(array.null_count)
    return len(array) > 0 and bool(np.isnan(array.to_numpy(zero_copy_only=False).min()))


def places(scores: Any, xp: Any) -> Any:
    """Return where each score stands among all values of its type, as uint64."""
    kind = scores.dtype
    if kind.kind == "u":
        return scores.astype(xp.uint64)
    if kind.kind == "i":
        return scores.astype(xp.int64).view(xp.uint64) ^ xp.uint64(1 << 63)
    whole = xp.uint32 if kind.itemsize == 4 else xp.uint64
    sign = whole(1 << (8 * kind.itemsize - 1))
    bits = (scores + kind.type(0)).view(whole)  # -0.0 becomes 0.0
    return xp.where(bits & sign, ~bits, bits | sign).astype(xp.uint64)


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
        low, high = (int(places(end.reshape(1), xp)[0]) for end in (scores.min(), scores.max()))
        return cls(scores.dtype, high, (high - low).bit_length(), xp)

    def drops(self, scores: Any) -> Any:
        """Return how far scores fall below the best, as uint64."""
        return self.xp.uint64(self.top) - places(scores, self.xp)

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
