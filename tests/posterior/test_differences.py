"""Which of two shares is larger, and by how much."""

import math

import mpmath
import pytest
from hypothesis import given
from models import counts, model

from berx_gpu import BayesianPRModel, compare_models, consistency_test
from berx_gpu.posterior.beta import Beta
from berx_gpu.posterior.differences import prob_greater


@given(counts, counts, counts, counts)
def test_either_is_better(a, b, c, d):
    x, y = Beta(a + 1.0, b + 1.0), Beta(c + 1.0, d + 1.0)
    # SciPy's own tails of Beta(2, 10**9) are wrong by 2e-8 near their mean.
    near = 1e-11 if max(a, b, c, d) < 10**9 else 1e-8
    assert prob_greater(x, y) + prob_greater(y, x) == pytest.approx(1, abs=near)


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
