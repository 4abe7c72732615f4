"""What the curve of a sweep can be asked: points, precision, bands, an evaluation."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from berx_gpu._backends import select
from berx_gpu._columns import EXACT_FLOAT, build_frame
from berx_gpu._encoded import both_listed
from berx_gpu._links import Links
from berx_gpu._options import level, number, reaches, score_limit
from berx_gpu._options import whole as whole_number
from berx_gpu._scores import Scale
from berx_gpu.breakdown import slices
from berx_gpu.errors import DataError
from berx_gpu.results import Evaluation
from berx_gpu.scoring import break_even_ratio, evaluation
from berx_gpu.sweep_parts import SweepData
from berx_gpu.sweep_results import PolicySweep


def points(data: SweepData, mask: Any, backend: select.Backend) -> tuple[Any, ...]:
    """Return the curve of the candidates of a mask, on the host.

    Returns
    -------
    score, macro_fbeta, n_pred, tp, n_linked : array
        From the point without any link, whose score means nothing; see `as_floats`.
    """
    links, truth = data.links, data.truth
    drops, macro, n_pred, tp, linked = (
        backend.to_host(part)
        for part in backend.curve(
            truth._n_true,
            links.codes,
            data.scores,
            data.scale,
            mask,
            data.hit,
            data.beta,
            backend.fbeta,
        )
    )
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


def whole(result: PolicySweep) -> PolicySweep:
    """Return the same result over every score, for a sweep over a grid."""
    if not result.is_grid:
        return result
    backend = result.data.truth._backend()
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


def _doubled(data: SweepData, mask: Any, drops: Any, backend: select.Backend) -> Any:
    """Return how many pairs of a mask, down to each score, count for two listed records."""
    twice = mask & both_listed(data.links.codes, backend.xp)
    found = backend.xp.sort(data.scale.drops(data.scores[twice]))
    below = np.searchsorted(backend.to_host(found), drops, side="right")
    below[0] = 0
    return below // 2


def frame_of(result: PolicySweep, rows: Any = slice(None)) -> Any:
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
    return build_frame(columns, result.data.links.frame.library)


def evaluation_at(result: PolicySweep, threshold: float) -> Evaluation:
    """Return the evaluation of one threshold of a policy; NaN links nothing."""
    threshold = score_limit("threshold", threshold, nan=True)
    kept, above = linked(result, threshold)
    return evaluation_of(result.data, kept, above, str(result.score), threshold)


def evaluation_of(
    data: SweepData, kept: Any, above: Any, name: str, threshold: float | None
) -> Evaluation:
    """Return the evaluation of the candidates that are kept and above a threshold."""
    truth, links = data.truth, data.links
    backend = truth._backend()
    codes = backend.xp.where(kept & above, links.codes, backend.xp.int32(-1))
    counts = truth._match(codes, links.targets, backend)
    below = links.frame.count(kept & ~above)
    return evaluation(
        truth,
        Links(links.frame, codes, links.targets, links.present),
        counts.tp,
        counts.n_pred,
        replace(data.dropped, below_threshold=below),
        backend,
        beta=data.beta,
        zero_division=0.0,
        name=name,
        threshold=threshold,
        library=links.frame.library,
    )


def linked(result: PolicySweep, threshold: float) -> tuple[Any, Any]:
    """Return which candidates the rules keep, and which of all reach a threshold."""
    data = result.data
    xp = data.truth._backend().xp
    # A pair without a direction is seen as such by its two rows, repeats included.
    kept = data.links.codes >= 0 if data.truth.undirected else result.kept(xp)
    return kept, reaches(data.scores, threshold, xp)


def at_precision(result: PolicySweep, precision: float) -> float | None:
    """Return the lowest threshold with at least this pooled precision, or None."""
    number("precision", precision, 0.0, 1.0)
    n_pred = np.maximum(result.n_pred, 1)
    good = (result.tp / n_pred >= precision) & (result.n_pred > 0)
    return float(result.threshold[good].min()) if good.any() else None


def bands(result: PolicySweep, edges: Sequence[float] | None) -> Any:
    """Return the frame behind `Sweep.bands`."""
    lines = band_lines(result, edges)
    kinds = [np.float64, np.float64, *[np.int64] * 3, *[np.float64] * 2, *[np.int64] * 2]
    columns: list[Any] = [
        (name, np.array([line[name] for line in lines], kind))
        for name, kind in zip(_BAND, [*kinds, np.float64, np.float64], strict=True)
    ]
    return build_frame(columns, result.data.links.frame.library)


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


def band_lines(result: PolicySweep, edges: Sequence[float] | None) -> list[dict[str, Any]]:
    """Return pairs, truth and calibration of score bands, and what each adds below the best."""
    result = whole(result)
    data, truth = result.data, result.data.truth
    backend = truth._backend()
    at = backend.to_host(backend.xp.flatnonzero(result.kept(backend.xp)))
    scores = backend.to_host(data.scores)[at].astype(np.float64)
    hit = backend.to_host(data.hit)[at]
    finite = scores[np.isfinite(scores)]
    best = result.best.threshold
    if edges is None:
        inside = len(finite) > 0 and finite.min() >= 0 and finite.max() <= 1
        tenths = np.linspace(0, 1, 11)
        steps = tenths if inside else np.quantile(finite, tenths) if len(finite) else []
        edges = sorted({*map(float, steps), *([best] if math.isfinite(best) else [])})
    if isinstance(edges, str) or not isinstance(edges, Iterable):
        raise DataError(f"edges={edges!r}: give a list of numbers")
    cuts = np.array(sorted({number("edges", e) for e in edges}))
    rounded = np.array([level(cut, data.scale.dtype) for cut in cuts], np.float64)
    which = np.searchsorted(rounded, scores, side="right")
    m = len(cuts) + 1
    weight = np.ones(len(at))
    if truth.undirected:  # a pair of two listed records stands here once for each
        weight -= backend.to_host(both_listed(data.links.codes, backend.xp))[at] / 2
    pairs, true, total = (
        np.bincount(which, weights=weight * values, minlength=m) for values in (1.0, hit, scores)
    )
    lows = np.concatenate([[-math.inf], cuts])
    highs = np.concatenate([cuts, [math.inf]])
    row = {"best": _row(result, best)}
    ratio = break_even_ratio(result.best.tp, result.best.n_pred, result.best.n_true, beta=data.beta)
    lines = []
    for i in range(m - 1, -1, -1):
        if not pairs[i]:
            continue
        reached = _row(result, lows[i])
        below = not lows[i] >= best
        added = (
            int(result.tp[reached] - result.tp[row["best"]]),
            int(result.n_pred[reached] - result.n_pred[row["best"]]),
        )
        lines.append(
            {
                "low": lows[i],
                "high": highs[i],
                "pairs": int(pairs[i]),
                "true": int(true[i]),
                "false": int(pairs[i] - true[i]),
                "share_true": true[i] / pairs[i],
                "mean_score": total[i] / pairs[i],
                "true_below_best": added[0] if below else 0,
                "false_below_best": added[1] - added[0] if below else 0,
                "change": float(result.macro_fbeta[reached] - result.macro_fbeta[row["best"]]),
                "break_even": ratio,
            }
        )
    return lines


def _row(result: PolicySweep, threshold: float) -> int:
    """Return the row of a full curve at a threshold."""
    return row_at(result.data.scale, result.threshold, threshold)


def by(result: PolicySweep, key: Any) -> Any:
    """Return the frame behind `Sweep.by`."""
    data, truth, shared = result.data, result.data.truth, result.best.threshold
    backend = truth._backend()
    xp = backend.xp
    shown, group = slices(truth, key)
    sizes = np.bincount(group)
    members = np.argsort(group, kind="stable")
    first = np.cumsum(sizes) - sizes
    place = np.empty(len(group), np.int32)
    place[members] = np.arange(len(group)) - np.repeat(first, sizes)
    rows = xp.flatnonzero(result.kept(xp))
    codes = data.links.codes[rows]
    slice_of = xp.asarray(group)[codes]
    order = xp.argsort(slice_of, kind="stable")
    rows, codes = rows[order], xp.asarray(place)[codes[order]]
    ends = np.cumsum(backend.to_host(xp.bincount(slice_of, minlength=len(sizes))))
    out: dict[str, list[float]] = {name: [] for name in _BY}
    for i, (size, end) in enumerate(zip(sizes, ends, strict=True)):
        mine = slice(ends[i - 1] if i else 0, end)
        n_true = truth._n_true[xp.asarray(members[first[i] : first[i] + size])]
        drops, macro, *_ = (
            backend.to_host(part)
            for part in backend.curve(
                n_true,
                codes[mine],
                data.scores[rows[mine]],
                data.scale,
                xp.ones(end - mine.start, bool),
                data.hit[rows[mine]],
                data.beta,
                backend.fbeta,
            )
        )
        own = data.scale.scores(drops)
        best = int(np.argmax(macro))
        here = float(macro[row_at(data.scale, own, shared)])
        gain = float(macro[best]) - here
        threshold = float(own[best]) if best else math.inf
        values = (int(size), threshold, here, float(macro[best]), gain, gain * size)
        for name, value in zip(_BY, values, strict=True):
            out[name].append(value)
    columns = {name: np.array(values) for name, values in out.items()}
    columns["gain_overall"] /= truth.n_entities
    return build_frame([*shown, *columns.items()], data.links.frame.library)


_BY = (
    "n_entities",
    "best_threshold",
    "macro_fbeta",
    "best_macro_fbeta",
    "gain",
    "gain_overall",
)


def rows_around(result: PolicySweep, n: int) -> list[dict[str, Any]]:
    """Return the rows of the curve around the best point."""
    whole_number("n", n, 0)
    result = whole(result)
    best = _row(result, result.best.threshold)
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


def thinned(result: PolicySweep, n: int) -> Any:
    """Return at most about n rows of the curve: the ends, the best, and rows at even distances."""
    n = min(max(whole_number("n", n, 1), 2), len(result.threshold))
    rows = np.linspace(0, len(result.threshold) - 1, n).round().astype(np.int64)
    best = int(np.argmax(result.macro_fbeta))
    return frame_of(result, np.unique(np.concatenate([rows, [best]])))
