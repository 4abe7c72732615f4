"""Python objects -> Arrow arrays, without letting any library guess their type."""

from __future__ import annotations

import datetime as dt
import decimal
import uuid
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from berx_gpu.errors import DataError, rows

INT64_MIN, INT64_MAX, UINT64_MAX = -(2**63), 2**63 - 1, 2**64 - 1
EXACT_FLOAT = 2**53

_FAMILIES: tuple[tuple[str, tuple[type, ...]], ...] = (
    ("bool", (bool, np.bool_)),
    ("timedelta", (dt.timedelta, np.timedelta64)),
    ("int", (int, np.integer)),
    ("float", (float, np.floating)),
    ("str", (str,)),
    ("bytes", (bytes, bytearray, memoryview)),
    ("UUID", (uuid.UUID,)),
    ("datetime", (dt.datetime, np.datetime64)),
    ("date", (dt.date,)),
    ("Decimal", (decimal.Decimal,)),
)

_MISSING_TYPES = (type(None), type(pd.NA), type(pd.NaT))
_WRITTEN = {"int", "float", "str", "UUID", "date", "Decimal"}


def family(kind: type) -> str:
    """Return what sort of value a Python type holds, NumPy's scalar types included."""
    return next((name for name, types in _FAMILIES if issubclass(kind, types)), kind.__name__)


def is_missing(value: Any) -> bool:
    """Say whether a Python value stands for a missing one: None, NA, NaT, NaN."""
    if isinstance(value, _MISSING_TYPES):
        return True
    if isinstance(value, decimal.Decimal):
        return value.is_nan()
    return isinstance(value, (float, np.floating, np.datetime64)) and bool(value != value)


def as_text_cure(kinds: set[str], texts: set[str]) -> str:
    """Return the cure for ids of several kinds: their text, where each has a written form."""
    if kinds <= texts:
        return 'make them one type, or compare their written text with ids="text" (--ids text)'
    return "convert them to one type"


def objects(values: list[Any]) -> tuple[list[Any], list[str]]:
    """Return Python values with None for every missing one, and the families of the others."""
    kinds = set(map(type, values))
    may_miss = (*_MISSING_TYPES, float, np.floating, np.datetime64, decimal.Decimal)
    if any(issubclass(kind, may_miss) for kind in kinds):
        values = [None if is_missing(v) else v for v in values]
        kinds = set(map(type, values))
    return values, sorted({family(kind) for kind in kinds - {type(None)}})


def from_objects(values: list[Any], where: str, ids: str) -> tuple[Any, str]:
    """Return Python objects as an Arrow array, without letting any library guess their type."""
    values, families = objects(values)
    if not families:
        return pa.nulls(len(values)), "no value"
    dtype = "Python " + " and ".join(families)
    if families == ["float", "int"]:
        values, families = [_whole(v, where) for v in values], ["int"]
    if len(families) > 1:
        if ids != "text":
            first = [
                next(i for i, v in enumerate(values) if family(type(v)) == f) for f in families
            ]
            seen = " and ".join(
                f"{f} (first at row {i})" for f, i in zip(families, first, strict=True)
            )
            cure = as_text_cure(set(families), _WRITTEN)
            raise DataError(f"{where} mixes {seen} in {rows(len(values))}; {cure}")
        return pa.array([_written(v, where) for v in values], pa.large_string()), dtype
    convert = _CONVERT.get(families[0])
    if convert is None:
        raise refused(where, dtype)
    try:
        return convert(values), dtype
    except (pa.ArrowException, UnicodeEncodeError, OverflowError, ValueError, TypeError) as error:
        raise inexact(where, dtype, error) from error


def _whole(value: Any, where: str) -> int | None:
    if value is None or isinstance(value, (int, np.integer)):
        return None if value is None else int(value)
    if not float(value).is_integer() or abs(value) >= EXACT_FLOAT:
        raise DataError(f"{where} mixes whole numbers with the float {value!r}; {_MAKE_WHOLE}")
    return int(value)


_MAKE_WHOLE = "read the column as integers or text"


def _written(value: Any, where: str) -> str | None:
    """Return the written text of one id: the same text on every side and from every library."""
    if value is None or isinstance(value, str):
        return value
    sort = family(type(value))
    if sort == "int":
        return str(int(value))
    if sort in ("UUID", "date"):
        return str(value)
    if sort == "float":
        return str(_whole(value, where))
    if sort == "Decimal" and value.is_finite() and value == value.to_integral_value():
        return str(int(value))
    raise DataError(
        f"{where} holds {value!r} ({sort}), which has no one written form; "
        "convert the column to text yourself"
    )


def _integers(values: list[Any]) -> Any:
    present = [int(v) for v in values if v is not None]
    low, high = min(present), max(present)
    if low >= INT64_MIN and high <= INT64_MAX:
        return pa.array(values, pa.int64())
    if low >= 0 and high <= UINT64_MAX:
        return pa.array(values, pa.uint64())
    wide = [None if v is None else decimal.Decimal(int(v)) for v in values]
    fits = max(-low, high) < 10**38
    return pa.array(wide, pa.decimal128(38, 0) if fits else pa.decimal256(76, 0))


def _floats(values: list[Any]) -> Any:
    narrow = {type(v) for v in values if v is not None} == {np.float32}
    return pa.array(values, pa.float32() if narrow else pa.float64())


def _instants(values: list[Any]) -> Any:
    present = [v for v in values if v is not None]
    if all(isinstance(v, np.datetime64) for v in present):
        ticks = np.array([np.datetime64("NaT") if v is None else v for v in values])
        coarse = np.datetime_data(ticks.dtype)[0] not in ("s", "ms", "us", "ns")
        return pa.array(ticks.astype("datetime64[s]") if coarse else ticks)
    aware = {getattr(v, "tzinfo", None) is not None for v in present}
    if len(aware) > 1:
        raise ValueError("some timestamps have a time zone and some have none")
    exact = [pd.Timestamp(v) if isinstance(v, np.datetime64) else v for v in values]
    unit = "ns" if any(getattr(v, "nanosecond", 0) for v in exact) else "us"
    return pa.array(exact, pa.timestamp(unit, "UTC" if aware == {True} else None))


def _uuids(values: list[Any]) -> Any:
    raw = pa.array([None if v is None else v.bytes for v in values], pa.binary(16))
    return pa.ExtensionArray.from_storage(pa.uuid(), raw)


_CONVERT: dict[str, Callable[[list[Any]], Any]] = {
    "bool": lambda v: pa.array(v, pa.bool_()),
    "int": _integers,
    "float": _floats,
    "str": lambda v: pa.array(v, pa.large_string()),
    "bytes": lambda v: pa.array([b and bytes(b) for b in v], pa.large_binary()),
    "UUID": _uuids,
    "datetime": _instants,
    "date": lambda v: pa.array(v, pa.date32()),
    "Decimal": lambda v: pa.array(v),
}


def refused(where: str, dtype: str) -> DataError:
    """Return the error for a type that holds no ids."""
    return DataError(
        f"{where} has type {dtype}, which is no id; give integers, text, UUIDs, dates, "
        "timestamps, bytes or bools"
    )


def inexact(where: str, dtype: str, error: Exception) -> DataError:
    """Return the error for a value that no library holds exactly."""
    return DataError(
        f"{where} ({dtype}) holds a value that is no exact id: {error}; "
        "convert the column to integers or to valid text first"
    )
