"""Bounded limits: against Clopper and Pearson, and against draws."""

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from intervals import of_values
from scipy import stats

from berx_gpu.arithmetic import bounded
from berx_gpu.arithmetic.bounded import limits, perfect_needed, probability_below_zero


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
