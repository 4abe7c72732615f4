"""Posterior distributions of precision, recall and F, exact or by quadrature, without sampling.

A probability over a Beta variable is integrated over normal scores z, where every Beta density is
smooth: 256 Gauss-Legendre nodes in [-8.3, 8.3] leave less than 1e-10 for prior counts of 0.1 and
more. Far smaller ones without observations put all mass on 0 and 1, which no node hits well.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any

import numpy as np
from scipy import optimize, special, stats

_REACH = 8.3
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(256)
_TINIEST = 1e-300


def normal_nodes(low: float = -_REACH) -> tuple[Any, Any]:
    """Return nodes from `low` up to the far end, and weights of the normal density there."""
    half = (_REACH - low) / 2
    z = low + half * (_NODES + 1)
    return z, half * _WEIGHTS * np.exp(-z * z / 2) / math.sqrt(2 * math.pi)


class Posterior:
    """A distribution on [0, 1] that can be asked for its tails and quantiles."""

    mean: float
    std: float

    def cdf(self, x: Any) -> Any:
        """Return P(value <= x) for each x of an array."""
        raise NotImplementedError

    def sf(self, x: Any) -> Any:
        """Return P(value > x) for each x of an array, also where it is tiny."""
        raise NotImplementedError

    def above(self, x: float) -> float:
        """Return P(value > x)."""
        return float(self.sf(np.array([x]))[0])

    def ppf(self, q: float) -> float:
        """Return the quantile at q."""
        return self.quantile(float(special.ndtri(q)))

    def quantile(self, z: float) -> float:
        """Return the quantile at a normal score, from the tail that is the smaller one."""
        below, wanted = z <= 0, float(special.ndtr(-abs(z)))

        def excess(x: float) -> float:
            tail = float((self.cdf if below else self.sf)(np.array([x]))[0])
            found = math.log(max(tail, _TINIEST)) - math.log(max(wanted, _TINIEST))
            return found if below else -found

        low, high = 1e-300, 1 - 1e-16
        if excess(low) >= 0:
            return 0.0
        if excess(high) <= 0:
            return 1.0
        return float(optimize.brentq(excess, low, high, xtol=1e-300, rtol=1e-14, maxiter=2000))

    def quantiles(self, z: Any) -> Any:
        """Return the quantiles at normal scores."""
        return np.array([self.quantile(float(one)) for one in z])

    def interval(self, level: float) -> tuple[float, float]:
        """Return the limits that leave equal tails."""
        return self.ppf((1 - level) / 2), self.ppf((1 + level) / 2)

    def highest(self, level: float) -> tuple[float, float]:
        """Return the shortest interval with this probability."""

        def width(low: float) -> float:
            return self.ppf(min(low + level, 1.0)) - self.ppf(low)

        found = optimize.minimize_scalar(
            width, bounds=(0, 1 - level), method="bounded", options={"xatol": 1e-12}
        ).x
        low = min((0.0, float(found), 1 - level), key=width)
        return self.ppf(low), self.ppf(min(low + level, 1.0))


class Beta(Posterior):
    """Beta(a, b)."""

    def __init__(self, a: float, b: float) -> None:
        self.a, self.b = a, b
        self.mean = a / (a + b)
        self.std = math.sqrt(a * b / (a + b + 1)) / (a + b)

    def cdf(self, x: Any) -> Any:
        return special.betainc(self.a, self.b, x)

    def sf(self, x: Any) -> Any:
        return special.betaincc(self.a, self.b, x)

    def ppf(self, q: float) -> float:
        return float(special.betaincinv(self.a, self.b, q))

    def quantile(self, z: float) -> float:
        return float(self.quantiles(np.array([z]))[0])

    def quantiles(self, z: Any) -> Any:
        return self.both_sides(z)[0]

    def both_sides(self, z: Any) -> tuple[Any, Any]:
        """Return the quantiles at normal scores, and 1 minus each, both without loss."""
        tail = special.ndtr(-np.abs(z))
        low, high = (
            special.betaincinv(self.a, self.b, tail),
            special.betaincinv(self.b, self.a, tail),
        )
        value = np.where(z <= 0, low, special.betainccinv(self.a, self.b, tail))
        rest = np.where(z > 0, high, special.betainccinv(self.b, self.a, tail))
        return value, rest

    def frozen(self) -> Any:
        """Return SciPy's own object of the distribution."""
        return stats.beta(self.a, self.b)


