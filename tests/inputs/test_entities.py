"""What a caller may pass as the list of entities."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from frames import count

from berx_gpu import DataError, evaluate

pytestmark = pytest.mark.usefixtures("backend")


@pytest.mark.parametrize(
    "entities",
    [
        ["a", "b"],
        ("a", "b"),
        np.array(["a", "b"]),
        lambda: iter(["a", "b"]),
        pd.Series(["a", "b"], index=[3, 3]),
        pd.Index(["a", "b"]),
        pd.Series(pd.Categorical(["a", "b"], categories=["b", "a", "z"])),
        pl.Series(["a", "b"]),
        pa.array(["a", "b"]),
        pa.chunked_array([["a"], ["b"]]),
        pd.DataFrame({"entity": ["a", "b"], "side": [1, 2]}),
        pl.DataFrame({"side": [1, 2], "entity": ["a", "b"]}),
        pa.table({"anything": ["a", "b"]}),
    ],
)
def test_every_form_of_entities(entities):
    listed = entities() if callable(entities) else entities
    ev = evaluate([("a", "x")], [("a", "x"), ("b", "y")], entities=listed)
    assert ev.per_entity.iloc[:, 0].astype(str).tolist() == ["a", "b"]
    assert (ev.tp, ev.n_true) == (1, 2)


@pytest.mark.parametrize(
    ("entities", "said"),
    [
        (
            pd.DataFrame({"id": ["a"], "side": [1]}),
            "entities has no column 'entity'; its columns are 'id', 'side'",
        ),
        ({"a": 1}, "is a dict, which has no order"),
        (5, "is a int; give"),
        (np.zeros((2, 2)), "array of 2 dimensions"),
        (pd.DataFrame({"entity": []}), "is empty"),
        ([[1], [2]], "entities column 'entity' .*no id"),
    ],
)
def test_entities_that_are_refused(entities, said):
    with pytest.raises(DataError, match=said):
        count([], entities=["a"]) if entities is None else evaluate([], [], entities=entities)


def test_a_multiindex_needs_a_key_of_as_many_columns():
    with pytest.raises(DataError):
        evaluate([], [], entities=pd.MultiIndex.from_tuples([(1, 2)]))


@pytest.mark.parametrize("entities", [b"ab", bytearray(b"ab"), np.zeros(2, [("x", "i4")])])
def test_more_entities_that_are_refused(entities):
    with pytest.raises(DataError, match="entities is"):
        evaluate([], [], entities=entities)
