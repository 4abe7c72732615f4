"""A sweep as tables of text."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from berx_gpu.printing.tables import fbeta_name, share_text
from berx_gpu.sweeping.curve import PolicyCurve, names_of


def level(value: float) -> str:
    """Return a threshold so that it reads back as the same number."""
    return "nothing" if value == math.inf or math.isnan(value) else repr(value)


def policy_rows(results: Sequence[PolicyCurve], beta: float) -> list[list[str]]:
    """Return the best point of each policy as cells."""
    rows = [["policy", "best τ", "same down to", "or", fbeta_name(beta), "P", "R", "links"]]
    for name, result in zip(names_of(results), results, strict=True):
        best = result.best
        rows.append(
            [
                name,
                level(best.threshold),
                f"{best.down_to:.6g}",
                level(best.round_threshold),
                share_text(best.macro_fbeta),
                share_text(best.precision),
                share_text(best.recall),
                f"{best.n_pred:,}",
            ]
        )
    return rows


def curve_rows(lines: Sequence[dict[str, Any]]) -> list[list[str]]:
    """Return rows of a curve as cells."""
    rows = [["threshold", "F", "P", "R", "links", "linked", ""]]
    for line in lines:
        measures = (share_text(line[name]) for name in ("macro_fbeta", "precision", "recall"))
        counts = (f"{line[name]:,}" for name in ("n_pred", "n_linked"))
        mark = "best" if line["best"] else ""
        rows.append([level(line["threshold"]), *measures, *counts, mark])
    return rows


def band_rows(lines: Sequence[dict[str, Any]]) -> list[list[str]]:
    """Return bands as cells."""
    head = ["from", "to", "pairs", "true", "true share", "mean score", "below best", "ΔF", "needs"]
    rows = [head]
    for line in lines:
        below = f"{line['true_below_best']:,}:{line['false_below_best']:,}"
        rows.append(
            [
                f"{line['low']:.4g}",
                f"{line['high']:.4g}",
                f"{line['pairs']:,}",
                f"{line['true']:,}",
                f"{line['share_true']:.4f}",
                f"{line['mean_score']:.4f}",
                below if below != "0:0" else "",
                f"{line['change']:+.4f}",
                f"{line['break_even']:.2f}:1",
            ]
        )
    return rows