class Integrated(Posterior):
    """A posterior whose mean and deviation are integrals, worked out when asked for."""

    @cached_property
    def _moments(self) -> tuple[float, float]:
        raise NotImplementedError

    @property
    def mean(self) -> float:  # type: ignore[override]  # it is worked out when asked for
        """The posterior mean."""
        return self._moments[0]

    @property
    def std(self) -> float:  # type: ignore[override]
        """The posterior standard deviation."""
        return self._moments[1]


class JointF(Integrated):
    """F_beta when precision and recall share their true links (Goutte and Gaussier 2005).

    The shares of true, false and missed links are Dirichlet(tp, fp, fn), prior counts included.
    """

    def __init__(self, tp: float, fp: float, fn: float, beta: float) -> None:
        self.beta2 = beta * beta
        self.true, self.missed = Beta(tp, fp + fn), Beta(fn, fp)
        z, self._weights = normal_nodes()
        missed, false = self.missed.both_sides(z)
        # (1 + beta2 missed - missed) over 1 + beta2, for each share of missed links among errors
        self._cost = (false + self.beta2 * missed) / (1 + self.beta2)

    def _odds(self, f: Any) -> Any:
        f = np.clip(np.asarray(f, np.float64), 0, 1)[:, None]
        with np.errstate(divide="ignore"):
            return f * self._cost / (1 - f)

    def cdf(self, x: Any) -> Any:
        return self._tail(x, upper=False)

    def sf(self, x: Any) -> Any:
        return self._tail(x, upper=True)

    def _tail(self, f: Any, upper: bool) -> Any:
        odds = self._odds(f)
        a, b = self.true.a, self.true.b
        small = odds <= 1
        with np.errstate(invalid="ignore"):
            share = np.where(small, odds / (1 + odds), 1 / (1 + odds))
        share = np.where(np.isinf(odds), 0.0, share)
        one, other = special.betainc, special.betaincc
        low, high = (other, one) if upper else (one, other)
        return np.where(small, low(a, b, share), high(b, a, share)) @ self._weights

    def ppf(self, q: float) -> float:
        if self.beta2 != 1:
            return super().ppf(q)
        share = self.true.ppf(q)
        return 2 * share / (1 + share)

    def quantiles(self, z: Any) -> Any:
        if self.beta2 != 1:
            return super().quantiles(z)
        share = self.true.quantiles(z)
        return 2 * share / (1 + share)

    @cached_property
    def _moments(self) -> tuple[float, float]:
        z, weights = normal_nodes()
        true, rest = self.true.both_sides(z)
        f = true / (true + rest * self._cost[:, None])
        mean = float(self._weights @ f @ weights)
        return mean, math.sqrt(float(self._weights @ (f - mean) ** 2 @ weights))

    def sample(self, n: int, rng: np.random.Generator) -> Any:
        """Return n draws."""
        true, missed = (
            rng.beta(self.true.a, self.true.b, n),
            rng.beta(self.missed.a, self.missed.b, n),
        )
        cost = (1 - missed + self.beta2 * missed) / (1 + self.beta2)
        return true / (true + (1 - true) * cost)


class IndependentF(Integrated):
    """F_beta of a precision and a recall that know nothing of each other."""

    def __init__(self, precision: Beta, recall: Beta, beta: float) -> None:
        self.precision, self.recall, self.beta2 = precision, recall, beta * beta

    def cdf(self, x: Any) -> Any:
        return np.array([self._tail(float(f), upper=False) for f in x])

    def sf(self, x: Any) -> Any:
        return np.array([self._tail(float(f), upper=True) for f in x])

    def _tail(self, f: float, upper: bool) -> float:
        if not 0 < f < 1:
            return float((f <= 0) == upper)
        # Below this precision no recall reaches f.
        edge = f / (1 + self.beta2 - self.beta2 * f)
        under = float(self.precision.cdf(edge))
        low = max(float(special.ndtri(under)), -_REACH) if under > 0 else -_REACH
        if low >= _REACH:
            return 0.0 if upper else 1.0
        z, weights = normal_nodes(low)
        p = self.precision.quantiles(z)
        reached = np.clip(f * self.beta2 * p / ((1 + self.beta2) * p - f), 0, 1)
        tail = (self.recall.sf if upper else self.recall.cdf)(reached)
        return float(weights @ tail) + (0.0 if upper else under)

    @cached_property
    def _moments(self) -> tuple[float, float]:
        z, weights = normal_nodes()
        f = self.of(self.precision.quantiles(z)[:, None], self.recall.quantiles(z))
        mean = float(weights @ f @ weights)
        return mean, math.sqrt(float(weights @ (f - mean) ** 2 @ weights))

    def of(self, precision: Any, recall: Any) -> Any:
        """Return F of precisions and recalls."""
        whole = self.beta2 * precision + recall
        return np.divide((1 + self.beta2) * precision * recall, whole, out=np.zeros_like(whole),
                         where=whole > 0)  # fmt: skip

    def sample(self, n: int, rng: np.random.Generator) -> Any:
        """Return n draws."""
        p, r = self.precision, self.recall
        return self.of(rng.beta(p.a, p.b, n), rng.beta(r.a, r.b, n))


