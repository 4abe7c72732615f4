"""Intervals: against Clopper and Pearson, against draws, and what is refused."""

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import stats

from berx_gpu import DataError, Truth, evaluate
from berx_gpu.arithmetic import bounded
from berx_gpu.arithmetic.bounded import limits, perfect_needed, probability_below_zero

on_every_backend = pytest.mark.usefixtures("backend")


def of_values(values, counts, level=0.95):
    values, counts = np.asarray(values, float), np.asarray(counts, float)
    return limits(values, np.ones(len(values)), counts, 1.0, level)


@given(st.integers(2, 3000), st.data(), st.sampled_from([0.5, 0.9, 0.95, 0.999]))
def test_values_of_0_and_1_give_clopper_and_pearsons_limits(n, data, level):
    k = data.draw(st.integers(0, n))
    values = [(v, c) for v, c in ((0.0, n - k), (1.0, k)) if c]
    low, high = of_values(*zip(*values, strict=True), level)
    exact = stats.binomtest(k, n).proportion_ci(level, "exact")
    assert low == pytest.approx(exact.low, abs=1e-8)
    assert high == pytest.approx(exact.high, abs=1e-8)


@pytest.mark.parametrize("n", [2, 3, 72, 10**6])
def test_all_perfect(n):
    low, high = of_values([1.0], [n])
    assert low == pytest.approx(0.025 ** (1 / n), abs=1e-9)
    assert high == 1.0
    assert of_values([0.0], [n]) == pytest.approx((0.0, 1 - 0.025 ** (1 / n)), abs=1e-9)


def test_how_many_perfect_entities_a_claim_needs():
    assert [perfect_needed(claim, 0.95) for claim in (0.95, 0.99, 0.999)] == [72, 368, 3688]
    for claim, n in ((0.95, 72), (0.99, 368)):
        assert of_values([1.0], [n])[0] >= claim > of_values([1.0], [n - 1])[0]


POPULATIONS = {
    "a mean of few": ([1, 0.8, 0.5, 0], [1, 1, 1, 1], [20, 5, 3, 2], 1.0),
    "a mean of many": ([1, 0.9, 0.3], [1, 1, 1], [900, 50, 50], 1.0),
    "a ratio": ([3, 0, 40, 1], [3, 2, 50, 4], [60, 9, 2, 7], 9.0),
}


@pytest.mark.parametrize("name", POPULATIONS)
def test_limits_are_quantiles_of_the_weighted_ratio(name):
    num, den, count = (np.array(x, float) for x in POPULATIONS[name][:3])
    far = POPULATIONS[name][3]
    rng = np.random.default_rng(1)
    draws = 1_000_000
    weights = rng.gamma(count, size=(draws, len(count)))
    unseen = far * rng.exponential(size=draws)
    below, above = weights @ num, weights @ den + unseen
    low, high = limits(num, den, count, far, 0.95)
    error = 5 * math.sqrt(0.025 * 0.975 / draws)
    assert np.mean(below / above <= low) == pytest.approx(0.025, abs=error)
    assert np.mean((below + unseen) / above <= high) == pytest.approx(0.975, abs=error)


def test_probabilities_far_out_are_not_lost():
    # A gamma of shape n against an exponential: (1 + b/a)**-n.
    for n in (1, 30, 400):
        p = probability_below_zero(np.array([1.0, -0.5]), np.array([float(n), 1.0]))
        assert p == pytest.approx(3.0**-n, rel=1e-9)


def table(n=400, seed=0):
    rng = np.random.default_rng(seed)
    truth = pd.DataFrame({"entity": rng.integers(0, n, 2 * n), "target": range(2 * n)})
    pred = truth.sample(frac=0.9, random_state=seed)
    false = pd.DataFrame({"entity": rng.integers(0, n, n // 20), "target": -1})
    return pd.concat([pred, false], ignore_index=True), truth, range(n)


METRICS = {
    "macro_fbeta": lambda ev: ev.macro_fbeta,
    "macro_fbeta_non_singleton": lambda ev: ev.macro_fbeta_non_singleton,
    "macro_precision": lambda ev: ev.macro_precision,
    "macro_recall": lambda ev: ev.macro_recall,
    "precision": lambda ev: ev.precision,
    "recall": lambda ev: ev.recall,
    "pooled_fbeta": lambda ev: ev.pooled_fbeta,
}


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


@on_every_backend
def test_slices_have_limits_of_their_own_and_for_all_at_once():
    pred, truth, listed = table()
    ev = evaluate(pred, truth, entities=listed)
    parts = {e: e % 4 if e else "alone" for e in listed}
    frame = ev.by({e: str(p) for e, p in parts.items()}, interval=True)
    assert frame["slice"].tolist() == ["0", "1", "2", "3", "alone"]
    assert frame[["low", "high", "low_all", "high_all"]].iloc[4].isna().all()
    for name, row in frame.iloc[:4].set_index("slice").iterrows():
        pool = [e for e in listed if str(parts[e]) == name]
        own = evaluate(
            pred[pred["entity"].isin(pool)], truth[truth["entity"].isin(pool)], entities=pool
        )
        alone, all_five = own.interval(), own.interval(confidence_level=0.95 ** (1 / 5))
        assert (row["low"], row["high"]) == pytest.approx((alone.low, alone.high), abs=1e-12)
        assert (row["low_all"], row["high_all"]) == pytest.approx((all_five.low, all_five.high))
    narrow = ev.by("n_true", interval=True, confidence_level=0.5)
    assert (narrow["low"] >= ev.by("n_true", interval=True)["low"]).all()
    assert list(ev.by("n_true").columns) == list(narrow.columns)[:-4]


def test_reports_show_the_limits_where_there_are_some():
    pred, truth, listed = table()
    ev = evaluate(pred, truth, entities=listed)
    sure = ev.interval()
    assert f"95 % [{sure.low:.4f}, {sure.high:.4f}] · " in str(ev)
    assert f"95 % [{sure.low:.4f}, {sure.high:.4f}] · " in ev.to_markdown()
    assert "95 %" not in str(evaluate({}, {"a": ["x"]}, entities=["a"]))
    assert str(sure).startswith(f"macro_fbeta {sure.estimate:.4f}, 95 % [{sure.low:.4f}, ")


shapes = st.sampled_from([1.0, 2.0, 10.0, 1e4, 1e7])


@given(st.lists(st.tuples(st.floats(-1, 1), shapes), min_size=1, max_size=6), st.floats(-1, 1))
@example([(-0.019999528, 10.0), (4.718e-07, 10000.0)], 0.0100004718)  # one arm of the path grows
@example([(-1.0251995874591506e-299, 1.0)], 2.3e-308)
@example([(-5e-324, 1.0)], 5e-324)
def test_the_integral_does_not_depend_on_its_steps(units, unseen):
    weights = np.array([w for w, _ in units] + [unseen])
    counts = np.array([c for _, c in units] + [1.0])
    with np.errstate(all="raise", under="ignore"):
        p = probability_below_zero(weights, counts)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(bounded, "_STEP", bounded._STEP / 3)
            patch.setattr(bounded, "_MOST_NODES", 3 * bounded._MOST_NODES)
            finer = probability_below_zero(weights, counts)
    assert 0 <= p <= 1
    assert p == pytest.approx(finer, rel=1e-9, abs=1e-12)
