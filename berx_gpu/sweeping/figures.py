"""Figures of a sweep: its curves, precision and recall, bands, calibration.

Every function draws into the given axes, or new ones, and returns them.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from berx_gpu.inputs.columns import to_rows
from berx_gpu.options import number
from berx_gpu.printing.drawing import GREY, STYLES, on_axes, plain, pyplot
from berx_gpu.printing.tables import fbeta_name
from berx_gpu.sweeping.bands import band_lines
from berx_gpu.sweeping.curve import SweepCurves, names_of
from berx_gpu.sweeping.curve_limits import limits_of

_POINTS = 2000


def _shown(sw: SweepCurves[Any]) -> list[tuple[str, Any, dict[str, Any]]]:
    """Return name, result and style of what to draw: the best few, in the order of the sweep."""
    ranked = sorted(sw.results, key=lambda result: -result.best.macro_fbeta)[: len(STYLES)]
    named = zip(names_of(sw.results), sw.results, strict=True)
    shown = [(plain(name), result) for name, result in named if result in ranked]
    return [(*one, style) for one, style in zip(shown, STYLES, strict=False)]


def plot_sweep(
    sw: SweepCurves[Any], *, oracle: float | None = None, band: bool = False, ax: Any = None
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
    for name, result, style in _shown(sw):
        rows = _thin(len(result.threshold))
        x, y = result.threshold[rows], result.macro_fbeta[rows]
        finite = np.isfinite(x)
        if band and result is sw.top:
            limits = to_rows(limits_of(result, rng=0))
            t, low, high = (
                np.array([row[name] for row in limits]) for name in ("threshold", "low", "high")
            )
            ax.fill_between(t[np.isfinite(t)], low[np.isfinite(t)], high[np.isfinite(t)],
                            color=style["color"], alpha=0.18, lw=0,
                            label="95 % for the whole curve")  # fmt: skip
        ax.plot(x[finite], y[finite], lw=1.5, label=name, **style)
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


def plot_precision_recall(sw: SweepCurves[Any], *, ax: Any = None) -> Any:
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
    for name, result, style in _shown(sw):
        rows = _thin(len(result.tp))
        tp, made = result.tp[rows], result.n_pred[rows]
        drawn = made > 0
        r, p = tp[drawn] / max(sw.n_true, 1), tp[drawn] / made[drawn]
        ax.plot(r, p, lw=1.5, label=name, **style)
        best = result.best
        ax.plot(best.recall, best.precision, "o", ms=6, mfc="white", color=style["color"])
        lowest = min(lowest, best.precision, best.recall)
    low = max(0.0, 1 - 6 * (1 - lowest))
    ax.set_xlim(low, 1.0)
    ax.set_ylim(low, 1 + 0.02 * (1 - low))
    ax.legend(frameon=False, fontsize=8, loc="lower left", title=f"grey: {fbeta_name(sw.beta)}",
              title_fontsize=8)  # fmt: skip
    return ax


def plot_bands(sw: SweepCurves[Any], *, edges: Any = None, ax: Any = None) -> Any:
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
    lines = [line for line in band_lines(sw.top, edges) if math.isfinite(line["low"])][::-1]
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


def plot_reliability(sw: SweepCurves[Any], *, edges: Any = None, ax: Any = None) -> Any:
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
    lines = band_lines(sw.top, edges)
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


def page(sw: SweepCurves[Any], *, oracle: float | None = None, band: bool = False) -> Any:
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
