"""Comparisons of two models, and whether two samples are of one kind."""

import mpmath
import numpy as np
import pytest
from models import model
from scipy import stats

from berx_gpu import (
    BayesianPRModel,
    DataError,
    DataWarning,
    Metric,
    compare_models,
    consistency_test,
    transfer_test,
)


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


def test_small_chances_of_independent_f():
    a, b = model(200, 100, 100, "a"), model(900, 50, 40, "b")
    found = compare_models(a, b, "f1", joint=False)["prob_a_better"]
    assert found == pytest.approx(1.8032e-68, rel=1e-4)


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


def test_names_that_do_not_fit_the_question():
    with pytest.warns(DataWarning, match="both models are called 'm'"):
        compare_models(model(), model())
    with pytest.warns(DataWarning, match="the samples differ"):
        compare_models(model(name="a", sample="x"), model(name="b", sample="y"))
    with pytest.warns(DataWarning, match="the models differ"):
        transfer_test(model(name="a", sample="x"), model(name="b", sample="y"))
    assert compare_models(model(name="a"), model(name="b"))["prob_a_better"] == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: transfer_test(model(), model(), "f1"), "of precision or recall, not of f1"),
        (lambda: compare_models(3, model()), "int is no model; give a BayesianPRModel"),
        (lambda: transfer_test(model(), "m"), "str is no model"),
    ],
)
def test_what_is_refused(call, said):
    with pytest.raises(DataError, match=said):
        call()
