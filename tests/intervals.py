"""Pairs to put limits on, the metrics that have limits, and limits of plain values."""

import numpy as np
import pandas as pd

from berx_gpu.arithmetic.bounded import limits


def of_values(values, counts, level=0.95):
    values, counts = np.asarray(values, float), np.asarray(counts, float)
    return limits(values, np.ones(len(values)), counts, 1.0, level)


def table(n=400, seed=0):
    rng = np.random.default_rng(seed)
    truth = pd.DataFrame({"entity": rng.integers(0, n, 2 * n), "target": range(2 * n)})
    pred = truth.sample(frac=0.9, random_state=seed)
    false = pd.DataFrame({"entity": rng.integers(0, n, n // 20), "target": -1})
    return pd.concat([pred, false], ignore_index=True), truth, range(n)


METRICS = {
    "macro_fbeta": lambda ev: ev.macro_fbeta,
    "macro_fbeta_non_singleton": lambda ev: ev.macro_fbeta_non_singleton,
    "macro_precision": lambda ev: ev.macro_precision,
    "macro_recall": lambda ev: ev.macro_recall,
    "precision": lambda ev: ev.precision,
    "recall": lambda ev: ev.recall,
    "pooled_fbeta": lambda ev: ev.pooled_fbeta,
}
