"""Slices of an evaluation: against plain sets, and keys of every kind."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import reference
from frames import scored
from hypothesis import given
from hypothesis import strategies as st
from strategies import strangers_allowed, tables

from berx_gpu import DataError, evaluate


@strangers_allowed
@given(tables(), st.data())
def test_slices_equal_plain_sets(backend, drawn, data):
    predictions, truth, entities = drawn
    values = data.draw(
        st.lists(st.sampled_from(["n", "s", None]), min_size=len(entities), max_size=len(entities))
    )
    ref = reference.score(predictions, truth, entities, nulls="drop", unknown_entities="drop")
    frame = pd.DataFrame({"entity": pd.Series(entities, dtype=object), "side": values})
    ev = evaluate(predictions, truth, entities=frame, nulls="drop", unknown_entities="drop")
    table = ev.by("side")
    expected = reference.slices(ref, values)
    keys = [None if pd.isna(v) else v for v in table["side"]]
    assert keys == sorted(expected, key=lambda v: (v is None, v or ""))
    for key, row in zip(keys, table.to_dict("records"), strict=True):
        one = expected[key]
        assert (row["n_entities"], row["n_singletons"]) == (one.n_entities, one.n_singletons)
        assert (row["tp"], row["fp"], row["fn"]) == (
            one.tp,
            one.n_pred - one.tp,
            one.n_true - one.tp,
        )
        for name in ("macro_fbeta", "precision", "recall", "links_per_entity", "loss_share"):
            assert row[name] == pytest.approx(getattr(one, name), abs=1e-12)


def test_slice_keys():
    ev = scored()
    assert ev.by("state")["state"].fillna("?").tolist() == ["nsw", "vic", "?"]
    assert ev.by("size")["size"].fillna(-1).tolist() == [1.5, 2.5, -1]
    assert ev.by("n_true")["n_true"].tolist() == ["0", "1", "2–3", "6+"]
    both = ev.by(["state", "n_true"])
    assert both["n_true"].tolist() == ["2–3", "0", "1", "6+"]
    keyed = ev.by({"a": "x", "b": "y", "c": "x"})
    assert keyed["slice"].fillna("?").tolist() == ["x", "y", "?"]
    named = ev.by(pd.Series({"d": 1, "a": 2, "zzz": 3}, name="rank"))
    assert named["rank"].fillna(0).tolist() == [1, 2, 0]
    assert ev.by("state")["loss_share"].sum() == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("county", "no slice 'county'.*'state', 'size', 'n_true'"),
        ([], "names no slice"),
        ({1: "x"}, "integer ids"),
        (3.5, "no slice 3.5"),
    ],
)
def test_slice_keys_that_are_refused(key, said):
    with pytest.raises(DataError, match=said):
        scored().by(key)


def test_a_slice_column_may_not_hide_a_result():
    frame = pd.DataFrame({"entity": ["a", "b", "c", "d"], "precision": 1})
    with pytest.raises(DataError, match="two columns called 'precision'"):
        scored(frame).by("precision")
    with pytest.raises(DataError, match="two columns called 'tp'"):
        assert evaluate([], [("a", "b")], entities=pd.DataFrame({"tp": ["a"]})).per_entity


def test_a_slice_mapping_must_name_entities_once():
    ev = evaluate([(0, "x")], [(0, "x"), (1, "y")], entities=[0, 1])
    with pytest.raises(DataError, match="slice key column 'entity' misses an id in 1 row"):
        ev.by({0: "zero", 1: "one", None: "lost"})
    with pytest.raises(DataError, match="misses an id"):
        ev.by(pd.Series(["lost", "one"], index=[np.nan, 1.0]))
    with pytest.raises(DataError, match="slice lists 1 more than once"):
        ev.by(pd.Series(["x", "y", "z"], index=[1, 1, 0]))
    with pytest.raises(DataError, match="none of the 1 entities that the slice names"):
        ev.by({7: "A"})


def test_slice_values_keep_their_type():
    ev = evaluate([], [], entities=[1, 2, 3])
    wide = ev.by(pd.Series([2**53, 2**53 + 1], index=[1, 2]))
    assert wide["slice"].tolist()[:2] == [2**53, 2**53 + 1]
    assert len(ev.by({1: 1, 2: True, 3: "1"})) == 3
    assert len(ev.by({1: 0, 2: False})) == 3
    entities = pa.table({"entity": [1, 2, 3], "n": pa.array([2**53 + 1, 2**53, None], pa.int64())})
    assert evaluate({}, {}, entities=entities).by("n")["n"].tolist()[:2] == [2**53, 2**53 + 1]


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table])
def test_zero_and_missing_are_one_slice_each(library):
    values = pa.array([0.0, -0.0, float("nan"), None])
    entities = pa.table({"entity": [1, 2, 3, 4], "v": values})
    frame = {pd.DataFrame: pa.Table.to_pandas, pl.DataFrame: pl.from_arrow, pa.table: lambda t: t}
    ev = evaluate({}, {}, entities=frame[library](entities))
    assert ev.by("v")["n_entities"].tolist() == [2, 2]


@pytest.mark.parametrize(
    "values",
    [
        pa.array(["b", "a", None], pa.string_view()),
        pa.array([b"b", b"a", None], pa.binary_view()),
        pa.array(["b", "a", None]).dictionary_encode(),
        pa.array(np.array([2, 1, np.nan], np.float16), from_pandas=True),
        pa.array([2, 1, None], pa.decimal128(5, 1)),
        pa.array([True, False, None]),
        pl.Series(["b", "a", None], dtype=pl.Categorical).to_arrow(),
        pl.Series(["b", "a", None], dtype=pl.Enum(["a", "b"])).to_arrow(),
        pa.ExtensionArray.from_storage(
            pa.uuid(), pa.array([b"b" * 16, b"a" * 16, None], pa.binary(16))
        ),
    ],
)
def test_slices_of_any_type_in_any_library(values):
    entities = pa.table({"entity": ["p", "q", "r"], "side": values})
    pairs = pa.table({"entity": ["p"], "target": ["x"]})
    for library in (pa.Table.to_pandas, pl.from_arrow, lambda table: table):
        table = pa.table(evaluate(library(pairs), pairs, entities=entities).by("side"))
        assert table["n_entities"].to_pylist() == [1, 1, 1]
        assert table["fn"].to_pylist() == [0, 0, 0]
        assert table["tp"].to_pylist() == [0, 1, 0], "sorted by value, missing last"
    if not isinstance(values, pa.ExtensionArray):
        polars = pl.from_arrow(entities)
        ev = evaluate(pl.from_arrow(pairs), pairs, entities=polars)
        assert ev.by("side")["tp"].to_list() == [0, 1, 0]


@pytest.mark.parametrize("key", [np.array([1]), pd.DataFrame(), pl.Series([1]), pd.NA, {1}])
def test_odd_slice_keys_are_refused(key):
    with pytest.raises(DataError, match="no slice"):
        scored().by(key)


def test_slices_that_cannot_be_grouped():
    entities = pd.DataFrame({"entity": [1, 2], "v": [[1], [2]]})
    with pytest.raises(DataError, match="slice 'v' holds values that cannot be grouped"):
        evaluate([], [], entities=entities).by("v")


def test_several_mappings_are_numbered():
    table = scored().by([{"a": 1}, {"b": 2}])
    assert table.columns[:2].tolist() == ["slice 1", "slice 2"]


def test_a_key_column_is_a_slice_too():
    listed = pd.DataFrame({"src": ["u", "u", "v"], "id": [1, 2, 1]})
    pairs = pd.DataFrame({"src": ["u"], "id": [1], "target": ["x"]})
    ev = evaluate(pairs, pairs, entities=listed, entity=["src", "id"])
    assert ev.by("src")["n_entities"].tolist() == [2, 1]
    assert len(ev.by({("u", 1): "A"})) == 2


def test_a_slice_column_twice_is_refused():
    entities = pd.DataFrame([[1, "x", "y"]], columns=["entity", "s", "s"])
    with pytest.raises(DataError, match="entities has 2 columns called 's'"):
        evaluate({}, {}, entities=entities).by("s")
