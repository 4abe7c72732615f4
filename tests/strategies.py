"""Predictions, truth and entities as Hypothesis draws them."""

import pytest
from hypothesis import strategies as st

TEXT = [f"id {c}" for c in "abcdefgh"] + ["", "007", "7", "NA", "nan", "é", "a\0b", "a\0c"]
INTEGERS = [0, -1, 1, 7, 2**53, 2**53 + 1, 2**63 - 1, -(2**63), 2**63, 2**64 - 1]


@st.composite
def tables(draw):
    """Draw predictions, truth and entities: repeats, singletons, strangers, nulls, any order."""
    pool = draw(st.sampled_from([TEXT, INTEGERS[:8], INTEGERS[4:], INTEGERS]))
    entities = draw(st.lists(st.sampled_from(pool), min_size=1, max_size=7, unique=True))
    ids = st.sampled_from([*pool, None]) if draw(st.booleans()) else st.sampled_from(pool)
    known = st.sampled_from(entities) if draw(st.booleans()) else ids
    pairs = st.lists(st.tuples(known, ids), max_size=25)
    predictions, truth = draw(pairs), draw(pairs)
    if draw(st.booleans()):
        predictions += draw(st.permutations(truth))[: len(truth) // 2]
    return predictions, truth, entities


strangers_allowed = pytest.mark.filterwarnings("ignore::berx_gpu.errors.DataWarning")
