"""What a caller may pass: frames, columns, lists of targets, plain Python."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from berx_gpu import DataError, Truth, evaluate

pytestmark = pytest.mark.usefixtures("backend")


def count(predictions, truth=(("a", "x"), ("b", "y")), entities=("a", "b"), **options):
    ev = evaluate(predictions, list(truth), entities=list(entities), **options)
    return ev.tp, ev.n_pred


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


def test_the_entity_column_may_have_the_name_of_the_truths():
    frame = pd.DataFrame({"q": ["a"], "m": ["x"]})
    truth = Truth(frame, pd.DataFrame({"q": ["a", "b"], "side": [1, 2]}), entity="q", target="m")
    assert truth.n_singletons == 1
    assert Truth(frame, pd.DataFrame({"side": [1, 2], "q": ["a", "b"]})).n_entities == 2


def test_names_of_truth_and_predictions_may_differ():
    truth = Truth(pd.DataFrame({"q": ["a"], "m": ["x"], "z": 0}), ["a"], entity="q", target="m")
    pred = pl.DataFrame({"note": ["n"], "to": ["x"], "of": ["a"]})
    ev = evaluate(pred, truth, entity="of", target="to")
    assert ev.tp == 1
    assert ev.per_entity.columns[0] == "q"


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


def test_lists_of_targets_with_lists_of_scores():
    rows = {"entity": ["a", "b"], "target": [["x", "z"], ["y"]], "score": [[0.9, 0.1], [0.8]]}
    for frame in (pd.DataFrame(rows), pl.DataFrame(rows), pa.table(rows)):
        assert count(frame, threshold=0.5) == (2, 2)
    for scores in ([[0.9], [0.8]], [0.9, 0.8]):
        with pytest.raises(DataError, match="must hold one score per target"):
            count(pd.DataFrame({**rows, "score": scores}), threshold=0.5)
    with pytest.raises(DataError, match="must hold one score per target"):
        count(pa.table({**rows, "score": [0.9, 0.8]}), threshold=0.5)


def test_a_part_must_lie_in_the_list():
    truth = Truth([("a", "x")], ["a", "b"])
    with pytest.raises(
        DataError, match="holds 2 that the truth's own list does not, such as 'y', 'z'"
    ):
        evaluate([], truth, entities=["a", "y", "z"])
    with pytest.raises(DataError, match="lists 'a' more than once"):
        evaluate([], truth, entities=["a", "a"])


def test_a_part_may_bring_its_own_slices():
    truth = Truth([("a", "x")], pd.DataFrame({"entity": ["a", "b"], "side": ["n", "s"]}))
    assert evaluate([], truth, entities=["b"]).by("side")["side"].tolist() == ["s"]
    part = pd.DataFrame({"entity": ["b"], "fold": [3]})
    assert evaluate([], truth, entities=part).by("fold")["fold"].tolist() == [3]


@pytest.mark.parametrize(
    "collection",
    [np.array, pd.Series, pd.Index, pd.array, pl.Series, pa.array, list, set, tuple, iter],
)
def test_a_mapping_may_hold_any_collection(collection):
    """`list += array` would add numbers instead of taking targets along."""
    pred = {1: [10], 2: collection([5]), 3: None, 4: np.nan, 5: pd.NA}
    ev = evaluate(pred, {1: [10], 2: [5]}, entities=[1, 2])
    assert (ev.tp, ev.n_pred) == (2, 2)


def hidden_lists():
    """Return lists that are null but have items below."""
    items = pa.array([7, 8])
    return [
        pl.Series([None, None], dtype=pl.Array(pl.Int64, 2)).to_arrow(),
        pa.ListArray.from_arrays(
            pa.array([0, 1, 2], pa.int32()), items, mask=pa.array([True, True])
        ),
        pa.LargeListArray.from_arrays(
            pa.array([0, 1, 2], pa.int64()), items, mask=pa.array([True, True])
        ),
    ]


@pytest.mark.parametrize("lists", hidden_lists())
def test_a_null_list_holds_no_target(lists):
    pairs = pa.table({"entity": [1, 2], "target": lists})
    assert Truth(pairs, [1, 2]).n_true == 0
    assert evaluate(pairs, [(1, 7)], entities=[1, 2]).n_pred == 0
    mixed = pl.DataFrame(
        {"entity": [1, 2], "target": [None, [5, 6]]},
        schema_overrides={"target": pl.Array(pl.Int64, 2)},
    )
    assert evaluate(mixed, [(2, 5)], entities=[1, 2]).tp == 1


@pytest.mark.parametrize("kind", [pa.list_view, pa.large_list_view])
def test_views_of_lists_lose_nothing(kind):
    lists = pa.array([["a", "c"], None, [], ["b"]], kind(pa.string()))
    truth = Truth(pa.table({"entity": [1, 2, 3, 4], "target": lists}), [1, 2, 3, 4])
    assert truth.n_true == 3


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


def test_sets_have_no_order_for_scores():
    frame = pd.DataFrame({"entity": ["a"], "target": [{"x", "y"}], "score": [[0.9, 0.1]]})
    with pytest.raises(DataError, match="holds a set at row 0"):
        count(frame, threshold=0.5)


def test_lists_of_mixed_ids_as_text():
    assert count(pd.DataFrame({"entity": ["a"], "target": [["x", 1]]}), ids="text") == (1, 2)


def test_a_multiindex_needs_a_key_of_as_many_columns():
    with pytest.raises(DataError):
        evaluate([], [], entities=pd.MultiIndex.from_tuples([(1, 2)]))


@pytest.mark.parametrize("entities", [b"ab", bytearray(b"ab"), np.zeros(2, [("x", "i4")])])
def test_more_entities_that_are_refused(entities):
    with pytest.raises(DataError, match="entities is"):
        evaluate([], [], entities=entities)
