"""Columns and pairs of adversarial shapes."""

import numpy as np
import pandas as pd

MIN, MAX = -(2**63), 2**63 - 1
LONG = "a company with a name of more than fifteen bytes, number "


def column(values):
    if values and isinstance(values[0], str):
        return pd.array(values, pd.StringDtype("pyarrow", na_value=np.nan))
    return np.array(values, np.int64)


def int_pairs(entity, target):
    return pd.DataFrame({"entity": np.asarray(entity), "target": np.asarray(target)})


def one_target_each():
    """Return pairs, true ones and the list of a million entities, and what is counted of them."""
    return (
        int_pairs(np.random.default_rng(0).permutation(10**6), np.zeros(10**6, int)),
        int_pairs(np.arange(10**6), np.zeros(10**6, int)),
        np.arange(10**6),
        (10**6, 10**6, 10**6),
    )
