"""What people judged: every pair of leaves that was shown together, once, with its exact score."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from berx_gpu.encoding import keys
from berx_gpu.encoding.numbered import IdColumn, Ids, numbered
from berx_gpu.errors import DataError, counted, some
from berx_gpu.inputs.columns import on_host
from berx_gpu.inputs.frames import pick, read_frame
from berx_gpu.inputs.lists import as_lists


class Judged(NamedTuple):
    """Every pair of records that was shown together, once, and its exact net score.

    `first` < `second` are numbers of records, `net` is the sign of the score. `whole` is its
    integer part where there is no other, and `parts` holds the exact scores of the others.
    """

    first: Any
    second: Any
    net: Any
    whole: Any
    parts: dict[int, Fraction]
    endorsed: Any


def column_of(obj: Any, name: str, what: str) -> Any:
    """Return a column of a frame, on the host."""
    found = pick(read_frame(obj, what)[1], name, what, name, obj)
    return on_host(found[0][1])


def read_ids(obj: Any, name: str, what: str) -> IdColumn:
    """Return a column of ids of a frame."""
    values = column_of(obj, name, what)
    return IdColumn(keys.encode(values, f"{what} column {name!r}", "exact"), values)


def _expansion(obj: Any) -> tuple[IdColumn, Any, IdColumn]:
    """Return the roots, how many leaves each row has, and the joined leaves.

    A row is a root with a list of leaves, or, where there is a column ``leaf``, one leaf of a root.
    """
    roots = read_ids(obj, "root", "expansion")
    names = [name for name, _ in read_frame(obj, "expansion")[1]]
    if "leaf" in names and "leaves" not in names:
        return roots, None, read_ids(obj, "leaf", "expansion")
    where = "expansion column 'leaves'"
    values = column_of(obj, "leaves", "expansion")
    found = as_lists(values, where, ordered=False)
    if found is None and len(values):
        raise DataError(
            f"{where} holds no lists; give the leaves of each root as a list, or a row for each "
            "leaf in a column 'leaf'"
        )
    lengths, flat = (np.zeros(0, np.int64), values) if found is None else found
    return roots, np.asarray(lengths), IdColumn(keys.encode(flat, where, "exact"), flat)


class _Leaves(NamedTuple):
    """The distinct leaves of every root, one root after the other.

    Of n ids, `has` says which are roots, `start` and `size` where their leaves stand; `owner` and
    `leaf` are the columns, and `member` is owner * n + leaf, in order.
    """

    n: int
    has: Any
    start: Any
    size: Any
    owner: Any
    leaf: Any
    member: Any


def judged_pairs(judgements: Any, expansion: Any, models: Sequence[Any]) -> tuple[Judged, Ids]:
    """Return the judged pairs, and the numbers of all ids, those of the models' leaves last."""
    roots, lengths, leaves = _expansion(expansion)
    columns = [
        read_ids(judgements, "shown", "judgements"),
        read_ids(judgements, "endorsed", "judgements"),
        roots,
        leaves,
        *(read_ids(model, "leaf", f"model {i}") for i, model in enumerate(models)),
    ]
    ids = numbered(columns)
    shown, endorsed = ids.columns[:2]
    held = _leaves(ids, lengths)
    _check_shown(ids, shown, held.has)
    row, chosen = _endorsed_leaves(endorsed, held)
    place = _places(ids, shown, row, chosen, held)
    return _judged(shown, row, chosen, place, held), ids


def _leaves(ids: Ids, lengths: Any) -> _Leaves:
    """Return the leaves of every root; a root with a list of them stands in one row."""
    root, leaf = ids.columns[2:4]
    twice = pd.Series(root).duplicated().to_numpy()
    if lengths is not None and twice.any():
        raise DataError(
            f"expansion has {counted(int(twice.sum()), 'root', 'roots')} in more than one row, "
            f"such as {some(ids.names[root[twice]][:3])}; give each root once"
        )
    owner = root if lengths is None else np.repeat(root, lengths)
    member = distinct(owner * ids.n + leaf)
    owner, leaf = np.divmod(member, max(ids.n, 1))
    size = np.bincount(owner, minlength=ids.n)
    has = np.zeros(ids.n, bool)
    has[root] = True
    return _Leaves(ids.n, has, np.cumsum(size) - size, size, owner, leaf, member)


def _places(ids: Ids, shown: Any, row: Any, chosen: Any, held: _Leaves) -> Any:
    """Return where each endorsed leaf stands among the leaves of the cluster that its row shows."""
    wanted = shown[row] * held.n + chosen
    at = np.searchsorted(held.member, wanted)
    inside = at < len(held.member)
    inside[inside] = held.member[at[inside]] == wanted[inside]
    if not inside.all():
        bad = int((~inside).argmax())
        raise DataError(
            f"judgements endorse {counted(int((~inside).sum()), 'leaf', 'leaves')} that were not "
            f"shown, first at row {row[bad]}: leaf {ids.names[chosen[bad]]!r} is not among those "
            f"of {ids.names[shown[row[bad]]]!r}; an endorsed id without an expansion is a leaf"
        )
    return at - held.start[shown[row]]


