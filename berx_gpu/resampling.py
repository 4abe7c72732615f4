"""How sure a score is: intervals over entities, each with all its pairs."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import special

from berx_gpu import _bootstrap, _bounded
from berx_gpu._bootstrap import seed_of
from berx_gpu._columns import build_frame
from berx_gpu._options import number, whole
from berx_gpu._progress import tell
from berx_gpu._sums import mean_of, sums_by
from berx_gpu.breakdown import measures, slices
from berx_gpu.errors import DataError, counted, one_of
from berx_gpu.interval_results import Interval
from berx_gpu.results import Evaluation
from berx_gpu.scoring import fbeta_of, share

MACRO_METRICS = ("macro_fbeta", "macro_fbeta_non_singleton", "macro_precision", "macro_recall")
_POOLED = ("precision", "recall", "pooled_fbeta")
METRICS = (*MACRO_METRICS, *_POOLED)
_WITH = {
    "precision": " with a prediction",
    "recall": " with a true target",
    "macro_fbeta_non_singleton": " with a true target",
    "pooled_fbeta": " with a prediction or a true target",
}
_FEWEST_BLOCKS = 10
RESAMPLES = (100, 100_000_000)
"""The fewest replicates, and the most."""
_SUREST = 1 - 1e-12
_CLAIMS = (0.95, 0.99, 0.999)


def interval(
    ev: Evaluation,
    metric: str,
    confidence_level: float,
    method: str,
    n_resamples: int,
    rng: Any,
    cluster: Any,
) -> Interval:
    """Return the interval behind `Evaluation.interval`."""
    one_of("metric", metric, METRICS)
    one_of("method", method, ("auto", "bounded", "normal", *_bootstrap.METHODS))
    level = confidence(confidence_level)
    n_resamples, seed = whole("n_resamples", n_resamples, *RESAMPLES), seed_of(rng)
    if metric in _POOLED and ev._counts.truth.undirected:
        raise DataError(
            f"{metric} of pairs without a direction has no interval over entities, because a pair "
            "belongs to two; ask for a macro metric"
        )
    num, den, count = _units(ev, metric, cluster)
    n = int(count.sum())
    if n < 2 or not (den * count).sum():
        raise DataError(
            f"{metric} is over {counted(n, 'entity', 'entities')}{_WITH.get(metric, '')}, and an "
            "interval needs two or more"
        )
    if cluster is not None and n < _FEWEST_BLOCKS:
        raise DataError(
            f"{counted(n, 'block', 'blocks')} of entities are too few for an interval; it needs "
            f"{_FEWEST_BLOCKS} or more"
        )
    means = cluster is None and metric not in _POOLED
    made = _interval(metric, num, den, count, level, method, means)
    if method not in _bootstrap.METHODS:
        return made
    backend = ev._counts.truth._backend()
    low, high, error = _bootstrap.limits(method, num, den, count, level, n_resamples, seed, backend)
    return replace(
        made, low=low, high=high, method=method, standard_error=error, n_resamples=n_resamples,
        seed=seed, note="" if error else "all replicates are equal",
    )  # fmt: skip


def by(ev: Evaluation, key: Any, confidence_level: float) -> Any:
    """Return the frame behind `Evaluation.by` with limits of macro F."""
    level = confidence(confidence_level)
    shown, group = slices(ev._counts.truth, key)
    columns = measures(ev, group)
    fbeta = ev._counts.truth._backend().to_host(fbeta_of(ev))
    found = limits_by(fbeta, group, int(group.max()) + 1, level)
    columns |= dict(zip(("low", "high", "low_all", "high_all"), found, strict=True))
    return build_frame([*shown, *columns.items()], ev._counts.library)


def limits_by(values: Any, group: Any, n_groups: int, level: float) -> Any:
    """Return limits of the mean of each group: alone (low, high) and for all groups at once.

    Parameters
    ----------
    values : float64 array in [0, 1]
    group : int64 array
        The number of the group of each value.
    n_groups : int
    level : float

    Returns
    -------
    float64 array of shape (4, n_groups)
        NaN for groups of fewer than two.
    """
    together = level ** (1 / n_groups)  # Sidak
    order = np.lexsort((values, group))
    group, values = group[order], values[order]
    new = np.ones(len(group), bool)
    new[1:] = (group[1:] != group[:-1]) | (values[1:] != values[:-1])
    first = np.flatnonzero(new)
    count = np.diff(first, append=len(group)).astype(np.float64)
    ends = np.searchsorted(group[first], np.arange(n_groups), side="right")
    found = np.full((4, n_groups), math.nan)
    for i, end in enumerate(ends):
        tell("limits of slices", i + 1, n_groups)
        mine = slice(ends[i - 1] if i else 0, end)
        if count[mine].sum() >= 2:
            units = (values[first[mine]], count[mine])
            found[:, i] = (*limits_of_mean(*units, level), *limits_of_mean(*units, together))
    return found


def limits_of_mean(values: Any, count: Any, level: float) -> tuple[float, float]:
    """Return the bounded limits of a mean of numbers in [0, 1], of which there are so many each."""
    return _bounded.limits(values, np.ones(len(values)), count.astype(np.float64), 1.0, level)


def confidence(confidence_level: Any) -> float:
    """Return a confidence level, or raise unless it lies between 0 and 1."""
    level = number("confidence_level", confidence_level, 0, 1)
    if not 0 < level <= _SUREST:
        raise DataError(
            f"confidence_level={confidence_level!r}: give a number between 0 and 1, such as 0.95"
        )
    return level


def _interval(
    metric: str, num: Any, den: Any, count: Any, level: float, method: str, is_mean: bool
) -> Interval:
    """Return the bounded interval of a metric, or the normal one."""
    n, total = count.sum(), (den * count).sum()
    estimate = float((num * count).sum() / total)
    *normal, error = student(num, den, count, level)
    far = 1.0 if is_mean else math.sqrt(float((den * den * count).sum() / count[den > 0].sum()))
    low, high = normal if method == "normal" else _bounded.limits(num, den, count, far, level)
    n_imperfect = int(count[num < den].sum())
    largest = float(den.max() / total)
    return Interval(
        metric=metric,
        estimate=estimate,
        low=low,
        high=high,
        confidence_level=level,
        method="normal" if method == "normal" else "bounded",
        standard_error=error,
        normal_low=normal[0],
        normal_high=normal[1],
        n_units=int(n),
        n_imperfect=n_imperfect,
        largest_share=largest,
        n_resamples=None,
        seed=None,
        note=_note(n_imperfect, int(n), largest if not is_mean else 0.0, level),
    )


def student(num: Any, den: Any, count: Any, level: float) -> tuple[float, float, float]:
    """Return Student's limits of sum(num) / sum(den) inside [0, 1], and its standard error."""
    n, total = float(count.sum()), float((den * count).sum())
    estimate = float((num * count).sum()) / total
    residual = num - estimate * den
    error = math.sqrt(float((residual * residual * count).sum()) * n / (n - 1)) / total
    reach = float(special.stdtrit(n - 1, (1 + level) / 2)) * error
    return max(estimate - reach, 0.0), min(estimate + reach, 1.0), error


