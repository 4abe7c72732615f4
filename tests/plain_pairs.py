"""Pairs of a few entities, and their macro F over plain sets."""

import pandas as pd
from hypothesis import strategies as st
from reference import fbeta_exact

ENTITIES = [*"abcd"]
pairs = st.lists(st.tuples(st.sampled_from(ENTITIES), st.integers(0, 5)), max_size=14)
betas = st.sampled_from([0.5, 1.0, 2.7])


def frame(rows):
    columns = {"entity": [e for e, _ in rows], "target": [t for _, t in rows]}
    return pd.DataFrame(columns).astype({"entity": "str", "target": "int64"})


def sets(rows):
    return {e: {t for f, t in rows if f == e} for e in ENTITIES}


def macro(pred, true, beta):
    f = (fbeta_exact(len(pred[e] & true[e]), len(pred[e]), len(true[e]), beta) for e in ENTITIES)
    return float(sum(f) / len(ENTITIES))
