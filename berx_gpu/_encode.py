"""Ids as their callers hold them -> keys that compare exactly.

An id column of any library becomes a `Key`: what kind of ids it holds, and one or two plain columns
(int64 numbers or UTF-8 text) that are equal exactly where the ids are. Ids of different kinds never
meet: that is an error, not a mismatch.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from berx_gpu._columns import (
    ARROW,
    EXACT_FLOAT,
    INT64_MAX,
    INT64_MIN,
    UINT64_MAX,
    as_text_cure,
    host_array,
    refused,
)
from berx_gpu.errors import DataError, rows

_WIDEST = 2**126
_WRITTEN = {"integer", "text", "uuid", "date"}
_TEXT: Any = pd.StringDtype("pyarrow", na_value=np.nan)


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
    lasting : bool
        Whether nobody can change the parts: Arrow data never changes.
    """

    kind: str
    parts: tuple[Any, ...]
    missing: Any
    dtype: str
    where: str
    lasting: bool = False

    def owned(self) -> Key:
        """Return the key over memory that nobody changes; text never does."""
        if self.lasting:
            return self
        parts = (part.copy() if hasattr(part, "strides") else part for part in self.parts)
        return replace(self, parts=tuple(parts))

    def rows(self, take: Callable[[Any, Any], Any], kept: Any) -> Key:
        """Return the rows that a mask or an index array keeps, none of which may be missing."""
        return replace(self, parts=tuple(take(p, kept) for p in self.parts), missing=None)


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
    array, dtype = host_array(values, where, ids)
    if array.null_count or pa.types.is_floating(array.type) or not len(array):
        nulls = missing(array)
    else:
        nulls = np.zeros(1, bool)  # the common case, told without a look at every row
    try:
        kind, parts = _parts(array, nulls, where, dtype, ids)
        # Arrow's own text may be anything; what was made into text here is sound.
        if _is_text(array.type) and isinstance(values, ARROW) and not _is_ascii(array):
            array.validate(full=True)
    except pa.ArrowException as error:
        raise DataError(f"{where} ({dtype}) holds a value that is no exact id: {error}") from error
    lasting = isinstance(values, ARROW)
    return Key(kind, parts, nulls if nulls.any() else None, dtype, where, lasting)


def _is_ascii(array: Any) -> bool:
    """Say whether no byte of a text column is above 127: one pass, eight bytes at a time."""
    values = array.buffers()[2]
    data = np.frombuffer(b"" if values is None else values, np.uint8)
    whole = len(data) // 8 * 8
    seen = int(np.bitwise_or.reduce(data[:whole].view(np.uint64), initial=np.uint64(0)))
    return not seen & 0x8080808080808080 and not (data[whole:] > 127).any()


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
                f"({y.dtype}), so no id could ever match; "
                + as_text_cure({x.kind, y.kind}, _WRITTEN)
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
    try:
        odd_truth = pc.unique(_odd(pa.chunked_array(pa.array(truth))))
        odd_pred = pc.unique(_odd(pa.chunked_array(pa.array(pred))))
        if not len(odd_truth) and not len(odd_pred):
            return 0
        plain_of_true = _plain(odd_truth)
        true_ids = pc.unique(pa.array(truth))
        stray = odd_pred.filter(pc.invert(pc.is_in(odd_pred, true_ids)))
        tidied = _plain(stray)
    except pa.ArrowInvalid:  # not UTF-8 at all: there is no Unicode form to compare
        return 0
    meets = pc.or_(pc.is_in(tidied, true_ids), pc.is_in(tidied, plain_of_true))
    count = int(pc.sum(meets).as_py() or 0)
    # The other way round: a plain predicted id whose only true partner is an odd one.
    partner = pc.unique(plain_of_true)
    partner = partner.filter(pc.invert(pc.is_in(partner, true_ids)))
    partner = partner.filter(pc.invert(pc.is_in(partner, odd_pred)))
    met = pc.is_in(partner, pc.unique(pa.array(pred)))
    return count + int(pc.sum(met).as_py() or 0)


def _plain(text: Any) -> Any:
    return pc.utf8_trim(pc.utf8_trim_whitespace(pc.utf8_normalize(text, "NFC")), "\ufeff")


def _odd(text: Any) -> Any:
    """Return the ids that `_plain` may change: not ASCII, or with a blank at an end."""
    blank = pc.not_equal(pc.ascii_trim_whitespace(text), text)
    return text.filter(pc.or_(pc.invert(pc.string_is_ascii(text)), blank))


def missing(array: Any) -> Any:
    """Mark the missing values of an Arrow array, NaN among them."""
    return array.is_null(nan_is_null=True).to_numpy(zero_copy_only=False)


def _parts(array: Any, nulls: Any, where: str, dtype: str, ids: str) -> tuple[str, tuple[Any, ...]]:
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


def filled(array: Any) -> Any:
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
