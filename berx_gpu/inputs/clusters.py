"""Clusters of records -> the pairs within them."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

from berx_gpu.errors import DataError, rows, some
from berx_gpu.inputs import entities, frames, pairs
from berx_gpu.inputs.columns import Column, on_host, same_name, take, to_list, to_series
from berx_gpu.inputs.lists import as_lists

_MOST_PAIRS = 2**31


def read_clusters(
    frame: Any, record: Hashable, cluster: Hashable, what: str
) -> tuple[str, list[Column], Column, Any]:
    """Return the library and the columns of a clustering, its ids, and a number per cluster.

    A record without a cluster has the number -1.
    """
    library, columns = frames.read_frame(frame, what)
    (key,) = frames.pick(columns, record, what, "id", frame)
    (groups,) = frames.pick(columns, cluster, what, "cluster", frame)
    if same_name(record, cluster):
        raise DataError(f"id and cluster are both {record!r}; name two columns")
    ids = to_series(key[1]).reset_index(drop=True)
    again = ids.dropna().duplicated()
    if again.any():
        twice = to_list(take(key[1], np.array([again.idxmax()])), str(record))
        raise DataError(
            f"{what} column {record!r} holds {rows(int(again.sum()))} with an id that stood "
            f"before, such as {some(twice)}; give one row per record"
        )
    if as_lists(groups[1], f"{what} column {cluster!r}", ordered=False) is not None:
        raise DataError(f"{what} column {cluster!r} holds lists; a record has one cluster")
    return library, columns, key, to_series(on_host(groups[1])).factorize()[0]


def pairs_of(
    frame: Any, record: Hashable, cluster: Hashable
) -> tuple[pairs.Pairs, entities.Entities]:
    """Return the pairs of records with the same cluster, each once, and the records."""
    library, columns, key, numbers = read_clusters(frame, record, cluster, "clusters")
    known = np.flatnonzero(numbers >= 0)
    order = known[np.argsort(numbers[known], kind="stable")]
    sizes = np.bincount(numbers[order]) if len(order) else np.zeros(0, np.int64)
    n_pairs = sum(int(size) * (int(size) - 1) // 2 for size in sizes)
    if n_pairs > _MOST_PAIRS:
        raise DataError(
            f"the clusters hold {n_pairs:,} pairs, the largest has {int(sizes.max()):,} records; "
            "over 2**31 pairs are too many, compare such clusterings without making their pairs"
        )
    # Record i of a cluster of n meets the n - 1 - i that follow it.
    ends = np.repeat(np.cumsum(sizes), sizes)
    following = ends - 1 - np.arange(len(order))
    left = np.repeat(np.arange(len(order)), following)
    starts = np.cumsum(following) - following
    right = left + 1 + np.arange(len(left)) - np.repeat(starts, following)
    name, values = key
    entity: list[Column] = [(name, take(values, order[left]))]
    target: list[Column] = [("target", take(values, order[right]))]
    extras = [c for c in columns if not same_name(c[0], name) and not same_name(c[0], cluster)]
    return (
        pairs.Pairs("truth", entity, target, None, library),
        entities.Entities([key], extras),
    )
