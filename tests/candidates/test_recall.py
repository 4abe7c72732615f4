"""Candidate recall against plain sets, and what is refused."""

import math

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from plain_pairs import ENTITIES, frame, pairs, sets

from berx_gpu import DataError, Truth, candidate_recall, check, error_budget, evaluate, oracle

pytestmark = pytest.mark.usefixtures("backend")


@given(pairs, pairs)
def test_recall_counts_what_the_candidates_hold(candidates, truth):
    found = candidate_recall(frame(candidates), frame(truth), entities=ENTITIES, n_targets=6)
    pool, true = sets(candidates), sets(truth)
    hits = {e: len(pool[e] & true[e]) for e in ENTITIES}
    others = [e for e in ENTITIES if true[e]]
    sizes = sorted(len(pool[e]) for e in ENTITIES)
    assert found.retrieved == sum(hits.values())
    assert found.n_candidates == sum(sizes)
    assert found.no_hit == sum(hits[e] == 0 for e in others)
    assert (found.per_entity_median, found.per_entity_p95, found.per_entity_max) == (
        sizes[1], sizes[3], sizes[3],
    )  # fmt: skip
    assert found.per_entity_mean == sum(sizes) / 4
    assert found.reduction_ratio == pytest.approx(1 - sum(sizes) / 24)
    if others:
        n_true = sum(len(true[e]) for e in ENTITIES)
        assert found.pair_recall == pytest.approx(found.retrieved / n_true)
        shares = [hits[e] / len(true[e]) for e in others]
        assert found.mean_recall == pytest.approx(sum(shares) / len(others))
        whole = [e for e in others if true[e] <= pool[e]]
        assert found.all_match_rate == pytest.approx(len(whole) / len(others))
    else:
        assert math.isnan(found.pair_recall)
        assert math.isnan(found.all_match_rate)


scores = st.sampled_from([0.1, 0.5, 0.5, 0.9, math.inf, -0.0, 0.0])


@given(
    st.lists(st.tuples(st.sampled_from(ENTITIES), st.integers(0, 5), scores), max_size=20),
    pairs,
    st.integers(1, 4),
    st.randoms(),
)
def test_the_k_best_do_not_depend_on_the_row_order(rows, truth, k, random):
    best = {}
    for e, t, s in rows:
        best[e, t] = max(s, best.get((e, t), -math.inf))
    kept = set()
    for e in ENTITIES:
        mine = sorted((-s, t) for (f, t), s in best.items() if f == e)
        kept |= {(e, t) for _, t in mine[:k]}
    random.shuffle(rows)
    table = frame([r[:2] for r in rows])
    table["score"] = np.array([r[2] for r in rows], "float64")
    found = candidate_recall(table, frame(truth), entities=ENTITIES, k=k)
    line = found.lines[1]
    assert line["n_candidates"] == len(kept)
    assert line["retrieved"] == len(kept & set(truth))


def test_channels_have_lines_of_their_own():
    table = frame([("a", 1), ("a", 2), ("b", 1), ("a", 1)])
    table["source"] = ["name", "name", "phone", "phone"]
    found = candidate_recall(table, [("a", 1), ("b", 9)], entities=ENTITIES, channel="source")
    assert [(x["name"], x["n_candidates"], x["retrieved"]) for x in found.lines] == [
        ("all candidates", 3, 1),
        ("source=name", 2, 1),
        ("source=phone", 2, 1),
    ]
    with pytest.raises(DataError, match="no column 'kind'"):
        candidate_recall(table, [("a", 1)], entities=ENTITIES, channel="kind")


@pytest.mark.parametrize("options", [{"k": 0}, {"k": [2, -1]}, {"k": 1.5}, {"n_targets": 0}])
def test_wrong_options_are_refused(options):
    with pytest.raises(DataError, match="whole number"):
        candidate_recall([("a", 1)], [("a", 1)], entities=ENTITIES, **options)


def test_what_has_no_effect_or_no_sense_is_refused():
    truth = Truth({"a": ["x"]}, ["a"])
    ev = evaluate({"a": ["x"]}, truth)
    for option in ({"beta": 2.0}, {"entities": ["a"]}, {"threshold": 0.5}):
        with pytest.raises(DataError, match="has its own"):
            error_budget(ev, candidates=[("a", "x")], truth=None, **option)
    with pytest.raises(DataError, match="hold 2 targets"):
        candidate_recall({"a": ["x", "y"]}, truth, n_targets=1)
    with pytest.raises(DataError, match="whole number"):
        candidate_recall([("a", "x", 1.0)], truth, k=[None, 5])
    clusters = pd.DataFrame({"id": [1, 1, 2], "cluster": ["A", "B", "A"]})
    with pytest.raises(DataError, match="1 row with an id that stood before, such as 1"):
        Truth.from_clusters(clusters, id="id", cluster="cluster", entities=[1, 2])
    with pytest.raises(DataError, match="name two columns"):
        Truth.from_clusters(clusters, id="id", cluster="id")
    lists = pd.DataFrame({"entity": ["a"], "target": ["x"], "rule": [["p"]]})
    with pytest.raises(DataError, match="holds lists"):
        candidate_recall(lists, truth, channel="rule")


def test_repeats_and_missing_channels_are_counted():
    truth = Truth({"a": ["x"]}, ["a"])
    assert candidate_recall([("a", "x")] * 3, truth).dropped.prediction_repeats == 2
    assert oracle([("a", "x")] * 3, truth).dropped.prediction_repeats == 2
    table = pl.DataFrame({"entity": ["a"] * 3, "target": [*"xyz"], "rule": [1.0, np.nan, np.nan]})
    found = candidate_recall(table, truth, channel="rule", k=None)
    assert [(x["name"], x["n_candidates"]) for x in found.lines[1:]] == [
        ("rule missing", 2), ("rule=1.0", 1),
    ]  # fmt: skip
    found = check({"a": ["x"]}, targets=pd.DataFrame({"name": ["q"], "target": ["x"]}))
    assert found.findings == {
        "repeats": 0, "nulls": 0, "unknown_targets": 0, "shared_targets": 0, "empty_entities": 0,
    }  # fmt: skip
    assert "empty_entities" not in check([("a", "x")]).findings
