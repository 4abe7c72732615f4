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


SHAPES = {
    "one entity, a million targets": (
        int_pairs(np.zeros(10**6, int), np.random.default_rng(0).permutation(10**6)),
        int_pairs(np.zeros(10**6, int), np.random.default_rng(1).permutation(10**6) + 5 * 10**5),
        np.arange(3),
        (5 * 10**5, 10**6, 10**6),
    ),
    "a million entities, one target each": (
        int_pairs(np.random.default_rng(0).permutation(10**6), np.zeros(10**6, int)),
        int_pairs(np.arange(10**6), np.zeros(10**6, int)),
        np.arange(10**6),
        (10**6, 10**6, 10**6),
    ),
    "all repeats": (
        int_pairs(np.full(10**6, 1), np.full(10**6, 2)),
        int_pairs(np.full(10**6, 1), np.full(10**6, 2)),
        np.arange(2),
        (1, 1, 1),
    ),
    "in the order of the entities": (
        int_pairs(np.repeat(np.arange(10**5), 3), np.tile([1, 2, 2], 10**5)),
        int_pairs(np.repeat(np.arange(10**5), 2), np.tile([2, 9], 10**5)),
        np.arange(10**5),
        (10**5, 2 * 10**5, 2 * 10**5),
    ),
    "many more predictions than truth": (
        int_pairs(np.tile(np.arange(5000), 200), np.repeat(np.arange(200), 5000)),
        int_pairs(np.arange(5000).repeat(20), np.tile(np.arange(150, 170), 5000)),
        np.arange(5000),
        (10**5, 10**6, 10**5),
    ),
    "sparse, in falling order": (
        int_pairs(np.arange(10**5)[::-1] * 10**12, np.arange(10**5)[::-1]),
        int_pairs(np.arange(10**5) * 10**12, np.arange(10**5)),
        np.arange(10**5) * 10**12,
        (10**5, 10**5, 10**5),
    ),
    "int64 extremes": (
        int_pairs([MIN, MAX, -1] * 40000, [MAX, MIN, 0] * 40000),
        int_pairs([MIN, MAX], [MAX, -1]),
        np.array([MAX, 0, MIN, -1]),
        (1, 3, 2),
    ),
    "empty predictions": (int_pairs([], []).astype(int), int_pairs([1], [1]), [1], (0, 0, 1)),
    "empty truth": (
        int_pairs([1] * 10**5, range(10**5)),
        int_pairs([], []).astype(int),
        [1],
        (0, 10**5, 0),
    ),
}
