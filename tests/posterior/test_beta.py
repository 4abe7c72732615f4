"""Posteriors of one share: against SciPy and exact tails."""

import mpmath
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from models import counts
from scipy import stats

from berx_gpu import BayesianPRModel, posteriors


@given(counts, counts, st.sampled_from([0.5, 1.0, 1e-3]))
def test_limits_are_scipys(tp, fp, prior):
    made = BayesianPRModel(prior_alpha=prior, prior_beta=prior).update(tp, fp=fp)
    exact = stats.beta(prior + tp, prior + fp)
    found = made.precision_stats(0.9)
    assert (found.ci_low, found.ci_high) == pytest.approx(exact.interval(0.9), abs=1e-12)
    assert (found.mean, found.std) == pytest.approx((exact.mean(), exact.std()), rel=1e-12)
    assert made.precision_posterior.args == exact.args
    row = posteriors(pd.DataFrame({"tp": [tp], "fp": [fp], "fn": [0]}), ci=0.9, floor=0.7,
                     prior_alpha=prior, prior_beta=prior).iloc[0]  # fmt: skip
    assert (row["precision_low"], row["precision_high"]) == pytest.approx(
        exact.interval(0.9), abs=1e-12
    )
    assert row["precision_above"] == pytest.approx(exact.sf(0.7), abs=1e-12)


def test_tails_that_are_tiny_are_not_0():
    far = BayesianPRModel().update(tp=0, fp=1000)
    assert far.prob_above_threshold(0.5) == pytest.approx(0.5**1001, rel=1e-9)
    assert BayesianPRModel().update(tp=1, fp=300).prob_above_threshold(0.3) == pytest.approx(
        float(mpmath.betainc(2, 301, 0.3, 1, regularized=True)), rel=1e-10
    )
    level = 1 - 1e-9
    near = BayesianPRModel().update(tp=1000, fp=0).precision_stats(level)
    assert near.ci_low == pytest.approx(((1 - level) / 2) ** (1 / 1001), abs=1e-12)


@given(st.integers(0, 50), st.integers(0, 50), st.sampled_from([0.5, 0.95]))
def test_the_shortest_interval_holds_its_share(tp, fp, ci):
    made = BayesianPRModel().update(tp, fp=fp)
    low, high = made.highest_density("precision", ci)
    exact = made.precision_posterior
    assert exact.cdf(high) - exact.cdf(low) == pytest.approx(ci, abs=1e-9)
    equal = exact.interval(ci)
    assert high - low <= equal[1] - equal[0] + 1e-9
