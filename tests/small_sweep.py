"""A few scored candidates and their truth."""

import numpy as np
import pandas as pd

ROWS = [("a", "x", 0.9), ("a", "q", 0.4), ("b", "y", 0.6)]
TRUE = {"a": ["x"], "b": ["y"], "c": []}
LISTED = ["a", "b", "c"]


def scored(values, dtype, targets="xywz"):
    return pd.DataFrame(
        {
            "entity": list("abc")[: len(values)],
            "target": list(targets)[: len(values)],
            "score": np.array(values, dtype),
        }
    )
