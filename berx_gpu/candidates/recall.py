"""How much of the truth the candidates hold, and what they cost."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from berx_gpu.backends.backend import Backend
from berx_gpu.candidates.results import CandidateRecall
from berx_gpu.errors import DataError, some
from berx_gpu.evaluation.scores import Groups
from berx_gpu.inputs import frames
from berx_gpu.inputs.columns import to_list
from berx_gpu.inputs.lists import as_lists
from berx_gpu.inputs.objects import is_missing
from berx_gpu.inputs.pairs import Names
from berx_gpu.links.dropped import Dropped
from berx_gpu.links.how import Reading
from berx_gpu.links.links import Links
from berx_gpu.links.ranks import ranks
from berx_gpu.links.reading import read
from berx_gpu.links.sets_of_links import totals
from berx_gpu.links.true_pairs import TruePairs
from berx_gpu.links.undirected import either_way
from berx_gpu.options import whole_number

_MOST_CHANNELS = 1000


def candidate_recall(
    candidates: Any,
    truth: Any,
    *,
    entities: Any = None,
    k: int | Sequence[int] | None = None,
    channel: Hashable | None = None,
    n_targets: int | None = None,
    entity: Names = "entity",
    target: Names = "target",
    score: Hashable = "score",
    unknown_entities: str = "error",
    nulls: str = "error",
    ids: str | None = None,
    n_threads: int | None = None,
) -> CandidateRecall:
    """Return how much of the truth the candidates hold, and what they cost.

    Parameters
    ----------
    candidates : DataFrame, Arrow stream, mapping or list of tuples
        The (entity, target) pairs that a matcher may choose from.
    truth, entities, entity, target, unknown_entities, nulls, ids, n_threads
        As in `evaluate`.
    k : int or list of int, optional
        Also say what the k candidates with the highest `score` of each entity hold; ties at the
        cut go to the smaller target id.
    channel : str, optional
        A column that names where a candidate came from (a blocking rule, a search); every channel
        gets its own line. A pair that several channels found stands in as many rows.
    n_targets : int, optional
        How many targets there are in all, for the reduction ratio.
    score : str, default "score"
        Column of scores, used with `k`.

    Returns
    -------
    CandidateRecall
        pair_recall, all_match_rate, ... of all candidates, of each k, and of each channel.

    Raises
    ------
    DataError
        As in `evaluate`, and for a `k` below 1 or an unknown channel column.

    References
    ----------
    P. Christen, Data Matching, Springer, 2012, section 7.3 (pairs completeness, reduction ratio).

    Examples
    --------
    >>> from berx_gpu import candidate_recall
    >>> found = candidate_recall(
    ...     [("a", "x"), ("a", "q"), ("b", "z")],
    ...     {"a": ["x", "y"], "b": ["z"], "c": []},
    ...     entities=["a", "b", "c"],
    ... )
    >>> round(found.pair_recall, 4), found.all_match_rate
    (0.6667, 0.5)
    """
    cuts = _cuts(k)
    if n_targets is not None:
        whole_number("n_targets", n_targets, 1)
    column = score if cuts else None
    how = Reading(entity, target, column, unknown_entities, nulls, ids, n_threads=n_threads)
    true, links, left_out, backend = read(candidates, "candidates", truth, entities, how)
    if n_targets is not None:
        _check_targets(links, n_targets, backend)
    chosen: list[tuple[str, Any]] = [("all candidates", None)]
    if cuts:
        place = ranks(links, backend)
        chosen += [(f"best {cut}", (place >= 1) & (place <= cut)) for cut in cuts]
    if channel is not None:
        chosen += _channels(candidates, links, channel, backend)
    lines = [_line(name, true, links, kept, n_targets, backend) for name, kept in chosen]
    return CandidateRecall(
        **lines[0],
        dropped=Dropped.of(true, left_out, links.count() - lines[0]["n_candidates"]),
        lines=lines,
    )


def _cuts(k: int | Sequence[int] | None) -> list[int]:
    """Return the distinct numbers of best candidates to look at."""
    several = isinstance(k, (list, tuple, np.ndarray))
    listed = [] if k is None else list(k) if several else [k]  # type: ignore[arg-type]
    return list(dict.fromkeys(whole_number("k", one, 1) for one in listed))


def _check_targets(links: Links, n_targets: int, backend: Backend) -> None:
    rows = backend.xp.flatnonzero(links.codes >= 0)
    parts = [backend.take(part, rows) for key in links.targets for part in key.parts]
    distinct = len(rows) - int(backend.repeats(parts).sum())
    if distinct > n_targets:
        raise DataError(
            f"n_targets={n_targets:,}, but the candidates alone hold {distinct:,} targets; give "
            "how many there are in all"
        )


def _line(
    name: str,
    truth: TruePairs,
    links: Links,
    kept: Any,
    n_targets: int | None,
    backend: Backend,
) -> dict[str, Any]:
    """Return the figures of the candidates that a mask keeps, or of all."""
    mine = either = links
    if kept is not None:
        mine = either = links.only(kept, backend)
        if truth.undirected:  # a pair is there when either of its rows is
            either = links.only(either_way(kept, backend.xp), backend)
    counts = truth.match(mine, backend)
    hits, pairs = totals(truth, either, counts.tp, counts.n_pred, backend)
    groups = Groups(*backend.group(counts.tp, counts.n_pred, truth.n_true_each))
    n = truth.n_entities
    others = groups.n_true > 0
    n_others = groups.count(others)
    whole_rows = groups.count(others & (groups.tp == groups.n_true))
    sizes = backend.to_host(counts.n_pred)
    median, p95 = (int(x) for x in np.percentile(sizes, [50, 95], method="inverted_cdf"))
    share = groups.tp / backend.xp.maximum(groups.n_true, 1)
    return {
        "name": name,
        "n_candidates": pairs,
        "n_true": truth.n_true,
        "retrieved": hits,
        "pair_recall": hits / truth.n_true if truth.n_true else float("nan"),
        "mean_recall": groups.mean(share, others),
        "all_match_rate": whole_rows / n_others if n_others else float("nan"),
        "no_hit": groups.count(others & (groups.tp == 0)),
        "per_entity_mean": groups.total(groups.n_pred) / n,
        "per_entity_median": median,
        "per_entity_p95": p95,
        "per_entity_max": int(sizes.max()),
        "reduction_ratio": None if n_targets is None else 1 - pairs / (n * n_targets),
    }


def _channels(
    candidates: Any, links: Links, channel: Hashable, backend: Backend
) -> list[tuple[str, Any]]:
    """Return the mask of the present rows of every channel, by its name."""
    values = frames.read_column(candidates, "candidates", channel)
    if as_lists(values, f"candidates column {channel!r}", ordered=False) is not None:
        raise DataError(f"candidates column {channel!r} holds lists; a channel is one value")
    names = [None if is_missing(name) else name for name in to_list(values, str(channel))]
    if links.frame.origin is not None:
        names = [names[i] for i in links.frame.origin]
    if links.frame.mirrored:
        names = names * 2
    if links.present is not None:
        names = [n for n, kept in zip(names, backend.to_host(links.present), strict=True) if kept]
    numbers: dict[Any, int] = {}
    which = np.array([numbers.setdefault(name, len(numbers)) for name in names], np.int64)
    if len(numbers) > _MOST_CHANNELS:
        raise DataError(
            f"candidates column {channel!r} holds {len(numbers):,} values, such as "
            f"{some(numbers)}; a channel is one of a few sources, at most {_MOST_CHANNELS:,}"
        )
    masks = (
        (f"{channel} missing" if name is None else f"{channel}={name}", which == i)
        for name, i in numbers.items()
    )
    return [(name, backend.xp.asarray(mask)) for name, mask in sorted(masks, key=lambda m: m[0])]
