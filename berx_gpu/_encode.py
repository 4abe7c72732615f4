"""Ids as their callers hold them -> keys that compare exactly.

An id column of any library becomes a `Key`: what kind of ids it holds, and one or two plain columns
(int64 numbers or UTF-8 text) that are equal exactly where the ids are. Ids of different kinds never
meet: that is an error, not a mismatch.
"""

from __future__ import annotations

import datetime as dt
import decimal
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from berx_gpu.errors import DataError, rows, some

INT64_MIN, INT64_MAX, UINT64_MAX = -(2**63), 2**63 - 1, 2**64 - 1
_EXACT_FLOAT = 2**53
_WIDEST = 2**126
_TEXT = pd.StringDtype("pyarrow", na_value=np.nan)
_AS_TEXT = 'make them one type, or compare their written text with ids="text" (--ids text)'


@dataclass(frozen=True, eq=False)
class Key:
    """One id column, ready to be compared.

    Attributes
    ----------
    kind : str
        What the ids are: ``"integer"``, ``"text"``, ``"uuid"``, ...; ``"empty"`` holds no id.
    parts : tuple of columns
        int64 NumPy or CuPy arrays, pandas text arrays or cuDF text Series. What stands in a row
        with a missing id has no meaning.
    missing : bool array or None
        True where the id is missing; None when no id is.
    dtype : str
        The caller's own name of the type, for messages.
    where : str
        The caller's own name of the column, for messages.
    """

    kind: str
    parts: tuple[Any, ...]
    missing: Any
    dtype: str
    where: str

    def rows(self, take: Callable[[Any, Any], Any], kept: Any) -> Key:
        """Return the rows that a mask or an index array keeps, none of which may be missing."""
        return Key(self.kind, tuple(take(p, kept) for p in self.parts), None, self.dtype, self.where)


def encode(values: Any, where: str, ids: str) -> Key:
    """Return the `Key` of one host column.

    Parameters
    ----------
    values : pandas.Series, pyarrow.Array or pyarrow.ChunkedArray
    where : str
        How messages call the column, such as ``predictions column 'target'``.
    ids : {"exact", "text"}
        Whether numbers, dates and UUIDs are turned into their written text.
    """
    array, dtype = to_arrow(values, where, ids)
    nulls = _missing(array)
    kind, parts = _parts(array, nulls, where, dtype, ids)
    return Key(kind, parts, nulls if nulls.any() else None, dtype, where)


def same_kind(a: Sequence[Key], b: Sequence[Key]) -> None:
    """Raise unless two keys can be compared column by column."""
    if len(a) != len(b):
        raise DataError(
            f"{a[0].where} and its like are {len(a)} column(s), but {b[0].where} and its like are "
            f"{len(b)}; name the same number of key columns on both sides"
        )
    for x, y in zip(a, b, strict=True):
        if "empty" not in (x.kind, y.kind) and x.kind != y.kind:
            raise DataError(
                f"{x.where} holds {x.kind} ids ({x.dtype}) but {y.where} holds {y.kind} ids "
                f"({y.dtype}), so no id could ever match; {_AS_TEXT}"
            )


def aligned(xp: Any, a: Sequence[Key], b: Sequence[Key]) -> tuple[list[Any], list[Any]]:
    """Return the parts of two keys of the same kinds, in step.

    Integers above int64 carry a second part that says so; the other side then gets one of zeros.
    A side without any id gets columns of no rows.
    """
    left: list[Any] = []
    right: list[Any] = []
    for x, y in zip(a, b, strict=True):
        for i in range(max(len(x.parts), len(y.parts))):
            left.append(_part(xp, x, i, like=y))
            right.append(_part(xp, y, i, like=x))
    return left, right


def _part(xp: Any, key: Key, i: int, like: Key) -> Any:
    if i < len(key.parts):
        return key.parts[i]
    return like.parts[i][:0] if key.kind == "empty" else xp.zeros(len(key.parts[0]), xp.int64)


def look_alikes(pred: Any, truth: Any) -> int:
    """Count predicted ids that would be true ids after stripping blanks and Unicode NFC.

    Parameters
    ----------
    pred, truth : pandas text arrays
        Ids without missing ones; repeats do not count twice.

    Notes
    -----
    Almost no data set has an id that stripping or NFC changes, and one pass over the bytes shows
    it. Only when there are such ids are the distinct ids of both sides compared.
    """
    odd_truth = pc.unique(_odd(pa.chunked_array(pa.array(truth))))
    odd_pred = pc.unique(_odd(pa.chunked_array(pa.array(pred))))
    if not len(odd_truth) and not len(odd_pred):
        return 0
    true_ids = pc.unique(pa.array(truth))
    plain_of_true = _plain(odd_truth)
    stray = odd_pred.filter(pc.invert(pc.is_in(odd_pred, true_ids)))
    tidied = _plain(stray)
    meets = pc.or_(pc.is_in(tidied, true_ids), pc.is_in(tidied, plain_of_true))
    count = int(pc.sum(meets).as_py() or 0)
    # The other way round: a plain predicted id whose only true partner is an odd one.
    partner = pc.unique(plain_of_true)
    partner = partner.filter(pc.invert(pc.is_in(partner, true_ids)))
    partner = partner.filter(pc.invert(pc.is_in(partner, odd_pred)))
    met = pc.is_in(partner, pc.unique(pa.array(pred))) if len(partner) else pa.array([], pa.bool_())
    return count + int(pc.sum(met).as_py() or 0)


