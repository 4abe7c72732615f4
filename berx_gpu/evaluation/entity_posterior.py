"""Posteriors of an evaluation: pairs of one entity err together, and count for less."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special

from berx_gpu.errors import DataError, counted
from berx_gpu.evaluation.scores import Scores
from berx_gpu.evaluation.slices import slices
from berx_gpu.inputs.columns import build_frame, take
from berx_gpu.options import number
from berx_gpu.posterior import batches
from berx_gpu.posterior.model import BayesianPRModel
from berx_gpu.posterior.options import prior_counts, share_of_one

_FEWEST = 30


def of_entities(
    ev: Scores,
    by: Any = None,
    *,
    floor: float | None = None,
    ci: float | None = None,
    prior: str | None = None,
    prior_alpha: float = 1.0,
    prior_beta: float = 1.0,
) -> Any:
    """Return the posterior of an evaluation, or of its slices, whose pairs err together.

    Parameters
    ----------
    ev : Evaluation
    by : str, mapping, Series or list of these, optional
        Slices, as in `Evaluation.by`.
    floor : float, default 0.95
        Of slices: they are ranked by P(precision > floor).
    ci : float, default 0.95
        Of slices: the probability between the limits.
    prior, prior_alpha, prior_beta
        As in `BayesianPRModel`.

    Returns
    -------
    BayesianPRModel or DataFrame
        Without `by`, a model whose counts are divided by its `design_effects`. With it, a row per
        slice, the surest first: the key, n_entities, tp, fp, fn, both design effects, and mean,
        std, low, high and above of precision, recall and f (F1); NaN where fewer than 30 entities
        have a prediction, or a true target.

    Raises
    ------
    DataError
        For fewer than 30 entities with a prediction, or with a true target, for pairs without a
        direction, and for options of slices without `by`.

    Notes
    -----
    A wrong rule links many pairs of one entity at once, so pairs are no independent trials, and
    plain counts claim too much: intervals from them covered in 32 to 59 % of simulations with
    heavy tails. The counts are divided by the design effect (Kish 1965): the variance of the share
    over entities, over that of independent pairs, and 1 at least. Where no pair errs, or all do,
    the spread says nothing, and the pairs of an entity count as one.

    Examples
    --------
    >>> from berx_gpu import evaluate
    >>> truth = {i: [2 * i, 2 * i + 1] for i in range(50)}
    >>> pred = {i: truth[i] if i % 10 else [-1, -2] for i in range(50)}
    >>> model = evaluate(pred, truth, entities=range(50)).posterior()
    >>> {name: round(effect, 2) for name, effect in model.design_effects.items()}
    {'precision': 2.04, 'recall': 2.04}
    >>> print(model.precision_stats())
    mean=0.8843, std=0.0444, 95% CI=[0.7844, 0.9559]
    """
    pseudo = prior_counts(prior, prior_alpha, prior_beta)
    if by is not None:
        limit = 0.95 if floor is None else number("floor", floor, 0, 1)
        return _of_slices(ev, by, limit, share_of_one("ci", 0.95 if ci is None else ci), pseudo)
    for name, value in (("floor", floor), ("ci", ci)):
        if value is not None:
            raise DataError(
                f"{name}={value!r} is of slices; give by=, or ask the model that returns"
            )
    return _model(ev, pseudo)


def _model(ev: Scores, prior: tuple[float, float]) -> BayesianPRModel:
    tp, made, real = _per_entity(ev)
    for part, what in ((made, "a prediction"), (real, "a true target")):
        n = int((part > 0).sum())
        if n < _FEWEST:
            raise DataError(
                f"a posterior over {counted(n, 'entity', 'entities')} with {what}: how far pairs "
                f"of one entity err together takes {_FEWEST} or more to tell"
            )
    whole = np.zeros(len(tp), np.int64)
    p, r = (float(_design_effects(tp, part, whole, 1)[0]) for part in (made, real))
    hits, false, missed = float(tp.sum()), float((made - tp).sum()), float((real - tp).sum())
    model = BayesianPRModel(ev.name, None, *prior)
    model.update(hits / p, fp=false / p)
    model.update(hits / r, fn=missed / r)
    both = max(p, r)
    model._joint = (hits / both, false / both, missed / both)
    model.design_effects = {"precision": p, "recall": r}
    return model


def _of_slices(ev: Scores, key: Any, floor: float, level: float, prior: tuple[float, float]) -> Any:
    shown, group = slices(ev._counts.truth, key)
    tp, made, real = _per_entity(ev)
    n_slices = int(group.max()) + 1
    size = np.bincount(group)
    hits, false, missed = (np.bincount(group, weights=part) for part in (tp, made - tp, real - tp))
    p, r = (_design_effects(tp, part, group, n_slices) for part in (made, real))
    both = np.maximum(p, r)
    a, b = prior
    of_p = batches.columns(a + hits / p, b + false / p, level, floor, np, special)
    of_r = batches.columns(a + hits / r, b + missed / r, level, floor, np, special)
    of_f = batches.f1_columns(
        a + hits / both, 2 * b + (false + missed) / both, level, floor, np, special
    )
    columns: dict[str, Any] = {
        "n_entities": size,
        "tp": hits.astype(np.int64),
        "fp": false.astype(np.int64),
        "fn": missed.astype(np.int64),
        "precision_design_effect": p,
        "recall_design_effect": r,
    }
    few_p, few_r = (np.bincount(group, weights=part > 0) < _FEWEST for part in (made, real))
    metrics = (("precision", of_p, few_p), ("recall", of_r, few_r), ("f", of_f, few_p | few_r))
    for metric, part, few in metrics:
        columns |= {f"{metric}_{n}": np.where(few, np.nan, v) for n, v in part.items()}
    order = np.argsort(-columns["precision_above"], kind="stable")
    ranked = [(name, take(values, order)) for name, values in shown]
    return build_frame(
        [*ranked, *((name, values[order]) for name, values in columns.items())],
        ev._counts.library,
    )


def _per_entity(ev: Scores) -> tuple[Any, Any, Any]:
    counts = ev._counts
    if counts.truth.undirected:
        raise DataError(
            "pairs without a direction have no posterior over entities, because a pair belongs to "
            "two; give the counts to BayesianPRModel"
        )
    host = counts.truth.backend().to_host
    tp, made, real = (host(part) for part in counts.each)
    return tp, made, real


def _design_effects(tp: Any, whole: Any, group: Any, n_groups: int) -> Any:
    """Return how many pairs say as much as one independent one, in each group of entities; >= 1.

    The variance of tp / whole over entities, over that of independent pairs. Where no pair errs, or
    all do, the spread says nothing: then all pairs of an entity count as one.
    """

    def total(values: Any) -> Any:
        return np.bincount(group, weights=values, minlength=n_groups)

    n, pairs = total(whole > 0), total(whole)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = total(tp) / pairs
        spread = total((tp - share[group] * whole) ** 2) * n / (n - 1)
        effect = np.where(
            (share > 0) & (share < 1) & (n > 1),
            spread / (pairs * share * (1 - share)),
            total(whole.astype(np.float64) ** 2) / pairs,
        )
    return np.maximum(np.nan_to_num(effect, nan=1.0, posinf=1.0), 1.0)
