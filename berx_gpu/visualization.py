"""Figures: the curve of a sweep, precision and recall, bands, calibration, slices.

Every function draws into the given axes, or new ones, and returns them.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from berx_gpu import breakdown, curves
from berx_gpu._columns import to_rows
from berx_gpu._drawing import GREY, STYLES, on_axes, plain, pyplot
from berx_gpu._options import number
from berx_gpu._tables import fbeta_name, metric_name
from berx_gpu.comparison_results import Comparison, Comparisons
from berx_gpu.errors import DataError
from berx_gpu.posterior_figures import plot_comparison as plot_comparison
from berx_gpu.posterior_figures import plot_posteriors as plot_posteriors
from berx_gpu.posterior_figures import plot_prior_sensitivity as plot_prior_sensitivity
from berx_gpu.posterior_figures import plot_sequential_update as plot_sequential_update
from berx_gpu.posterior_figures import plot_slice_posteriors as plot_slice_posteriors

if TYPE_CHECKING:
    from berx_gpu.results import Evaluation
    from berx_gpu.sweep_results import PolicySweep, Sweep

_POINTS = 2000


def _shown(sw: Sweep) -> list[PolicySweep]:
    """Return the results to draw: the best few, in the order of the sweep."""
    ranked = sorted(sw.results, key=lambda result: -result.best.macro_fbeta)[: len(STYLES)]
    return [result for result in sw.results if result in ranked]


def _name(sw: Sweep, result: PolicySweep) -> str:
    several = len({r.score for r in sw.results}) > 1
    return (f"{result.score}: " if several else "") + result.policy.rules()


def plot_sweep(
    sw: Sweep, *, oracle: float | None = None, band: bool = False, ax: Any = None
) -> Any:
    """Draw macro F over the threshold for each policy, and mark the best points.

    Parameters
    ----------
    sw : Sweep
    oracle : float, optional
        Macro F of the best choice among the candidates, drawn as a ceiling.
    band : bool, default False
        Whether to draw limits that hold for the whole best curve.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    MissingDependencyError
        Without matplotlib.
    """
    f = f"macro {fbeta_name(sw.beta)}"
    oracle = None if oracle is None else number("oracle", oracle)
    ax = on_axes(ax, f"{f} at every threshold", "threshold", f)
    floor = 1.0
    for result, style in zip(_shown(sw), STYLES, strict=False):
        rows = _thin(len(result.threshold))
        x, y = result.threshold[rows], result.macro_fbeta[rows]
        finite = np.isfinite(x)
        if band and result is sw.top:
            limits = to_rows(sw.curve_limits(rng=0))
            t, low, high = (
                np.array([row[name] for row in limits]) for name in ("threshold", "low", "high")
            )
            ax.fill_between(t[np.isfinite(t)], low[np.isfinite(t)], high[np.isfinite(t)],
                            color=style["color"], alpha=0.18, lw=0,
                            label="95 % for the whole curve")  # fmt: skip
        ax.plot(x[finite], y[finite], lw=1.5, label=plain(_name(sw, result)), **style)
        best = result.best
        if math.isfinite(best.threshold):
            ax.plot(best.threshold, best.macro_fbeta, "o", ms=6, mfc="white", color=style["color"])
        floor = min(floor, best.macro_fbeta)
    if oracle is not None:
        ax.axhline(oracle, color=GREY, lw=1, ls=(0, (1, 2)))
        ax.annotate(f"oracle {oracle:.4f}", (0, oracle), xycoords=("axes fraction", "data"),
                    xytext=(3, 3), textcoords="offset points", fontsize=8, color=GREY)  # fmt: skip
    top = max(1.0 if oracle is None else oracle, sw.best.macro_fbeta)
    ax.set_ylim(max(0.0, floor - 4 * (top - floor) - 0.05), top + 0.01)
    ax.legend(frameon=False, fontsize=8, loc="lower center")
    return ax


def plot_precision_recall(sw: Sweep, *, ax: Any = None) -> Any:
    """Draw pooled precision over pooled recall for each policy, with lines of equal F.

    Parameters
    ----------
    sw : Sweep
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes
    """
    ax = on_axes(ax, "pooled precision and recall", "recall", "precision")
    beta2 = sw.beta * sw.beta
    recall = np.linspace(1e-3, 1, 500)
    for level in (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99):
        with np.errstate(divide="ignore"):
            precision = level * recall / ((1 + beta2) * recall - beta2 * level)
        inside = (precision > 0) & (precision <= 1)
        if inside.any():
            ax.plot(recall[inside], precision[inside], color="#BBBBBB", lw=0.7, zorder=0)
            ax.annotate(f"{level:g}", (recall[inside][-1], precision[inside][-1]), fontsize=7,
                        color=GREY, xytext=(2, 0), textcoords="offset points",
                        va="center", annotation_clip=True)  # fmt: skip
    lowest = 1.0
    for result, style in zip(_shown(sw), STYLES, strict=False):
        rows = _thin(len(result.tp))
        tp, made = result.tp[rows], result.n_pred[rows]
        drawn = made > 0
        r, p = tp[drawn] / max(sw.n_true, 1), tp[drawn] / made[drawn]
        ax.plot(r, p, lw=1.5, label=plain(_name(sw, result)), **style)
        best = result.best
        ax.plot(best.recall, best.precision, "o", ms=6, mfc="white", color=style["color"])
        lowest = min(lowest, best.precision, best.recall)
    low = max(0.0, 1 - 6 * (1 - lowest))
    ax.set_xlim(low, 1.0)
    ax.set_ylim(low, 1 + 0.02 * (1 - low))
    ax.legend(frameon=False, fontsize=8, loc="lower left", title=f"grey: {fbeta_name(sw.beta)}",
              title_fontsize=8)  # fmt: skip
    return ax


def plot_bands(sw: Sweep, *, edges: Any = None, ax: Any = None) -> Any:
    """Draw how many candidates of each score band are true, against what break-even needs.

    Parameters
    ----------
    sw : Sweep
    edges : list of float, optional
        Where bands end, as in `Sweep.bands`.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes
    """
    lines = [line for line in curves.band_lines(sw.top, edges) if math.isfinite(line["low"])][::-1]
    ax = on_axes(ax, "what each score band is worth", "score", "share of true links")
    names = [f"{line['low']:.2g}" for line in lines]
    above = [line["low"] >= sw.best.threshold for line in lines]
    for taken, color, hatch, text in (
        (True, "#0072B2", "", "linked"), (False, "#E69F00", "///", "not linked"),
    ):  # fmt: skip
        at = [i for i, is_above in enumerate(above) if is_above == taken]
        ax.bar(at, [lines[i]["share_true"] for i in at], color=color, hatch=hatch, width=0.8,
               edgecolor="white", label=text)  # fmt: skip
    for i, line in enumerate(lines):
        ax.annotate(f"{line['pairs']:,}", (i, line["share_true"]), ha="center", fontsize=7,
                    xytext=(0, 2), textcoords="offset points",
                    rotation=90 if len(lines) > 8 else 0)  # fmt: skip
    ratio = lines[0]["break_even"] if lines else math.nan
    if math.isfinite(ratio):
        ax.axhline(ratio / (1 + ratio), color="black", lw=1, ls="--",
                   label=f"break-even {ratio:.2f}:1")  # fmt: skip
    ax.set_xticks(range(len(lines)), names, rotation=45, fontsize=8)
    ax.set_xlabel("from score")
    ax.set_ylim(0, 1.45)
    ax.set_yticks([0, 0.2, 0.4, 0.6, 0.8, 1])
    ax.legend(frameon=False, fontsize=8, loc="upper left", ncols=3)
    return ax


def plot_reliability(sw: Sweep, *, edges: Any = None, ax: Any = None) -> Any:
    """Draw the share of true links over the mean score of each band: calibration at a glance.

    Parameters
    ----------
    sw : Sweep
    edges : list of float, optional
        Where bands end; default: tenths of [0, 1].
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes
    """
    edges = np.linspace(0, 1, 11)[1:-1] if edges is None else edges
    lines = curves.band_lines(sw.top, edges)
    ax = on_axes(ax, "are the scores probabilities?", "mean score of a band", "share of true links")
    ax.plot([0, 1], [0, 1], color=GREY, lw=1, ls="--", label="calibrated")
    names = ("mean_score", "share_true", "pairs")
    x, y, size = (np.array([line[name] for line in lines]) for name in names)
    ax.scatter(x, y, s=15 + 8 * np.log1p(size) ** 1.5, color="#0072B2", edgecolor="black", zorder=3)
    for line in lines:
        ax.annotate(f"{line['pairs']:,}", (line["mean_score"], line["share_true"]), fontsize=7,
                    xytext=(7, -9), textcoords="offset points")  # fmt: skip
    ax.set_xlim(-0.03, 1.08)
    ax.set_ylim(-0.08, 1.08)
    ax.legend(frameon=False, fontsize=8, loc="lower right")
    return ax


def plot_slices(ev: Evaluation, key: Any, *, ax: Any = None) -> Any:
    """Draw macro F of each slice, the worst at the top, and of all entities as a line.

    Parameters
    ----------
    ev : Evaluation
    key : str, mapping, Series or list of these
        As in `Evaluation.by`.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes
    """
    frame = to_rows(breakdown.by(ev, key))
    measures = list(frame[0])[list(frame[0]).index("n_entities") :]
    keys = [name for name in frame[0] if name not in measures]
    rows = sorted(frame, key=lambda row: -row["macro_fbeta"])
    f = f"macro {fbeta_name(ev.beta)}"
    ax = on_axes(ax, f"{f} by {', '.join(map(str, keys))}", f, "")
    names = [plain(f"{_slice_name(row, keys)} ({row['n_entities']:,})") for row in rows]
    values = [row["macro_fbeta"] for row in rows]
    ax.hlines(range(len(rows)), ev.macro_fbeta, values, color="#BBBBBB", lw=1.5)
    ax.plot(values, range(len(rows)), "o", color="#0072B2", ms=6)
    ax.axvline(ev.macro_fbeta, color="black", lw=1, ls="--", label=f"all {ev.macro_fbeta:.4f}")
    ax.set_yticks(range(len(rows)), names, fontsize=8)
    ax.legend(frameon=False, fontsize=8, loc="lower left")
    return ax


def plot_forest(made: Comparison | Comparisons, key: Any = None, *, ax: Any = None) -> Any:
    """Draw differences with their limits: of a comparison and its slices, or of many pairs.

    Parameters
    ----------
    made : Comparison or Comparisons
    key : str, mapping, Series or list of these, optional
        Slices of a comparison, as in `Comparison.by`; their limits hold for all slices at once.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes
    """
    if isinstance(made, Comparison):
        title = f"{made.a} → {made.b}"
        lines = [("all", made.n_entities, made.delta, made.low, made.high)]
        rows = [] if key is None else to_rows(made.by(key))
        keys = list(rows[0])[: list(rows[0]).index("n_entities")] if rows else []
        title += f", by {', '.join(map(str, keys))}" if keys else ""
        measured = ("n_entities", "delta", "low_all", "high_all")
        lines += [(_slice_name(row, keys), *(row[name] for name in measured)) for row in rows]
        metric, level = made.metric, made.confidence_level
    elif key is not None:
        raise DataError("slices are of one comparison; plot one of the pairs")
    else:
        title = "all pairs" if made.baseline is None else f"against {made.baseline}"
        lines = [(f"{p.a} → {p.b}", p.n_entities, p.delta, p.low, p.high) for p in made.pairs]
        metric, level = made.metric, made.confidence_level
    ax = on_axes(
        ax, title, f"difference of {metric_name(metric, made.beta)}, {100 * level:g} % limits", ""
    )
    places = range(len(lines))[::-1]
    for place, (_, _, delta, low, high) in zip(places, lines, strict=True):
        sure = low > 0 or high < 0
        ax.hlines(place, low, high, color="#0072B2" if sure else GREY, lw=1.8)
        ax.plot(delta, place, "o", ms=6, color="#0072B2" if sure else "white",
                mec="#0072B2" if sure else GREY)  # fmt: skip
    ax.axvline(0, color="black", lw=1, ls="--")
    ax.locator_params(axis="x", nbins=6)
    names = [plain(f"{name} ({n:,})") for name, n, *_ in lines]
    ax.set_yticks(places, names, fontsize=8)
    ax.set_ylim(-0.6, len(lines) - 0.4)
    return ax


def _slice_name(row: dict[str, Any], keys: list[str]) -> str:
    return ", ".join("?" if row[k] is None or row[k] != row[k] else str(row[k]) for k in keys)


def page(sw: Sweep, *, oracle: float | None = None, band: bool = False) -> Any:
    """Return one figure with the curve, precision and recall, bands and calibration of a sweep.

    Parameters
    ----------
    sw : Sweep
    oracle, band
        As in `plot_sweep`.

    Returns
    -------
    matplotlib Figure
    """
    figure, axes = pyplot().subplots(2, 2, figsize=(10.5, 7.8), layout="constrained")
    plot_sweep(sw, oracle=oracle, band=band, ax=axes[0, 0])
    plot_precision_recall(sw, ax=axes[0, 1])
    plot_bands(sw, ax=axes[1, 0])
    plot_reliability(sw, ax=axes[1, 1])
    return figure


def _thin(n: int) -> Any:
    """Return rows at even distances, at most a few thousand of them."""
    return np.unique(np.linspace(0, n - 1, min(n, _POINTS)).round().astype(np.int64))