def _plain(text: Any) -> Any:
    return pc.utf8_trim(pc.utf8_trim_whitespace(pc.utf8_normalize(text, "NFC")), "\ufeff")


def _odd(text: Any) -> Any:
    """Return the ids that `_plain` may change: not ASCII, or with a blank at an end."""
    blank = pc.not_equal(pc.ascii_trim_whitespace(text), text)
    return text.filter(pc.or_(pc.invert(pc.string_is_ascii(text)), blank))


def scores(values: Any, where: str) -> Any:
    """Return a host column of scores as a float32, float64, int64 or uint64 array.

    Raises
    ------
    DataError
        When they are not integers or floats, or one is missing or NaN.
    """
    array, dtype = to_arrow(values, where, "exact")
    if not len(array):
        return np.empty(0)
    kind = array.type
    if not (pa.types.is_floating(kind) or pa.types.is_integer(kind)):
        raise DataError(
            f"{where} holds scores of type {dtype}; scores must be integers or floats, so convert "
            "the column to numbers first"
        )
    nulls = _missing(array)
    if nulls.any():
        raise DataError(
            f"{where} misses a score in {rows(int(nulls.sum()))}, first at row "
            f"{int(nulls.argmax())}; score these rows, remove them, or give them +inf or -inf"
        )
    if pa.types.is_float16(kind):
        return array.to_numpy(zero_copy_only=False).astype(np.float32)
    if pa.types.is_floating(kind):
        return array.to_numpy()
    return array.cast(pa.uint64() if pa.types.is_uint64(kind) else pa.int64()).to_numpy()


# -- any host column -> one Arrow array -------------------------------------------------------


def to_arrow(values: Any, where: str, ids: str) -> tuple[Any, str]:
    """Return an Arrow array and the name of the caller's type."""
    if isinstance(values, pd.Series):
        if isinstance(values.dtype, pd.CategoricalDtype):
            names, dtype = to_arrow(pd.Series(values.cat.categories), where, ids)
            codes = values.cat.codes.to_numpy()
            return names.take(pa.array(codes, mask=codes < 0)), f"category of {dtype}"
        if values.dtype == object:
            return _from_objects(list(values), where, ids)
        dtype = str(values.dtype)
        try:
            array = pa.array(values, from_pandas=True)
        except (pa.ArrowException, TypeError, ValueError) as error:
            raise _refused(where, dtype) from error
    else:
        array, dtype = values, str(values.type)
    if isinstance(array, pa.ChunkedArray):
        array = _one_chunk(array)
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    return array, dtype


def _one_chunk(array: pa.ChunkedArray) -> pa.Array:
    if not len(array):  # no chunk at all cannot be joined for every type
        return pa.nulls(0)
    if pa.types.is_string(array.type):  # 32-bit offsets overflow when chunks are joined
        array = array.cast(pa.large_string())
    joined = array.combine_chunks()
    return pa.concat_arrays(joined.chunks) if isinstance(joined, pa.ChunkedArray) else joined


_FAMILIES: tuple[tuple[str, tuple[type, ...]], ...] = (
    ("bool", (bool, np.bool_)),
    ("int", (int, np.integer)),
    ("float", (float, np.floating)),
    ("str", (str,)),
    ("bytes", (bytes, bytearray)),
    ("UUID", (uuid.UUID,)),
    ("datetime", (dt.datetime, np.datetime64)),
    ("date", (dt.date,)),
    ("Decimal", (decimal.Decimal,)),
)
_MISSING_TYPES = {type(None), type(pd.NA), type(pd.NaT)}


def _family(kind: type) -> str:
    return next((name for name, types in _FAMILIES if issubclass(kind, types)), kind.__name__)