def prob_greater(a: Posterior, b: Posterior) -> float:
    """Return P(a > b): an integral over the narrower of the two, whichever comes first."""
    narrow, wide = (a.std, a.mean), (b.std, b.mean)
    if narrow == wide:
        return 0.5
    z, weights = normal_nodes()
    weights = weights / weights.sum()
    if narrow < wide:
        return min(float(weights @ b.cdf(a.quantiles(z))), 1.0)
    return min(float(weights @ a.sf(b.quantiles(z))), 1.0)


def difference_interval(a: Posterior, b: Posterior, level: float) -> tuple[float, float]:
    """Return the limits of a - b that leave equal tails."""
    z, weights = normal_nodes()
    weights = weights / weights.sum()
    narrow, wide, sign = (a, b, 1.0) if a.std <= b.std else (b, a, -1.0)
    at = narrow.quantiles(z)

    def above(d: float) -> float:
        """Return P(narrow - wide > d)."""
        return float(weights @ wide.cdf(np.clip(at - d, 0, 1)))

    def limit(tail: float) -> float:
        return float(optimize.brentq(lambda d: above(d) - tail, -1, 1, xtol=1e-13))

    tail = (1 - level) / 2
    low, high = limit(1 - tail), limit(tail)
    return (low, high) if sign > 0 else (-high, -low)


# -- many at once -----------------------------------------------------------------------------

NAMES = ("mean", "std", "low", "high", "above")
_TERMS = 64


def line(one: Posterior, level: float, floor: float | None) -> tuple[float, ...]:
    """Return mean, std, limits, and P(> floor) where there is one."""
    found = (one.mean, one.std, *one.interval(level))
    return found if floor is None else (*found, one.above(floor))


def columns(a: Any, b: Any, level: float, floor: float | None, xp: Any, sp: Any) -> dict[str, Any]:
    """Return the same of many Beta(a, b), as arrays.

    `xp` and `sp` are NumPy and SciPy's special functions, or CuPy and its own.
    """
    tail = (1 - level) / 2
    total = a + b
    made = {
        "mean": a / total,
        "std": xp.sqrt(a * b / (total + 1)) / total,
        "low": sp.betaincinv(a, b, tail),
        "high": 1 - sp.betaincinv(b, a, tail),
    }
    return made if floor is None else {**made, "above": sp.betainc(b, a, 1 - floor)}


def f1_columns(
    a: Any, b: Any, level: float, floor: float | None, xp: Any, sp: Any
) -> dict[str, Any]:
    """Return the same of F1 = 2X / (1 + X), where X is Beta(a, b), the share of true links.

    The moments of 1 / (1 + X) are hypergeometric series whose terms fall by half or faster.
    """
    first, second, term = 0 * a, 0 * a, 0 * a + 1
    for n in range(_TERMS):
        first, second = first + term / 2, second + (n + 1) * term / 4
        term = term * ((b + n) / (a + b + n) / 2)
    tail = (1 - level) / 2
    low, rest = sp.betaincinv(a, b, tail), sp.betaincinv(b, a, tail)
    made = {
        "mean": 2 - 2 * first,
        "std": 2 * xp.sqrt(xp.maximum(second - first * first, 0)),
        "low": 2 * low / (1 + low),
        "high": 1 - rest / (2 - rest),
    }
    if floor is None:
        return made
    return {**made, "above": sp.betainc(b, a, 2 * (1 - floor) / (2 - floor))}
