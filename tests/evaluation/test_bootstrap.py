"""The bootstrap's limits and p-values, against enumeration and draws."""

import itertools
import tracemalloc

import numpy as np
import pytest
from conftest import on_every_backend
from hypothesis import given
from hypothesis import strategies as st
from intervals import METRICS, table
from scipy import stats

from berx_gpu import DataError, evaluate
from berx_gpu.backends.cpu import backend as cpu
from berx_gpu.evaluation import bootstrap

POPULATIONS = {
    "brief": lambda rng: np.where(rng.random(2000) < 0.9, 1.0, rng.integers(0, 9, 2000) / 9),
    "zero and one": lambda rng: (rng.random(300) < 0.97).astype(float),
    "all different": lambda rng: rng.random(500),
}


@pytest.mark.parametrize("name", POPULATIONS)
def test_replicates_are_those_of_drawing_entities_one_by_one(name):
    rng = np.random.default_rng(3)
    values = POPULATIONS[name](rng)
    seen, count = np.unique(values, return_counts=True)
    drawn = bootstrap.replicates(
        "with replacement",
        seen,
        np.ones(len(seen)),
        count,
        bootstrap.Draws(4000, 7),
        cpu.backend(2),
    )
    naive = np.array(
        [values[rng.integers(0, len(values), len(values))].mean() for _ in range(4000)]
    )
    assert stats.ks_2samp(drawn.round(9), naive.round(9)).pvalue > 0.01


# -- the promise: one seed, one result ---------------------------------------------------------


@on_every_backend
def test_row_order_changes_no_limit():
    pred, truth, listed = table()
    ev = evaluate(pred, truth, entities=listed)
    turned = evaluate(pred[::-1], truth[::-1], entities=list(listed)[::-1])
    for method in bootstrap.METHODS:
        a, b = (x.interval(method=method, rng=3, n_resamples=500) for x in (ev, turned))
        assert a == b


# -- limits -----------------------------------------------------------------------------------


@pytest.mark.parametrize("metric", METRICS)
def test_bootstraps_agree_with_the_normal_interval_where_it_is_right(metric):
    pred, truth, listed = table(3000)
    ev = evaluate(pred, truth, entities=listed)
    normal = ev.interval(metric, method="normal")
    width = normal.high - normal.low
    for method in bootstrap.METHODS:
        made = ev.interval(metric, method=method, rng=1, n_resamples=5000)
        assert (made.method, made.n_resamples, made.seed) == (method, 5000, 1)
        assert (made.low, made.high) == pytest.approx((normal.low, normal.high), abs=0.08 * width)
        assert made.standard_error == pytest.approx(normal.standard_error, rel=0.05)
        assert made.estimate == normal.estimate


def test_bca_is_scipys():
    pred, truth, listed = table(200)
    ev = evaluate(pred, truth, entities=listed)
    values = np.asarray(ev.per_entity["fbeta"])
    theirs = stats.bootstrap(
        (values,), np.mean, n_resamples=40_000, method="BCa", random_state=0,
        batch=1000,
    ).confidence_interval  # fmt: skip
    made = ev.interval(method="bca", n_resamples=40_000, rng=0)
    assert (made.low, made.high) == pytest.approx(tuple(theirs), abs=4e-4)


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 5)), min_size=2, max_size=9),
       st.data())  # fmt: skip
def test_the_acceleration_is_the_jackknifes(units, data):
    count = [data.draw(st.integers(1, 4)) for _ in units]
    num = np.array([float(a) for a, _ in units])
    den = np.array([float(a + b + 1) for a, b in units])
    all_num, all_den = np.repeat(num, count), np.repeat(den, count)
    left = [np.delete(all_num, i).sum() / np.delete(all_den, i).sum() for i in range(len(all_num))]
    away = np.mean(left) - np.array(left)
    brute = (away**3).sum() / (6 * (away**2).sum() ** 1.5) if np.ptp(left) > 1e-12 else 0.0
    ours = bootstrap.acceleration(num, den, np.array(count))
    if np.ptp(left) > 1e-12:
        assert ours == pytest.approx(brute, abs=1e-9)


@on_every_backend
def test_a_score_without_spread_has_limits_without_width():
    truth = {i: ["x"] for i in range(50)}
    ev = evaluate(truth, truth, entities=range(50))
    for method in bootstrap.METHODS:
        made = ev.interval(method=method, rng=0, n_resamples=200)
        assert (made.low, made.high, made.standard_error) == (1.0, 1.0, 0.0)
        assert made.note == "all replicates are equal"


def test_seeds():
    pred, truth, listed = table()
    ev = evaluate(pred, truth, entities=listed)
    made = ev.interval(method="percentile")
    assert ev.interval(method="percentile", rng=made.seed) == made
    a, b = (
        ev.interval(method="percentile", rng=np.random.default_rng(4), n_resamples=100)
        for _ in range(2)
    )
    assert a == b
    assert a.seed >= 2**32
    assert ev.interval(rng=3).seed is None
    assert ev.interval(method="bca", rng=2**64 - 1, n_resamples=100).low < made.estimate


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"n_resamples": 99}, "n_resamples=99: give a whole number from 100"),
        ({"n_resamples": 1e4}, "n_resamples=10000.0: give a whole number"),
        ({"rng": -1}, "rng=-1: give a whole number from 0"),
        ({"rng": 2**64}, "give a whole number"),
        ({"rng": "x"}, "rng='x'"),
        ({"rng": True}, "rng=True"),
    ],
)
def test_options_that_are_refused(options, said):
    pred, truth, listed = table()
    with pytest.raises(DataError, match=said):
        evaluate(pred, truth, entities=listed).interval(**options)


def test_memory_is_that_of_the_results():
    """https://github.com/scipy/scipy/issues/14645"""
    ev = evaluate({i: ["x"] for i in range(0, 100_000, 3)}, {i: ["x"] for i in range(100_000)},
                  entities=range(100_000))  # fmt: skip
    ev.interval(method="percentile", n_resamples=100)
    tracemalloc.start()
    ev.interval(method="percentile", n_resamples=9999)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8e6


# -- flipped signs ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "values", [[1.0, 1.0, 1.0, 1.0], [0.5, 0.5, -0.25, 1.0, 0.0], [0.3, -0.3, 0.1], [1.0]]
)
def test_the_p_value_is_that_of_all_signs(values):
    sums = [abs(np.dot(s, values)) for s in itertools.product((1, -1), repeat=len(values))]
    exact = np.mean(np.array(sums) >= abs(sum(values)) - 1e-12)
    seen, count = np.unique(values, return_counts=True)
    p = bootstrap.sign_flip_p(
        seen, count.astype(float), bootstrap.Draws(100_000, 1), cpu.backend(2)
    )
    assert p == pytest.approx(exact, abs=0.006)


def test_no_difference_has_the_p_value_1():
    p = bootstrap.sign_flip_p(
        np.zeros(1), np.array([50.0]), bootstrap.Draws(100, 0), cpu.backend(1)
    )
    assert p == 1.0
