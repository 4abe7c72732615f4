"""The set functions: documented numbers, and what they do with odd arguments."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from berx_gpu import (
    break_even_ratio,
    entity_f05,
    entity_scores,
    evaluate,
    macro_f05,
    oracle_f05,
    pair_recall,
    slice_report,
)


@pytest.mark.parametrize(
    ("pred", "truth", "score"),
    [
        ({"a"}, {"a", "b", "c"}, 1.25 / 1.75),
        (set(), set(), 1.0),
        ({"a"}, set(), 0.0),
        (set(), {"a"}, 0.0),
        ({"a"}, {"a"}, 1.0),
        ({"a", "x"}, {"a"}, 1.25 / 2.25),
        ({"x"}, {"a"}, 0.0),
    ],
)
def test_one_entity(pred, truth, score):
    assert entity_f05(pred, truth) == pytest.approx(score, abs=1e-15)


@pytest.mark.parametrize(
    ("t", "tp", "k"), [(4, 3, 3), (10, 9, 9), (100, 99, 99), (4, 2, 2), (8, 7, 8)]
)
def test_break_even_is_what_one_more_pair_does(t, tp, k):
    def f(hits, made):
        return entity_f05(set(range(made)), {*range(hits), *range(-1, hits - t - 1, -1)})

    gain, loss = f(tp + 1, k + 1) - f(tp, k), f(tp, k) - f(tp, k + 1)
    assert gain > 0 < loss
    assert loss / gain == pytest.approx(break_even_ratio(tp, k, t), abs=1e-9)


def test_break_even_tends_to_four():
    ratios = [break_even_ratio(t - 1, t - 1, t) for t in (4, 40, 400, 4000)]
    assert ratios == sorted(ratios)
    assert 3.9 < ratios[-1] < 4


def test_the_summary():
    summary, scores = macro_f05(
        {"A": ["a", "x"], "B": ["b1"]}, {"A": ["a"], "B": ["b1", "b2"]}, ["A", "B", "C"]
    )
    assert scores.tolist() == pytest.approx([0.5555556, 0.8333333, 1.0])
    assert list(summary) == ["f05", "precision", "recall", "n", "tp", "k", "t", "pred_per_entity"]
    assert summary == pytest.approx(
        {
            "f05": 2.3888889 / 3,
            "precision": 2 / 3,
            "recall": 2 / 3,
            "n": 3,
            "tp": 2,
            "k": 3,
            "t": 3,
            "pred_per_entity": 1.0,
        }
    )


def test_nothing_to_score():
    summary, scores = macro_f05({}, {}, [])
    assert len(scores) == 0
    assert set(summary.values()) == {0}
    assert pair_recall({}, {}, ["a"])["pair_recall"] == 0.0


def test_odd_arguments():
    preds = {1: ("x", "x", 2.5), "1": None, None: [(1, 2)]}
    truths = {1: frozenset({"x"}), None: {(1, 2)}, "foreign": ["y"]}
    assert entity_scores(preds, truths, [1, "1", None, 1]).tolist() == pytest.approx(
        [1.25 / 2.25, 1.0, 1.0, 1.25 / 2.25]
    )


def test_slices():
    preds, truths = {"a": ["x"], "b": ["y"]}, {"a": ["x"], "b": ["z"]}
    report = slice_report(preds, truths, ["a", "b", "c"], {"a": 10, "b": 9}, label="size")
    assert [row["size"] for row in report] == [10, 9, "?"]
    assert list(report[0]) == ["size", "n", "f05", "precision", "recall", "pred_per_entity"]
    assert [row["f05"] for row in report] == [1.0, 0.0, 1.0]


def test_the_ceiling_of_candidates():
    """https://github.com/moj-analytical-services/splink/issues/793"""
    candidates, truth = {"A": ["a"]}, {"A": ["a", "b"]}
    assert oracle_f05(candidates, truth, ["A"])[0]["f05"] == pytest.approx(0.833333333333)
    assert pair_recall(candidates, truth, ["A", "B"]) == {
        "pair_recall": 0.5,
        "true_pairs": 2,
        "retrieved": 1,
        "all_match_rate": 0.0,
    }


@given(
    st.dictionaries(st.integers(0, 5), st.lists(st.integers(0, 5))),
    st.dictionaries(st.integers(0, 5), st.lists(st.integers(0, 5))),
)
def test_equals_evaluate(preds, truths):
    ids = list(range(6))
    summary, scores = macro_f05(preds, truths, ids)
    ev = evaluate(preds, truths, entities=ids)
    assert scores.tolist() == pytest.approx(ev.per_entity["fbeta"].tolist(), abs=1e-15)
    assert summary["f05"] == pytest.approx(ev.macro_fbeta, abs=1e-15)
    assert (summary["tp"], summary["k"], summary["t"]) == (ev.tp, ev.n_pred, ev.n_true)
    assert (summary["precision"], summary["recall"]) == (ev.precision, ev.recall)


def test_arrays_and_generators_of_targets():
    import numpy as np

    assert macro_f05({"a": np.array([0])}, {"a": [0]}, ["a"])[0]["f05"] == 1.0
    assert oracle_f05({"a": ["x"]}, {"a": (x for x in ["x"])}, ["a"])[0]["f05"] == 1.0
