"""Beta posteriors: published numbers, SciPy, exact integrals, draws, and what is refused."""

import itertools
import json
import math
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import mpmath
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats
from test_cli import run
from test_intervals import on_every_backend

from berx_gpu import (
    BayesianPRModel,
    DataError,
    DataWarning,
    Metric,
    Truth,
    compare_models,
    consistency_test,
    evaluate,
    posteriors,
    transfer_test,
    visualization,
)
from berx_gpu.evaluation.entity_posterior import _design_effects
from berx_gpu.posterior.batches import f1_moments
from berx_gpu.posterior.beta import Beta
from berx_gpu.posterior.differences import prob_greater
from berx_gpu.posterior.f import IndependentF


def model(tp=80, fp=26, fn=20, name="m", sample=None, **options):
    return BayesianPRModel(name, sample, **options).update(tp=tp, fp=fp, fn=fn)


# -- numbers of Goutte and Gaussier's model, and of the package bayesian-precision-recall ------


def test_the_published_example():
    p, r, f = (s for s in (model().precision_stats(), model().recall_stats(), model().f1_stats()))
    assert [round(x, 4) for x in (p.mean, p.std, p.ci_low, p.ci_high)] == [
        0.7500, 0.0415, 0.6646, 0.8267,
    ]  # fmt: skip
    assert [round(x, 4) for x in (r.mean, r.std, r.ci_low, r.ci_high)] == [
        0.7941, 0.0398, 0.7109, 0.8664,
    ]  # fmt: skip
    # Independent precision and recall: the package draws .77035, .02916, [.71076, .82489].
    assert (f.mean, f.std) == pytest.approx((0.77035, 0.02916), abs=1e-5)
    assert (f.ci_low, f.ci_high) == pytest.approx((0.71076, 0.82489), abs=1e-5)
    joint = model().f_stats()
    assert (joint.mean, joint.std) == pytest.approx((0.77059, 0.03216), abs=1e-5)
    assert (joint.ci_low, joint.ci_high) == pytest.approx((0.70390, 0.82970), abs=1e-5)


