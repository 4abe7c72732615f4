"""Weights of the bootstrap: how they are spread, and one seed, one result."""

import itertools
import math

import numpy as np
import pytest
from conftest import kernel_backend
from scipy import stats

from berx_gpu.backends import draws
from berx_gpu.backends.cpu import backend as cpu

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
