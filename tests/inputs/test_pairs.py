"""What a caller may pass as pairs: frames, columns, lists of targets, plain Python."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from frames import count

from berx_gpu import DataError, evaluate

pytestmark = pytest.mark.usefixtures("backend")


@pytest.mark.parametrize(
    "predictions",
    [
        [("a", "x"), ("b", "z")],
        [["a", "x"], ["b", "z"]],
        (("a", "x"), ("b", "z")),
        lambda: iter([("a", "x"), ("b", "z")]),
        np.array([["a", "x"], ["b", "z"]]),
        np.array([["a", "x"], ["b", "z"]], dtype=object),
        {"a": ["x"], "b": ("z",)},
        lambda: {"a": {"x"}, "b": iter("z"), "c": None},
        {"a": np.array(["x"]), "b": pd.Series(["z"])},
        pd.DataFrame({"entity": ["a", "b"], "target": ["x", "z"]}, index=[5, 5]),
        pd.DataFrame(
            {"entity": ["a", "b"], "target": ["x", "z"]},
            index=pd.MultiIndex.from_tuples([(1, 2), (1, 2)]),
        ),
        pd.DataFrame({"target": ["x", "z"], "entity": ["a", "b"], "score": [1, 2], "note": ""}),
        pd.DataFrame({"left": ["a", "b"], "right": ["x", "z"]}),
        pd.DataFrame({"left": ["a", "b"], "right": ["x", "z"], "score": [1, 2]}),
        pd.DataFrame({0: ["a", "b"], 1: ["x", "z"]}),
        pd.DataFrame({"target": ["x", "z"], "left": ["a", "b"]}),
        pd.DataFrame({"right": ["x", "z"], "entity": ["a", "b"]}),
        pl.DataFrame({"entity": ["a", "b"], "target": ["x", "z"]}),
        pa.table({"entity": ["a", "b"], "target": ["x", "z"]}),
        lambda: pa.table({"entity": ["a", "b"], "target": ["x", "z"]}).to_reader(),
        pa.RecordBatch.from_pydict({"entity": ["a", "b"], "target": ["x", "z"]}),
        pd.DataFrame({"entity": ["a", "b", "a"], "target": [["x"], {"z"}, []]}),
        pd.DataFrame({"entity": ["a", "b", "a"], "target": [np.array(["x", "x"]), ("z",), None]}),
        pl.DataFrame({"entity": ["a", "b", "a"], "target": [["x"], ["z"], []]}),
        pl.DataFrame({"entity": ["a", "b", "a"], "target": [["x"], ["z"], None]}),
        pl.DataFrame(
            {"entity": ["a", "b"], "target": [["x"], ["z"]]},
            schema_overrides={"target": pl.Array(pl.String, 1)},
        ),
        pa.table(
            {"entity": ["a", "b"], "target": pa.array([["x"], ["z"]], pa.large_list(pa.string()))}
        ),
        pa.table(
            {"entity": ["a", "b"], "target": pa.array([["x"], ["z"]], pa.list_view(pa.string()))}
        ),
        pa.table({"entity": ["a", "b"], "target": pa.array([["x"], ["z"]])}).to_pandas(
            types_mapper=pd.ArrowDtype
        ),
        pa.table(
            {
                "entity": pa.chunked_array([["a"], ["b"]]),
                "target": pa.chunked_array([[["x"]], [["z"]]]),
            }
        ),
    ],
)
def test_every_form_of_pairs(predictions):
    assert count(predictions() if callable(predictions) else predictions) == (1, 2)


@pytest.mark.parametrize(
    ("predictions", "said"),
    [
        (None, "is a NoneType; give a DataFrame"),
        (5, "is a int; give"),
        ("pairs.csv", "text or path 'pairs.csv', not a frame"),
        (pl.LazyFrame({"entity": ["a"]}), "lazy frame; call .collect"),
        (pd.Series(["a"]), "one column .Series"),
        (pl.Series(["a"]), "one column .Series"),
        (pa.array(["a"]), "one column"),
        ([("a",)], r"row 0 is \('a',\); every row must be a tuple \(entity, target\)"),
        ([("a", "x"), ("a", "x", 1, 2)], "row 1 is"),
        (["ax"], "row 0 is 'ax'"),
        ({"a": "x"}, "maps 'a' to 'x', which is not a collection"),
        ({"a": 5}, "maps 'a' to 5"),
        (
            pd.DataFrame({"entity": ["a"], "b": ["x"], "c": ["y"]}),
            "no column 'target'; its columns are 'entity', 'b', 'c'.*target=.*--pred-columns",
        ),
        (pd.DataFrame({"entity": ["a"]}), "no column 'target'"),
        (pd.DataFrame(), "no column 'entity'; its columns are none"),
        (
            pd.DataFrame([["a", "x", "y"]], columns=["entity", "target", "target"]),
            "2 columns called 'target'",
        ),
        (
            pd.DataFrame({"entity": ["a", "b"], "target": [["x"], "y"]}),
            "lists of targets and single values, first at row 1",
        ),
        (
            pd.DataFrame({"entity": ["a"], "target": [["x", None]]}),
            r"column 'target' \(a row per target\) misses an id in 1 row",
        ),
        (pd.DataFrame({"entity": ["a"], "target": [["x", 1]]}), "mixes int .* and str"),
    ],
)
def test_pairs_that_are_refused(predictions, said):
    with pytest.raises(DataError, match=f"predictions .*{said}"):
        count(predictions)


def test_keys_of_several_columns():
    pred = pd.DataFrame(
        {"src": ["u", "u", "v"], "id": [1, 1, 1], "tsrc": ["p", "q", "p"], "tid": [7, 7, 7]}
    )
    true = pd.DataFrame({"src": ["u", "v"], "id": [1, 1], "tsrc": ["q", "q"], "tid": [7, 7]})
    listed = pd.DataFrame({"src": ["v", "u", "u"], "id": [1, 1, 2], "size": [1, 2, 3]})
    keys = {"entity": ["src", "id"], "target": ["tsrc", "tid"]}
    ev = evaluate(pred, true, entities=listed, **keys)
    assert list(ev.per_entity.itertuples(index=False, name=None)) == [
        ("v", 1, 0, 1, 1, 0.0),
        ("u", 1, 1, 2, 1, pytest.approx(1.25 / 2.25)),
        ("u", 2, 0, 0, 0, 1.0),
    ]
    assert ev.by({("u", 1): "big"})["slice"].fillna("?").tolist() == ["big", "?"]
    assert ev.by(pd.Series(["s"], index=pd.MultiIndex.from_tuples([("v", 1)])))[
        "n_entities"
    ].tolist() == [1, 2]
    with pytest.raises(DataError, match=r"entities.*'u', 1.* more than once"):
        evaluate(pred, true, entities=pd.concat([listed, listed[1:2]]), **keys)
    with pytest.raises(DataError, match=r"\('v', 1\).*unknown_entities"):
        evaluate(pred, true, entities=listed[1:], **keys)


def test_plain_python_keys_of_several_columns():
    names = {"entity": ["src", "id"], "target": ["tsrc", "tid"]}
    rows = [(("u", 1), ("p", 7)), (("u", 1), ("q", 7))]
    ev = evaluate(rows, {("u", 1): [("q", 7)]}, entities=[("u", 1), ("v", 1)], **names)
    assert (ev.tp, ev.n_pred, ev.n_entities) == (1, 2, 2)
    with pytest.raises(DataError, match="row 0 has the id 'u'; a key of 2 columns"):
        evaluate([("u", ("q", 7))], rows, entities=[("u", 1)], **names)
    with pytest.raises(DataError, match="entities is one column, but the entity key has 2"):
        evaluate(rows, rows, entities=pd.Series(["u"]), **names)
    listed = pd.MultiIndex.from_tuples([("u", 1)])
    assert evaluate(rows, rows, entities=listed, **names).tp == 2


@pytest.mark.parametrize(
    "names",
    [
        {"entity": []},
        {"entity": ["a", "a"]},
        {"target": ["t", "t"]},
        {"entity": {"a"}},
        {"entity": [["a"]]},
        {"target": {}},
    ],
)
def test_key_names_that_are_refused(names):
    with pytest.raises(DataError, match="name each key column once|give a column name"):
        count([("a", "x")], **names)


@pytest.mark.parametrize(
    "collection",
    [np.array, pd.Series, pd.Index, pd.array, pl.Series, pa.array, list, set, tuple, iter],
)
def test_a_mapping_may_hold_any_collection(collection):
    """`list += array` would add numbers instead of taking targets along."""
    pred = {1: [10], 2: collection([5]), 3: None, 4: np.nan, 5: pd.NA}
    ev = evaluate(pred, {1: [10], 2: [5]}, entities=[1, 2])
    assert (ev.tp, ev.n_pred) == (2, 2)


def test_polars_columns_that_arrow_does_not_know():
    import uuid

    ids = [uuid.UUID(int=5), uuid.UUID(int=6)]
    again = [uuid.UUID(str(i)) for i in ids]
    frames = [
        pl.DataFrame({"entity": [1, 1], "target": pl.Series(objects, dtype=pl.Object)})
        for objects in (ids, again)
    ]
    assert evaluate(*frames, entities=[1]).tp == 2
    wide = pl.DataFrame({"entity": [1], "target": pl.Series([2**100], dtype=pl.Int128)})
    assert evaluate(wide, [(1, 2**100)], entities=[1]).tp == 1


@pytest.mark.parametrize("dtype", [pl.Categorical, pl.Enum(["x", "y"])])
def test_polars_categories(dtype):
    frame = pl.DataFrame(
        {"entity": ["a", "b"], "target": ["x", None]}, schema_overrides={"target": dtype}
    )
    assert evaluate(frame, [("a", "x")], entities=["a", "b"], nulls="drop").tp == 1
    lists = pl.DataFrame(
        {"entity": ["a"], "target": [["x", "y"]]}, schema_overrides={"target": pl.List(dtype)}
    )
    assert evaluate(lists, [("a", "x")], entities=["a"]).n_pred == 2


def test_chunks_without_rows():
    batch = pa.RecordBatch.from_pydict({"entity": [1, 2, 3], "target": [1, 2, 3]})
    table = pa.Table.from_batches([batch.slice(0, 1), batch.slice(1, 0), batch.slice(1)])
    assert evaluate(table, [(1, 1)], entities=[1, 2, 3]).n_pred == 3


@pytest.mark.parametrize("name", ["entity", "target", "x"])
def test_two_columns_of_one_name(name):
    frame = pd.DataFrame([["a", "x"]], columns=[name, name])
    with pytest.raises(DataError, match="2 columns called|no column"):
        count(frame)


def test_labels_may_be_anything():
    frame = pd.DataFrame([["a", "x", 0]], columns=[pd.NA, None, np.nan])
    with pytest.raises(DataError, match="no column 'entity'"):
        count(frame)
    assert count(frame, entity=pd.NA, target=[None]) == (1, 1)
    assert count(pd.DataFrame({0: ["a"], 1: ["x"], 2: [1]}), entity=0, target=np.array([1])) == (
        1,
        1,
    )


def test_rows_in_messages_are_the_callers():
    frame = pd.DataFrame({"entity": ["a", "b"], "target": [["x", "y", "z"], ["x", None]]})
    with pytest.raises(DataError, match="misses an id in 1 row, first at row 1;"):
        count(frame)
    stranger = pd.DataFrame({"entity": ["a", "?"], "target": [["x", "y", "z"], ["x"]]})
    with pytest.raises(DataError, match=r"first at row 1: '\?'"):
        count(stranger)
