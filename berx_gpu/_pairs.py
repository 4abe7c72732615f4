"""What a caller may pass -> named columns; the only reader of column names."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from berx_gpu import _plain
from berx_gpu._backends.select import is_device
from berx_gpu._columns import ARROW, Column, same_name, take
from berx_gpu._lists import as_lists
from berx_gpu.errors import DataError, some

Names = Hashable | Sequence[Hashable]


@dataclass(frozen=True, eq=False)
class Pairs:
    """The columns of a frame of (entity, target) pairs, still as the caller gave them.

    Attributes
    ----------
    what : str
        How messages call the frame: ``predictions``, ``truth``.
    entity, target : list of (name, values)
    score : (name, values) or None
    library : {"pandas", "polars", "pyarrow", "cudf"}
        Where results go back to.
    origin : int array or None
        The caller's row of each pair, where lists of targets were taken apart.
    """

    what: str
    entity: list[Column]
    target: list[Column]
    score: Column | None
    library: str
    origin: Any = None

    def __len__(self) -> int:
        return len(self.entity[0][1])

    def where(self, name: Hashable) -> str:
        """Return how messages call a column."""
        items = "" if self.origin is None else " (a row per target)"
        return f"{self.what} column {name!r}{items}"

    def row(self, position: Any) -> int:
        """Return the caller's own row of a pair."""
        return int(position if self.origin is None else self.origin[int(position)])


@dataclass(frozen=True, eq=False)
class Entities:
    """The entity list: its key columns, and the other columns of its frame as slice keys."""

    key: list[Column]
    extras: list[Column] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.key[0][1])

    def rows(self, codes: Any) -> Entities:
        """Return the entities at some positions, in that order."""
        return self._with(lambda values: take(values, codes))

    def head(self) -> Entities:
        """Return the first few entities, for messages."""
        return self.rows(np.arange(min(len(self), 4)))

    def copied(self) -> Entities:
        """Return the list over memory of its own; Arrow data never changes."""
        return self._with(lambda values: values if isinstance(values, ARROW) else values.copy())

    def _with(self, change: Callable[[Any], Any]) -> Entities:
        return Entities(*([(n, change(v)) for n, v in c] for c in (self.key, self.extras)))


def read_pairs(
    obj: Any,
    what: str,
    *,
    entity: Names,
    target: Names,
    score: Hashable | None = None,
    other: tuple[Names, Names] | None = None,
) -> Pairs:
    """Return the columns of a pairs argument.

    Parameters
    ----------
    obj : DataFrame, Arrow stream, mapping or list of tuples
    what : str
        How messages call it.
    entity, target : str or list of str
        Column names; a frame with two columns beside the score needs none.
    score : str, optional
        Column of scores, when the call uses scores.
    other : (names, names), optional
        Names that a frame may have instead of the usual ones: those of the truth.
    """
    entity_names, target_names = _names(entity, "entity"), _names(target, "target")
    if both := set(entity_names) & set(target_names):
        raise DataError(f"column {some(both)} is named as entity and as target; name two columns")
    if isinstance(obj, Mapping):
        if score is not None:
            raise DataError(f"{what} is a mapping, which holds no scores; give a frame with one")
        plain: list[list[Any]] = [*_plain.from_mapping(obj, what)]
        return _from_plain(plain, what, entity_names, target_names, None)
    found = _frame_columns(obj, what)
    if found is None:
        plain = _plain.from_tuples(obj, what, 2 if score is None else 3)
        return _from_plain(plain, what, entity_names, target_names, score)
    library, columns = found
    scores = None if score is None else _pick(columns, (score,), what, "score", obj)[0]
    rest = [c for c in columns if not same_name(c[0], "score" if score is None else score)]
    names = [*entity_names, *target_names]
    unnamed = len(names) == 2 and all(map(same_name, names, ("entity", "target")))
    if len(rest) == 2 and unnamed and not same_name(rest[0][0], rest[1][0]):
        # Two columns need no names; one that has a usual name is still taken by it.
        swapped = same_name(rest[0][0], "target") or same_name(rest[1][0], "entity")
        key, matched = ([rest[1]], [rest[0]]) if swapped else ([rest[0]], [rest[1]])
    else:
        if other is not None and unnamed and not _holds(columns, names):
            others = [_names(side, what) for side in other]
            if _holds(columns, [*others[0], *others[1]]):
                entity_names, target_names = others
        key = _pick(columns, entity_names, what, "entity", obj)
        matched = _pick(columns, target_names, what, "target", obj)
    return _exploded(Pairs(what, key, matched, scores, library))


