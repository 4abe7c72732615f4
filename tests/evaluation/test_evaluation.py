"""What an evaluation hands out: frames, names, JSON."""

import math
import pickle

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from frames import rows_of

from berx_gpu import Truth, evaluate


def test_truth_and_evaluation_can_be_pickled():
    truth = pickle.loads(
        pickle.dumps(Truth({"a": ["x"]}, pl.DataFrame({"entity": ["a"], "s": [1]})))
    )
    ev = pickle.loads(pickle.dumps(evaluate(pl.DataFrame({"e": ["a"], "t": ["x"]}), truth)))
    assert isinstance(ev.per_entity, pl.DataFrame)
    assert ev.by("s")["macro_fbeta"].to_list() == [1.0]


@pytest.mark.parametrize(
    ("make", "kind"),
    [
        (pd.DataFrame, pd.DataFrame),
        (pl.DataFrame, pl.DataFrame),
        (pa.table, pa.Table),
        (lambda d: duckdb.from_arrow(pa.table(d)), pa.Table),
        (lambda d: pa.RecordBatch.from_pydict(d), pa.Table),
        (lambda d: dict(zip(d["q"], [[t] for t in d["m"]], strict=True)), pd.DataFrame),
        (lambda d: list(zip(*d.values(), strict=True)), pd.DataFrame),
    ],
)
def test_results_follow_the_predictions(make, kind):
    data = {"q": ["b", "a"], "m": ["y", "x"]}
    ev = evaluate(make(data), pd.DataFrame(data), entities=["a", "b"])
    for frame in (ev.per_entity, ev.by("n_true"), ev.losses()):
        assert isinstance(frame, kind)
    assert rows_of(ev.per_entity) == [("a", 1, 1, 1, 1.0), ("b", 1, 1, 1, 1.0)]


def test_key_columns_keep_the_callers_names():
    frame = pd.DataFrame({"q": ["b", "a"], "m": ["y", "x"]})
    entities = pd.DataFrame({"q": ["a", "b"], "side": ["n", "s"]})
    ev = evaluate(frame, frame, entities=entities)
    assert ev.per_entity.columns.tolist() == ["q", "tp", "n_pred", "n_true", "fbeta"]


def test_to_dict_is_valid_json():
    import json

    ev = evaluate({}, {}, entities=["a"], zero_division=math.nan, name="x")
    told = json.loads(json.dumps(ev.to_dict(), allow_nan=False))
    assert told["precision"] is None
    assert told["dropped"]["truth_outside"] == 0
    json.dumps(ev.reconcile().to_dict(), allow_nan=False)


def test_the_name_may_be_anything():
    assert str(evaluate([], [], entities=[1], name=5)).startswith("5\n")


def test_per_entity_is_the_callers_to_change():
    ev = evaluate([(1, 0)], [(1, 0)], entities=[1])
    frame = ev.per_entity
    frame.loc[0, "tp"] = 9
    assert ev.per_entity["tp"].tolist() == [1]
    assert ev.tp == 1
