"""The points of a curve: scoring at every threshold."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from plain_sweep import FLOATS, LISTED, assert_curve, best_scores, choose, counts, tables
from sklearn.metrics import precision_recall_curve

from berx_gpu import DataError, Policy, Truth, evaluate, sweep

pytestmark = [
    pytest.mark.usefixtures("backend"),
    pytest.mark.filterwarnings("ignore:all .* of the candidates:berx_gpu.DataWarning"),
]


@given(tables(), st.sampled_from([0.5, 2.0]))
def test_the_curve_is_scoring_at_every_threshold(drawn, beta):
    frame, truth = drawn
    sw = sweep(frame, truth, entities=LISTED, beta=beta, unknown_entities="drop")
    assert_curve(sw.results[0], choose(best_scores(frame), Policy()), truth, beta)
    best = sw.results[0].best
    assert best.macro_fbeta == pytest.approx(sw.results[0].macro_fbeta.max(), abs=1e-12)


@given(tables(), st.lists(st.sampled_from([*FLOATS, 0.15, 5.0]), min_size=1, max_size=5))
def test_a_grid_is_the_curve_at_its_thresholds(drawn, grid):
    frame, truth = drawn
    sw = sweep(frame, truth, entities=LISTED, thresholds=grid, unknown_entities="drop")
    chosen = choose(best_scores(frame), Policy())
    result = sw.results[0]
    for i, threshold in enumerate(grid):
        level = float(np.float32(threshold)) if frame["score"].dtype == "float32" else threshold
        f, tp, k = counts(chosen, truth, level)
        assert (result.threshold[i], result.tp[i], result.n_pred[i]) == (threshold, tp, k)
        assert result.macro_fbeta[i] == pytest.approx(f, abs=1e-12)


def test_pooled_precision_and_recall_are_those_of_scikit_learn():
    rng = np.random.default_rng(3)
    scores, true = rng.integers(0, 40, 300) / 40, rng.random(300) < 0.4
    frame = pd.DataFrame(
        {"entity": rng.integers(0, 50, 300), "target": range(300), "score": scores}
    )
    curve = sweep(frame, frame[true][["entity", "target"]], entities=range(50)).results[0].curve
    p, r, levels = precision_recall_curve(true, scores)
    ours = curve[1:][::-1]
    assert ours["threshold"].tolist() == levels.tolist()
    assert ours["precision"].to_numpy() == pytest.approx(p[:-1])
    assert ours["recall"].to_numpy() == pytest.approx(r[:-1])


def test_a_sweep_goes_on_after_full_recall():
    """https://github.com/scikit-learn/scikit-learn/issues/23213"""
    rows = [("A", i, s) for i, s in enumerate([0.1, 0.4, 0.35, 0.8])]
    sw = sweep(rows, [("A", 2), ("A", 3)], entities=["A"])
    assert sw.results[0].threshold[1:].tolist() == [0.8, 0.4, 0.35, 0.1]


def test_scores_stay_in_their_own_units():
    """https://github.com/Lightning-AI/torchmetrics/issues/3179"""
    rows = [("A", 0, -1.0), ("A", 1, 0.0), ("A", 2, 1.0)]
    curve = sweep(rows, [("A", 0), ("A", 2)], entities=["A"]).curve
    assert curve["threshold"].tolist()[1:] == [1.0, 0.0, -1.0]


def test_a_float32_score_is_kept_at_its_own_threshold():
    frame = pd.DataFrame({"entity": ["A"], "target": [1], "score": np.array([0.7], "float32")})
    grid = [0.7, np.arange(0.2, 0.951, 0.01)[50]]
    sw = sweep(frame, [("A", 1)], entities=["A"], thresholds=grid)
    assert sw.results[0].n_pred.tolist() == [1, 1]


def test_a_wrong_link_stays_missed_above_its_score():
    """https://github.com/moj-analytical-services/uk_address_matcher/pull/261"""
    sw = sweep([("A", "x", 15)], [("A", "t")], entities=["A"], thresholds=[14, 16])
    result = sw.results[0]
    assert (result.n_pred - result.tp).tolist() == [1, 0]
    with pytest.raises(DataError, match="1 row"):
        sweep([("A", "x", math.nan)], [("A", "t")], entities=["A"])


@pytest.mark.filterwarnings("ignore::berx_gpu.DataWarning")
@given(
    st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5), st.sampled_from([0.2, 0.5, 0.9]))),
    st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=6),
)
def test_undirected_pairs_are_swept_as_they_are_scored(rows, true):
    truth = Truth(true, [3, 0, 1, 2], undirected=True)
    sw = sweep(rows, truth, unknown_entities="drop")
    assert [r.policy for r in sw.results] == [Policy()]
    result = sw.results[0]
    for i, threshold in enumerate(result.threshold):
        kept = [(a, b) for a, b, s in rows if s >= threshold]
        ev = evaluate(kept, truth, unknown_entities="drop")
        assert (ev.tp, ev.n_pred) == (result.tp[i], result.n_pred[i])
        assert ev.macro_fbeta == pytest.approx(result.macro_fbeta[i], abs=1e-12)
        assert result.at(threshold).n_pred == ev.n_pred
    assert sw.bands()["pairs"].sum() == result.n_pred[-1]
    assert sw.bands()["true"].sum() == result.tp[-1]
    whole = evaluate([row[:2] for row in rows], truth, unknown_entities="drop")
    assert sw.dropped == whole.dropped
