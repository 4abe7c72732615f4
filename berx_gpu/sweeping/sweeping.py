"""`sweep`: the score at every threshold at once, for one policy or many."""

from __future__ import annotations

import decimal
import itertools
import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from berx_gpu.backends.backend import Backend
from berx_gpu.deciding.policy import Policy
from berx_gpu.deciding.rules import Rules
from berx_gpu.encoding.scores import Scale, score_limit
from berx_gpu.encoding.scores import level as level_of
from berx_gpu.errors import DataError
from berx_gpu.inputs.columns import same_name
from berx_gpu.inputs.frames import one_table, without
from berx_gpu.inputs.pairs import Names
from berx_gpu.links.dropped import Dropped
from berx_gpu.links.how import Reading
from berx_gpu.links.links import LeftOut, Links
from berx_gpu.links.ranks import present_scores, ranks
from berx_gpu.links.reading import as_truth, backend_of, read_links
from berx_gpu.links.true_pairs import TruePairs
from berx_gpu.links.undirected import pairs_in
from berx_gpu.options import as_float, beta_of
from berx_gpu.sweeping import points
from berx_gpu.sweeping.curve import Best, SweepData
from berx_gpu.sweeping.results import PolicySweep, Sweep


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
    entity: Names = "entity",
    target: Names = "target",
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
    beta = beta_of(beta)
    thresholds = None if thresholds is None else _thresholds(thresholds)
    asked = _grid(
        one_entity_per_target=one_entity_per_target,
        owner_margin=owner_margin,
        top_k=top_k,
        ratio=ratio,
        best_margin=best_margin,
        min_best=min_best,
    )
    how = Reading(entity, target, None, unknown_entities, nulls, ids, device, n_threads)
    true = as_truth(truth, candidates, entities, how)
    policies = _policies(asked, true.undirected)
    backend = backend_of(candidates, true, n_threads)
    columns = _score_columns(score, candidates)
    candidates = candidates if len(columns) == 1 else one_table(candidates, columns)
    results = []
    for column in columns:
        others = [c for c in columns if c is not column]
        own = replace(how, score=column)
        links, left_out = read_links(without(candidates, others), "candidates", true, own, backend)
        data = _data(true, links, left_out, backend, beta)
        choose = Rules(links, data.scores, true.ids, backend, data.once)
        results += [_swept(data, column, p, choose.kept(p), thresholds, backend) for p in policies]
    return Sweep(beta=beta, n_entities=true.n_entities, n_true=true.n_true, results=results)


def _policies(asked: list[Policy], undirected: bool) -> list[Policy]:
    """Return the policies to sweep, those always shown among them."""
    if undirected and any(policy != Policy() for policy in asked):
        raise DataError(
            "rules before the threshold choose among the targets of an entity, and undirected "
            "pairs are no one's; sweep them by the threshold alone"
        )
    always = [Policy()] if undirected else [Policy(), Policy(one_entity_per_target=True)]
    return list(dict.fromkeys([*always, *asked]))


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
    truth: TruePairs, links: Links, left_out: LeftOut, backend: Backend, beta: float
) -> SweepData:
    """Return the labelled candidates of one score column."""
    xp = backend.xp
    scores = present_scores(links, backend)
    once, hit, again = truth.label(links, backend)
    distinct = pairs_in(once, links.codes, truth.undirected, xp)
    if again.any():  # the best row of each pair; only repeated pairs need a look at scores
        rows = xp.flatnonzero(again)
        few = replace(
            links,
            codes=links.codes[rows],
            targets=tuple(key.rows(backend.take, rows) for key in links.targets),
        )
        once[rows] = ranks(few, backend, scores[rows]) > 0
    dropped = Dropped.of(truth, left_out, links.count() - distinct)
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
    backend: Backend,
) -> PolicySweep:
    """Return the curve and the best point of one policy, which keeps the links of a mask."""
    levels, *parts = points.points(data, mask, backend)
    shown, rows = points.as_floats(levels), np.arange(0)
    if thresholds is not None:
        rows = np.array([points.row_at(data.scale, levels, t) for t in thresholds])
        shown = np.array([as_float(t) for t in thresholds])
        parts = [part[rows] for part in parts]
    macro, n_pred, tp, linked = parts
    equal = np.flatnonzero(macro == macro.max())
    row = int(equal[np.argmax(np.where(np.isnan(shown[equal]), math.inf, shown[equal]))])
    at = int(rows[row]) if thresholds is not None else row
    threshold = points.exact(levels, at, data.scale) if thresholds is None else thresholds[row]
    down_to = points.exact(levels, at + 1, data.scale) if at + 1 < len(levels) else -math.inf
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