def test_the_published_probabilities():
    assert model().prob_above_threshold(0.65, "precision") == pytest.approx(0.98840, abs=5e-6)
    sparse = BayesianPRModel().update(tp=5, fp=6)
    assert sparse.prob_above_threshold(0.65, Metric.PRECISION) == pytest.approx(0.08463, abs=5e-6)
    found = [
        round(BayesianPRModel().update(7 * n // 10, fp=3 * n // 10).prob_above_threshold(0.65), 4)
        for n in (10, 50, 100, 200, 500)
    ]
    assert found == [0.5744, 0.7522, 0.8443, 0.9287, 0.9906]


def test_the_mode_under_a_uniform_prior_is_the_share():
    a, b = model().precision_posterior.args
    assert (a - 1) / (a + b - 2) == 80 / 106
    low, high = BayesianPRModel().update(tp=80, fp=26).highest_density("precision", 0.01)
    assert low < 80 / 106 < high


def test_the_published_transfer_test():
    with pytest.warns(DataWarning, match="both samples are called None"):
        found = transfer_test(model(80, 20), model(7, 12))
    assert (round(found["mu_ref"], 3), round(found["mu_eval"], 3)) == (0.794, 0.381)
    assert round(found["delta"], 3) == 0.413
    assert found["S"] == pytest.approx(2.1e-5, rel=0.05)
    assert found["inconsistent"] is True
    assert set(found) == {"mu_ref", "mu_eval", "delta", "S", "inconsistent", "model_ref",
                          "model_eval", "metric"}  # fmt: skip


def test_a_probability_of_0_86_goes_with_an_interval_that_holds_0():
    """The package's README puts .859 beside [.008, .076], which cannot both be."""
    a = BayesianPRModel("a").update(tp=170, fp=30)
    b = BayesianPRModel("b").update(tp=162, fp=38)
    found = compare_models(a, b)
    assert found["prob_a_better"] == pytest.approx(0.859, abs=0.005)
    assert (found["ci_low"], found["ci_high"]) == pytest.approx((-0.035, 0.115), abs=0.005)
    assert set(found) == {"prob_a_better", "mean_diff", "ci_low", "ci_high", "model_a", "model_b",
                          "metric"}  # fmt: skip


@pytest.mark.parametrize(
    ("n_ref", "n_eval", "share"), [(100, 100, 0.24), (100, 1000, 0.61), (1000, 100, 0.12)]
)
def test_a_transfer_test_cries_wolf_where_a_consistency_test_does_not(n_ref, n_eval, share):
    rng = np.random.default_rng(0)
    wolves = [[], []]
    for _ in range(400):
        ref, new = (
            BayesianPRModel("m", sample).update(tp=int(k), fp=int(n - k))
            for sample, n in (("A", n_ref), ("B", n_eval))
            for k in [rng.binomial(n, 0.8)]
        )
        for seen, test in zip(wolves, (transfer_test, consistency_test), strict=True):
            seen.append(test(ref, new)["inconsistent"])
    assert np.mean(wolves[0]) == pytest.approx(share, abs=0.075)
    assert np.mean(wolves[1]) < 0.08


def test_a_transfer_test_at_5_percent_is_one_at_10_percent():
    rng = np.random.default_rng(1)
    known = BayesianPRModel("m", "A").update(tp=8 * 10**8, fp=2 * 10**8)
    found = [
        transfer_test(known, BayesianPRModel("m", "B").update(tp=int(k), fp=int(1000 - k)))
        for k in rng.binomial(1000, 0.8, 600)
    ]
    assert np.mean([one["inconsistent"] for one in found]) == pytest.approx(0.10, abs=0.04)


# -- exactness --------------------------------------------------------------------------------

counts = st.sampled_from([0, 1, 3, 20, 1000, 10**6, 10**9])


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


lopsided = st.sampled_from([1e-9, 0.01, 0.5, 1.0, 6.0, 300.0, 1e7, 1e9, 1e12])


@given(lopsided, lopsided)
def test_moments_of_f1_do_not_cancel(a, b):
    """1 / (1 + X)**k has the mean 2F1(k, a; a + b; -1)."""
    with mpmath.workdps(80):
        first, second = (mpmath.hyp2f1(k, a, mpmath.mpf(a) + b, -1) for k in (1, 2))
        mean, std = 2 - 2 * first, 2 * mpmath.sqrt(second - first * first)
        found = f1_moments(a, b, np)
        assert float(abs(found[0] / mean - 1)) < 1e-13
        assert float(abs(found[1] / std - 1)) < 1e-13


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


def test_small_chances_of_independent_f():
    a, b = model(200, 100, 100, "a"), model(900, 50, 40, "b")
    found = compare_models(a, b, "f1", joint=False)["prob_a_better"]
    assert found == pytest.approx(1.8032e-68, rel=1e-4)


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


def test_independent_f_is_as_sure_both_ways():
    a = model(0, 1, 50, "a", prior_alpha=5, prior_beta=5)
    b = model(3, 3, 3, "b", prior_alpha=5, prior_beta=5)
    there, back = (compare_models(*m, "f1", joint=False) for m in ((a, b), (b, a)))
    assert there["prob_a_better"] + back["prob_a_better"] == pytest.approx(1, abs=1e-8)
    assert there["ci_low"] == pytest.approx(-back["ci_high"], abs=1e-7)


def test_independent_f_compares_as_draws_do():
    a, b = model(80, 26, 20, "a", n_samples=10**6, rng=1), model(60, 14, 30, "b", rng=2,
                                                                 n_samples=10**6)  # fmt: skip
    difference = a.f1_samples() - b.f1_samples()
    found = compare_models(a, b, "f1", joint=False)
    assert found["prob_a_better"] == pytest.approx((difference > 0).mean(), abs=2e-3)
    assert (found["ci_low"], found["ci_high"]) == pytest.approx(
        np.quantile(difference, [0.025, 0.975]), abs=5e-4
    )


def test_independent_f_without_errors_has_a_kink():
    made = model(30, 5, 0, n_samples=4_000_000, rng=2)
    drawn = made.f1_samples()
    for f in (0.8, 0.9, 0.93):
        assert made.posterior_of("f1", joint=False).above(f) == pytest.approx(
            (drawn > f).mean(), abs=1e-3
        )


@given(counts, counts, counts, counts)
def test_either_is_better(a, b, c, d):
    x, y = Beta(a + 1.0, b + 1.0), Beta(c + 1.0, d + 1.0)
    # SciPy's own tails of Beta(2, 10**9) are wrong by 2e-8 near their mean.
    near = 1e-11 if max(a, b, c, d) < 10**9 else 1e-8
    assert prob_greater(x, y) + prob_greater(y, x) == pytest.approx(1, abs=near)


@pytest.mark.parametrize("counts", [(0, 0), (0, 7), (7, 0), (10**12, 0), (3, 10**6)])
@pytest.mark.parametrize("prior", ["uniform", "jeffreys", "haldane"])
@pytest.mark.parametrize("metric", ["precision", "f1"])
def test_equal_counts_are_as_likely_better_as_worse(counts, prior, metric):
    a, b = (model(counts[0], counts[1], counts[1], name, prior=prior) for name in "ab")
    found = compare_models(a, b, metric)
    assert found["prob_a_better"] == pytest.approx(0.5, abs=1e-10)
    assert found["ci_low"] == pytest.approx(-found["ci_high"], abs=1e-12)
    apart = consistency_test(*(model(*counts, 0, "m", s, prior=prior) for s in "AB"))
    assert apart["p_value"] == pytest.approx(1, abs=1e-11)


def test_models_without_a_hit_under_a_prior_of_nearly_nothing():
    """Beta(e, n) is below any number that matters but with probability e log(n)."""
    a, b = (
        BayesianPRModel(n, prior="haldane").update(0, fp=10**k) for n, k in (("a", 2), ("b", 6))
    )
    above = 1e-9 * math.log(10**4) / 2
    assert compare_models(a, b)["prob_a_better"] - 0.5 == pytest.approx(above, rel=1e-3)
    assert compare_models(b, a)["prob_a_better"] - 0.5 == pytest.approx(-above, rel=1e-3)
    assert compare_models(a, BayesianPRModel("c").update(5, fp=5))["prob_a_better"] < 1e-7


def test_chances_far_below_the_width_of_a_float():
    """P(A > B) of Beta(a, 1) and Beta(1, b) is a Beta function: b B(a + 1, b)."""
    for a, b in ((60, 40), (200, 100), (300, 250)):
        low, high = Beta(1, b), Beta(a, 1)
        exact = float(b * mpmath.beta(a + 1, b))
        assert prob_greater(low, high) == pytest.approx(exact, rel=1e-9)
    ref, new = model(400, 5, 0, sample="A"), model(5, 400, 0, sample="B")
    found, turned = consistency_test(ref, new), consistency_test(new, ref)
    assert 0 < found["p_value"] < 1e-100
    assert found["p_value"] == pytest.approx(turned["p_value"], rel=1e-9)


def test_differences_of_uniform_models():
    """The difference of two uniform numbers is triangular."""
    plain = [BayesianPRModel(name).update(0, fp=0) for name in "ab"]
    for ci in (0.5, 0.95, 0.999):
        found = compare_models(*plain, ci=ci)
        edge = 1 - math.sqrt(1 - ci)
        assert (found["ci_low"], found["ci_high"]) == pytest.approx((-edge, edge), abs=1e-12)


def test_nothing_is_more_than_sure():
    found = compare_models(model(10**6, 0, 0, "a"), model(0, 10**6, 3, "b"), "f1")
    assert 1 - 1e-12 < found["prob_a_better"] <= 1.0
    assert found["mean_diff"] <= 1.0


@pytest.mark.parametrize("metric", list(Metric))
def test_comparisons_agree_with_draws(metric):
    a, b = model(80, 26, 20, "a"), model(60, 14, 30, "b")
    found = compare_models(a, b, metric)
    rng = np.random.default_rng(0)
    n = 2_000_000
    drawn = []
    for made in (a, b):
        if metric is Metric.F1:
            drawn.append(made.posterior_of(metric).sample(n, rng))
        else:
            drawn.append(made.posterior_of(metric).frozen().rvs(n, random_state=rng))
    difference = drawn[0] - drawn[1]
    assert found["prob_a_better"] == pytest.approx((difference > 0).mean(), abs=2e-3)
    assert found["mean_diff"] == pytest.approx(difference.mean(), abs=2e-4)
    assert (found["ci_low"], found["ci_high"]) == pytest.approx(
        np.quantile(difference, [0.025, 0.975]), abs=5e-4
    )
    exact = mpmath.quad(
        lambda x: mpmath.mpf(float(stats.beta(81, 27).pdf(float(x))))
        * float(stats.beta(61, 15).cdf(float(x))), np.linspace(0, 1, 21).tolist(),
    )  # fmt: skip
    if metric is Metric.PRECISION:
        assert found["prob_a_better"] == pytest.approx(float(exact), abs=1e-9)


@given(st.integers(0, 50), st.integers(0, 50), st.sampled_from([0.5, 0.95]))
def test_the_shortest_interval_holds_its_share(tp, fp, ci):
    made = BayesianPRModel().update(tp, fp=fp)
    low, high = made.highest_density("precision", ci)
    exact = made.precision_posterior
    assert exact.cdf(high) - exact.cdf(low) == pytest.approx(ci, abs=1e-9)
    equal = exact.interval(ci)
    assert high - low <= equal[1] - equal[0] + 1e-9


# -- updates ----------------------------------------------------------------------------------


def test_no_true_link_counts_twice():
    made = BayesianPRModel().update(tp=80, fp=26).update(tp=80, fn=20)
    assert made.precision_stats() == model().precision_stats()
    assert made.f_stats() == model().f_stats()
    batches = BayesianPRModel().update(40, 13, 10).update(40, 13, 10)
    assert batches.summary() == model(name="model").summary()
    assert batches.reset().update(80, 26, 20).summary() == model(name="model").summary()


def test_metrics_are_there_for_the_counts_that_were_given():
    made = BayesianPRModel().update(tp=80, fp=26)
    assert (made.has_precision, made.has_recall, made.has_f1) == (True, False, False)
    assert made.observations == {"tp": 80, "fp": 26, "fn": None}
    for call in (made.recall_stats, made.f1_stats, lambda: made.recall_posterior):
        with pytest.raises(ValueError, match="no fn observations provided"):
            call()
    with pytest.raises(ValueError, match="no fp observations provided"):
        BayesianPRModel().update(tp=80, fn=20).precision_stats()
    assert "Recall" not in made.summary()
    with pytest.raises(DataError, match="precision saw 80 true links and recall 7"):
        made.update(7, fn=2).f_stats()
    assert made.f_stats(joint=False).mean > 0


def test_counts_of_narrow_types_do_not_wrap():
    made = BayesianPRModel().update(np.int16(20000), fp=5).update(np.int16(20000), fp=5)
    assert made.precision_stats() == BayesianPRModel().update(40000, fp=10).precision_stats()


def test_one_entity_with_all_pairs_is_one_observation():
    links = list(range(2000))
    truth = {0: links[:1999], **{i: [10_000 + i] for i in range(1, 50)}}
    ev = evaluate({0: links}, truth, entities=range(50))
    whole = np.zeros(50, np.int64)
    tp, made = (np.array([n] + [0] * 49) for n in (1999, 2000))
    assert _design_effects(tp, made, whole, 1)[0] == 2000
    with pytest.raises(DataError, match="over 1 entity with a prediction"):
        ev.posterior()
    frame = ev.posterior(dict.fromkeys(range(50), "all"))
    assert math.isnan(frame["precision_mean"][0])
    assert frame["recall_mean"][0] > 0


def test_updates_of_a_model_of_entities():
    truth = {i: [2 * i, 2 * i + 1] for i in range(60)}
    ev = evaluate({i: truth[i] if i % 10 else [-1] for i in range(60)}, truth, entities=range(60))
    more = ev.posterior().update(50, 10, 5)
    tp, fp, fn = (x + y for x, y in zip(ev.posterior()._joint, (50, 10, 5), strict=True))
    assert more.f_stats() == BayesianPRModel().update(tp, fp, fn).f_stats()
    assert more.observations["recall_tp"] == more._recall.tp
    with pytest.raises(DataError, match="precision saw"):
        ev.posterior().update(5, fp=1).f_stats()
    rounded = BayesianPRModel().update(0.1, fp=1).update(0.2, fp=1).update(0.3, fn=1)
    assert rounded.f_stats().mean > 0


def test_draws_have_a_seed():
    a, b = (model(rng=3, n_samples=10).f1_samples() for _ in range(2))
    assert (a == b).all()
    assert len(a) == 10
    assert (model(n_samples=10).f1_samples() != a).any()


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: BayesianPRModel(prior_alpha=0), "prior_alpha=0: give a number between 1e-09"),
        (lambda: BayesianPRModel(prior_beta=math.nan), "prior_beta=nan"),
        (lambda: BayesianPRModel(prior_alpha=math.inf), "prior_alpha=inf"),
        (lambda: BayesianPRModel(prior="flat"), "prior='flat' is not an option"),
        (lambda: BayesianPRModel(prior="jeffreys", prior_beta=2), "give one of them"),
        (lambda: BayesianPRModel(n_samples=0), "n_samples=0"),
        (lambda: model(tp=-1), "tp=-1: give a number between 0 and"),
        (lambda: model(fp=math.nan), "fp=nan"),
        (lambda: model(fn=math.inf), "fn=inf: give a number between 0 and"),
        (lambda: model(tp="8"), "tp='8' is not a number"),
        (lambda: model(tp=True), "tp=True is not a number"),
        (lambda: BayesianPRModel().update(tp=3), "needs fp or fn"),
        (lambda: BayesianPRModel().update(None, fp=1), "tp=None is not a number"),
        (lambda: model().precision_stats(95), "ci=95: give a number between 0 and 1"),
        (lambda: model().prob_above_threshold(1.5), "threshold=1.5"),
        (lambda: model().prob_above_threshold(0.5, "f2"), "metric='f2' is not an option"),
        (lambda: model().f_stats(beta=0), "beta=0"),
        (lambda: transfer_test(model(), model(), "f1"), "of precision or recall, not of f1"),
        (lambda: model(tp=1e300), r"tp=1e\+300: give a number between 0 and 1e\+12"),
        (lambda: compare_models(3, model()), "int is no model; give a BayesianPRModel"),
        (lambda: transfer_test(model(), "m"), "str is no model"),
        (lambda: BayesianPRModel(prior_alpha=1e308), "prior_alpha=1e.308: give a number between"),
        (lambda: BayesianPRModel(prior_beta=1e-12), "prior_beta=1e-12: give a number between"),
        (lambda: model(tp=10**400), "give a number between 0 and"),
        (lambda: model(tp=9e11).update(9e11, fp=1), r"tp=1.8e\+12|tp=1800000000000.0: give"),
        (lambda: BayesianPRModel(n_samples=10**12), "n_samples=1000000000000: give a whole"),
        (lambda: BayesianPRModel(prior="jeffreys", prior_alpha=pd.NA), "is not a number"),
        (lambda: posteriors(pd.DataFrame(), fp="tp"), "name three columns"),
        (lambda: visualization.plot_posteriors("m"), "str is no model"),
        (lambda: visualization.plot_posteriors(model(), n_points=0), "n_points=0"),
        (lambda: visualization.plot_comparison([1]), "int is no model"),
        (lambda: visualization.plot_comparison(model()), "give a list of one or more models"),
        (lambda: visualization.plot_sequential_update(1, 1, [3]), "is a int; give a dict"),
        (lambda: visualization.plot_prior_sensitivity(1, 1, 1, []), "give pairs such as"),
        (lambda: visualization.plot_prior_sensitivity(1, 1, 1, [1]), "give pairs such as"),
        (lambda: visualization.plot_prior_sensitivity(1, 1, 1, 5), "give pairs such as"),
        (lambda: visualization.plot_prior_sensitivity("8", 1, 1), "tp='8' is not a number"),
        (lambda: visualization.plot_prior_sensitivity(8, 1, None), "fn=None is not a number"),
        (lambda: visualization.plot_sequential_update(1, 1, 5), "give a list of dicts"),
        (lambda: visualization.plot_posteriors(model(), figsize="a"), "figsize='a': give width"),
        (lambda: visualization.plot_posteriors(model(), figsize=(-1, 2)), "figsize="),
        (lambda: visualization.plot_slice_posteriors(None, "a"), "NoneType is no evaluation"),
        (lambda: model().f_stats(joint="no"), "joint='no' is not True or False"),
        (lambda: model().f_posterior(2).ppf(math.nan), "q=nan: give a probability"),
        (lambda: model().f_posterior(1).ppf(2), "q=2: give a probability"),
        (lambda: model().posterior_of("recall").isf(-1), "q=-1: give a probability"),
        (lambda: model().posterior_of("recall").cdf(["a"]), "is no array of numbers"),
        (lambda: posteriors(pd.DataFrame(), tp=None), "tp=None is not the name of a column"),
        (lambda: posteriors(pd.DataFrame(), fn=[1]), "fn=.1. is not the name of a column"),
    ],
)
def test_what_is_refused(call, said):
    with pytest.raises(DataError, match=said):
        call()


