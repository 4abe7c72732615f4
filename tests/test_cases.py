"""Faults that other tools were reported to have, as small inputs with the right answer.

Each test names the report it comes from.
"""

import time
import unicodedata
import warnings

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from berx_gpu import DataError, DataWarning, Truth, evaluate

pytestmark = pytest.mark.usefixtures("backend")


def f_of(ev):
    return ev.per_entity["fbeta"].tolist()


def test_a_correct_singleton_scores_one():
    """https://github.com/scikit-learn/scikit-learn/pull/26713"""
    ev = evaluate([("B", "b")], [("B", "b")], entities=["A", "B"])
    assert (f_of(ev), ev.macro_fbeta) == ([1.0, 1.0], 1.0)


def test_a_wrong_prediction_never_scores_one():
    """https://github.com/scikit-learn/scikit-learn/issues/26864"""
    ev = evaluate([("A", "x"), ("B", "q")], [("A", "a")], entities=["A", "B"], zero_division=1)
    assert (f_of(ev), ev.macro_fbeta) == ([0.0, 0.0], 0.0)


def test_a_silent_entity_scores_a_plain_zero():
    """https://github.com/scikit-learn/scikit-learn/issues/27189"""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ev = evaluate([], [("A", "a"), ("A", "b")], entities=["A"])
    assert (f_of(ev), ev.macro_fbeta) == ([0.0], 0.0)


@pytest.mark.parametrize("truth", [[], [("A", "a")], [("A", "a"), ("A", "b"), ("C", "c")]])
def test_the_truth_scores_one_against_itself(truth):
    """https://github.com/dice-group/gerbil/issues/183"""
    ev = evaluate(truth, truth, entities=["A", "B", "C"])
    pooled = 1.0 if truth else 0.0
    assert (ev.macro_fbeta, ev.precision, ev.recall) == (1.0, pooled, pooled)


def test_silent_entities_stay_in_the_mean():
    """https://github.com/cvangysel/pytrec_eval/issues/30"""
    ev = evaluate([("A", "a")], [("A", "a"), ("B", "b")], entities=["A", "B", "C"])
    assert (f_of(ev), ev.n_entities) == ([1.0, 0.0, 1.0], 3)
    assert ev.macro_fbeta == pytest.approx(2 / 3)


def test_unknown_entities_are_refused_or_counted():
    """https://github.com/AmenRa/ranx/issues/27"""
    pred, truth = [("A", "a"), ("Z", "z")], [("A", "a")]
    with pytest.raises(DataError, match=r"1 row of entities.*'Z'.*unknown_entities=\"drop\""):
        evaluate(pred, truth, entities=["A"])
    ev = evaluate(pred, truth, entities=["A"], unknown_entities="drop")
    assert (ev.macro_fbeta, ev.n_entities, ev.dropped.unknown_entities) == (1.0, 1, 1)


def test_macro_and_pooled_figures_keep_their_names():
    """https://github.com/khundman/telemanom/issues/54"""
    ev = evaluate(
        [("A", "a"), ("A", "x"), ("B", "b1")],
        [("A", "a"), ("B", "b1"), ("B", "b2")],
        entities=["A", "B"],
    )
    assert f_of(ev) == pytest.approx([0.5555555556, 0.8333333333])
    assert ev.macro_fbeta == pytest.approx(0.6944444444444444, abs=1e-15)
    assert (ev.precision, ev.recall) == pytest.approx((2 / 3, 2 / 3))
    assert ev.pooled_fbeta == pytest.approx(2 / 3)


def test_only_observed_slices_appear():
    """https://github.com/Lightning-AI/torchmetrics/issues/1664"""
    country = pd.Categorical(["us", "us"], categories=["us", "india", "france"])
    entities = pd.DataFrame({"entity": ["A", "B"], "country": country})
    ev = evaluate([("A", "a")], [("A", "a"), ("B", "b")], entities=entities)
    table = ev.by("country")
    assert table["country"].tolist() == ["us"]
    assert table["macro_fbeta"].tolist() == [ev.macro_fbeta] == [0.5]


def test_a_repeated_prediction_counts_once():
    """https://github.com/truera/trulens/issues/2746"""
    ev = evaluate([("A", "a"), ("A", "a"), ("A", "b")], [("A", "a")], entities=["A"])
    assert (ev.tp, ev.n_pred, ev.n_true, ev.dropped.prediction_repeats) == (1, 2, 1, 1)
    assert f_of(ev) == pytest.approx([0.5555555556])


def test_a_wrong_link_stays_missed_when_it_goes():
    """https://github.com/moj-analytical-services/uk_address_matcher/pull/261"""
    candidates = pd.DataFrame({"entity": ["A"], "target": ["x"], "score": [15]})
    truth = Truth([("A", "t")], ["A"])
    for threshold, fp in ((14, 1), (16, 0)):
        ev = evaluate(candidates, truth, threshold=threshold)
        assert (ev.n_pred - ev.tp, ev.n_true - ev.tp) == (fp, 1)
    unscored = candidates.assign(score=[np.nan])
    with pytest.raises(DataError, match="misses a score in 1 row"):
        evaluate(unscored, truth, threshold=14)
    assert evaluate(candidates.assign(score=[np.inf]), truth, threshold=999).n_pred == 1