def _judged(shown: Any, row: Any, chosen: Any, place: Any, held: _Leaves) -> Judged:
    """Return every pair of leaves that was shown together, with its net score."""
    clusters, cluster_of = np.unique(shown, return_inverse=True)
    sizes = held.size[clusters]
    pairs = sizes * (sizes - 1) // 2
    begin = np.cumsum(pairs) - pairs
    per_row = np.bincount(row, minlength=len(shown))
    both = np.zeros(int(pairs.sum()), np.int64)
    i, j, group = all_pairs(per_row)
    low, high = np.minimum(place[i], place[j]), np.maximum(place[i], place[j])
    np.add.at(both, begin[cluster_of[group]] + high * (high - 1) // 2 + low, 1)
    weight = np.bincount(cluster_of, weights=per_row, minlength=len(clusters)).astype(np.int64)
    i, j, group = all_pairs(sizes)
    shows, seen = np.zeros(held.n, bool), np.zeros(held.n, bool)
    shows[clusters], seen[chosen] = True, True
    own = held.leaf[shows[held.owner]]  # in order within each cluster
    times = 2 * sizes[group] * both - weight[group]
    apart = len(distinct(own)) == len(own)  # no leaf was shown in two clusters
    return _netted(own[i], own[j], times, sizes[group], held.n, seen, apart)


def _check_shown(ids: Ids, shown: Any, has: Any) -> None:
    lost = ~has[shown]
    if lost.any():
        raise DataError(
            f"judgements show {counted(int(lost.sum()), 'cluster', 'clusters')} without an "
            f"expansion, first at row {int(lost.argmax())}: {ids.names[shown[lost.argmax()]]!r}; "
            "add its leaves to the expansion"
        )


def _endorsed_leaves(endorsed: Any, held: _Leaves) -> tuple[Any, Any]:
    """Return the rows of all endorsed leaves, and the leaves: an id without expansion is one."""
    has, start, leaves = held.has[endorsed], held.start[endorsed], held.leaf
    counts = np.where(has, held.size[endorsed], 1)
    row = np.repeat(np.arange(len(endorsed)), counts)
    within = np.arange(len(row)) - np.repeat(np.cumsum(counts) - counts, counts)
    at = np.where(has[row], start[row] + within, 0)
    return row, np.where(has[row], leaves[at] if len(leaves) else 0, endorsed[row])


def distinct(values: Any) -> Any:
    """Return the distinct values in order: a sort, which is faster here than NumPy's hashing."""
    values = np.sort(values)
    new = np.ones(len(values), bool)
    new[1:] = values[1:] != values[:-1]
    return values[new]


def all_pairs(sizes: Any) -> tuple[Any, Any, Any]:
    """Return all pairs of positions i < j inside groups that stand one after the other.

    In the order (0, 1), (0, 2), (1, 2), (0, 3), ... of each group, and the group of each pair.
    """
    start = np.cumsum(sizes) - sizes
    total = int(sizes.sum())
    group_of = np.repeat(np.arange(len(sizes)), sizes)
    before = np.arange(total) - start[group_of]
    j = np.repeat(np.arange(total), before)
    within = np.arange(len(j)) - np.repeat(np.cumsum(before) - before, before)
    group = group_of[j]
    return start[group] + within, j, group


def _netted(
    first: Any, second: Any, times: Any, size: Any, n: int, seen: Any, apart: bool
) -> Judged:
    """Return each pair once: scores of `times` / `size` added up, exactly.

    `apart` says that no pair stands here twice.
    """
    whole, rest = np.divmod(times, size)
    if apart and not rest.any():
        return Judged(first, second, np.sign(whole), whole, {}, seen)
    key = first * n + second
    parts: dict[int, Fraction] = {}
    order = np.argsort(key, kind="stable")
    key, whole, rest, times, size = (x[order] for x in (key, whole, rest, times, size))
    new = np.ones(len(key), bool)
    new[1:] = key[1:] != key[:-1]
    begin = np.flatnonzero(new)
    sums = np.add.reduceat(whole, begin) if len(begin) else whole
    sign = np.sign(sums)
    if rest.any():
        place = np.cumsum(new) - 1
        for k in np.unique(place[rest != 0]).tolist():
            stop = begin[k + 1] if k + 1 < len(begin) else len(key)
            rows = range(begin[k], stop)
            exact = sum((Fraction(int(times[r]), int(size[r])) for r in rows), Fraction(0))
            parts[k] = exact
            sign[k] = (exact > 0) - (exact < 0)
    return Judged(key[begin] // n, key[begin] % n, sign, sums, parts, seen)