def test_names_that_do_not_fit_the_question():
    with pytest.warns(DataWarning, match="both models are called 'm'"):
        compare_models(model(), model())
    with pytest.warns(DataWarning, match="the samples differ"):
        compare_models(model(name="a", sample="x"), model(name="b", sample="y"))
    with pytest.warns(DataWarning, match="the models differ"):
        transfer_test(model(name="a", sample="x"), model(name="b", sample="y"))
    assert compare_models(model(name="a"), model(name="b"))["prob_a_better"] == pytest.approx(0.5)


# -- many at once -----------------------------------------------------------------------------


def as_polars(frame):
    return pl.from_pandas(frame)


@pytest.mark.parametrize("beta", [1.0, 0.5])
@pytest.mark.parametrize("library", [lambda f: f, as_polars, lambda f: as_polars(f).to_arrow()])
def test_rows_are_models_of_their_own(library, beta):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.integers(0, 300, (30, 3)), columns=["tp", "fp", "fn"])
    frame.iloc[0] = 0
    made = posteriors(library(frame.assign(name="x")), floor=0.6, beta=beta, ci=0.8)
    assert type(made) is type(library(frame))
    rows = made.to_pylist() if hasattr(made, "to_pylist") else (
        made.to_dicts() if hasattr(made, "to_dicts") else made.to_dict("records")
    )  # fmt: skip
    for row, (tp, fp, fn) in zip(rows, frame.to_numpy(), strict=True):
        one = model(int(tp), int(fp), int(fn))
        stats_of = {"precision": one.precision_stats(0.8), "recall": one.recall_stats(0.8),
                    "f": one.f_stats(0.8, beta=beta)}  # fmt: skip
        for name, found in stats_of.items():
            assert row[f"{name}_mean"] == pytest.approx(found.mean, abs=1e-9)
            assert row[f"{name}_std"] == pytest.approx(found.std, abs=1e-8)
            assert row[f"{name}_low"] == pytest.approx(found.ci_low, abs=1e-9)
            assert row[f"{name}_high"] == pytest.approx(found.ci_high, abs=1e-9)
        assert row["f_above"] == pytest.approx(one.f_posterior(beta=beta).above(0.6), abs=1e-9)
        assert row["name"] == "x"


