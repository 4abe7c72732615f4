"""What the candidates allow: the oracle, and their recall."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from berx_gpu import _frames, _pairs
from berx_gpu._backends import select
from berx_gpu._columns import is_missing, to_list
from berx_gpu._encoded import both_listed
from berx_gpu._links import Links, as_truth, backend_of, encoded_links
from berx_gpu._lists import as_lists
from berx_gpu._options import number, whole
from berx_gpu._ranks import ranks
from berx_gpu._sums import Groups
from berx_gpu.candidate_results import CandidateRecall
from berx_gpu.errors import DataError, one_of, some
from berx_gpu.results import Dropped, Evaluation
from berx_gpu.scoring import evaluation
from berx_gpu.truth import Truth

_MOST_CHANNELS = 1000


def oracle(
    candidates: Any,
    truth: Any,
    *,
    entities: Any = None,
    beta: float = 0.5,
    entity: _pairs.Names = "entity",
    target: _pairs.Names = "target",
    unknown_entities: str = "error",
    nulls: str = "error",
    ids: str | None = None,
    zero_division: float = 0.0,
    n_threads: int | None = None,
) -> Evaluation:
    """Return the best that any choice among the candidates can score.

    Parameters
    ----------
    candidates : DataFrame, Arrow stream, mapping or list of tuples
        The (entity, target) pairs that a matcher may choose from; further columns are ignored.
    truth, entities, beta, entity, target, unknown_entities, nulls, ids, zero_division, n_threads
        As in `evaluate`.

    Returns
    -------
    Evaluation
        Of the prediction that is the true pairs among the candidates, and nothing for singletons.

    Raises
    ------
    DataError
        As in `evaluate`.

    Examples
    --------
    >>> from berx_gpu import oracle
    >>> ev = oracle([("a", "x"), ("b", "q")], {"a": ["x", "y"], "b": []}, entities=["a", "b"])
    >>> round(ev.macro_fbeta, 4)
    0.9167
    """
    one_of("unknown_entities", unknown_entities, ("error", "drop"))
    beta = number("beta", beta, 1e-100, 1e100)
    zero_division = number("zero_division", zero_division, nan=True)
    truth = as_truth(truth, candidates, entities, entity, target, nulls, ids, n_threads)
    backend = backend_of(candidates, truth, n_threads)
    links, dropped = read_candidates(
        candidates, truth, backend, entity, target, None, unknown_entities, nulls
    )
    return best(links, truth, backend, dropped, beta, zero_division)


def best(
    links: Links,
    truth: Truth,
    backend: select.Backend,
    dropped: Dropped,
    beta: float,
    zero_division: float,
) -> Evaluation:
    """Return the evaluation of the true pairs among encoded candidates."""
    new, hit, _ = truth._label(links.codes, links.targets, backend)
    twice = (new & both_listed(links.codes, backend.xp)).sum() if truth.undirected else 0
    distinct = int(new.sum()) - int(twice) // 2
    repeats = links.frame.count(links.codes >= 0) - distinct
    codes = backend.xp.where(hit, links.codes, backend.xp.int32(-1))
    tp = truth._match(codes, links.targets, backend).tp
    return evaluation(
        truth,
        Links(links.frame, codes, links.targets, links.present),
        tp,
        tp,
        replace(dropped, prediction_repeats=repeats),
        backend,
        beta=beta,
        zero_division=zero_division,
        name="oracle",
        threshold=None,
        library=links.frame.library,
    )


def read_candidates(
    candidates: Any,
    truth: Truth,
    backend: select.Backend,
    entity: _pairs.Names,
    target: _pairs.Names,
    score: Hashable | None,
    unknown_entities: str,
    nulls: str,
) -> tuple[Links, Dropped]:
    """Return candidates encoded, and what was left out of them."""
    frame = _pairs.read_pairs(
        candidates,
        "candidates",
        entity=entity,
        target=target,
        score=score,
        other=truth._names,
        undirected=truth.undirected,
    )
    coded = encoded_links(frame, truth, unknown_entities, nulls, backend)
    dropped = Dropped(
        prediction_nulls=coded.nulls,
        prediction_self_pairs=coded.self_pairs,
        truth_self_pairs=truth.self_pairs,
        unknown_entities=coded.strangers,
        truth_repeats=truth.repeats,
        truth_nulls=truth.nulls,
        truth_outside=truth.outside,
    )
    return Links(frame, coded.codes, coded.target, coded.present), dropped


def candidate_recall(
    candidates: Any,
    truth: Any,
    *,
    entities: Any = None,
    k: int | Sequence[int] | None = None,
    channel: Hashable | None = None,
    n_targets: int | None = None,
    entity: _pairs.Names = "entity",
    target: _pairs.Names = "target",
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
    one_of("unknown_entities", unknown_entities, ("error", "drop"))
    several = isinstance(k, (list, tuple, np.ndarray))
    listed = [] if k is None else list(k) if several else [k]  # type: ignore[arg-type]
    cuts = list(dict.fromkeys(whole("k", one, 1) for one in listed))
    if n_targets is not None:
        whole("n_targets", n_targets, 1)
    truth = as_truth(truth, candidates, entities, entity, target, nulls, ids, n_threads)
    backend = backend_of(candidates, truth, n_threads)
    links, dropped = read_candidates(
        candidates,
        truth,
        backend,
        entity,
        target,
        score if cuts else None,
        unknown_entities,
        nulls,
    )
    if n_targets is not None:
        _check_targets(links, n_targets, backend)
    chosen: list[tuple[str, Any]] = [("all candidates", None)]
    if cuts:
        place = ranks(links, backend)
        chosen += [(f"best {cut}", (place >= 1) & (place <= cut)) for cut in cuts]
    if channel is not None:
        chosen += _channels(candidates, links, channel, backend)
    lines = []
    for name, kept in chosen:
        codes = links.codes
        if kept is not None:
            codes = backend.xp.where(kept, codes, backend.xp.int32(-1))
        counts = truth._match(codes, links.targets, backend)
        totals = int(counts.tp.sum()), int(counts.n_pred.sum())
        if truth.undirected:
            totals = _pairs_of(truth, links, kept, backend)
        lines.append(_line(name, truth, counts, totals, n_targets, backend))
    repeats = links.frame.count(links.codes >= 0) - lines[0]["n_candidates"]
    return CandidateRecall(
        **lines[0],
        dropped=replace(dropped, prediction_repeats=repeats),
        lines=lines,
    )


def _pairs_of(truth: Truth, links: Links, kept: Any, backend: select.Backend) -> tuple[int, int]:
    """Return the true pairs and all pairs of some rows, each once however many ends it has."""
    codes = links.codes
    if kept is not None:
        half = len(codes) // 2
        either = kept[:half] | kept[half:]
        either = backend.xp.concatenate([either, either])
        codes = backend.xp.where(either, codes, backend.xp.int32(-1))
    new, hit, _ = truth._label(codes, links.targets, backend)
    both = new & both_listed(codes, backend.xp)
    return (
        int((new & hit).sum()) - int((both & hit).sum()) // 2,
        int(new.sum()) - int(both.sum()) // 2,
    )


def _check_targets(links: Links, n_targets: int, backend: select.Backend) -> None:
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
    truth: Truth,
    counts: Any,
    totals: tuple[int, int],
    n_targets: int | None,
    backend: select.Backend,
) -> dict[str, Any]:
    """Return the figures of one set of candidates."""
    groups = Groups(*backend.group(counts.tp, counts.n_pred, truth._n_true))
    n = truth.n_entities
    hits, pairs = totals
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
    candidates: Any, links: Links, channel: Hashable, backend: select.Backend
) -> list[tuple[str, Any]]:
    """Return the mask of the present rows of every channel, by its name."""
    values = _frames.read_column(candidates, "candidates", channel)
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
