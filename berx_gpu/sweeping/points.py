"""What the curve of a sweep can be asked: points, rows, a precision, an evaluation."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from berx_gpu.backends.backend import Backend
from berx_gpu.encoding.scores import Scale, level, reaches, score_limit
from berx_gpu.evaluation.evaluation import Evaluation
from berx_gpu.evaluation.scoring import evaluated
from berx_gpu.inputs.columns import build_frame
from berx_gpu.inputs.objects import EXACT_FLOAT
from berx_gpu.links.undirected import both_listed
from berx_gpu.options import number, whole_number
from berx_gpu.sweeping.curve import PolicyCurve, SweepData


def points(data: SweepData, mask: Any, backend: Backend) -> tuple[Any, ...]:
    """Return the curve of the candidates of a mask, on the host.

    Returns
    -------
    score, macro_fbeta, n_pred, tp, n_linked : array
        From the point without any link, whose score means nothing; see `as_floats`.
    """
    truth = data.truth
    made = backend.curve(truth.n_true_each, data.scored, mask, data.beta)
    drops, macro, n_pred, tp, linked = map(backend.to_host, made)
    if truth.undirected:
        n_pred, tp = (
            count - _doubled(data, mask & which, drops, backend)
            for count, which in ((n_pred, mask), (tp, data.hit))
        )
    return data.scale.scores(drops), macro, n_pred, tp, linked


def as_floats(levels: Any) -> Any:
    """Return the scores of a curve as thresholds; the point without any link is above them all."""
    out = levels.copy() if levels.dtype.kind == "f" else levels.astype(np.float64)
    out[0] = math.nan if len(out) > 1 and out[1] == math.inf else math.inf
    return out


def exact(levels: Any, row: int, scale: Scale) -> float:
    """Return a threshold of a curve: an int where no float is the same score."""
    if row == 0:
        return float(as_floats(levels[:2])[0])
    found = levels[row]
    whole = scale.dtype.kind in "ui" and abs(int(found)) > EXACT_FLOAT
    return int(found) if whole else float(found)


def row_at(scale: Scale, levels: Any, threshold: float) -> int:
    """Return the row of a full curve at a threshold, compared as scores are; NaN links nothing."""
    if isinstance(threshold, float) and math.isnan(threshold):
        return 0
    least = level(threshold, scale.dtype)
    low, high = 0, len(levels) - 1
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if levels[middle].item() >= least else (low, middle - 1)
    return low


def over_every_score(result: PolicyCurve) -> PolicyCurve:
    """Return the same result over every score, for a sweep over a grid."""
    if not result.is_grid:
        return result
    backend = result.data.truth.backend()
    levels, macro, n_pred, tp, linked = points(result.data, result.kept(backend.xp), backend)
    return replace(
        result,
        threshold=as_floats(levels),
        macro_fbeta=macro,
        n_pred=n_pred,
        tp=tp,
        n_linked=linked,
        is_grid=False,
    )


def _doubled(data: SweepData, mask: Any, drops: Any, backend: Backend) -> Any:
    """Return how many pairs of a mask, down to each score, count for two listed records."""
    twice = mask & both_listed(data.links.codes, backend.xp)
    found = backend.xp.sort(data.scale.drops(data.scores[twice]))
    below = np.searchsorted(backend.to_host(found), drops, side="right")
    below[0] = 0
    return below // 2


def frame_of(result: PolicyCurve, rows: Any = slice(None)) -> Any:
    """Return the curve, or some rows of it, as a frame of the candidates' library."""
    n_true = result.data.truth.n_true
    with np.errstate(invalid="ignore", divide="ignore"):
        precision = np.where(result.n_pred > 0, result.tp / result.n_pred, 0.0)
        recall = result.tp / n_true if n_true else np.zeros(len(result.tp))
    columns: list[Any] = [
        ("threshold", result.threshold),
        ("macro_fbeta", result.macro_fbeta),
        ("precision", precision),
        ("recall", recall),
        ("tp", result.tp.astype(np.int64)),
        ("n_pred", result.n_pred.astype(np.int64)),
        ("n_linked", result.n_linked.astype(np.int64)),
    ]
    columns = [(name, values[rows]) for name, values in columns]
    return build_frame(columns, result.data.library)


def evaluation_at(result: PolicyCurve, threshold: float) -> Evaluation:
    """Return the evaluation of one threshold of a policy; NaN links nothing."""
    threshold = score_limit("threshold", threshold, nan=True)
    kept, above = linked(result, threshold)
    return evaluation_of(result.data, kept, above, str(result.score), threshold)


def evaluation_of(
    data: SweepData, kept: Any, above: Any, name: str, threshold: float | None
) -> Evaluation:
    """Return the evaluation of the candidates that are kept and above a threshold."""
    truth, backend = data.truth, data.truth.backend()
    links = data.links.only(kept & above, backend)
    counts = truth.match(links, backend)
    return evaluated(
        truth,
        links,
        counts.tp,
        counts.n_pred,
        replace(data.dropped, below_threshold=links.frame.count(kept & ~above)),
        backend,
        beta=data.beta,
        zero_division=0.0,
        name=name,
        threshold=threshold,
    )


def linked(result: PolicyCurve, threshold: float) -> tuple[Any, Any]:
    """Return which candidates the rules keep, and which of all reach a threshold."""
    data = result.data
    xp = data.truth.backend().xp
    # A pair without a direction is seen as such by its two rows, repeats included.
    kept = data.links.codes >= 0 if data.truth.undirected else result.kept(xp)
    return kept, reaches(data.scores, threshold, xp)


def at_precision(result: PolicyCurve, precision: float) -> float | None:
    """Return the lowest threshold with at least this pooled precision, or None."""
    number("precision", precision, 0.0, 1.0)
    n_pred = np.maximum(result.n_pred, 1)
    good = (result.tp / n_pred >= precision) & (result.n_pred > 0)
    return float(result.threshold[good].min()) if good.any() else None


def full_row(result: PolicyCurve, threshold: float) -> int:
    """Return the row of a full curve at a threshold."""
    return row_at(result.data.scale, result.threshold, threshold)


def rows_around(result: PolicyCurve, n: int) -> list[dict[str, Any]]:
    """Return the rows of the curve around the best point."""
    whole_number("n", n, 0)
    result = over_every_score(result)
    best = full_row(result, result.best.threshold)
    rows = range(max(best - n, 0), min(best + n + 1, len(result.threshold)))
    n_true = result.data.truth.n_true
    return [
        {
            "threshold": float(result.threshold[i]),
            "macro_fbeta": float(result.macro_fbeta[i]),
            "precision": float(result.tp[i] / max(result.n_pred[i], 1)),
            "recall": float(result.tp[i] / max(n_true, 1)),
            "n_pred": int(result.n_pred[i]),
            "n_linked": int(result.n_linked[i]),
            "best": i == best,
        }
        for i in rows
    ]


def thinned(result: PolicyCurve, n: int) -> Any:
    """Return at most about n rows of the curve: the ends, the best, and rows at even distances."""
    n = min(max(whole_number("n", n, 1), 2), len(result.threshold))
    rows = np.linspace(0, len(result.threshold) - 1, n).round().astype(np.int64)
    best = int(np.argmax(result.macro_fbeta))
    return frame_of(result, np.unique(np.concatenate([rows, [best]])))
