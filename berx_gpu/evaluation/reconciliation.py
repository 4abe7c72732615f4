"""What common misreadings of the metric make of the same predictions."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from berx_gpu.evaluation.scores import Scores
from berx_gpu.printing.printed import Printed, Table
from berx_gpu.printing.tables import fbeta_name, share_text


@dataclass(frozen=True, eq=False, repr=False)
class Reconciliation(Printed):
    """The right macro F_β and what common misreadings make of the same predictions.

    Attributes
    ----------
    beta : float
    readings : dict of str to float
        The value of each reading, the right one first.
    """

    beta: float
    readings: dict[str, float]

    def __getitem__(self, reading: str) -> float:
        return self.readings[reading]

    def _tables(self) -> list[Table]:
        right = next(iter(self.readings.values()))
        rows = [["reading", fbeta_name(self.beta), "off by"]]
        for name, value in self.readings.items():
            off = "" if len(rows) == 1 or math.isnan(value) else f"{value - right:+.4f}"
            rows.append([name, share_text(value), off])
        return [rows]


def reconcile(ev: Scores) -> Reconciliation:
    """Return what each reading makes of an evaluation's counts."""
    g = ev._counts.groups
    backend = ev._counts.truth.backend()
    beta2 = ev.beta * ev.beta

    def f(n_true: Any, beta: float) -> Any:
        return backend.fbeta(g.tp, g.n_pred, n_true, beta)

    right = f(g.n_true, ev.beta)
    p, r = ev.macro_precision, ev.macro_recall
    silent, single = g.n_pred == 0, g.n_true == 0
    readings = {
        "macro F: the mean over all entities": ev.macro_fbeta,
        "F of mean precision and mean recall": (1 + beta2) * p * r / (beta2 * p + r) if r else 0.0,
        "F of pooled precision and recall": ev.pooled_fbeta,
        "silent singletons left out": g.mean(right, ~(silent & single)),
        "entities without a prediction left out": g.mean(right, ~silent),
        "all singletons left out": ev.macro_fbeta_non_singleton,
        "singletons counted as 0": g.mean(backend.xp.where(single, 0.0, right)),
        "β² passed as β": g.mean(f(g.n_true, min(max(beta2, 1e-100), 1e100))),
        "β used in place of β²": g.mean(f(g.n_true, math.sqrt(ev.beta))),
        "truth counted from the predicted pairs": g.mean(f(g.tp, ev.beta)),
    }
    return Reconciliation(ev.beta, readings)