def test_missing_ids_never_match_each_other():
    """https://github.com/pandas-dev/pandas/issues/22491"""
    pred = [("A", "x"), (None, "y"), (None, "z")]
    truth = [("A", "x"), (None, "y")]
    with pytest.raises(
        DataError, match="truth column 'entity' misses an id in 1 row, first at row 1"
    ):
        evaluate(pred, truth, entities=["A"])
    ev = evaluate(pred, truth, entities=["A"], nulls="drop")
    assert (ev.tp, ev.n_pred, ev.n_true) == (1, 1, 1)
    assert (ev.dropped.prediction_nulls, ev.dropped.truth_nulls) == (2, 1)


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table])
def test_missing_ids_are_missing_in_every_library(library):
    """https://github.com/pola-rs/polars/issues/2643"""
    pred = library({"entity": ["A", None, None], "target": ["a", "b", "c"]})
    truth = library({"entity": ["A"], "target": ["a"]})
    with pytest.raises(DataError, match="predictions column 'entity' misses an id in 2 rows"):
        evaluate(pred, truth, entities=["A"])
    ev = evaluate(pred, truth, entities=["A"], nulls="drop")
    assert (ev.n_pred, ev.tp, ev.dropped.prediction_nulls) == (1, 1, 2)


def test_float_ids_beyond_exact_integers_are_refused():
    """https://github.com/pandas-dev/pandas/issues/68372"""
    pred = pd.DataFrame({"entity": [1], "target": [9007199254740993]})
    truth = pd.DataFrame({"entity": [1], "target": [9007199254740992.0]})
    with pytest.raises(DataError, match=r"truth column 'target' \(float64\).*first at row 0"):
        evaluate(pred, truth, entities=[1])
    small = pd.DataFrame({"entity": [1.0, 1.0], "target": [5.0, np.nan]})
    ev = evaluate(pd.DataFrame({"entity": [1], "target": [5]}), small, entities=[1], nulls="drop")
    assert ev.tp == 1


def test_integers_across_the_signed_limit_stay_apart():
    """https://github.com/numpy/numpy/issues/16287"""
    targets = [9223372036854775808, 9223372036854775809, 123456]
    ev = evaluate({"A": targets}, {"A": targets[:2]}, entities=["A"])
    assert (ev.n_pred, ev.tp) == (3, 2)


def test_numbers_never_meet_text_in_silence():
    """https://github.com/terrier-org/pyterrier/issues/227"""
    pred = [(1, 10), ("2", 20)]
    truth = [("1", "10"), ("2", "20")]
    with pytest.raises(DataError, match=r"mixes int .* and str .*ids=\"text\""):
        evaluate(pred, truth, entities=["1", "2"])
    with pytest.raises(DataError, match=r"holds integer ids \(int64\).*holds text ids \(str\)"):
        evaluate([(1, 10), (2, 20)], truth, entities=["1", "2"])
    assert evaluate(pred, truth, entities=["1", "2"], ids="text").tp == 2


@pytest.mark.parametrize("other", [["C", "B", "A"], ["Z", "C", "A", "B"]])
def test_categories_compare_by_value(other):
    """https://github.com/pandas-dev/pandas/issues/19551"""
    ids = ["A", "B", "C"]
    pred = pd.DataFrame({"entity": 1, "target": pd.Categorical(ids, categories=ids)})
    truth = pd.DataFrame({"entity": 1, "target": pd.Categorical(ids, categories=other)})
    assert evaluate(pred, truth, entities=[1]).tp == 3


def test_look_alikes_are_told_and_not_changed():
    """https://github.com/dathere/qsv/pull/2436"""
    pred = {"A": [unicodedata.normalize("NFC", "café"), "x "]}
    truth = {"A": [unicodedata.normalize("NFD", "café"), "x"]}
    with pytest.warns(DataWarning, match="2 ids match between predictions column 'target'"):
        ev = evaluate(pred, truth, entities=["A"])
    assert (ev.tp, ev.n_pred) == (0, 2)


def test_rows_follow_the_callers_list():
    """https://github.com/NVIDIA/cudf/issues/15117"""
    listed = ["a", "e", "d", "b", "c"]
    pairs = [(e, f"t{e}") for e in "abcde"]
    ev = evaluate(pairs[:2], pairs, entities=listed)
    assert ev.per_entity["entity"].tolist() == listed
    assert f_of(ev) == [1.0, 0.0, 0.0, 1.0, 0.0]


def test_twenty_slice_columns_cost_what_occurs():
    """https://github.com/dask/dask/issues/5820"""
    values = [f"v{i}" for i in range(10)]
    columns = {f"c{i}": pd.Categorical(values, categories=values) for i in range(20)}
    entities = pd.DataFrame({"entity": range(10), **columns})
    ev = evaluate([(0, 1)], [(0, 1)], entities=entities)
    start = time.perf_counter()
    assert len(ev.by(list(columns))) == 10
    assert time.perf_counter() - start < 1


def test_predictions_first_truth_second():
    """https://github.com/XiaohangZhan/cdp/issues/8"""
    ev = evaluate([("A", "a"), ("A", "b")], [("A", "a")], entities=["A"])
    assert (ev.precision, ev.recall) == (0.5, 1.0)
    assert "P 0.5000  R 1.0000" in str(ev)


def test_duckdb_relations_are_read():
    relation = duckdb.sql("select 'A' as entity, 'a' as target")
    assert evaluate(relation, relation, entities=["A"]).tp == 1