def read_entities(obj: Any, entity: Names, other: Sequence[Hashable] = ()) -> Entities:
    """Return the entity list from a list, array, Index, Series or frame.

    Parameters
    ----------
    obj : list, array, Index, Series or frame
    entity : str or list of str
        Key columns of a frame, and the names that a list gets.
    other : list of str
        The truth's own names: those of a list, and of a frame that lacks `entity`.
    """
    if isinstance(obj, Entities):
        return obj
    names = _names(entity, "entity")
    if isinstance(obj, (Mapping, AbstractSet, str, bytes, bytearray, PurePath)):
        raise DataError(
            f"entities is a {type(obj).__name__}, which has no order to report in; "
            "give a list, an array, a Series or a frame"
        )
    found = _frame_columns(obj, "entities")
    if found is not None:
        columns = found[1]
        if len(columns) == len(names) == 1:
            return Entities(columns)
        if not _holds(columns, names) and _holds(columns, other):
            names = tuple(other) or names
        key = _pick(columns, names, "entities", "entity", obj)
        chosen = [name for name, _ in key]
        return Entities(key, [c for c in columns if c[0] not in chosen])
    names = tuple(other) or names
    if isinstance(obj, pd.MultiIndex) and obj.nlevels == len(names):
        return read_entities(obj.to_frame(index=False, name=list(names)), names)
    if isinstance(obj, (pd.Series, pd.Index)) or _is_device_list(obj):
        name = names[0] if obj.name is None else obj.name
        values = obj.to_series() if hasattr(obj, "to_series") else obj
        return Entities(_listed([(name, values.reset_index(drop=True))], names))
    if isinstance(obj, np.ndarray):
        if obj.ndim != 1 or obj.dtype.names:
            raise DataError(f"entities is an array of {obj.ndim} dimensions; give a plain one of 1")
        return Entities(_listed([(names[0], pd.Series(obj, copy=True))], names))
    if (arrow := _arrow_list(obj)) is not None:
        return Entities(_listed([(names[0], arrow)], names))
    if not isinstance(obj, Iterable):
        raise DataError(f"entities is a {type(obj).__name__}; give a list, array, Series or frame")
    return Entities(_plain.id_columns(list(obj), names, "entities"))


def _from_plain(
    columns: list[list[Any]],
    what: str,
    entity: tuple[Hashable, ...],
    target: tuple[Hashable, ...],
    score: Hashable | None,
) -> Pairs:
    scores = None if score is None else (score, pd.Series(columns[2], dtype=object))
    ids = [_plain.id_columns(c, n, what) for c, n in zip(columns, (entity, target), strict=False)]
    return Pairs(what, ids[0], ids[1], scores, "pandas")


# -- frames -----------------------------------------------------------------------------------


def _names(names: Names, option: str) -> tuple[Hashable, ...]:
    if isinstance(names, (np.ndarray, pd.Index)):
        names = names.tolist()
    listed = tuple(names) if isinstance(names, (list, tuple)) else (names,)
    if not listed or not all(isinstance(name, Hashable) for name in listed):
        raise DataError(f"{option}={names!r}: give a column name or a list of column names")
    if any(same_name(a, b) for a, b in itertools.combinations(listed, 2)):
        raise DataError(f"{option}={names!r}: name each key column once")
    return listed


