"""Paired comparison: against plain sets and arrays, its verdicts, and what is refused."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from conftest import kernel_backend, on_every_backend
from intervals import of_values
from two_systems import ONE, TRUE, TWO, N, both, small

from berx_gpu import Comparison, DataError, compare, compare_all, evaluate
from berx_gpu.arithmetic.bounded import limits
from berx_gpu.comparing.comparing import _holm, _limits


def pairs(frame):
    return set(frame.itertuples(index=False, name=None))


@on_every_backend
def test_a_comparison_is_that_of_plain_sets():
    a, b = both()
    made = compare(a, b, rng=0)
    f = [np.asarray(ev.per_entity["fbeta"], float) for ev in (a, b)]
    difference = np.where(np.abs(f[1] - f[0]) < 1e-12, 0, f[1] - f[0])
    assert made.delta == b.macro_fbeta - a.macro_fbeta
    assert (made.estimate_a, made.estimate_b) == (a.macro_fbeta, b.macro_fbeta)
    assert (made.better, made.worse) == ((difference > 0).sum(), (difference < 0).sum())
    assert made.better + made.worse + made.equal == made.n_entities == N
    assert made.standard_error == pytest.approx(difference.std(ddof=1) / math.sqrt(N), rel=1e-9)
    assert made.low < made.normal_low < made.delta < made.normal_high < made.high
    one, two, true = map(pairs, (ONE, TWO, TRUE))
    links = made.links
    assert (links.kept, links.kept_true) == (len(one & two), len(one & two & true))
    assert (links.added, links.added_true) == (len(two - one), len((two - one) & true))
    assert (links.removed, links.removed_true) == (len(one - two), len((one - two) & true))
    turned = compare(b, a, rng=0)
    assert (turned.delta, turned.better) == (-made.delta, made.worse)
    assert (turned.low, turned.high) == pytest.approx((-made.high, -made.low), abs=1e-9)
    assert turned.links.added == links.removed


@on_every_backend
def test_other_metrics_are_over_the_entities_that_count():
    truth = {"a": ["x", "y"], "b": [], "c": ["z"], "d": []}
    one = evaluate({"a": ["x"], "b": ["q"]}, truth, entities=list(truth))
    two = evaluate({"a": ["x", "y"], "c": ["z"]}, truth, entities=list(truth))
    made = compare(one, two, metric="macro_fbeta_non_singleton", rng=0)
    assert (made.n_entities, made.better) == (2, 2)
    assert made.delta == two.macro_fbeta_non_singleton - one.macro_fbeta_non_singleton
    recall = compare(one, two, metric="macro_recall", rng=0)
    assert recall.delta == pytest.approx((0.5 + 1 + 1 + 0) / 4)
    frame = pd.DataFrame(made.by({"a": 1, "b": 2, "c": 1, "d": 2}))
    assert frame["n_entities"].tolist() == [2, 0]
    assert frame["delta"].isna().tolist() == [False, True]


def test_limits_of_a_difference_are_quantiles_of_the_weighted_mean():
    values, count = np.array([-1.0, -0.2, 0.0, 0.5]), np.array([2.0, 5.0, 80.0, 13.0])
    rng = np.random.default_rng(0)
    draws = 1_000_000
    weights, unseen = rng.gamma(count, size=(draws, 4)), rng.exponential(size=draws)
    mean = weights @ values
    low, high = _limits(values, count, 0.9)
    error = 5 * math.sqrt(0.05 * 0.95 / draws)
    total = weights.sum(axis=1) + unseen
    assert np.mean((mean - unseen) / total <= low) == pytest.approx(0.05, abs=error)
    assert np.mean((mean + unseen) / total <= high) == pytest.approx(0.95, abs=error)
    assert of_values([0, 1], [3, 7]) == pytest.approx(
        tuple((x + 1) / 2 for x in _limits(np.array([-1.0, 1.0]), np.array([3, 7]), 0.95))
    )
    assert limits


# -- verdicts ---------------------------------------------------------------------------------


def of_scores(better, worse, equal, **options):
    """Compare systems that differ by all or nothing for some entities."""
    n = better + worse + equal
    truth = {i: [i] for i in range(n)}
    one = {i: [i] for i in range(better, n)}
    two = {i: [i] for i in range(n) if not better <= i < better + worse}
    evaluations = (evaluate(p, truth, entities=range(n), name=name)
                   for p, name in ((one, "one"), (two, "two")))  # fmt: skip
    return compare(*evaluations, rng=0, **options)


@pytest.mark.parametrize(
    ("counts", "verdict"),
    [
        ((40, 5, 55), "two is better than one"),
        ((5, 40, 55), "two is worse than one"),
        ((10, 9, 81), "no clear difference between one and two"),
        ((0, 0, 9), "one and two score the same on every entity"),
    ],
)
def test_the_verdict_is_that_of_the_limits(counts, verdict):
    made = of_scores(*counts)
    assert (made.better, made.worse, made.equal) == counts
    assert made.verdict == verdict
    assert str(made).endswith(verdict)
    assert verdict in made.to_markdown()
    assert verdict in made._repr_html_()
    assert (made.p_value < 0.05) == ("no clear" not in verdict and "same" not in verdict)


def test_many_small_gains_make_no_claim_about_others():
    truth = {i: list(range(10 * i, 10 * i + 10)) for i in range(100)}
    one = {i: truth[i][: 9 if i < 10 else 10] for i in truth}
    a, b = (evaluate(p, truth, entities=range(100), name=n) for p, n in ((one, "a"), (truth, "b")))
    for made, word in ((compare(a, b, rng=0), "b is better"), (compare(b, a, rng=0), "a is worse")):
        assert made.verdict.startswith(word)
        assert made.verdict.endswith("on these entities; too few differ to generalise")
        assert made.p_value < 0.01
        assert made.low < 0 < made.high
        assert made.normal_low * made.normal_high > 0


def test_two_runs_are_compared_with_the_same_draws():
    """A gain of 0.0077 that independent intervals hide: public contest notes."""
    rng = np.random.default_rng(1)
    n = 2000
    truth = {i: [3 * i, 3 * i + 1, 3 * i + 2] for i in range(n)}
    kept = rng.random((n, 3)) < 0.7
    one = {i: [t for t, k in zip(truth[i], kept[i], strict=True) if k] for i in range(n)}
    two = {i: truth[i][:2] if i < 36 and len(one[i]) < 2 else one[i] for i in range(n)}
    for i in range(36, 200):
        two[i] = truth[i]
    a, b = (evaluate(p, truth, entities=range(n)) for p in (one, two))
    made = compare(a, b, rng=0)
    assert 0.005 < made.delta < 0.015
    assert a.interval().high > b.interval().low
    assert made.low > 0
    assert made.p_value < 0.001
    assert made.worse == 0 < made.better


def test_the_level_moves_limits_and_verdict():
    assert of_scores(10, 5, 85).verdict != of_scores(10, 5, 85, confidence_level=0.5).verdict


# -- many systems -----------------------------------------------------------------------------


def test_many_systems_hold_together():
    truth = {i: [i] for i in range(400)}
    systems = {
        f"{n} found": evaluate({i: [i] for i in range(n)}, truth, entities=range(400))
        for n in (350, 200, 356)
    }
    made = compare_all(systems, rng=1)
    assert list(made.systems) == ["356 found", "350 found", "200 found"]
    assert [(p.a, p.b) for p in made.pairs] == [
        ("350 found", "356 found"), ("200 found", "356 found"), ("200 found", "350 found"),
    ]  # fmt: skip
    each = 0.95 ** (1 / 3)
    for pair, (a, b) in zip(made.pairs, ((350, 356), (200, 356), (200, 350)), strict=True):
        alone = compare(systems[f"{a} found"], systems[f"{b} found"], confidence_level=each, rng=1)
        assert (pair.low, pair.high, pair.p_value) == (alone.low, alone.high, alone.p_value)
    assert made.p_holm == _holm([p.p_value for p in made.pairs])
    first = made.pairs[0]
    assert first.p_value < 0.05 < 3 * first.p_value or first.low <= 0
    assert [p.verdict for p in made.pairs[1:]] == [
        "356 found is better than 200 found", "350 found is better than 200 found",
    ]  # fmt: skip
    against = compare_all(systems, baseline="200 found", rng=1)
    assert [(p.a, p.b) for p in against.pairs] == [
        ("200 found", "356 found"), ("200 found", "350 found"),
    ]  # fmt: skip
    assert against.pairs[0].confidence_level == pytest.approx(0.95**0.5)
    for text in (str(made), made.to_markdown(), made._repr_html_()):
        assert "356 found is better than 200 found" in text
    assert made.to_dict()["pairs"][0]["p_holm"] == made.p_holm[0]
    assert made.to_dict()["systems"]["350 found"] == 350 / 400


@pytest.mark.parametrize(
    ("p_values", "adjusted"),
    [
        ([0.01, 0.04, 0.03], [0.03, 0.06, 0.06]),
        ([0.5, 0.6], [1.0, 1.0]),
        ([0.001], [0.001]),
        ([0.02, 0.02, 0.9], [0.06, 0.06, 0.9]),
    ],
)
def test_holms_p_values(p_values, adjusted):
    assert _holm(p_values) == pytest.approx(adjusted)


# -- what is refused --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: compare(small(), small(), metric="precision"), "metric='precision' is not"),
        (lambda: compare(small(), small(), confidence_level=2), "between 0 and 1"),
        (lambda: compare(small(), small(), n_resamples=5), "from 100"),
        (lambda: compare(small(listed=("a",), true=[("a", "x")]),
                         small(listed=("a",), true=[("a", "x")])), "over 1 entity"),
        (lambda: compare_all([small()]), "1 system: give two or more"),
        (lambda: compare_all([small(), small()]), "2 systems are called 'predictions'"),
        (lambda: compare_all([small(), 3]), "systems is a int"),
        (lambda: compare_all(small()), "systems is a Evaluation"),
        (lambda: compare_all({"a": small(), "b": small()}, baseline="c"), "no system; there are"),
        (lambda: compare_all({"a": small(), "b": small()}, baseline=["a"]), "baseline=a list is"),
        (lambda: compare_all({1: small(), "b": small()}), "a system is called 1; give names"),
        (lambda: compare(small(), small(), n_resamples=10**12), "from 100 to 100,000,000"),
        (lambda: compare(small(), small(), confidence_level=math.nan), "between 0 and 1"),
        (lambda: compare(small(), small(), confidence_level=1 - 1e-15), "between 0 and 1"),
    ],
)  # fmt: skip
def test_options_that_are_refused(call, said):
    with pytest.raises(DataError, match=said):
        call()


def test_threads_and_copies_change_nothing():
    a, b = both()
    made = [compare(a, b, rng=3).to_dict() for _ in range(2)]
    threads = [both(n_threads=n) for n in (1, 2)]
    made += [compare(*pair, rng=3).to_dict() for pair in threads]
    assert all(x == y for x, y in itertools.pairwise(made))
    assert kernel_backend(1).name == "cpu"
    assert isinstance(compare(a, a), Comparison)


def test_scores_that_differ_by_little_differ():
    truth = {i: list(range(10 * i, 10 * i + 10)) for i in range(9)}
    one = {i: truth[i][:9] for i in truth}
    a, b = (evaluate(p, truth, entities=range(9), beta=1e-6) for p in (one, truth))
    assert compare(a, b).better == 9
