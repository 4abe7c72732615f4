"""`sweep`: the score at every threshold at once, for one policy or many."""

from __future__ import annotations

import itertools
import math
from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from berx_gpu import _pairs, curves
from berx_gpu._backends import select
from berx_gpu._columns import same_name
from berx_gpu._encoded import Encoded, both_listed
from berx_gpu._links import Links, as_truth, backend_of, encoded_links
from berx_gpu._options import level as level_of
from berx_gpu._options import number
from berx_gpu._ranks import present_scores, ranks
from berx_gpu._scores import Scale
from berx_gpu.errors import DataError, one_of
from berx_gpu.policy import Policy, Rules
from berx_gpu.results import Dropped
from berx_gpu.sweep_results import Best, PolicySweep, Sweep, SweepData
from berx_gpu.truth import Truth


def sweep(
    candidates: Any,
    truth: Any,
    *,
    entities: Any = None,
    score: Hashable | Sequence[Hashable] = "score",
    thresholds: Sequence[float] | None = None,
    beta: float = 0.5,
    one_entity_per_target: bool | Sequence[bool] = False,
    owner_margin: float | Sequence[float | None] | None = None,
    top_k: int | Sequence[int | None] | None = None,
    ratio: float | Sequence[float | None] | None = None,
    best_margin: float | Sequence[float | None] | None = None,
    min_best: float | Sequence[float | None] | None = None,
    entity: _pairs.Names = "entity",
    target: _pairs.Names = "target",
    unknown_entities: str = "error",
    nulls: str = "error",
    ids: str | None = None,
    device: str | None = None,
    n_threads: int | None = None,
) -> Sweep:
    """Score every threshold of scored candidates at once.

    Undirected pairs (``Truth(undirected=True)``) have the threshold alone, and count once.

    Parameters
    ----------
    candidates : DataFrame, Arrow stream or list of tuples
        Scored (entity, target) pairs; a repeated pair keeps its highest score.
    truth, entities, beta, entity, target, unknown_entities, nulls, ids, device, n_threads
        As in `evaluate`. Candidates of entities that are not listed compete for targets before
        they are dropped.
    score : str or list of str, default "score"
        Columns of scores; each gets curves of its own.
    thresholds : list of float, optional
        Only these, in place of every distinct score.
    one_entity_per_target, owner_margin, top_k, ratio, best_margin, min_best
        Rules that act before the threshold, see `Policy`. A list of values makes a grid; every
        combination gets its full curve. The threshold alone, and one entity per target, are always
        among them.

    Returns
    -------
    Sweep
        The curves, the best point of each, and the best of all.

    Raises
    ------
    DataError
        As in `evaluate`; for missing or NaN scores, and for rules out of their range.

    Notes
    -----
    Links are sorted by falling score and walked once: each changes the F of its entity, and the
    sum of F over all entities, kept in whole numbers, is the curve. Memory does not depend on the
    number of thresholds.

    Examples
    --------
    >>> from berx_gpu import sweep
    >>> sw = sweep(
    ...     [("a", "x", 0.9), ("a", "q", 0.4), ("b", "y", 0.6)],
    ...     {"a": ["x"], "b": ["y"], "c": []},
    ...     entities=["a", "b", "c"],
    ... )
    >>> sw.best.threshold, sw.best.macro_fbeta
    (0.6, 1.0)
    >>> sw.curve[["threshold", "macro_fbeta", "n_pred"]].round(4)
       threshold  macro_fbeta  n_pred
    0        inf       0.3333       0
    1        0.9       0.6667       1
    2        0.6       1.0000       2
    3        0.4       0.8519       3
    """
    one_of("unknown_entities", unknown_entities, ("error", "drop"))
    one_of("nulls", nulls, ("error", "drop"))
    beta = number("beta", beta, 1e-100, 1e100)
    asked = _grid(
        one_entity_per_target=one_entity_per_target,
        owner_margin=owner_margin,
        top_k=top_k,
        ratio=ratio,
        best_margin=best_margin,
        min_best=min_best,
    )
    truth = as_truth(truth, candidates, entities, entity, target, nulls, ids, n_threads, device)
    policies = [Policy()] if truth.undirected else [Policy(), Policy(one_entity_per_target=True)]
    if truth.undirected and any(policy != Policy() for policy in asked):
        raise DataError(
            "rules before the threshold choose among the targets of an entity, and undirected "
            "pairs are no one's; sweep them by the threshold alone"
        )
    policies = list(dict.fromkeys([*policies, *asked]))
    backend = backend_of(candidates, truth, n_threads)
    columns = list(score) if isinstance(score, (list, tuple)) else [score]
    if not columns:
        raise DataError("score=[] names no column; give the score columns to sweep")
    results = []
    for column in columns:
        frame = _pairs.read_pairs(
            _without(candidates, columns, column),
            "candidates",
            entity=entity,
            target=target,
            score=column,
            other=truth._names,
            undirected=truth.undirected,
        )
        coded = encoded_links(frame, truth, unknown_entities, nulls, backend)
        data = _data(truth, frame, coded, backend, beta)
        choose = Rules(data.links, data.scores, truth.ids, backend, data.once)
        results += [_swept(data, column, p, choose.kept(p), thresholds, backend) for p in policies]
    return Sweep(
        beta=beta,
        n_entities=truth.n_entities,
        n_true=truth.n_true,
        results=results,
    )


