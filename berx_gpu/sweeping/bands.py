"""What the candidates of each score band are worth."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from berx_gpu.encoding.scores import level
from berx_gpu.errors import DataError
from berx_gpu.evaluation.break_even import break_even_ratio
from berx_gpu.inputs.columns import build_frame
from berx_gpu.links.undirected import both_listed
from berx_gpu.options import number
from berx_gpu.sweeping.curve import PolicyCurve, SweepData
from berx_gpu.sweeping.points import full_row, over_every_score

_WHOLE = ("pairs", "true", "false", "true_below_best", "false_below_best")


def bands(result: PolicyCurve, edges: Sequence[float] | None) -> Any:
    """Return score bands as a frame, see `Sweep.bands`."""
    lines = band_lines(result, edges)
    columns: list[Any] = [
        (name, np.array([line[name] for line in lines], np.int64 if name in _WHOLE else np.float64))
        for name in _BAND
    ]
    return build_frame(columns, result.data.library)


_BAND = (
    "low",
    "high",
    "pairs",
    "true",
    "false",
    "share_true",
    "mean_score",
    "true_below_best",
    "false_below_best",
    "change",
    "break_even",
)


def band_lines(result: PolicyCurve, edges: Sequence[float] | None) -> list[dict[str, Any]]:
    """Return pairs, truth and calibration of score bands, and what each adds below the best."""
    result = over_every_score(result)
    data, best = result.data, result.best
    xp = data.truth.backend().xp
    kept = xp.flatnonzero(result.kept(xp))
    scores = _on_host(data, data.scores, kept).astype(np.float64)
    cuts = _cuts(scores, best.threshold, edges)
    pairs, true, total = _sums(data, kept, scores, cuts)
    lows, highs = np.append(-math.inf, cuts), np.append(cuts, math.inf)
    ratio = break_even_ratio(best.tp, best.n_pred, best.n_true, beta=data.beta)
    top = full_row(result, best.threshold)
    lines = []
    for i in np.flatnonzero(pairs)[::-1].tolist():
        reached = full_row(result, lows[i])
        below = not lows[i] >= best.threshold
        hits = int(result.tp[reached] - result.tp[top]) if below else 0
        links = int(result.n_pred[reached] - result.n_pred[top]) if below else 0
        lines.append(
            {
                "low": lows[i],
                "high": highs[i],
                "pairs": int(pairs[i]),
                "true": int(true[i]),
                "false": int(pairs[i] - true[i]),
                "share_true": true[i] / pairs[i],
                "mean_score": total[i] / pairs[i],
                "true_below_best": hits,
                "false_below_best": links - hits,
                "change": float(result.macro_fbeta[reached] - result.macro_fbeta[top]),
                "break_even": ratio,
            }
        )
    return lines


def _on_host(data: SweepData, values: Any, rows: Any) -> Any:
    return data.truth.backend().to_host(values[rows])


def _cuts(scores: Any, best: float, edges: Sequence[float] | None) -> Any:
    """Return where bands end: as asked, or at tenths and at the best threshold."""
    if edges is None:
        finite = scores[np.isfinite(scores)]
        inside = len(finite) > 0 and finite.min() >= 0 and finite.max() <= 1
        tenths = np.linspace(0, 1, 11)
        steps = tenths if inside else np.quantile(finite, tenths) if len(finite) else []
        edges = [*map(float, steps), *([best] if math.isfinite(best) else [])]
    if isinstance(edges, str) or not isinstance(edges, Iterable):
        raise DataError(f"edges={edges!r}: give a list of numbers")
    return np.array(sorted({number("edges", edge) for edge in edges}))


def _sums(data: SweepData, kept: Any, scores: Any, cuts: Any) -> tuple[Any, Any, Any]:
    """Return pairs, true pairs and the sum of scores of each band."""
    rounded = np.array([level(cut, data.scale.dtype) for cut in cuts], np.float64)
    which = np.searchsorted(rounded, scores, side="right")
    weight = np.ones(len(scores))
    if data.truth.undirected:  # a pair of two listed records stands here once for each
        both = both_listed(data.links.codes, data.truth.backend().xp)
        weight -= _on_host(data, both, kept) / 2
    hit = _on_host(data, data.hit, kept)
    pairs, true, total = (
        np.bincount(which, weights=weight * values, minlength=len(cuts) + 1)
        for values in (1.0, hit, scores)
    )
    return pairs, true, total
