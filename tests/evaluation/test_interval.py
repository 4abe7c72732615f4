"""Intervals of every metric, and what is refused."""

import numpy as np
import pytest
from conftest import on_every_backend
from intervals import METRICS, table
from scipy import stats

from berx_gpu import DataError, Truth, evaluate


@on_every_backend
@pytest.mark.parametrize("metric", METRICS)
def test_every_metric_lies_inside_its_limits(metric):
    pred, truth, listed = table()
    ev = evaluate(pred, truth, entities=listed)
    made = ev.interval(metric)
    assert made.estimate == pytest.approx(METRICS[metric](ev), abs=1e-12)
    assert 0 < made.low < made.normal_low < made.estimate < made.high < 1
    assert ev.interval(metric, method="normal").low == made.normal_low
    assert made.low < ev.interval(metric, confidence_level=0.5).low
    blocks = ev.interval(metric, cluster={e: e % 40 for e in listed})
    assert blocks.estimate == pytest.approx(made.estimate, abs=1e-12)
    assert blocks.n_units <= 40


@on_every_backend
def test_the_normal_interval_of_a_mean_is_students():
    pred, truth, listed = table()
    ev = evaluate(pred, truth, entities=listed)
    values = np.asarray(ev.per_entity["fbeta"], float)
    made = ev.interval()
    assert made.standard_error == pytest.approx(stats.sem(values), rel=1e-12)
    exact = stats.t.interval(0.95, len(values) - 1, values.mean(), stats.sem(values))
    assert (made.normal_low, made.normal_high) == pytest.approx(exact, abs=1e-12)
    assert made.n_imperfect == (values < 1).sum()


@on_every_backend
def test_an_interval_of_set_values():
    """https://github.com/jacobgil/confidenceinterval/issues/2"""
    values = [1, 1, 0, 1, 5 / 7, 1, 0, 1]
    truth = {i: [f"{i}a", f"{i}b", f"{i}c"] if v == 5 / 7 else [f"{i}a"] for i, v in
             enumerate(values)}  # fmt: skip
    pred = {i: [f"{i}a"] if v else ["x"] for i, v in enumerate(values)}
    ev = evaluate(pred, truth, entities=range(8))
    assert ev.per_entity["fbeta"].tolist() == pytest.approx(values)
    made = ev.interval()
    assert 0 < made.low < made.estimate < made.high < 1


@on_every_backend
def test_blocks_of_one_entity_are_the_entities():
    pred, truth, listed = table()
    ev = evaluate(pred, truth, entities=listed)
    alone = ev.interval(cluster={e: e for e in listed})
    assert (alone.low, alone.high) == pytest.approx((ev.interval().low, ev.interval().high))


@on_every_backend
def test_what_is_left_unsaid_is_said():
    truth = {i: ["x"] for i in range(100)}
    perfect = evaluate(truth, truth, entities=range(100)).interval()
    assert (perfect.n_imperfect, perfect.high, perfect.standard_error) == (0, 1.0, 0.0)
    assert "all 100 are perfect; a lower limit of 0.99 needs 368" in perfect.note
    hub = {**{i: [f"{i}"] for i in range(50)}, 50: [f"x{j}" for j in range(30)]}
    note = evaluate(hub, hub, entities=range(51)).interval("precision").note
    assert "the largest unit holds 37.5 % of the denominator" in note
    assert perfect.to_dict()["low"] == perfect.low


@on_every_backend
@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"metric": "f1"}, "metric='f1' is not an option"),
        ({"method": "BCa"}, "method='BCa' is not an option"),
        ({"confidence_level": 95}, "between 0 and 1"),
        ({"confidence_level": 1.0}, "between 0 and 1"),
        ({"cluster": {e: e % 9 for e in range(400)}}, "9 blocks of entities are too few"),
    ],
)
def test_intervals_that_are_refused(options, said):
    pred, truth, listed = table()
    with pytest.raises(DataError, match=said):
        evaluate(pred, truth, entities=listed).interval(**options)


@on_every_backend
def test_too_few_units():
    with pytest.raises(DataError, match="over 1 entity, and"):
        evaluate({}, {"a": ["x"]}, entities=["a"]).interval()
    with pytest.raises(DataError, match="over 0 entities with a prediction"):
        evaluate({}, {}, entities=["a", "b"]).interval("precision")
    undirected = Truth([("a", "b"), ("b", "c")], ["a", "b", "c"], undirected=True)
    ev = evaluate([("a", "b")], undirected)
    assert 0 < ev.interval().low < ev.macro_fbeta
    with pytest.raises(DataError, match="belongs to two"):
        ev.interval("precision")
