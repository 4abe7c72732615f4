"""Beta posteriors, how two posteriors compare, and Beta posteriors by the million.

Distributions are handled by the logit of their value, v = log(x / (1 - x)): there a Beta density
has one peak and smooth sides, and neither x nor 1 - x is rounded away.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
from scipy import optimize, special, stats

from berx_gpu._quadrature import Place, log_integral, nodes, with_corners
from berx_gpu.errors import DataError

_ROUNDED = 1e-5
_LEAST = 2.3e-308
"""SciPy's quantiles end here, whatever the right one is."""
_FURTHEST = 745.0
"""Logits beyond it are those of 0 and 1, as floats go."""


_SMALL = math.log(1e-12)


class Posterior:
    """A distribution on [0, 1] that can be asked for its tails and quantiles.

    `place` says roughly where the logit is, and how wide.
    """

    mean: float
    std: float
    place: Place

    def log_density(self, v: Any) -> Any:
        """Return the logarithm of the density of the logit at each v of an array."""
        raise NotImplementedError

    def log_cdf(self, v: Any) -> Any:
        """Return log P(logit <= v) for each v of an array."""
        raise NotImplementedError

    def log_sf(self, v: Any) -> Any:
        """Return log P(logit > v) for each v of an array."""
        raise NotImplementedError

    def ready(self) -> Posterior:
        """Return the same distribution, quick to ask for many values."""
        return self

    def cdf(self, x: Any) -> Any:
        """Return P(value <= x) for each x of an array."""
        return _at(x, self.log_cdf, 0.0)

    def sf(self, x: Any) -> Any:
        """Return P(value > x) for each x of an array, also where it is tiny."""
        return _at(x, self.log_sf, 1.0)

    def above(self, x: float) -> float:
        """Return P(value > x)."""
        return float(self.sf(np.array([x]))[0])

    def ppf(self, q: float) -> float:
        """Return the value that the distribution is below with probability q."""
        return self._ppf(_chance(q))

    def isf(self, q: float) -> float:
        """Return the value that the distribution is above with probability q."""
        return self._isf(_chance(q))

    def _ppf(self, q: float) -> float:
        return self._where(self.log_cdf, q, 1.0) if q <= 0.5 else self._isf(1 - q)

    def _isf(self, q: float) -> float:
        return self._where(self.log_sf, q, -1.0) if q <= 0.5 else self._ppf(1 - q)

    def _where(self, log_tail: Any, q: float, sign: float) -> float:
        """Return where a tail, which rises (1) or falls (-1) with the value, is q."""
        if q <= 0:
            return float(sign < 0)

        @cache
        def excess(v: float) -> float:
            found = float(log_tail(np.array([v]))[0])
            return sign * (max(found, -1e6) - math.log(q))

        centre, width = self.place
        start = min(max(centre, -_FURTHEST), _FURTHEST)
        step = -2 * width if excess(start) > 0 else 2 * width
        end = start
        while excess(end) * step < 0:
            if abs(end) == _FURTHEST and end * step > 0:
                return float(step > 0)
            start, end = end, min(max(end + step, -_FURTHEST), _FURTHEST)
            step *= 2
        return float(special.expit(optimize.brentq(excess, start, end, xtol=1e-14, maxiter=500)))

    def interval(self, level: float) -> tuple[float, float]:
        """Return the limits that leave equal tails."""
        tail = (1 - level) / 2
        return self.ppf(tail), self.isf(tail)

    def highest(self, level: float) -> tuple[float, float]:
        """Return the shortest interval with this probability."""

        def limits(low: float) -> tuple[float, float]:
            return self.ppf(low), self.isf(max(1 - level - low, 0.0))

        def width(low: float) -> float:
            start, stop = limits(low)
            return stop - start

        found = optimize.minimize_scalar(
            width, bounds=(0, 1 - level), method="bounded", options={"xatol": 1e-12}
        ).x
        return limits(min((0.0, float(found), 1 - level), key=width))


