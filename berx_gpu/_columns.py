"""One column of any library: as an Arrow array, some of its rows, and back into a frame."""

from __future__ import annotations

import datetime as dt
import decimal
import itertools
import sys
import uuid
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from berx_gpu._backends.select import is_device
from berx_gpu.errors import DataError, rows

Column = tuple[Hashable, Any]
"""A caller's column name, and a pandas or cuDF Series or an Arrow array."""

ARROW = (pa.Array, pa.ChunkedArray)
INT64_MIN, INT64_MAX, UINT64_MAX = -(2**63), 2**63 - 1, 2**64 - 1
EXACT_FLOAT = 2**53


def same_name(a: Any, b: Any) -> bool:
    """Say whether two column labels are the same; labels may be anything, even NA."""
    return a is b or (type(a) is type(b) and bool(a == b))


def build_frame(columns: Sequence[Column], library: str) -> Any:
    """Return named columns as a frame of the caller's library; a name twice is an error."""
    names = [name for name, _ in columns]
    for a, b in itertools.combinations(names, 2):
        if same_name(a, b):
            raise DataError(
                f"the result would have two columns called {a!r}; rename the column in the frames "
                "you pass"
            )
    if library == "cudf":
        return sys.modules["cudf"].DataFrame(dict(columns))
    columns = [(name, on_host(values)) for name, values in columns]
    if library == "pandas":
        return pd.DataFrame({n: to_series(v).reset_index(drop=True) for n, v in columns})
    table = pa.table({str(name): to_arrow(values, str(name)) for name, values in columns})
    return table if library == "pyarrow" else sys.modules["polars"].from_arrow(table)


def on_host(values: Any) -> Any:
    """Return a column of the device as one of the host; others as they are."""
    if is_device(values):
        return values.to_pandas()
    return values.get() if hasattr(values, "__cuda_array_interface__") else values


def to_rows(frame: Any) -> list[dict[str, Any]]:
    """Return a result frame of any library as Python rows."""
    if hasattr(frame, "to_pylist"):
        return list(frame.to_pylist())
    if hasattr(frame, "to_dicts"):
        return list(frame.to_dicts())
    host = frame.to_pandas() if hasattr(frame, "to_pandas") else frame
    return list(host.to_dict("records"))


def to_arrow(values: Any, name: str) -> Any:
    """Return a column of any library as an Arrow array."""
    if is_device(values):
        return values.to_arrow()
    if not isinstance(values, pd.Series):
        return values if isinstance(values, ARROW) else pa.array(values)
    try:
        return host_array(values, f"column {name!r}", "exact")[0]
    except DataError:  # no ids, but slice values of several types: any Arrow type, or their text
        try:
            return pa.array(values, from_pandas=True)
        except (pa.ArrowException, TypeError, ValueError):
            return pa.array([None if is_missing(v) else str(v) for v in values], pa.large_string())


def to_list(values: Any, name: str) -> list[Any]:
    """Return a column as Python values; what Python cannot hold, such as far dates, as text."""
    array = to_arrow(values, name)
    try:
        return list(array.to_pylist())
    except (ValueError, OverflowError, pa.ArrowException):
        return list(array.cast(pa.string()).to_pylist())


def to_series(values: Any) -> pd.Series[Any]:
    """Return a host column as a pandas Series; integers and bools stay so beside missing ones."""
    if not isinstance(values, ARROW):
        return pd.Series(values)
    array, _ = host_array(values, "", "exact")
    t, kind = pa.types, array.type
    if isinstance(kind, pa.ExtensionType) or t.is_nested(kind):
        return pd.Series(array.to_pylist(), dtype=object)
    keeps_type = array.null_count and (t.is_integer(kind) or t.is_boolean(kind))
    try:
        series: pd.Series[Any] = array.to_pandas(types_mapper=pd.ArrowDtype if keeps_type else None)
    except (ValueError, OverflowError, pa.ArrowException):  # days and instants far away
        series = pd.Series(array, dtype=pd.ArrowDtype(kind))
    return series


