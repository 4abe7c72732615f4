"""`sweep`: the score at every threshold at once, for one policy or many."""

from __future__ import annotations

import decimal
import itertools
import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from berx_gpu import _pairs, curves
from berx_gpu._backends import select
from berx_gpu._columns import same_name
from berx_gpu._encoded import Encoded, both_listed
from berx_gpu._frames import one_table, without
from berx_gpu._links import Links, as_truth, backend_of, encoded_links
from berx_gpu._options import as_float, number, score_limit
from berx_gpu._options import level as level_of
from berx_gpu._ranks import present_scores, ranks
from berx_gpu._scores import Scale
from berx_gpu.errors import DataError, one_of
from berx_gpu.policy import Policy, Rules
from berx_gpu.results import Dropped
from berx_gpu.sweep_parts import Best, SweepData
from berx_gpu.sweep_results import PolicySweep, Sweep
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
    thresholds = None if thresholds is None else _thresholds(thresholds)
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
    columns = _score_columns(score, candidates)
    candidates = candidates if len(columns) == 1 else one_table(candidates, columns)
    results = []
    for column in columns:
        frame = _pairs.read_pairs(
            without(candidates, [c for c in columns if c is not column]),
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


def _score_columns(score: Any, candidates: Any) -> list[Hashable]:
    """Return the columns of scores: one name, or a list of them."""
    labels = getattr(candidates, "columns", ())
    several = isinstance(score, (list, np.ndarray)) or (
        isinstance(score, tuple) and not any(same_name(label, score) for label in labels)
    )
    columns = [*score] if several else [score]
    columns = [str(c) if isinstance(c, np.str_) else c for c in columns]
    if not columns or any(c is None or isinstance(c, (set, dict, list)) for c in columns):
        raise DataError(f"score={score!r} names no column; give a column of scores, or a list")
    for a, b in itertools.combinations(columns, 2):
        if same_name(a, b):
            raise DataError(f"score names the column {a!r} twice")
    return columns


def _grid(**options: Any) -> list[Policy]:
    """Return the policies of all combinations."""
    values = [
        list(value) if isinstance(value, Iterable) and not isinstance(value, str) else [value]
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


def _thresholds(thresholds: Any) -> list[float]:
    """Return a grid of thresholds, or raise unless it is one or more numbers."""
    if isinstance(thresholds, str) or not isinstance(thresholds, Iterable):
        raise DataError(f"thresholds={thresholds!r}: give a list of numbers")
    grid = list(thresholds)
    if not grid:
        raise DataError("thresholds=[] holds no number; give one, or None for every score")
    return [score_limit("thresholds", value) for value in grid]


def _swept(
    data: SweepData,
    column: Hashable,
    policy: Policy,
    mask: Any,
    thresholds: list[float] | None,
    backend: select.Backend,
) -> PolicySweep:
    """Return the curve and the best point of one policy, which keeps the links of a mask."""
    levels, *parts = curves.points(data, mask, backend)
    shown, rows = curves.as_floats(levels), np.arange(0)
    if thresholds is not None:
        rows = np.array([curves.row_at(data.scale, levels, t) for t in thresholds])
        shown = np.array([as_float(t) for t in thresholds])
        parts = [part[rows] for part in parts]
    macro, n_pred, tp, linked = parts
    equal = np.flatnonzero(macro == macro.max())
    row = int(equal[np.argmax(np.where(np.isnan(shown[equal]), math.inf, shown[equal]))])
    at = int(rows[row]) if thresholds is not None else row
    threshold = curves.exact(levels, at, data.scale) if thresholds is None else thresholds[row]
    down_to = curves.exact(levels, at + 1, data.scale) if at + 1 < len(levels) else -math.inf
    return PolicySweep(
        score=column,
        policy=policy,
        data=data,
        mask=backend.xp.packbits(mask),
        threshold=shown,
        macro_fbeta=macro,
        tp=tp,
        n_pred=n_pred,
        n_linked=linked,
        is_grid=thresholds is not None,
        best=Best(
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
        ),
    )


def _round(threshold: float, below: float, scale: Scale) -> float:
    """Return the shortest number above `below`, and at most the threshold, as scores compare."""
    if isinstance(threshold, int) or not math.isfinite(threshold):
        return threshold
    for digits in range(1, 18):
        for rounding in (decimal.ROUND_HALF_EVEN, decimal.ROUND_FLOOR):
            context = decimal.Context(prec=digits, rounding=rounding)
            short = float(context.create_decimal(threshold))
            if below < level_of(short, scale.dtype) <= level_of(threshold, scale.dtype):
                return short
    return threshold