@on_every_backend
def test_slices_go_in_as_they_come():
    truth = {i: [i, i + 100] for i in range(60)}
    ev = evaluate({i: [i] for i in range(50)}, truth, entities=range(60))
    frame = posteriors(ev.by({i: i % 2 for i in range(60)}), floor=0.5)
    frame = frame.to_pandas() if hasattr(frame, "to_pandas") else frame
    assert frame["tp"].tolist() == [25, 25]
    assert frame["recall_mean"].tolist() == pytest.approx([26 / 62] * 2)
    assert frame["f_above"].tolist() == pytest.approx(
        [model(25, 0, 35).f_posterior().above(0.5)] * 2, abs=1e-12
    )


@pytest.mark.parametrize(
    ("frame", "options", "said"),
    [
        ({"tp": [1, -2], "fp": [0, 0], "fn": [0, 0]}, {}, "in 1 row, first at row 1: -2"),
        ({"tp": [1], "fp": [math.nan], "fn": [0]}, {}, "'fp' has no count in 1 row"),
        ({"tp": [1], "fp": ["x"], "fn": [0]}, {}, "'fp' has no count in 1 row"),
        ({"tp": [1], "fp": ["3"], "fn": [0]}, {}, "first at row 0: '3'"),
        ({"tp": [2, True], "fp": [0, 0], "fn": [0, 0]}, {}, "first at row 1: True"),
        ({"tp": [Decimal("sNaN")], "fp": [0], "fn": [0]}, {}, "'tp' has no count in 1 row"),
        ({"tp": pd.Series([10**400], dtype=object), "fp": [0], "fn": [0]}, {}, "'tp' has no count"),
        ({"tp": [1], "fp": [0], "fn": [0]}, {"prior": "flat"}, "prior='flat' is not an option"),
        ({"tp": [True], "fp": [0], "fn": [0]}, {}, "'tp' holds bool values"),
        ({"tp": pd.to_datetime(["2020-01-01"]), "fp": [0], "fn": [0]}, {}, "'tp' holds datetime"),
        ({"tp": [1], "fp": [0]}, {}, "no column 'fn'"),
        ({"tp": [1], "fp": [0], "fn": [0], "f_low": [1]}, {}, "a column 'f_low' already"),
        ({"tp": [1], "fp": [0], "fn": [0]}, {"floor": 2}, "floor=2"),
        ({"tp": [1], "fp": [0], "fn": [0]}, {"ci": 1}, "ci=1"),
        ({"tp": [1], "fp": [0], "fn": [0]}, {"prior_beta": -1}, "prior_beta=-1"),
    ],
)  # fmt: skip
def test_counts_that_are_refused(frame, options, said):
    with pytest.raises(DataError, match=said):
        posteriors(pd.DataFrame(frame), **options)


