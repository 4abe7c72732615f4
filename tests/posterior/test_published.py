"""Numbers of Goutte and Gaussier's model, and of the package bayesian-precision-recall."""

import pytest
from models import model

from berx_gpu import BayesianPRModel, DataWarning, Metric, compare_models, transfer_test


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
