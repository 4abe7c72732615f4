"""Pairs in any form -> named columns."""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from berx_gpu.errors import DataError, some
from berx_gpu.inputs import plain
from berx_gpu.inputs.columns import ARROW, Column, joined, same_name, take
from berx_gpu.inputs.device import is_device
from berx_gpu.inputs.frames import frame_columns, holds, pick_all
from berx_gpu.inputs.lists import as_lists
from berx_gpu.inputs.plain import from_mapping, from_tuples, id_columns

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
    owners : list of (name, values) or None
        The entities of a frame of lists or a mapping, those with an empty list included.
    mirrored : bool
        Whether the second half of the rows repeats the first one the other way round.
    """

    what: str
    entity: list[Column]
    target: list[Column]
    score: Column | None
    library: str
    origin: Any = None
    owners: list[Column] | None = None
    mirrored: bool = False

    def __len__(self) -> int:
        return len(self.entity[0][1])

    def where(self, name: Hashable) -> str:
        """Return how messages call a column."""
        items = "" if self.origin is None else " (a row per target)"
        return f"{self.what} column {name!r}{items}"

    @property
    def scored(self) -> Column:
        """The column of scores, which the call asked for."""
        assert self.score is not None
        return self.score

    def targets(self, present: Any) -> list[Column]:
        """Return the target columns of some rows, or of all, as no one can change them any more.

        pandas copies a column when its first owner changes it; Arrow data never changes.
        """
        kept = None if present is None else np.flatnonzero(present)
        chosen = [(n, v if kept is None else take(v, kept)) for n, v in self.target]
        return [(n, v if isinstance(v, ARROW) else v.copy(deep=is_device(v))) for n, v in chosen]

    def row(self, position: Any) -> int:
        """Return the caller's own row of a pair."""
        position = int(position)
        if self.mirrored:
            position %= len(self) // 2
        return position if self.origin is None else int(self.origin[position])

    def count(self, mask: Any) -> int:
        """Return how many of the caller's pairs a mask of present rows holds, either way round."""
        if self.mirrored:
            half = len(mask) // 2
            mask = mask[:half] | mask[half:]
        return int(mask.sum())

    def both_ways(self) -> Pairs:
        """Return the pairs followed by the same the other way round."""
        if len(self.entity) != len(self.target):
            raise DataError(
                f"{self.what}: undirected pairs need as many entity as target key columns, but "
                f"have {len(self.entity)} and {len(self.target)}"
            )
        sides = list(zip(self.entity, self.target, strict=True))
        entity = [(a, joined(x, y)) for (a, x), (_, y) in sides]
        target = [(b, joined(y, x)) for (_, x), (b, y) in sides]
        score = None if self.score is None else (self.score[0], joined(*[self.score[1]] * 2))
        return Pairs(self.what, entity, target, score, self.library, self.origin, mirrored=True)


def as_pairs(
    obj: Any,
    what: str,
    *,
    entity: Names,
    target: Names,
    score: Hashable | None = None,
    other: tuple[Names, Names] | None = None,
    undirected: bool = False,
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
    undirected : bool
        Return the pairs both ways round.
    """
    if isinstance(obj, Pairs):
        return obj.both_ways() if undirected else obj
    if undirected:
        directed = as_pairs(obj, what, entity=entity, target=target, score=score, other=other)
        return directed.both_ways()
    entity_names, target_names = key_names(entity, "entity"), key_names(target, "target")
    if both := set(entity_names) & set(target_names):
        raise DataError(f"column {some(both)} is named as entity and as target; name two columns")
    if isinstance(obj, Mapping):
        if score is not None:
            raise DataError(f"{what} is a mapping, which holds no scores; give a frame with one")
        plain: list[list[Any]] = [*from_mapping(obj, what)]
        pairs = _from_plain(plain, what, entity_names, target_names, None)
        return replace(pairs, owners=id_columns(list(obj), entity_names, what))
    found = frame_columns(obj, what)
    if found is None:
        plain = from_tuples(obj, what, 2 if score is None else 3)
        return _from_plain(plain, what, entity_names, target_names, score)
    library, columns = found
    scores = None if score is None else pick_all(columns, (score,), what, "score", obj)[0]
    rest = [c for c in columns if not same_name(c[0], "score" if score is None else score)]
    names = [*entity_names, *target_names]
    unnamed = len(names) == 2 and all(map(same_name, names, ("entity", "target")))
    if len(rest) == 2 and unnamed and not same_name(rest[0][0], rest[1][0]):
        # Two columns need no names; one that has a usual name is still taken by it.
        swapped = same_name(rest[0][0], "target") or same_name(rest[1][0], "entity")
        key, matched = ([rest[1]], [rest[0]]) if swapped else ([rest[0]], [rest[1]])
    else:
        if other is not None and unnamed and not holds(columns, names):
            others = [key_names(side, what) for side in other]
            if holds(columns, [*others[0], *others[1]]):
                entity_names, target_names = others
        key = pick_all(columns, entity_names, what, "entity", obj)
        matched = pick_all(columns, target_names, what, "target", obj)
    return _exploded(Pairs(what, key, matched, scores, library))


def _from_plain(
    columns: list[list[Any]],
    what: str,
    entity: tuple[Hashable, ...],
    target: tuple[Hashable, ...],
    score: Hashable | None,
) -> Pairs:
    scores = None if score is None else (score, pd.Series(columns[2], dtype=object))
    ids = [plain.id_columns(c, n, what) for c, n in zip(columns, (entity, target), strict=False)]
    return Pairs(what, ids[0], ids[1], scores, "pandas")


def key_names(names: Names, option: str) -> tuple[Hashable, ...]:
    """Return the names of key columns, one or several, each once."""
    if isinstance(names, (np.ndarray, pd.Index)):
        names = names.tolist()
    listed = tuple(names) if isinstance(names, (list, tuple)) else (names,)
    if not listed or not all(isinstance(name, Hashable) for name in listed):
        raise DataError(f"{option}={names!r}: give a column name or a list of column names")
    if any(same_name(a, b) for a, b in itertools.combinations(listed, 2)):
        raise DataError(f"{option}={names!r}: name each key column once")
    return listed


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
    return Pairs(pairs.what, entity, [(name, targets)], score, pairs.library, origin, pairs.entity)