def _frame_columns(obj: Any, what: str) -> tuple[str, list[Column]] | None:
    """Return the library and the columns of a frame, or None when `obj` is no frame."""
    if isinstance(obj, pd.DataFrame):
        labels = obj.columns.to_list()
        return "pandas", [(name, obj.iloc[:, i]) for i, name in enumerate(labels)]
    if is_device(obj) and hasattr(obj, "columns"):
        return "cudf", [(name, obj[name].reset_index(drop=True)) for name in obj.columns]
    if isinstance(obj, (str, bytes, PurePath)):
        raise DataError(
            f"{what} is the text or path {str(obj)!r}, not a frame; read the file first"
        )
    if hasattr(obj, "collect_schema") and hasattr(obj, "collect"):
        raise DataError(f"{what} is a lazy frame; call .collect() first")
    if isinstance(obj, (pd.Series, pd.Index)) or _arrow_list(obj) is not None:
        if what == "entities":
            return None
        raise DataError(
            f"{what} is one column ({type(obj).__name__}); give a frame of two, such as "
            "series.reset_index()"
        )
    if _is_polars(obj):
        return "polars", [(name, _from_polars(obj.get_column(name))) for name in obj.columns]
    if isinstance(obj, pa.RecordBatch) or hasattr(obj, "__arrow_c_stream__"):
        batch = pa.Table.from_batches([obj]) if isinstance(obj, pa.RecordBatch) else obj
        # Importing a table that is one already would trip over chunks without rows.
        table = batch if isinstance(batch, pa.Table) else pa.table(batch)
        return "pyarrow", list(zip(table.column_names, table.columns, strict=True))
    return None


def _is_polars(obj: Any) -> bool:
    return type(obj).__module__.split(".")[0] == "polars"


def _from_polars(series: Any) -> Any:
    """Return a polars Series as Arrow, or as Python objects where Arrow has no such type."""
    if str(series.dtype) in ("Object", "Int128", "UInt128"):
        return pd.Series(series.to_list(), dtype=object)
    return pa.chunked_array(series)


def _arrow_list(obj: Any) -> Any:
    """Return an Arrow array when `obj` is one column of Arrow data, such as a polars Series."""
    if isinstance(obj, ARROW):
        return obj
    if type(obj).__name__ != "Series":
        return None
    if _is_polars(obj):
        return _from_polars(obj)
    return pa.chunked_array(obj) if hasattr(obj, "__arrow_c_stream__") else None


def _is_device_list(obj: Any) -> bool:
    return is_device(obj) and not hasattr(obj, "columns")


def _holds(columns: Sequence[Column], names: Sequence[Hashable]) -> bool:
    return all(any(same_name(held, name) for held, _ in columns) for name in names)


def _pick(
    columns: Sequence[Column], names: Sequence[Hashable], what: str, option: str, obj: Any
) -> list[Column]:
    picked = []
    for name in names:
        found = [c for c in columns if same_name(c[0], name)]
        if len(found) > 1:
            raise DataError(f"{what} has {len(found)} columns called {name!r}; rename all but one")
        if not found and isinstance(obj, pd.DataFrame) and name in obj.index.names:
            raise DataError(f"{what} has {name!r} as its index; pass frame.reset_index()")
        if not found:
            labels = ", ".join(repr(c[0]) for c in columns) or "none"
            raise DataError(
                f"{what} has no column {name!r}; its columns are {labels}. Name the right one with "
                f'{option}="..." ({_FLAGS[what]} on the command line)'
            )
        picked += found
    return picked


_FLAGS = {
    "predictions": "--pred-columns",
    "truth": "--truth-columns",
    "entities": "--entity-column",
}


# -- lists of targets -------------------------------------------------------------------------


def _exploded(pairs: Pairs) -> Pairs:
    """Return one row per pair where the target column holds lists; no target, no row."""
    if len(pairs.target) != 1:
        return pairs
    name, values = pairs.target[0]
    lists = as_lists(values, f"{pairs.what} column {name!r}", ordered=pairs.score is not None)
    if lists is None:
        return pairs
    lengths, targets = lists
    score = pairs.score
    if score is not None:
        scores = as_lists(score[1], f"{pairs.what} column {score[0]!r}", ordered=True)
        if scores is None or not np.array_equal(lengths, scores[0]):
            raise DataError(
                f"{pairs.what} column {score[0]!r} must hold one score per target, in lists as "
                f"long as those of {name!r}"
            )
        score = (score[0], scores[1])
    origin = np.repeat(np.arange(len(lengths)), lengths)
    entity = [(n, take(v, origin)) for n, v in pairs.entity]
    return Pairs(pairs.what, entity, [(name, targets)], score, pairs.library, origin)


def _listed(columns: list[Column], names: tuple[Hashable, ...]) -> list[Column]:
    if len(names) != 1:
        raise DataError(
            f"entities is one column, but the entity key has {len(names)} ({some(names, 9)}); give "
            "a frame with these columns or a list of tuples"
        )
    return columns
