"""How two posteriors compare: which is greater, and by how much."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
import scipy  # its further modules load when they are first used
from scipy import special

from berx_gpu.arithmetic.quadrature import Place, log_integral, with_corners
from berx_gpu.posterior.distribution import Posterior

_SMALL = math.log(1e-12)


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
    return float(scipy.optimize.brentq(excess, 0.0, most, xtol=1e-18, maxiter=500))


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
