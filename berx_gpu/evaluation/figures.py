"""Figures of an evaluation: its slices, and their posteriors."""

from __future__ import annotations

from typing import Any

from berx_gpu.errors import DataError
from berx_gpu.evaluation import slices
from berx_gpu.evaluation.entity_posterior import of_entities
from berx_gpu.evaluation.scores import Scores
from berx_gpu.inputs.columns import to_rows
from berx_gpu.options import number
from berx_gpu.printing.drawing import GREY, on_axes, plain
from berx_gpu.printing.tables import fbeta_name, slice_name


def plot_slice_posteriors(ev: Scores, key: Any, *, floor: float = 0.95, ax: Any = None) -> Any:
    """Draw the precision of each slice with its limits, the surest to reach a floor at the top.

    Parameters
    ----------
    ev : Evaluation
    key : str, mapping, Series or list of these
        As in `Evaluation.by`.
    floor : float, default 0.95
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes
        Slices of fewer than 30 entities are left out.
    """
    if not isinstance(ev, Scores):
        raise DataError(f"{type(ev).__name__} is no evaluation; give what evaluate(...) returns")
    if key is None:
        raise DataError("key=None: give the slices, as Evaluation.by takes them")
    floor = number("floor", floor, 0, 1)
    frame = to_rows(of_entities(ev, key, floor=floor))
    keys = list(frame[0])[: list(frame[0]).index("n_entities")]
    lines = [row for row in frame if row["precision_mean"] == row["precision_mean"]][::-1]
    if not lines:
        raise DataError("no slice has 30 entities with a prediction; give coarser slices")
    ax = on_axes(ax, f"precision by {', '.join(map(str, keys))}", "precision, 95 % limits", "")
    for i, row in enumerate(lines):
        color = "#0072B2" if row["precision_above"] >= 0.95 else GREY
        ax.hlines(i, row["precision_low"], row["precision_high"], color=color, lw=1.8)
        ax.plot(row["precision_mean"], i, "o", color=color, ms=6)
        ax.annotate(f"{row['precision_above']:.3f}", (1, i), xycoords=("axes fraction", "data"),
                    xytext=(3, 0), textcoords="offset points", va="center", fontsize=8)  # fmt: skip
    keyed = (slice_name(row, keys) for row in lines)
    names = [
        plain(f"{name} ({row['n_entities']:,})") for name, row in zip(keyed, lines, strict=True)
    ]
    ax.set_yticks(range(len(lines)), names, fontsize=8)
    ax.axvline(floor, color="black", lw=1, ls="--", label=f"floor {floor:g}; right: P(above it)")
    ax.legend(frameon=False, fontsize=8, loc="lower left")
    ax.set_ylim(-1.4, len(lines) - 0.4)
    return ax


def plot_slices(ev: Scores, key: Any, *, ax: Any = None) -> Any:
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
    frame = to_rows(slices.by(ev, key))
    measures = list(frame[0])[list(frame[0]).index("n_entities") :]
    keys = [name for name in frame[0] if name not in measures]
    rows = sorted(frame, key=lambda row: -row["macro_fbeta"])
    f = f"macro {fbeta_name(ev.beta)}"
    ax = on_axes(ax, f"{f} by {', '.join(map(str, keys))}", f, "")
    names = [plain(f"{slice_name(row, keys)} ({row['n_entities']:,})") for row in rows]
    values = [row["macro_fbeta"] for row in rows]
    ax.hlines(range(len(rows)), ev.macro_fbeta, values, color="#BBBBBB", lw=1.5)
    ax.plot(values, range(len(rows)), "o", color="#0072B2", ms=6)
    ax.axvline(ev.macro_fbeta, color="black", lw=1, ls="--", label=f"all {ev.macro_fbeta:.4f}")
    ax.set_yticks(range(len(rows)), names, fontsize=8)
    ax.legend(frameon=False, fontsize=8, loc="lower left")
    return ax