@pytest.mark.parametrize("level", [0.999, 1 - 1e-6, 1 - 1e-9, 1 - 1e-12])
def test_rows_at_levels_near_one(level):
    frame = pd.DataFrame({"tp": [3, 0, 0, 500], "fp": [1000, 50, 3, 20], "fn": [1000, 9, 1, 30]})
    for prior in ("uniform", "haldane"):
        made = posteriors(frame, ci=level, prior=prior)
        for i, counts in enumerate(frame.to_numpy().tolist()):
            one = model(*counts, prior=prior)
            found = {"precision": one.precision_stats(level), "recall": one.recall_stats(level),
                     "f": one.f_stats(level)}  # fmt: skip
            for name, stats_of in found.items():
                assert made[f"{name}_low"][i] == pytest.approx(stats_of.ci_low, rel=1e-9)
                assert made[f"{name}_high"][i] == pytest.approx(stats_of.ci_high, rel=1e-9)
    assert str(model().precision_stats(1 - 1e-12)).split("% CI")[0].endswith("99.9999999999")


def test_no_rows():
    empty = pd.DataFrame({"tp": [], "fp": [], "fn": []}, dtype=float)
    for beta in (1.0, 0.5):
        assert len(posteriors(empty, beta=beta, floor=0.5)) == 0


