"""The distribution of F: exact integrals, draws, tails and corners."""

import itertools
import math

import mpmath
import numpy as np
import pandas as pd
import pytest
from models import model
from scipy import special, stats

from berx_gpu import BayesianPRModel, posteriors
from berx_gpu.posterior.beta import Beta
from berx_gpu.posterior.f import IndependentF


def by_panels(tail, a, b):
    """Return the mean of a function under Beta(a, b): Gauss-Legendre on 60 pieces of its values."""
    exact = stats.beta(a, b)
    x, weights = np.polynomial.legendre.leggauss(40)
    cuts = np.unique(np.clip(exact.mean() + exact.std() * np.linspace(-15, 15, 61), 0, 1))
    half = np.diff(cuts)[:, None] / 2
    y = cuts[:-1, None] + half * (x + 1)
    return float((half * weights * exact.pdf(y) * tail(y)).sum())


def _cdf_given(a, b, b2, f, y):
    odds = f * (1 + (b2 - 1) * y) / ((1 + b2) * (1 - f))
    return special.betainc(a, b, odds / (1 + odds))


@pytest.mark.parametrize("beta", [0.1, 0.5, 1.0, 2.0, 10.0])
@pytest.mark.parametrize(
    ("tp", "fp", "fn"), [(80, 26, 20), (0, 0, 0), (3, 50, 1), (10**6, 20, 10**5), (10**6,) * 3]
)
def test_the_distribution_of_f_is_the_integral(tp, fp, fn, beta):
    made = model(tp, fp, fn, prior="jeffreys").f_posterior(beta=beta)
    b2 = mpmath.mpf(beta) ** 2
    a, b, c = tp + 0.5, fp + 0.5, fn + 0.5
    for q in (0.03, 0.5, 0.9):
        f = made.ppf(q)
        assert float(made.cdf(np.array([f]))[0]) == pytest.approx(q, abs=1e-9)

        def inner(y, f=f):
            odds = f * (1 + (b2 - 1) * y) / ((1 + b2) * (1 - f))
            density = y ** (c - 1) * (1 - y) ** (b - 1) / mpmath.beta(c, b)
            return density * mpmath.betainc(a, b + c, 0, odds / (1 + odds), regularized=True)

        centre, width = c / (b + c), math.sqrt(b * c / (b + c + 1)) / (b + c)
        cuts = sorted(
            {0, 1, *(min(max(centre + k * width, 0), 1) for k in (-12, -4, -1, 1, 4, 12))}
        )
        if tp <= 80:
            with mpmath.workdps(20):
                exact = float(mpmath.quad(inner, cuts))
        else:  # mpmath takes minutes for one incomplete Beta of a million
            exact = by_panels(lambda y, f=f: _cdf_given(a, b + c, float(b2), f, y), c, b)
        assert float(made.cdf(np.array([f]))[0]) == pytest.approx(exact, abs=1e-10)
        assert float(made.sf(np.array([f]))[0]) == pytest.approx(1 - q, abs=1e-9)


@pytest.mark.parametrize("joint", [True, False])
@pytest.mark.parametrize("beta", [0.5, 1.0, 3.0])
def test_f_agrees_with_draws(joint, beta):
    made = model(n_samples=4_000_000, rng=1)
    drawn = made.f_samples(beta=beta, joint=joint)
    found = made.f_stats(0.9, beta=beta, joint=joint)
    error = found.std / 2000
    assert found.mean == pytest.approx(drawn.mean(), abs=5 * error)
    assert found.std == pytest.approx(drawn.std(), abs=5 * error)
    assert (found.ci_low, found.ci_high) == pytest.approx(
        np.quantile(drawn, [0.05, 0.95]), abs=9 * error
    )


@pytest.mark.parametrize("counts", [(80, 26, 20), (0, 3, 7), (10**9, 5, 10**8), (0, 0, 0)])
def test_f_of_an_extreme_beta_is_precision_or_recall(counts):
    made = model(*counts, prior="jeffreys")
    for beta, metric in ((1e-20, 1), (1e-100, 1), (1e20, 2), (1e100, 2)):
        exact = stats.beta(counts[0] + 0.5, counts[metric] + 0.5)
        for q, joint in itertools.product((0.01, 0.5, 0.975), (True, False)):
            found = made.f_posterior(beta=beta, joint=joint).ppf(q)
            assert found == pytest.approx(exact.ppf(q), rel=1e-9)


