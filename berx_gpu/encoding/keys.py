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
import pyarrow as pa

from berx_gpu.encoding.key_parts import is_text, missing, parts_of
from berx_gpu.errors import DataError
from berx_gpu.inputs.columns import ARROW, host_array
from berx_gpu.inputs.objects import as_text_cure

_WRITTEN = {"integer", "text", "uuid", "date"}


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


def all_parts(keys: Sequence[Key]) -> list[Any]:
    """Return the columns of several keys."""
    return [part for key in keys for part in key.parts]


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
        kind, parts = parts_of(array, nulls, where, dtype, ids)
        # Arrow's own text may be anything; what was made into text here is sound.
        if is_text(array.type) and isinstance(values, ARROW) and not _is_ascii(array):
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