# -- entities ---------------------------------------------------------------------------------


@on_every_backend
def test_pairs_that_err_together_count_for_less():
    truth = {i: list(range(10 * i, 10 * i + 10)) for i in range(100)}
    pred = {i: truth[i] if i % 5 else [-j for j in range(1, 11)] for i in range(100)}
    ev = evaluate(pred, truth, entities=range(100), name="clustered")
    made = ev.posterior()
    # All pairs of an entity are right or wrong at once: ten count as one, n / (n - 1) aside.
    assert made.design_effects["precision"] == pytest.approx(10 * 100 / 99)
    alone = BayesianPRModel().update(tp=80 * 99 / 100, fp=20 * 99 / 100)
    assert made.precision_stats().ci_low == pytest.approx(alone.precision_stats().ci_low)
    assert made.f_stats().std > model(800, 200, 200).f_stats().std
    assert "Pairs per independent one: precision 10.10" in str(made)
    assert "independent" not in str(ev.posterior().reset().update(5, fp=5))
    frame = ev.posterior(dict.fromkeys(range(100), "all"), floor=0.5)
    frame = pd.DataFrame(frame.to_pandas() if hasattr(frame, "to_pandas") else frame)
    assert frame["precision_low"][0] == pytest.approx(made.precision_stats().ci_low)
    assert frame["recall_design_effect"][0] == pytest.approx(made.design_effects["recall"])
    assert frame["f_low"][0] == pytest.approx(made.f_stats().ci_low)


