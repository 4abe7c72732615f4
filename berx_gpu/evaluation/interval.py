"""How sure a score is: intervals over entities, each with all its pairs."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from berx_gpu.arithmetic import bounded
from berx_gpu.arithmetic.exact_sums import mean_of, sums_by
from berx_gpu.errors import DataError, counted, one_of
from berx_gpu.evaluation import bootstrap
from berx_gpu.evaluation.bootstrap import Draws
from berx_gpu.evaluation.limits import student
from berx_gpu.evaluation.scores import Scores, of_counts
from berx_gpu.evaluation.slices import slices
from berx_gpu.options import confidence
from berx_gpu.printing.tables import as_json, percent, share_text

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
_CLAIMS = (0.95, 0.99, 0.999)
_DRAWS = Draws(10_000, 0)


def interval(
    ev: Scores,
    metric: str = "macro_fbeta",
    confidence_level: float = 0.95,
    method: str = "auto",
    cluster: Any = None,
    draws: Draws = _DRAWS,
) -> Interval:
    """Return a metric of an evaluation with its limits, see `Evaluation.interval`."""
    one_of("metric", metric, METRICS)
    one_of("method", method, ("auto", "bounded", "normal", *bootstrap.METHODS))
    level = confidence(confidence_level)
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
    if method not in bootstrap.METHODS:
        return made
    backend = ev._counts.truth.backend()
    low, high, error = bootstrap.limits(method, num, den, count, level, draws, backend)
    note = "" if error else "all replicates are equal"
    return replace(
        made, low=low, high=high, method=method, standard_error=error, note=note, **draws._asdict()
    )


def _interval(
    metric: str, num: Any, den: Any, count: Any, level: float, method: str, is_mean: bool
) -> Interval:
    """Return the bounded interval of a metric, or the normal one."""
    n, total = count.sum(), (den * count).sum()
    estimate = float((num * count).sum() / total)
    *normal, error = student(num, den, count, level)
    far = 1.0 if is_mean else math.sqrt(float((den * den * count).sum() / count[den > 0].sum()))
    low, high = normal if method == "normal" else bounded.limits(num, den, count, far, level)
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


def _note(n_imperfect: int, n: int, largest: float, level: float) -> str:
    """Return what the limits do not cover, or what they would need to be closer to 1."""
    notes = []
    if not n_imperfect:
        needs = [(claim, bounded.perfect_needed(claim, level)) for claim in _CLAIMS]
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


def _units(ev: Scores, metric: str, cluster: Any) -> tuple[Any, Any, Any]:
    """Return numerators, denominators and counts of the distinct units of a metric."""
    counts = ev._counts
    host = counts.truth.backend().to_host
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


def _distinct(num: Any, den: Any, count: Any) -> tuple[Any, Any, Any]:
    """Return each distinct unit once; those with nothing below the fraction do not count."""
    pairs = np.stack([np.asarray(num, np.float64), np.asarray(den, np.float64)])[:, den > 0]
    seen, which = np.unique(pairs, axis=1, return_inverse=True)
    total = np.bincount(which.ravel(), weights=np.asarray(count, np.float64)[den > 0])
    return seen[0], seen[1], total


@dataclass(frozen=True)
class Interval:
    """A score with its limits.

    Attributes
    ----------
    metric : str
    estimate, low, high : float
    confidence_level : float
    method : str
        ``"bounded"``, ``"normal"``, ``"bca"``, ``"percentile"`` or ``"poisson"``.
    standard_error : float
        Of the estimate, from the spread of the units, or of the replicates.
    normal_low, normal_high : float
        The limits of the normal method, for comparison.
    n_units, n_imperfect : int
        Entities, or blocks of them, that the metric is over; those below 1.
    largest_share : float
        The part of the denominator that the largest unit holds.
    n_resamples, seed : int or None
        Of a bootstrap.
    note : str
        What to bear in mind, if anything.
    """

    metric: str
    estimate: float
    low: float
    high: float
    confidence_level: float
    method: str
    standard_error: float
    normal_low: float
    normal_high: float
    n_units: int
    n_imperfect: int
    largest_share: float
    n_resamples: int | None
    seed: int | None
    note: str

    def to_dict(self) -> dict[str, Any]:
        """Return the attributes as valid JSON."""
        return {name: as_json(value) for name, value in asdict(self).items()}

    def limits(self) -> str:
        """Return the limits as text, with the level that they hold at."""
        level = percent(self.confidence_level)
        return f"{level} [{share_text(self.low)}, {share_text(self.high)}]"

    def __str__(self) -> str:
        text = f"{self.metric} {share_text(self.estimate)}, {self.limits()}"
        return f"{text}; {self.note}" if self.note else text