def _chance(q: float) -> float:
    if not 0 <= q <= 1:
        raise DataError(f"q={q!r}: give a probability between 0 and 1")
    return float(q)


def _at(x: Any, log_tail: Any, at_zero: float) -> Any:
    """Return a tail at values of [0, 1], the ends and what lies beyond them included."""
    try:
        x = np.asarray(x, np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"{x!r} is no array of numbers") from error
    tail = np.where(np.isnan(x), np.nan, np.where(x <= 0, at_zero, 1 - at_zero))
    inside = (x > 0) & (x < 1)
    tail[inside] = np.minimum(np.exp(log_tail(special.logit(x[inside]))), 1.0)
    return tail


class Beta(Posterior):
    """Beta(a, b)."""

    def __init__(self, a: float, b: float) -> None:
        self.a, self.b = float(a), float(b)
        self.mean = a / (a + b)
        self.std = math.sqrt(self.mean * (b / (a + b)) / (a + b + 1))
        corner = math.log((a + 1) / (b + 1))  # of a density without a peak
        self.place = corner, min(math.sqrt((a + b) / a / b), 1.0)
        self._log_peak = 0.0  # so that all sums to 1, without gamma functions that cancel
        logs = nodes(self.log_density, self.place)[1]
        self._log_peak = -float(special.logsumexp(logs))

    def log_density(self, v: Any) -> Any:
        a, b = self.a, self.b
        p, q, away = a / (a + b), b / (a + b), v - math.log(a / b)
        return self._log_peak - a * _log_mean_exp(p, q, -away) - b * _log_mean_exp(q, p, away)

    def log_cdf(self, v: Any) -> Any:
        return _log_tail(self.a, self.b, v)

    def log_sf(self, v: Any) -> Any:
        return _log_tail(self.b, self.a, -v)

    def nodes(self) -> tuple[Any, Any]:
        """Return logits and the probability of each, for means over the distribution."""
        v, logs = nodes(self.log_density, self.place)
        weights = np.exp(logs - logs.max())
        return v, weights / weights.sum()

    def _ppf(self, q: float) -> float:
        x = float(special.betaincinv(self.a, self.b, q))
        return x if x > _LEAST else 0.0

    def _isf(self, q: float) -> float:
        x = float(special.betainccinv(self.a, self.b, q))
        return x if x > _LEAST else 0.0

    def interval(self, level: float) -> tuple[float, float]:
        low, high = super().interval(level)
        return min(low, high), high  # both may be below the smallest float

    def frozen(self) -> Any:
        """Return SciPy's own object of the distribution."""
        return stats.beta(self.a, self.b)


def _log_mean_exp(p: float, q: float, y: Any) -> Any:
    """Return log(p + q exp(y)) with p + q = 1, exact near 0 and for any size of y."""
    near = np.log1p(q * np.expm1(np.clip(y, -1.0, 30.0)))
    high = np.maximum(y, 30.0)
    found = np.where(y <= 30, near, high + np.log(q + p * np.exp(-high)))
    low = np.minimum(y, -1.0)
    below = np.log1p(q * np.expm1(low)) if q < 0.5 else np.logaddexp(math.log(p), math.log(q) + low)
    return np.where(y < -1, below, found)


def _log_tail(a: float, b: float, v: Any) -> Any:
    """Return log P(logit <= v) for Beta(a, b)."""
    low, high = -37 - math.log(max(b, 1.0)), 37 + math.log(max(a, 1.0))
    v = np.asarray(v, np.float64)
    under, over = v < low, v > high
    left, right = (v <= 0) & ~under, (v > 0) & ~over
    logs = np.empty_like(v)
    with np.errstate(divide="ignore"):
        logs[left] = np.log(special.betainc(a, b, special.expit(v[left])))
        logs[right] = np.log(special.betaincc(b, a, special.expit(-v[right])))
        # The power series of a tail starts with x**a / (a B(a, b)), all there is for the least x.
        logs[under] = a * v[under] - _log_scaled(b, a)
        beyond = -_log_scaled(a, b) - b * v[over]
        logs[over] = np.log(-np.expm1(np.minimum(beyond, 0.0)))
    return logs


