"""Beta posteriors, and F1 of one sample, by the million."""

from __future__ import annotations

from typing import Any

from berx_gpu.posterior.beta import LEAST
from berx_gpu.posterior.distribution import Posterior

_ROUNDED = 1e-5
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
        inside = left & (high > LEAST) & (high < 1)
        x, p, q = xp.where(inside, high, 0.5), xp.where(inside, a, 1.0), xp.where(inside, b, 1.0)
        for _ in range(2):
            above = sp.betainc(q, p, 1 - x)
            density = xp.exp((p - 1) * xp.log(x) + (q - 1) * xp.log1p(-x) - sp.betaln(p, q))
            x = xp.clip(x + above * xp.log(above / tail) / density, x / 2, (1 + x) / 2)
        high = xp.where(inside, x, high)
        rest = xp.where(inside, 1 - x, rest)
    low, high = (xp.where(x > LEAST, x, 0.0) for x in (low, high))
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