def _from_objects(values: list[Any], where: str, ids: str) -> tuple[Any, str]:
    """Return Python objects as an Arrow array, without letting any library guess their type."""
    kinds = set(map(type, values))
    if any(issubclass(k, (float, np.floating, np.datetime64)) for k in kinds):
        values = [None if v != v else v for v in values]  # noqa: PLR0124 - NaN and NaT only
        kinds = set(map(type, values))
    if kinds & _MISSING_TYPES:
        values = [None if type(v) in _MISSING_TYPES else v for v in values]
    families = sorted({_family(k) for k in kinds - _MISSING_TYPES})
    dtype = "Python " + " and ".join(families) if families else "no value"
    if families == ["float", "int"]:
        values, families = [_whole(v, where) for v in values], ["int"]
    if len(families) > 1:
        if ids != "text":
            first = [next(i for i, v in enumerate(values) if _family(type(v)) == f) for f in families]
            seen = " and ".join(f"{f} (first at row {i})" for f, i in zip(families, first, strict=True))
            raise DataError(f"{where} mixes {seen} in {rows(len(values))}; {_AS_TEXT}")
        return pa.array([_written(v, where) for v in values], pa.large_string()), dtype
    convert = _CONVERT.get(families[0]) if families else pa.nulls
    if convert is None:
        raise _refused(where, dtype)
    try:
        return (convert(values) if families else pa.nulls(len(values))), dtype
    except (pa.ArrowException, UnicodeEncodeError, OverflowError, ValueError, TypeError) as error:
        raise DataError(
            f"{where} ({dtype}) holds a value that is no exact id: {error}; "
            'convert the column to integers or text first, or use ids="text"'
        ) from error


def _whole(value: Any, where: str) -> int | None:
    if value is None or isinstance(value, (int, np.integer)):
        return value
    if not float(value).is_integer() or abs(value) >= _EXACT_FLOAT:
        raise DataError(f"{where} mixes whole numbers with the float {value!r}; {_AS_TEXT}")
    return int(value)


def _written(value: Any, where: str) -> str | None:
    """Return the written text of one id: the same text on every side and from every library."""
    if value is None or isinstance(value, str):
        return value
    family = _family(type(value))
    if family in ("int", "UUID", "date"):
        return str(value)
    if family == "float":
        return str(_whole(value, where))
    if family == "Decimal" and value == value.to_integral_value():
        return str(int(value))
    raise DataError(f"{where} holds {value!r} ({family}), which has no one written form; "
                    "convert the column to text yourself")


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


def _instants(values: list[Any]) -> Any:
    present = [v for v in values if v is not None]
    aware = {getattr(v, "tzinfo", None) is not None for v in present}
    if len(aware) > 1:
        raise ValueError("some timestamps have a time zone and some have none")
    nanos = any(isinstance(v, np.datetime64) or getattr(v, "nanosecond", 0) for v in present)
    return pa.array(values, pa.timestamp("ns" if nanos else "us", "UTC" if aware == {True} else None))


def _uuids(values: list[Any]) -> Any:
    raw = pa.array([None if v is None else v.bytes for v in values], pa.binary(16))
    return pa.ExtensionArray.from_storage(pa.uuid(), raw)


_CONVERT: dict[str, Callable[[list[Any]], Any]] = {
    "bool": lambda v: pa.array(v, pa.bool_()),
    "int": _integers,
    "float": lambda v: pa.array(v, pa.float64()),
    "str": lambda v: pa.array(v, pa.large_string()),
    "bytes": lambda v: pa.array(v, pa.large_binary()),
    "UUID": _uuids,
    "datetime": _instants,
    "date": lambda v: pa.array(v, pa.date32()),
    "Decimal": lambda v: pa.array(v),
}


# -- an Arrow array -> kind and parts ---------------------------------------------------------


def _missing(array: Any) -> Any:
    return array.is_null(nan_is_null=True).to_numpy(zero_copy_only=False)


def _refused(where: str, dtype: str) -> DataError:
    return DataError(f"{where} has type {dtype}, which is no id; give integers, text, UUIDs, dates, "
                     "timestamps, bytes or bools")


def _parts(
    array: Any, nulls: Any, where: str, dtype: str, ids: str
) -> tuple[str, tuple[Any, ...]]:
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
    if _is_text(kind):
        return "text", (_text_part(array),)
    if pa.types.is_boolean(kind):
        return "bool", (_filled(array.cast(pa.int64())),)
    if pa.types.is_date(kind):
        return "date", (_filled(array.cast(pa.date32()).cast(pa.int32()).cast(pa.int64())),)
    if pa.types.is_timestamp(kind):
        zone = " with time zone" if kind.tz else ""
        return f"timestamp{zone}", _instant_parts(array)
    if isinstance(kind, pa.UuidType):
        return "uuid", _uuid_parts(array)
    if _is_binary(kind):
        return "binary", (_text_part(_hex(array)),)
    raise _refused(where, dtype)


def _is_text(kind: pa.DataType) -> bool:
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


def _filled(array: Any) -> Any:
    return pc.fill_null(array, 0).to_numpy()


def _text_part(array: Any) -> Any:
    return _TEXT.__from_arrow__(array.cast(pa.large_string()))


def _integer_parts(array: Any) -> tuple[Any, ...]:
    """Return the numbers as int64 and, where some are above it, the rest of their bits."""
    if pa.types.is_uint64(array.type) and pc.max(array).as_py() > INT64_MAX:
        bits = _filled(array)
        return bits.view(np.int64), (bits >> np.uint64(63)).astype(np.int64)
    return (_filled(array.cast(pa.int64())),)


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
        exact = (np.floor(values) == values) & (np.abs(values) < _EXACT_FLOAT)
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
    if _is_text(kind):
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
    ticks = _filled(array.cast(pa.int64()))
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