def _log_scaled(a: float, b: float) -> float:
    """Return log(b B(a, b)), also where b is so small that B(a, b) is nearly 1 / b."""
    if b > 1:
        return float(special.betaln(a, b)) + math.log(b)
    return float(special.gammaln(1 + b) - np.log(special.poch(a, b)))


# -- two posteriors ---------------------------------------------------------------------------


def prob_greater(a: Posterior, b: Posterior) -> float:
    """Return P(a > b): an integral over the narrower of the two, whichever comes first."""
    found = _log_greater(a.ready(), b.ready())
    if found < _SMALL:  # where quick tails end
        found = _log_greater(a, b)
    return min(math.exp(found), 1.0)


def _log_greater(a: Posterior, b: Posterior) -> float:
    if a.place[1] <= b.place[1]:
        return log_integral(lambda v: a.log_density(v) + b.log_cdf(v), a.place, b.place)
    return log_integral(lambda v: b.log_density(v) + a.log_sf(v), a.place, b.place)


def difference_interval(a: Posterior, b: Posterior, level: float) -> tuple[float, float]:
    """Return the limits of a - b that leave equal tails."""
    a, b = a.ready(), b.ready()
    tail = (1 - level) / 2
    return 0.0 - _limit(b, a, tail), _limit(a, b, tail)


def _limit(a: Posterior, b: Posterior, tail: float) -> float:
    """Return the d with P(a - b > d) = tail."""
    if _log_beyond(a, b, 0.0) >= math.log(tail):
        return _difference(a, b, tail)
    return 0.0 - _difference(b, a, 1 - tail)


def _difference(a: Posterior, b: Posterior, tail: float) -> float:
    """Return the d in [0, 1] with P(a - b > d) = tail."""

    @cache
    def excess(d: float) -> float:
        return max(_log_beyond(a, b, d), -1e6) - math.log(tail)

    most = 1.0 - 2.0**-53
    if excess(0.0) <= 0:
        return 0.0
    if excess(most) >= 0:
        return 1.0
    return float(optimize.brentq(excess, 0.0, most, xtol=1e-18, maxiter=500))


def _log_beyond(a: Posterior, b: Posterior, d: float) -> float:
    """Return log P(a - b > d) for a d in [0, 1): an integral over s, a = d + (1 - d) expit(s)."""
    if d == 0:
        found = prob_greater(a, b)
        return math.log(found) if found else -math.inf
    log_d, rest = math.log(d), math.log1p(-d)
    places = _place(a, d, a_side=True), _place(b, d, a_side=False)
    of_a = places[0][1] <= places[1][1]

    def log_f(s: Any) -> Any:
        up, down = -np.logaddexp(0, -s), -np.logaddexp(0, s)  # log expit(s), log expit(-s)
        log_a, log_not_a = np.logaddexp(log_d, rest + up), rest + down
        log_b, log_not_b = rest + up, np.logaddexp(log_d, rest + down)
        if of_a:
            dense, other = a.log_density(log_a - log_not_a), b.log_cdf(log_b - log_not_b)
            return dense + other + rest + up + down - log_a - log_not_a
        dense, other = b.log_density(log_b - log_not_b), a.log_sf(log_a - log_not_a)
        return dense + other + rest + up + down - log_b - log_not_b

    small = log_d - rest
    return log_integral(log_f, *with_corners(places, 0.0, small, -small))


def _place(one: Posterior, d: float, a_side: bool) -> Place:
    """Return the s at which a posterior of `_log_beyond` is, and how wide it is there."""
    centre, width = one.place
    x = float(special.expit(centre))
    share = (x - d if a_side else x) / (1 - d)
    if not 0 < share < 1:
        return 0.0, 1.0
    slower = x / share if a_side else (1 - x) / (1 - share)
    return float(special.logit(share)), min(width * slower, 1.0)


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
    total = a + b
    low, high, _ = _limits(a, b, level, xp, sp)
    made = {"mean": a / total, "std": xp.sqrt(a / total * (b / total) / (total + 1))}
    made |= {"low": low, "high": high}
    return made if floor is None else {**made, "above": sp.betainc(b, a, 1 - floor)}