@pytest.mark.parametrize("narrow", [1, 10**3, 10**7])
@pytest.mark.parametrize("beta", [0.5, 1.0, 3.0])
def test_independent_f_is_right_whichever_is_narrower(narrow, beta):
    """F_beta of (precision, recall) is F_(1 / beta) of (recall, precision)."""
    p, r = Beta(101, 101), Beta(narrow + 1, 2 * narrow + 1)
    made = IndependentF(p, r, beta)
    turned = IndependentF(r, p, 1 / beta)
    b2 = beta * beta
    for q in (1e-9, 0.025, 0.5, 0.975):
        f = made.ppf(q)
        assert turned.ppf(q) == pytest.approx(f, rel=1e-11)

        def reached(y, f=f):  # by the precision, given the recall
            whole = (1 + b2) * y - b2 * f
            return np.where(
                whole > 0, p.cdf(np.clip(f * y / np.where(whole > 0, whole, 1), 0, 1)), 1
            )

        if narrow > 1:
            assert by_panels(reached, r.a, r.b) == pytest.approx(q, rel=1e-6, abs=1e-10)
    assert made.isf(1e-40) > made.isf(1e-20) > made.ppf(0.9)
    assert made.above(made.isf(1e-40)) == pytest.approx(1e-40, rel=1e-9)


def test_tails_of_independent_f_that_are_tiny():
    """With recall Beta(a, 1) and precision 1 but for nothing, F1 > f is recall > f / (2 - f)."""
    made = IndependentF(Beta(1e12, 1e-3), Beta(1, 200), 1)
    for f in (0.5, 0.9, 0.99):
        assert made.above(f) == pytest.approx((1 - f / (2 - f)) ** 200, rel=1e-6)
    p, r = Beta(51, 51), Beta(51, 51)
    with mpmath.workdps(40):

        def inner(x):
            y = mpmath.mpf("0.9") * x / (2 * x - mpmath.mpf("0.9"))
            density = x**50 * (1 - x) ** 50 / mpmath.beta(51, 51)
            return density * mpmath.betainc(51, 51, y, 1, regularized=True)

        edge = mpmath.mpf("0.9") / mpmath.mpf("1.1")
        exact = mpmath.quad(inner, [edge + (1 - edge) * k / 40 for k in range(41)])
    assert IndependentF(p, r, 1).above(0.9) == pytest.approx(float(exact), rel=1e-9)


@pytest.mark.parametrize(
    ("counts", "prior", "beta", "logit", "right"),
    [
        # Low F for the lack of precision or of recall: two peaks, far apart.
        ((80, 26, 20), (1, 1), 1, -5.0, -404.514),
        ((300, 26, 500), (1, 1), 0.5, -2.06817, -597.506),
        ((300, 26, 20), (0.5, 0.5), 1, -1.330330, -559.015),
        ((20, 100, 20), (0.5, 0.5), 1, -6.1367, -87.588),
    ],
)
def test_low_tails_of_independent_f(counts, prior, beta, logit, right):
    made = model(*counts, prior_alpha=prior[0], prior_beta=prior[1])
    found = made.f_posterior(beta, joint=False).log_cdf(np.array([logit]))[0]
    assert found == pytest.approx(right, abs=2e-3)


def test_corners_far_from_both_variables():
    made = model(0, 0, 1000, prior_alpha=1e-3, prior_beta=0.5).f_posterior(10, joint=False)
    below = made.cdf(np.array([9.96e-167]))[0]
    assert below == pytest.approx(0.89944, abs=1e-5)
    assert below + made.above(9.96e-167) == pytest.approx(1, abs=1e-10)
    assert math.isnan(made.cdf(np.array([np.nan]))[0])


def test_f_of_nothing_but_a_prior():
    made = BayesianPRModel(prior="haldane").update(0, 0, 0)
    assert made.f_stats().mean == pytest.approx(1 / 3, abs=1e-8)  # 1 for one of three shares
    drawn = model(0, 0, 0, prior_alpha=0.01, prior_beta=0.03, n_samples=10**6, rng=0)
    for joint in (True, False):
        for beta in (0.5, 1.0):
            mean = drawn.f_samples(beta=beta, joint=joint).mean()
            assert drawn.f_stats(beta=beta, joint=joint).mean == pytest.approx(mean, abs=2e-3)
    row = posteriors(pd.DataFrame({"tp": [0], "fp": [3], "fn": [0]}), prior="haldane").iloc[0]
    for metric in ("precision", "recall", "f"):
        assert row[f"{metric}_low"] <= row[f"{metric}_high"]


@pytest.mark.parametrize(
    ("p", "r", "beta", "f"),
    [
        ((1005, 1005), (1005, 1e8), 0.1, 9.46e-4),  # the narrower one reaches f in its tail only
        ((2, 1e8), (40, 3), 5.0, 1e-6),
        ((1e6, 3), (7, 1e6), 1.0, 1.3e-5),
    ],
)
def test_both_tails_of_independent_f_are_one(p, r, beta, f):
    made = IndependentF(Beta(*p), Beta(*r), beta)
    assert made.cdf(np.array([f]))[0] + made.above(f) == pytest.approx(1, abs=1e-11)


def test_independent_f_without_errors_has_a_kink():
    made = model(30, 5, 0, n_samples=4_000_000, rng=2)
    drawn = made.f1_samples()
    for f in (0.8, 0.9, 0.93):
        assert made.posterior_of("f1", joint=False).above(f) == pytest.approx(
            (drawn > f).mean(), abs=1e-3
        )
