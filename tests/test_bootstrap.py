"""The bootstrap's random integers, weights, limits and p-values, against enumeration and draws."""

import itertools
import math
import tracemalloc

import numpy as np
import pytest
from conftest import kernel_backend
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from test_intervals import METRICS, on_every_backend, table

from berx_gpu import DataError, evaluate
from berx_gpu.backends import draws
from berx_gpu.backends.cpu import backend as cpu
from berx_gpu.evaluation import bootstrap
from berx_gpu.kernels import resample_rows

# -- Philox -----------------------------------------------------------------------------------

ROUNDS = {
    32: ((0xD2511F53, 0xCD9E8D57), (0x9E3779B9, 0xBB67AE85)),
    64: ((0xD2E7470EE14C6C93, 0xCA5A826395121157), (0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B)),
}


def philox(counter, key, bits):
    """Return what Philox with words of some bits makes of a counter, in Python's integers."""
    (m0, m1), steps = ROUNDS[bits]
    words, top = list(counter), (1 << bits) - 1
    for r in range(10):
        k0, k1 = ((k + r * step) & top for k, step in zip(key, steps, strict=True))
        p0, p1 = m0 * words[0], m1 * words[2]
        words = [(p1 >> bits) ^ words[1] ^ k0, p1 & top, (p0 >> bits) ^ words[3] ^ k1, p0 & top]
    return words


def ours(counter, key):
    made = resample_rows.philox(*map(np.uint64, (*counter, *key)))
    return [int(word) >> shift & 0xFFFFFFFF for word in made for shift in (32, 0)]


FULL = 0xFFFFFFFF


@pytest.mark.parametrize(
    ("counter", "key", "out"),
    [
        ([0] * 4, [0] * 2, "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
        ([FULL] * 4, [FULL] * 2, "408f276d 41c83b0e a20bc7c6 6d5451fd"),
        (
            [0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344],
            [0xA4093822, 0x299F31D0],
            "d16cfe09 94fdcceb 5001e420 24126ea1",
        ),
    ],
)
def test_philox_gives_the_published_numbers(counter, key, out):
    assert ours(counter, key) == philox(counter, key, 32) == [int(w, 16) for w in out.split()]


def test_the_reference_with_wider_words_is_numpys():
    rng = np.random.default_rng(0)
    for _ in range(50):
        counter, key = (rng.integers(1, 2**64, n, dtype=np.uint64) for n in (4, 2))
        before = counter.copy()
        before[0] -= np.uint64(1)
        raw = np.random.Philox(counter=before, key=key).random_raw(4)
        assert [int(w) for w in raw] == philox(map(int, counter), list(map(int, key)), 64)


words = st.integers(0, FULL)


@given(st.lists(words, min_size=4, max_size=4), st.lists(words, min_size=2, max_size=2))
def test_philox_is_its_reference_anywhere(counter, key):
    assert ours(counter, key) == philox(counter, key, 32)


# -- weights ----------------------------------------------------------------------------------


def weights(how, count, n, replicates, seed=0):
    """Return how often each group comes, read from one sum as digits to a base above n."""
    groups = len(count)
    digits = (n + 1) ** np.arange(groups)
    out = cpu.backend(2).resample(how, count, digits, np.ones_like(digits), replicates, seed)
    return out[:, :1] // digits % (n + 1), out[:, 1]


def p_of(seen, expected):
    """Return Pearson's p of counts of outcomes, those that are too rare taken together."""
    rare = expected < 5
    few, chance = seen[rare].sum(), expected[rare].sum()
    seen, expected = seen[~rare], expected[~rare]
    if chance >= 5:
        seen, expected = np.append(seen, few), np.append(expected, chance)
    else:
        assert few <= 30
    return stats.chisquare(seen, expected * seen.sum() / expected.sum()).pvalue


@pytest.mark.parametrize("count", [[2], [1, 1], [2, 2, 1], [3, 2, 1], [1, 1, 1, 2]])
def test_weights_of_few_units_are_multinomial(count):
    n, replicates = sum(count), 200_000
    made, total = weights("with replacement", np.array(count), n, replicates)
    assert (total == n).all()
    assert (made.sum(axis=1) == n).all()
    ways = [w for w in itertools.product(range(n + 1), repeat=len(count)) if sum(w) == n]
    chance = stats.multinomial.pmf(ways, n, np.array(count) / n)
    seen = [(made == way).all(axis=1).sum() for way in ways]
    assert len(ways) == 1 or p_of(np.array(seen), chance * replicates) > 1e-3


@pytest.mark.parametrize("count", [[30, 40], [200, 5, 3, 1], [900, 100]])
def test_each_weight_of_many_units_is_binomial(count):
    n, replicates = sum(count), 100_000
    made, total = weights("with replacement", np.array(count), n, replicates)
    assert (total == n).all()
    for size, column in zip(count, made.T, strict=True):
        chance = stats.binom.pmf(np.arange(n + 1), n, size / n)
        assert p_of(np.bincount(column, minlength=n + 1), chance * replicates) > 1e-3


def test_poisson_weights_and_coins():
    count, replicates = np.array([1, 3, 40]), 100_000
    made, total = weights("poisson", count, 200, replicates)
    assert total.min() >= 1
    coins, _ = weights("signs", count, 200, replicates)
    for size, one, other in zip(count, made.T, coins.T, strict=True):
        chance = stats.poisson.pmf(np.arange(201), size)
        assert p_of(np.bincount(one, minlength=201), chance * replicates) > 1e-3
        chance = stats.binom.pmf(np.arange(201), size, 0.5)
        assert p_of(np.bincount(other, minlength=201), chance * replicates) > 1e-3
    one_unit, total = weights("poisson", np.array([2]), 40, replicates)
    assert total.min() == 1
    assert one_unit.mean() == pytest.approx(2 / (1 - math.exp(-2)), abs=0.03)


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


def test_batches_and_threads_change_no_bit(monkeypatch):
    count = np.random.default_rng(0).integers(1, 5000, 101)
    how, num = "with replacement", np.arange(101) * 10**9
    once = kernel_backend(1).resample(how, count, num, num, 1000, 5)
    for threads, batches in ((2, 64), (3, 7), (1, 1)):
        monkeypatch.setattr(cpu, "_BATCHES", batches)
        again = kernel_backend(threads).resample(how, count, num, num, 1000, 5)
        assert (once == again).all()
    assert (kernel_backend(2).resample(how, count, num, num, 300, 5) == once[:300]).all()
    assert (kernel_backend(2).resample(how, count, num, num, 1000, 6) != once).any()


def test_a_seed_draws_what_it_drew_before():
    """Other numbers here are another stream: raise `draws.STREAM_VERSION`."""
    assert draws.STREAM_VERSION == 1
    count, num = np.array([900, 80, 20]), np.array([4, 2, 1])
    made = cpu.backend(1).resample("with replacement", count, num, num, 4, 2**40 + 7)
    assert made[:, 0].tolist() == STREAM


STREAM = [3799, 3769, 3816, 3767]


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
