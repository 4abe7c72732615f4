"""Small frames and evaluations that several files of tests take."""

import numpy as np
import pandas as pd
import pyarrow as pa

from berx_gpu import evaluate


def rows_of(per_entity):
    """Return `per_entity` as tuples, whatever library it is of."""
    if isinstance(per_entity, pd.DataFrame):
        return list(per_entity.itertuples(index=False, name=None))
    return [tuple(row.values()) for row in pa.table(per_entity).to_pylist()]


def scored(entities=None):
    """Return a small evaluation with slices."""
    frame = pd.DataFrame(
        {
            "entity": ["a", "b", "c", "d"],
            "state": ["vic", "nsw", None, "vic"],
            "size": [1.5, np.nan, 2.5, 1.5],
        }
    )
    truth = {"a": ["1"], "b": ["2", "3"], "c": list("456789"), "d": []}
    return evaluate(
        {"a": ["1"], "b": ["2"]}, truth, entities=frame if entities is None else entities
    )


def scores(values, dtype=None):
    column = pd.Series(values, dtype=dtype)
    return pd.DataFrame({"entity": 1, "target": range(len(values)), "score": column})


def count(predictions, truth=(("a", "x"), ("b", "y")), entities=("a", "b"), **options):
    ev = evaluate(predictions, list(truth), entities=list(entities), **options)
    return ev.tp, ev.n_pred