def _without(candidates: Any, columns: Sequence[Hashable], column: Hashable) -> Any:
    """Return the candidates without the other score columns, so that two keys need no names."""
    others = [c for c in columns if not same_name(c, column)]
    if not others or not hasattr(candidates, "drop"):
        return candidates
    if hasattr(candidates, "drop_columns"):
        return candidates.drop_columns(others)
    return (
        candidates.drop(columns=others) if hasattr(candidates, "iloc") else candidates.drop(others)
    )


def _grid(**options: Any) -> list[Policy]:
    """Return the policies of all combinations."""
    values = [
        list(value) if isinstance(value, (list, tuple, np.ndarray)) else [value]
        for value in options.values()
    ]
    for name, listed in zip(options, values, strict=True):
        if not listed:
            raise DataError(f"{name}=[] holds no value; give one or leave it out")
    return [
        Policy(**dict(zip(options, combination, strict=True)))
        for combination in itertools.product(*values)
    ]


def _data(
    truth: Truth, frame: _pairs.Pairs, coded: Encoded, backend: select.Backend, beta: float
) -> SweepData:
    """Return the labelled candidates of one score column."""
    xp = backend.xp
    links = Links(frame, coded.codes, coded.target, coded.present)
    scores = present_scores(links, backend)
    once, hit, again = truth._label(links.codes, links.targets, backend)
    distinct = int(once.sum())
    if truth.undirected:
        distinct -= int((once & both_listed(links.codes, xp)).sum()) // 2
    if again.any():  # the best row of each pair; only repeated pairs need a look at scores
        rows = xp.flatnonzero(again)
        few = replace(
            links,
            codes=links.codes[rows],
            targets=tuple(key.rows(backend.take, rows) for key in links.targets),
        )
        once[rows] = ranks(few, backend, scores[rows]) > 0
    dropped = Dropped(
        prediction_repeats=frame.count(links.codes >= 0) - distinct,
        truth_repeats=truth.repeats,
        prediction_nulls=coded.nulls,
        truth_nulls=truth.nulls,
        unknown_entities=coded.strangers,
        truth_outside=truth.outside,
        prediction_self_pairs=coded.self_pairs,
        truth_self_pairs=truth.self_pairs,
    )
    return SweepData(truth, links, scores, Scale.of(scores, xp), once, hit, dropped, beta)


def _swept(
    data: SweepData,
    column: Hashable,
    policy: Policy,
    mask: Any,
    thresholds: Sequence[float] | None,
    backend: select.Backend,
) -> PolicySweep:
    """Return the curve and the best point of one policy, which keeps the links of a mask."""
    levels, *parts = curves.points(data, mask, backend)
    below = np.append(levels[1:], -math.inf)
    if thresholds is not None:
        rows = _rows_at(data, levels, thresholds)
        levels, below = np.array([float(t) for t in thresholds], np.float64), below[rows]
        parts = [part[rows] for part in parts]
    macro, n_pred, tp, linked = parts
    return PolicySweep(
        score=column,
        policy=policy,
        data=data,
        mask=backend.xp.packbits(mask),
        threshold=levels,
        macro_fbeta=macro,
        tp=tp,
        n_pred=n_pred,
        n_linked=linked,
        best=_best(data, column, policy, levels, below, parts),
    )


def _rows_at(data: SweepData, levels: Any, thresholds: Sequence[float]) -> Any:
    """Return the row of the full curve that each threshold stands for."""
    found = []
    for threshold in thresholds:
        if not isinstance(threshold, (int, np.integer)):
            number("thresholds", threshold)
        level = level_of(threshold, data.scale.dtype)
        found.append(int(np.searchsorted(-levels[1:], -level, side="right")))
    return np.array(found, np.int64)


def _best(
    data: SweepData,
    column: Hashable,
    policy: Policy,
    levels: Any,
    below: Any,
    parts: Sequence[Any],
) -> Best:
    """Return the highest point; among equals the one with the highest threshold."""
    macro, n_pred, tp, linked = parts
    equal = np.flatnonzero(macro == macro.max())
    row = int(equal[np.argmax(np.where(np.isnan(levels[equal]), math.inf, levels[equal]))])
    threshold = float(levels[row])
    threshold = math.inf if math.isnan(threshold) else threshold
    down_to = float(below[row])
    return Best(
        policy=replace(policy, threshold=threshold),
        score=column,
        threshold=threshold,
        down_to=down_to,
        round_threshold=_round(threshold, down_to, data.scale),
        macro_fbeta=float(macro[row]),
        tp=int(tp[row]),
        n_pred=int(n_pred[row]),
        n_true=data.truth.n_true,
        n_linked=int(linked[row]),
    )


def _round(threshold: float, below: float, scale: Scale) -> float:
    """Return the shortest decimal above `below`, and at most the threshold, as scores compare."""
    if not math.isfinite(threshold):
        return threshold
    for digits in range(17):
        short = math.floor(threshold * 10**digits) / 10**digits
        if level_of(short, scale.dtype) > below and short <= threshold:
            return float(short)
    return threshold