def f1_columns(
    a: Any, b: Any, level: float, floor: float | None, xp: Any, sp: Any
) -> dict[str, Any]:
    """Return the same of F1 = 2X / (1 + X), where X is Beta(a, b), the share of true links."""
    low, high, rest = _limits(a, b, level, xp, sp)
    mean, std = f1_moments(a, b, xp)
    made = {"mean": mean, "std": std, "low": 2 * low / (1 + low)}
    made["high"] = xp.where(high < 0.5, 2 * high / (1 + high), 1 - rest / (2 - rest))
    if floor is None:
        return made
    return {**made, "above": sp.betainc(b, a, 2 * (1 - floor) / (2 - floor))}


def _limits(a: Any, b: Any, level: float, xp: Any, sp: Any) -> tuple[Any, Any, Any]:
    """Return the limits of many Beta(a, b), and 1 minus the upper one, neither rounded away."""
    tail, left = (1 - level) / 2, a < b
    low = sp.betaincinv(a, b, tail)
    near = sp.betaincinv(xp.where(left, a, b), xp.where(left, b, a), xp.where(left, 1 - tail, tail))
    high, rest = xp.where(left, near, 1 - near), xp.where(left, 1 - near, near)
    if tail < _ROUNDED:  # 1 - tail is rounded: two steps of Newton's rule for the logarithm
        inside = left & (high > _LEAST) & (high < 1)
        x, p, q = xp.where(inside, high, 0.5), xp.where(inside, a, 1.0), xp.where(inside, b, 1.0)
        for _ in range(2):
            above = sp.betainc(q, p, 1 - x)
            density = xp.exp((p - 1) * xp.log(x) + (q - 1) * xp.log1p(-x) - sp.betaln(p, q))
            x = xp.clip(x + above * xp.log(above / tail) / density, x / 2, (1 + x) / 2)
        high = xp.where(inside, x, high)
        rest = xp.where(inside, 1 - x, rest)
    low, high = (xp.where(x > _LEAST, x, 0.0) for x in (low, high))
    return xp.minimum(low, high), high, rest


def f1_moments(a: Any, b: Any, xp: Any) -> tuple[Any, Any]:
    """Return mean and standard deviation of 2X / (1 + X), where X is Beta(a, b).

    E[g(X) X] = m E[g(X')] with X' of Beta(a + 1, b) gives the mean as a series without a minus. So
    does Stein's identity E[(X - m) g(X)] = E[X (1 - X) g'(X)] / (a + b) for the two parts of the
    variance of 1 / (1 + X) = c + (c - 1 / (1 + X)), c = 1 / (1 + m), none of which cancels.
    """
    m, n = a / (a + b), a + b
    small = m * (b / n) / (n + 1)
    mean = 2 * m * _mean_power(a + 1, b, 1)
    squared = _mean_power(a + 1, b + 1, 3, m)
    shift = small / (1 + m) * _mean_power(a + 1, b + 1, 2)
    return mean, 2 * xp.sqrt(xp.maximum(small * squared / (1 + m) ** 2 - shift * shift, 0))


def _mean_power(a: Any, b: Any, k: int, m: Any = None) -> Any:
    """Return E[(1 + X)**-k] of Beta(a, b), or E[(1 - X + 2 m) (1 + X)**-k] given m.

    With Z = 1 - X it is the series of (2 - Z)**-k, whose terms fall by half or faster.
    """
    term, found = 0 * a + 0.5**k, 0 * a
    for n in range(_TERMS):
        after = (b + n) / (a + b + n)  # E[Z**(n + 1)] over E[Z**n]
        found = found + (term if m is None else term * (after + 2 * m))
        term = term * (after * ((n + k) / (n + 1) / 2))
    return found