def _note(n_imperfect: int, n: int, largest: float, level: float) -> str:
    """Return what the limits do not cover, or what they would need to be closer to 1."""
    notes = []
    if not n_imperfect:
        needs = [(claim, _bounded.perfect_needed(claim, level)) for claim in _CLAIMS]
        more = [f"{claim:g} needs {needed:,}" for claim, needed in needs if needed > n]
        notes.append(
            f"all {n:,} are perfect" + (f"; a lower limit of {', of '.join(more)}" if more else "")
        )
    if largest > 0.01:
        notes.append(
            f"the largest unit holds {100 * largest:.1f} % of the denominator, and unseen ones of "
            "its size are not covered"
        )
    return "; ".join(notes)


def _units(ev: Evaluation, metric: str, cluster: Any) -> tuple[Any, Any, Any]:
    """Return numerators, denominators and counts of the distinct units of a metric."""
    counts = ev._counts
    host = counts.truth._backend().to_host
    if cluster is None:
        groups = counts.groups
        num, den = of_counts(ev, metric, groups.tp, groups.n_pred, groups.n_true)
        return _distinct(host(num), host(den), host(groups.size))
    _, block = slices(ev._counts.truth, cluster)
    num, den = (
        mean_of(*sums_by(host(part), block, int(block.max()) + 1), 1)
        for part in of_counts(ev, metric, counts.tp, counts.n_pred, counts.n_true)
    )
    return _distinct(num, den, np.ones(len(num)))


def of_counts(ev: Evaluation, metric: str, tp: Any, n_pred: Any, n_true: Any) -> tuple[Any, Any]:
    """Return what units with these counts add above and below the fraction of a metric."""
    backend = ev._counts.truth._backend()
    xp = backend.xp
    beta2 = ev.beta * ev.beta
    if metric == "precision":
        return tp, n_pred
    if metric == "recall":
        return tp, n_true
    if metric == "pooled_fbeta":
        return tp, (beta2 * n_true + n_pred) / (1 + beta2)
    ones = xp.ones(len(tp))
    if metric == "macro_precision":
        return share(xp, tp, n_pred, n_true, n_pred), ones
    if metric == "macro_recall":
        return share(xp, tp, n_pred, n_true, n_true), ones
    fbeta = backend.fbeta(tp, n_pred, n_true, ev.beta)
    if metric == "macro_fbeta":
        return fbeta, ones
    real = (n_true > 0).astype(xp.float64)
    return fbeta * real, real


def _distinct(num: Any, den: Any, count: Any) -> tuple[Any, Any, Any]:
    """Return each distinct unit once; those with nothing below the fraction do not count."""
    pairs = np.stack([np.asarray(num, np.float64), np.asarray(den, np.float64)])[:, den > 0]
    seen, which = np.unique(pairs, axis=1, return_inverse=True)
    total = np.bincount(which.ravel(), weights=np.asarray(count, np.float64)[den > 0])
    return seen[0], seen[1], total