def joined(first: Any, second: Any) -> Any:
    """Return the rows of two columns of one library, one after the other."""
    if isinstance(first, ARROW) and isinstance(second, ARROW) and first.type == second.type:
        chunks = [getattr(side, "chunks", [side]) for side in (first, second)]
        return pa.chunked_array([*chunks[0], *chunks[1]], first.type)
    if hasattr(first, "to_pandas") and hasattr(first, "dtype"):  # cuDF
        return sys.modules["cudf"].concat([first, second], ignore_index=True)
    sides = [to_series(first), to_series(second)]
    if sides[0].dtype != sides[1].dtype:  # pandas would make floats of two kinds of integers
        sides = [side.astype(object) for side in sides]
    return pd.concat(sides, ignore_index=True)


def take(values: Any, codes: Any) -> Any:
    """Return some rows of a column, by position."""
    if isinstance(values, ARROW):
        for view, kind in _VIEWS.items():  # Arrow cannot take rows of these
            values = values.cast(kind) if values.type == view else values
        return values.take(pa.array(codes))
    return values.iloc[codes].reset_index(drop=True)


_VIEWS = {pa.string_view(): pa.large_string(), pa.binary_view(): pa.large_binary()}


def host_array(values: Any, where: str, ids: str) -> tuple[Any, str]:
    """Return a host column as one Arrow array, and the caller's name of its type.

    Parameters
    ----------
    values : pandas.Series, pyarrow.Array or pyarrow.ChunkedArray
    where : str
        How messages call the column.
    ids : {"exact", "text"}
        Whether Python objects of several types become their written text or are refused.
    """
    if not isinstance(values, pd.Series):
        return _one_array(values), str(values.type)
    kind = values.dtype
    if isinstance(kind, pd.CategoricalDtype):
        names, dtype = host_array(pd.Series(values.cat.categories), where, ids)
        codes = values.cat.codes.to_numpy()
        return names.take(pa.array(codes, mask=codes < 0)), f"category of {dtype}"
    if kind == object:  # noqa: E721 - a dtype, not a type
        return _from_objects(list(values), where, ids)
    plain = values
    if isinstance(kind, pd.SparseDtype):
        plain = pd.Series(np.asarray(values))
    elif isinstance(kind, np.dtype) and not kind.isnative:
        plain = values.astype(kind.newbyteorder("="))
    try:
        return _one_array(pa.array(plain, from_pandas=True)), str(kind)
    except UnicodeEncodeError as error:
        raise _inexact(where, str(kind), error) from error
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise refused(where, str(kind)) from error


def _one_array(array: Any) -> Any:
    """Return an Arrow column in one chunk, dictionaries and views made plain."""
    if isinstance(array, pa.ChunkedArray):
        chunks = [_one_array(chunk) for chunk in array.chunks if len(chunk)]
        if len(chunks) == 1:
            return chunks[0]
        return pa.concat_arrays(chunks) if chunks else pa.nulls(0)
    kind = array.type
    if pa.types.is_run_end_encoded(kind):
        return _one_array(pc.run_end_decode(array))
    if pa.types.is_dictionary(kind):
        return take(_one_array(array.dictionary), array.indices)
    if pa.types.is_float16(kind):  # few of Arrow's functions know it, and float32 holds it exactly
        return pa.array(array.to_numpy(zero_copy_only=False).astype(np.float32), from_pandas=True)
    if pa.types.is_string(kind):  # the 32-bit offsets of joined chunks could overflow
        return array.cast(pa.large_string())
    return array.cast(_VIEWS[kind]) if kind in _VIEWS else array


# -- Python objects ---------------------------------------------------------------------------

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


def _from_objects(values: list[Any], where: str, ids: str) -> tuple[Any, str]:
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
        raise _inexact(where, dtype, error) from error


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


def _inexact(where: str, dtype: str, error: Exception) -> DataError:
    return DataError(
        f"{where} ({dtype}) holds a value that is no exact id: {error}; "
        "convert the column to integers or to valid text first"
    )
