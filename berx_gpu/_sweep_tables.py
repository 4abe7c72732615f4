"""A sweep as tables of text."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from berx_gpu._tables import fbeta_name
from berx_gpu._tables import score as share

if TYPE_CHECKING:
    from berx_gpu.sweep_results import PolicySweep


def level(value: float) -> str:
    """Return a threshold so that it reads back as the same number."""
    return "nothing" if value == math.inf or math.isnan(value) else repr(value)


def policy_rows(results: Sequence[PolicySweep], beta: float) -> list[list[str]]:
    """Return the best point of each policy as cells."""
    rows = [["policy", "best τ", "same down to", "or", fbeta_name(beta), "P", "R", "links"]]
    several = len({result.score for result in results}) > 1
    for result in results:
        best = result.best
        rows.append(
            [
                (f"{result.score}: " if several else "") + result.policy.rules(),
                level(best.threshold),
                f"{best.down_to:.6g}",
                level(best.round_threshold),
                share(best.macro_fbeta),
                share(best.precision),
                share(best.recall),
                f"{best.n_pred:,}",
            ]
        )
    return rows


def curve_rows(lines: Sequence[dict[str, Any]]) -> list[list[str]]:
    """Return rows of a curve as cells."""
    rows = [["threshold", "F", "P", "R", "links", "linked", ""]]
    for line in lines:
        measures = (share(line[name]) for name in ("macro_fbeta", "precision", "recall"))
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