def test_design_effects_give_back_the_coverage_that_plain_counts_lose():
    rng = np.random.default_rng(0)
    sizes = np.arange(1, 41)
    chance = sizes**-1.5 / (sizes**-1.5).sum()
    covered = [0, 0]
    for _ in range(300):
        links = rng.choice(sizes, 400, p=chance)
        wrong = np.where(rng.random(400) < 0.05, rng.binomial(links, 0.9), 0)
        truth = 1 - 0.05 * 0.9
        tp = links - wrong
        effect = _design_effects(tp, links, np.zeros(400, np.int64), 1)[0]
        for i, divided in enumerate((1.0, effect)):
            made = Beta(1 + tp.sum() / divided, 1 + wrong.sum() / divided)
            low, high = made.interval(0.95)
            covered[i] += low <= truth <= high
    assert covered[0] / 300 < 0.75
    assert covered[1] / 300 > 0.88


def test_slices_are_ranked_and_small_ones_left_open():
    truth = {i: [i] for i in range(200)}
    pred = {i: [i] if i % 10 or i < 80 else [-1] for i in range(195)}
    ev = evaluate(pred, truth, entities=range(200))
    frame = ev.posterior({i: "abc"[i // 80 if i < 160 else 2] for i in range(185)}, floor=0.9)
    assert frame["slice"].tolist()[:2] == ["a", "b"]
    assert frame["n_entities"].tolist() == [80, 80, 25, 15]
    assert frame["precision_above"].dropna().is_monotonic_decreasing
    assert frame["precision_mean"].isna().tolist() == [False, False, True, True]
    perfect = evaluate(truth, truth, entities=range(200)).posterior()
    assert perfect.design_effects == {"precision": 1.0, "recall": 1.0}


def test_posteriors_of_entities_that_are_refused():
    with pytest.raises(DataError, match="over 0 entities with a prediction"):
        evaluate({}, {0: [1]}, entities=range(29)).posterior()
    pairs = Truth([("a", "b")], [*"abc"], undirected=True)
    with pytest.raises(DataError, match="belongs to two"):
        evaluate([("a", "b")], pairs).posterior()
    ev = evaluate({0: [1]}, {0: [1]}, entities=range(40))
    with pytest.raises(DataError, match="floor=3"):
        ev.posterior("n_true", floor=3)
    with pytest.raises(DataError, match="floor=0.9 is of slices; give by="):
        ev.posterior(floor=0.9)


# -- the command line -------------------------------------------------------------------------


def test_the_command_says_how_sure_the_counts_are(tmp_path):
    done = run("posterior", "--tp", "80", "--fp", "26", "--fn", "20", "--floor", "0.65")
    assert done.returncode == 0
    assert done.stdout.splitlines()[1] == ("precision  0.7500  0.0415  0.6646  0.8267     0.9884")
    assert done.stdout.splitlines()[3].startswith("F1         0.7706  0.0322  0.7039  0.8297")
    assert "recall" not in run("posterior", "--tp", "8", "--fp", "2").stdout
    table, out = tmp_path / "counts.csv", tmp_path / "out.csv"
    table.write_text("model,tp,fp,fn\na,80,26,20\nb,5,6,2\n")
    done = run("posterior", table, "--json", "--output", out, "--beta", "0.5")
    assert [row["model"] for row in json.loads(done.stdout)] == ["a", "b"]
    assert len(pd.read_csv(out)) == 2
    assert run("posterior", table, "--markdown").stdout.startswith("| model | tp |")
    assert run("posterior", table, "--quiet").stdout == ""


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "give --tp and --fp or --fn"),
        (("--tp", "8"), "give --tp and --fp or --fn"),
        (("--tp", "-8", "--fp", "1"), "tp=-8.0"),
        (("--tp", "8", "--fp", "1", "--output", "x.csv"), "--output is of a table"),
        (("x.csv", "--tp", "8"), "a file of counts and --tp"),
        (("missing.csv",), "missing.csv"),
        (("--tp", "8", "--fp", "1", "--level", "95"), "--level=95.0: give"),
        (("--tp", "8", "--fp", "1", "--floor", "nan"), "--floor=nan: give"),
        (("--tp", "8", "--fp", "1", "--beta", "0"), "--beta=0.0: give"),
        (("--columns", "tp,tp,fn", "x.csv"), "three names with commas between"),
        (("--tp", "8", "--fp", "1", "--json", "--markdown"), "exclude each other"),
    ],
)
def test_calls_that_the_command_refuses(arguments, said):
    done = run("posterior", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr


# -- figures ----------------------------------------------------------------------------------


def test_figures():
    from berx_gpu import visualization as v

    assert len(v.plot_posteriors(model()).axes) == 3
    assert len(v.plot_posteriors(BayesianPRModel().update(3, fp=2)).axes) == 1
    with pytest.raises(DataError, match="has no observations"):
        v.plot_posteriors(BayesianPRModel())
    batches = [{"tp": 8, "fp": 4, "fn": 1}] * 3
    for metric in ("precision", "recall"):
        assert len(v.plot_sequential_update(1, 1, batches, metric).axes) == 2
    with pytest.raises(DataError, match=r"observations\[0\] needs 'tp' and 'fn'"):
        v.plot_sequential_update(1, 1, [{"tp": 1, "fp": 1}], "recall")
    v.plot_posteriors(BayesianPRModel(prior="haldane").update(10, 0, 0))
    v.plot_posteriors(BayesianPRModel(prior="haldane").update(0, 10, 5))
    v.plot_posteriors(BayesianPRModel().update(10**12, 0, 0))
    hidden = v.plot_comparison([model(name="_hidden")], "precision")
    assert [t.get_text() for t in hidden.axes[0].get_legend().get_texts()] == [" _hidden"]
    counts = v.plot_prior_sensitivity(np.int8(80), np.int8(26), np.int8(20))
    assert counts.axes[1].get_title(loc="left") == "TP=800, FP=260, FN=200"
    assert len(v.plot_prior_sensitivity(8, 4, 3, np.array([[1.0, 1], [2, 2]])).axes) == 2
    many = v.plot_comparison([model(80 - i, name=f"m{i}") for i in range(8)])
    assert len(many.axes[0].lines) == 8
    assert len(v.plot_prior_sensitivity(8, 4, 3, [(1, 1), (5, 5)], "recall").axes) == 2
    ev = evaluate({i: [i] for i in range(90)}, {i: [i] for i in range(100)}, entities=range(100))
    assert v.plot_slice_posteriors(ev, {i: i % 2 for i in range(100)}).get_yticks().tolist() == [
        0,
        1,
    ]


EXAMPLES = {
    "basics": "F0.5, true links shared: mean=0.7579",
    "floors": "  500  0.991",
    "comparison": "precision  P(candidate better) 0.9",
    "transfer": "shifted   0.794 against 0.381  S 0.0000 (inconsistent)  p 0.0002 (inconsistent)",
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_examples_run(name, tmp_path):
    script = Path(__file__).parent.parent / "examples" / f"posterior_{name}.py"
    figure = [tmp_path / "figure.png"] if name == "basics" else []
    done = subprocess.run([sys.executable, script, *figure], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert EXAMPLES[name] in done.stdout
    assert not figure or figure[0].stat().st_size > 10_000
