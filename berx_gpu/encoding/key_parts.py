"""The Arrow array of an id column -> plain columns that are equal where the ids are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from berx_gpu.errors import DataError, rows
from berx_gpu.inputs.objects import EXACT_FLOAT, INT64_MAX, INT64_MIN, UINT64_MAX, refused

_WIDEST = 2**126
_TEXT: Any = pd.StringDtype("pyarrow", na_value=np.nan)


def missing(array: Any) -> Any:
    """Mark the missing values of an Arrow array, NaN among them."""
    return array.is_null(nan_is_null=True).to_numpy(zero_copy_only=False)


def parts_of(
    array: Any, nulls: Any, where: str, dtype: str, ids: str
) -> tuple[str, tuple[Any, ...]]:
    """Return the kind of the ids of an Arrow array, and its parts; see `keys.Key`."""
    if nulls.all():
        return "empty", ()
    if pa.types.is_floating(array.type):
        array = _from_floats(array, nulls, where, dtype)
    elif pa.types.is_decimal(array.type):
        array = _from_decimals(array, where, dtype)
    if ids == "text":
        array = _as_text(array, where, dtype)
    kind = array.type
    if pa.types.is_integer(kind):
        return "integer", _integer_parts(array)
    if pa.types.is_decimal(kind):
        return "integer", _wide_parts(array)
    if is_text(kind):
        return "text", (text_part(array),)
    if pa.types.is_boolean(kind):
        return "bool", (filled(array.cast(pa.int64())),)
    if pa.types.is_date(kind):
        return "date", (filled(array.cast(pa.date32()).cast(pa.int32()).cast(pa.int64())),)
    if pa.types.is_timestamp(kind):
        zone = " with time zone" if kind.tz else ""
        return f"timestamp{zone}", _instant_parts(array)
    if isinstance(kind, pa.UuidType):
        return "uuid", _uuid_parts(array)
    if _is_binary(kind):
        return "binary", (text_part(_hex(array)),)
    raise refused(where, dtype)


def is_text(kind: pa.DataType) -> bool:
    """Say whether a type is one of Arrow's texts."""
    t = pa.types
    return bool(t.is_large_string(kind) or t.is_string(kind) or t.is_string_view(kind))


def _is_binary(kind: pa.DataType) -> bool:
    t = pa.types
    return bool(
        t.is_binary(kind)
        or t.is_large_binary(kind)
        or t.is_fixed_size_binary(kind)
        or t.is_binary_view(kind)
    )


def filled(array: Any) -> Any:
    """Return an Arrow array of numbers as NumPy's, 0 where a value is missing."""
    return (pc.fill_null(array, 0) if array.null_count else array).to_numpy()


def text_part(array: Any) -> Any:
    """Return Arrow text as a pandas text array over the same bytes."""
    return _TEXT.__from_arrow__(array.cast(pa.large_string()))


def _integer_parts(array: Any) -> tuple[Any, ...]:
    """Return the numbers as int64 and, where some are above it, the rest of their bits."""
    if pa.types.is_uint64(array.type) and pc.max(array).as_py() > INT64_MAX:
        bits = filled(array)
        return bits.view(np.int64), (bits >> np.uint64(63)).astype(np.int64)
    return (filled(array.cast(pa.int64())),)


def _wide_parts(array: Any) -> tuple[Any, ...]:
    """Return whole decimals as their low 64 bits and the rest, 0 for what int64 can hold."""
    low = np.zeros(len(array), np.uint64)
    rest = np.zeros(len(array), np.int64)
    for i, value in enumerate(array.to_pylist()):
        if value is not None:
            number = int(value)
            low[i] = number & UINT64_MAX
            if not INT64_MIN <= number <= INT64_MAX:
                rest[i] = number >> 63
    return low.view(np.int64), rest


def _from_floats(array: Any, nulls: Any, where: str, dtype: str) -> Any:
    values = array.cast(pa.float64()).to_numpy(zero_copy_only=False)
    with np.errstate(invalid="ignore"):
        exact = (np.floor(values) == values) & (np.abs(values) < EXACT_FLOAT)
    bad = ~exact & ~nulls
    if bad.any():
        row = int(bad.argmax())
        raise DataError(
            f"{where} ({dtype}) holds {rows(int(bad.sum()))} that a float cannot hold as an exact "
            f"id, first at row {row} ({float(values[row])!r}); read the column as integers or "
            "text (integers become floats where a value was missing)"
        )
    return pa.array(np.where(nulls, 0, values).astype(np.int64), mask=nulls)


def _from_decimals(array: Any, where: str, dtype: str) -> Any:
    """Return whole decimals, as int64 when all of them fit."""
    try:
        return array.cast(pa.int64())
    except pa.ArrowInvalid:
        pass
    values = array.to_pylist()
    for row, value in enumerate(values):
        if value is not None and (value != value.to_integral_value() or abs(int(value)) >= _WIDEST):
            raise DataError(
                f"{where} ({dtype}) holds a number that is not whole or beyond 126 bits, first at "
                f"row {row} ({value}); convert the column to text"
            )
    return array


def _as_text(array: Any, where: str, dtype: str) -> Any:
    """Return the written text of the ids: 7 for the integer 7, 2024-01-31 for the day."""
    kind = array.type
    if is_text(kind):
        return array
    if pa.types.is_integer(kind) or pa.types.is_date32(kind):
        return array.cast(pa.large_string())
    if pa.types.is_date64(kind):
        return array.cast(pa.date32()).cast(pa.large_string())
    if pa.types.is_decimal(kind):
        numbers = (None if v is None else str(int(v)) for v in array.to_pylist())
        return pa.array(list(numbers), pa.large_string())
    if isinstance(kind, pa.UuidType):
        written = (None if v is None else str(v) for v in array.to_pylist())
        return pa.array(list(written), pa.large_string())
    raise DataError(
        f"{where} has type {dtype}, which has no one written form; convert the column to text "
        'yourself instead of ids="text"'
    )


def _instant_parts(array: Any) -> tuple[Any, ...]:
    """Return whole seconds since 1970 and the nanoseconds after them: exact for every unit."""
    per_second = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[array.type.unit]
    ticks = filled(array.cast(pa.int64()))
    seconds, rest = np.divmod(ticks, per_second)
    return seconds, rest * (10**9 // per_second)


def _uuid_parts(array: Any) -> tuple[Any, ...]:
    raw = pc.fill_null(array.storage, b"\0" * 16)
    joined = b"".join(raw.to_pylist())
    halves = np.frombuffer(joined, ">i8").astype(np.int64).reshape(-1, 2)
    return halves[:, 0].copy(), halves[:, 1].copy()


def _hex(array: Any) -> Any:
    names = pc.dictionary_encode(array)
    texts = pa.array([v.hex() for v in names.dictionary.to_pylist()], pa.large_string())
    return texts.take(names.indices)
