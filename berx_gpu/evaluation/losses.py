"""Where the score is lost: by the outcome of each entity."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from berx_gpu.arithmetic.exact_sums import mean_over
from berx_gpu.evaluation.scores import Scores
from berx_gpu.inputs.columns import build_frame


def outcomes(ev: Scores) -> list[tuple[str, int, float]]:
    """Return (outcome, entities, loss) of every outcome, worst loss first, perfect last."""
    g = ev._counts.groups
    fbeta = ev._counts.truth.backend().fbeta(g.tp, g.n_pred, g.n_true, ev.beta)
    table = [
        (name, g.count(mask), mean_over(g.exact_sum(1.0 - fbeta, mask), ev.n_entities))
        for name, mask in outcome_masks(*g.counts).items()
    ]
    return sorted(table, key=lambda row: (row[0] == "perfect", -row[2]))


def outcome_masks(tp: Any, n_pred: Any, n_true: Any) -> dict[str, Any]:
    """Return a mask of the counts of each outcome; every entity has one."""
    single, silent, clean, full = n_true == 0, n_pred == 0, tp == n_pred, tp == n_true
    return {
        "nothing predicted": ~single & silent,
        "misses only": ~silent & clean & ~full,
        "extras only": ~single & ~clean & full,
        "both": ~clean & ~full,
        "singleton linked": single & ~silent,
        "perfect": clean & full,
    }


def losses(ev: Scores) -> Any:
    """Return entities and loss of every outcome as a frame, worst first."""
    names, counts, values = zip(*outcomes(ev), strict=True)
    columns = [
        ("outcome", pd.Series(names)),
        ("n_entities", np.array(counts, np.int64)),
        ("loss", np.array(values)),
    ]
    return build_frame(columns, ev._counts.library)
