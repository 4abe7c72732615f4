"""False and missed links, by what they cost."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from plain_pairs import ENTITIES, frame, pairs, sets
from reference import fbeta_exact

from berx_gpu import DataError, Truth, check, evaluate
from berx_gpu.evaluation.scoring import part

pytestmark = pytest.mark.usefixtures("backend")


@given(pairs, pairs, pairs)
def test_links_are_listed_by_what_they_cost(rows, candidates, truth):
    ev = evaluate(frame(rows), frame(truth), entities=ENTITIES)
    pred, pool, true = sets(rows), sets(candidates), sets(truth)

    def f(e, tp, k):
        return float(fbeta_exact(tp, k, len(true[e]), 0.5))

    false = ev.false_links(frame(candidates))
    expected = {(e, t) for e in ENTITIES for t in pred[e] - true[e]}
    assert set(zip(false["entity"], false["target"], strict=True)) == expected
    assert len(false) == len(expected)
    assert (np.diff(false["gain"]) <= 0).all()
    for row in false.itertuples():
        e, tp, k = row.entity, len(pred[row.entity] & true[row.entity]), len(pred[row.entity])
        assert row.gain == pytest.approx(f(e, tp, k - 1) - f(e, tp, k), abs=1e-12)
        assert row.candidate == (row.target in pool[e])
        owners = [o for o in ENTITIES if row.target in true[o]]
        assert row.owner == owners[0] if owners else pd.isna(row.owner)
    missed = ev.missed_links(frame(candidates), n=5)
    expected = {(e, t) for e in ENTITIES for t in true[e] - pred[e]}
    assert set(zip(missed["entity"], missed["target"], strict=True)) <= expected
    assert len(missed) == min(len(expected), 5)
    for row in missed.itertuples():
        e, tp, k = row.entity, len(pred[row.entity] & true[row.entity]), len(pred[row.entity])
        assert row.gain == pytest.approx(f(e, tp + 1, k + 1) - f(e, tp, k), abs=1e-12)
        assert row.candidate == (row.target in pool[e])
        holders = [o for o in ENTITIES if row.target in pred[o]]
        assert row.given_to == holders[0] if holders else pd.isna(row.given_to)


SCORED = pd.DataFrame(
    {
        "entity": ["a", "a", "a", "b", "b", "c"],
        "target": ["x", "y", "y", "z", "x", "w"],
        "score": [0.9, 0.2, 0.8, 0.7, 0.95, 0.6],
    }
)
TRUE = [("a", "z"), ("b", "z"), ("c", "x"), ("d", "q")]


def test_scores_and_ranks_stand_beside_the_links():
    ev = evaluate(SCORED, TRUE, entities=ENTITIES, threshold=0.6)
    false = ev.false_links(SCORED).set_index(["entity", "target"])
    assert false.loc[("a", "y"), "score"] == 0.8
    assert false["rank"].to_dict() == {
        ("a", "x"): 1, ("a", "y"): 2, ("b", "x"): 1, ("c", "w"): 1,
    }  # fmt: skip
    assert false.loc[("b", "x"), "owner"] == "c"
    missed = ev.missed_links(SCORED).set_index(["entity", "target"])
    assert missed.loc[("a", "z"), "given_to"] == "b"
    assert missed.loc[("c", "x"), "given_to"] == "b"  # the best of its two scores
    assert not missed["candidate"].any()
    assert missed["rank"].isna().all()
    late = evaluate(SCORED, TRUE, entities=ENTITIES, threshold=0.8).missed_links(SCORED)
    row = late.set_index(["entity", "target"]).loc[("b", "z")]
    assert (row["candidate"], row["score"], row["rank"]) == (True, 0.7, 2)


@pytest.mark.parametrize("library", [pl.DataFrame, pa.table, pd.DataFrame])
def test_links_come_in_the_library_of_the_predictions(library):
    columns = {"entity": ["a", "b"], "target": [1, 2]}
    records = pd.DataFrame({"id": ["a", "b"], "name": ["Ann", "Bob"]})
    sides = (records, pd.DataFrame({"id": [1, 2], "city": ["Rome", "Oslo"]}))
    ev = evaluate(library(columns), [("a", 2)], entities=["a", "b"])
    false = ev.false_links(records=sides)
    assert isinstance(false, library if library is not pa.table else pa.Table)
    found = false if isinstance(false, pd.DataFrame) else false.to_pandas()
    assert found["entity"].tolist() == ["b", "a"]
    assert found["entity_name"].tolist() == ["Bob", "Ann"]
    assert found["target_city"].tolist() == ["Oslo", "Rome"]
    assert pd.isna(found["owner"][1])
    missed = ev.missed_links(records=sides)
    found = missed if isinstance(missed, pd.DataFrame) else missed.to_pandas()
    assert found.loc[0, ["target_city", "given_to"]].tolist() == ["Oslo", "b"]


def test_records_must_be_clear():
    ev = evaluate([("a", "x")], [("a", "y")], entities=["a"])
    twice = pd.DataFrame({"id": ["a", "a"], "name": ["1", "2"]})
    with pytest.raises(DataError, match=r"1 row with an id.*'a'"):
        ev.false_links(records=twice)
    with pytest.raises(DataError, match="integer"):
        ev.false_links(records=pd.DataFrame({"id": [1], "name": ["1"]}))


def test_a_part_lists_only_its_own_links():
    ev = part(evaluate(SCORED, TRUE, entities=ENTITIES, threshold=0.6), ["d", "b"])
    assert ev.false_links()["entity"].tolist() == ["b"]
    assert ev.missed_links()[["entity", "target"]].to_numpy().tolist() == [["d", "q"]]


def test_the_owner_does_not_depend_on_scores_of_other_pairs():
    truth = Truth([("a", "x"), ("b", "y"), ("c", "y")], list("abc"))
    table = pd.DataFrame({"entity": ["a"] * 3, "target": ["y", "q", "r"], "score": [0.6, 0.7, 0.9]})
    false = evaluate(table, truth, threshold=0.5).false_links()
    assert false.set_index("target")["owner"]["y"] == "b"
    one = evaluate(table[:1], truth, threshold=0.5).false_links()
    assert one["owner"].tolist() == ["b"]


def test_other_kinds_of_ids_are_refused_everywhere():
    ev = evaluate({"a": ["x"]}, {"a": ["y"]}, entities=["a"])
    for call in (ev.false_links, ev.missed_links):
        with pytest.raises(DataError, match="integer"):
            call(candidates={"a": [2]})
    with pytest.raises(DataError, match="integer"):
        check({"a": ["x"]}, candidates={"a": [2]})
    wide = pl.DataFrame(
        {"entity": pl.Series([1], dtype=pl.Int64), "target": pl.Series([2**63], dtype=pl.UInt64)}
    )
    assert Truth(wide, [1], undirected=True).n_true == 1
    texts = Truth({1: [7, 8]}, [1, 2], ids="text")
    records = pd.DataFrame({"id": ["8", "1"], "name": ["eight", "one"]})
    missed = evaluate({1: [7]}, texts).missed_links(records=records)
    assert missed[["entity_name", "target_name"]].to_numpy().tolist() == [["one", "eight"]]
