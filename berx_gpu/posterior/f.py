"""Posteriors of F_beta: of one sample, where precision and recall share true links, or of two.

With w = 1 / (1 + beta**2), 1 / F = w / precision + (1 - w) / recall. A tail of F is an integral
over the narrower of two Beta variables, along the line where F is the given value.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
import scipy  # its further modules load when they are first used

from berx_gpu.arithmetic.quadrature import Place, log_integral, with_corners
from berx_gpu.posterior.batches import f1_moments
from berx_gpu.posterior.beta import Beta
from berx_gpu.posterior.distribution import Posterior

_LOG_2 = math.log(2)


def joint(tp: float, fp: float, fn: float, beta: float) -> Posterior:
    """Return F_beta of one sample (Goutte and Gaussier 2005).

    The shares of true, false and missed links are Dirichlet(tp, fp, fn), prior counts included.
    """
    return SharedF1(Beta(tp, fp + fn)) if beta == 1 else JointF(tp, fp, fn, beta)


class SharedF1(Posterior):
    """2X / (1 + X), where X is the share of true links: its odds are twice those of X."""

    def __init__(self, share: Beta) -> None:
        self.share = share
        self.place = share.place[0] + _LOG_2, share.place[1]
        self.mean, self.std = (float(v) for v in f1_moments(share.a, share.b, np))

    def log_density(self, v: Any) -> Any:
        return self.share.log_density(v - _LOG_2)

    def log_cdf(self, v: Any) -> Any:
        return self.share.log_cdf(v - _LOG_2)

    def log_sf(self, v: Any) -> Any:
        return self.share.log_sf(v - _LOG_2)

    def _ppf(self, q: float) -> float:
        x = self.share.ppf(q)
        return 2 * x / (1 + x)

    def _isf(self, q: float) -> float:
        x = self.share.isf(q)
        return 2 * x / (1 + x)

    def sample(self, n: int, rng: np.random.Generator) -> Any:
        """Return n draws."""
        x = rng.beta(self.share.a, self.share.b, n)
        return 2 * x / (1 + x)


class Integrated(Posterior):
    """A posterior whose tails are integrals over one variable, and whose moments are over two."""

    def log_density(self, v: Any) -> Any:
        return np.array([self._log_density(float(one)) for one in v])

    def log_cdf(self, v: Any) -> Any:
        return np.array([self._log_tail(float(one), upper=False) for one in v])

    def log_sf(self, v: Any) -> Any:
        return np.array([self._log_tail(float(one), upper=True) for one in v])

    def _log_density(self, v: float) -> float:
        raise NotImplementedError

    def _log_tail(self, v: float, upper: bool) -> float:
        raise NotImplementedError

    def _lost(self) -> tuple[Any, Any]:
        """Return the odds of 1 - F at nodes of both variables, and the probability of each."""
        raise NotImplementedError

    def ready(self) -> Posterior:
        return self._tabulated

    @cached_property
    def _tabulated(self) -> Posterior:
        return Tabulated(self)

    @cached_property
    def _moments(self) -> tuple[float, float]:
        odds, weights = self._lost()
        with np.errstate(over="ignore", invalid="ignore"):
            f, lost = 1 / (1 + odds), np.where(np.isinf(odds), 1.0, odds / (1 + odds))
        mean, mean_lost = float((weights * f).sum()), float((weights * lost).sum())
        away = f - mean if mean < mean_lost else lost - mean_lost
        return mean, math.sqrt(float((weights * away**2).sum()))

    @property
    def mean(self) -> float:  # type: ignore[override]  # it is worked out when asked for
        """The posterior mean."""
        return self._moments[0]

    @property
    def std(self) -> float:  # type: ignore[override]  # so is this
        """The posterior standard deviation."""
        return self._moments[1]


class IndependentF(Integrated):
    """F_beta of a precision and a recall that know nothing of each other.

    Along F = f the logits are v + log w + log(1 + exp(s)) and v + log(1 - w) + log(1 + exp(-s)),
    with v that of f, for s from -inf to inf: a change of (v, s) is one of the logits, as large.
    """

    def __init__(self, precision: Beta, recall: Beta, beta: float) -> None:
        self.precision, self.recall, self.beta2 = precision, recall, beta * beta
        weights = (-math.log1p(self.beta2), math.log(self.beta2) - math.log1p(self.beta2))
        self._sides = ((precision, weights[0]), (recall, weights[1]))
        (p, log_wp), (r, log_wr) = self._sides
        centre = -float(np.logaddexp(log_wp - p.place[0], log_wr - r.place[0]))
        self.place = centre, min(p.place[1], r.place[1])

    def _log_density(self, v: float) -> float:
        (p, log_wp), (r, log_wr) = self._sides

        def log_f(s: Any) -> Any:
            up, down = np.logaddexp(0, s), np.logaddexp(0, -s)
            return p.log_density(v + log_wp + up) + r.log_density(v + log_wr + down)

        (at_p, width_p), (at_r, width_r) = (_along(side, v) for side in self._sides)
        return log_integral(log_f, *with_corners(((at_p, width_p), (-at_r, width_r)), 0.0))

    def _log_tail(self, v: float, upper: bool) -> float:
        # The one that is decided within less of s is x.
        placed = sorted(((_along(side, v), side) for side in self._sides), key=lambda p: p[0][1])
        ((at_x, width_x), (x, log_wx)), ((at_y, width_y), (y, log_wy)) = placed
        tail = y.log_sf if upper else y.log_cdf

        def log_f(s: Any) -> Any:
            up, down = np.logaddexp(0, s), np.logaddexp(0, -s)
            return x.log_density(v + log_wx + up) - down + tail(v + log_wy + down)

        found = log_integral(log_f, *with_corners(((at_x, width_x), (-at_y, width_y)), 0.0))
        if upper:
            return found
        # Below this x no y reaches f.
        return float(np.logaddexp(found, x.log_cdf(np.array([v + log_wx]))[0]))

    def _lost(self) -> tuple[Any, Any]:
        (x, log_wx), (y, log_wy) = self._sides
        (u, p), (v, q) = x.nodes(), y.nodes()
        with np.errstate(over="ignore"):
            odds = np.exp(log_wx - u)[:, None] + np.exp(log_wy - v)
        return odds, p[:, None] * q

    def of(self, precision: Any, recall: Any) -> Any:
        """Return F of precisions and recalls."""
        whole = self.beta2 * precision + recall
        return np.divide((1 + self.beta2) * precision * recall, whole, out=np.zeros_like(whole),
                         where=whole > 0)  # fmt: skip

    def sample(self, n: int, rng: np.random.Generator) -> Any:
        """Return n draws."""
        p, r = self.precision, self.recall
        return self.of(rng.beta(p.a, p.b, n), rng.beta(r.a, r.b, n))


def _along(side: tuple[Beta, float], v: float) -> Place:
    """Return the s at which v + log w + log(1 + exp(s)) is the logit of a side, and how wide."""
    centre, width = side[0].place
    edge = centre - v - side[1]
    if edge <= 0:
        return 0.0, 1.0
    rise = -math.expm1(-edge)  # of the logit with s
    return edge + math.log(rise), min(width / rise, 1.0)


class JointF(Integrated):
    """F_beta, beta not 1, when precision and recall share their true links.

    The odds of F are those of the share of true links over a cost, the mean of w and 1 - w by the
    shares of false and of missed links among the errors: it rises from the lesser to the greater
    one with the share of the errors that cost more.
    """

    def __init__(self, tp: float, fp: float, fn: float, beta: float) -> None:
        costly, cheap = (fn, fp) if beta > 1 else (fp, fn)
        self.true, self.costly = Beta(tp, fp + fn), Beta(costly, cheap)
        log_beta2, whole = math.log(beta * beta), math.log1p(beta * beta)
        self._least, self._most = min(log_beta2, 0.0) - whole, max(log_beta2, 0.0) - whole
        cost = float(self._log_cost(np.array([self.costly.place[0]]))[0])
        self.place = self.true.place[0] - cost, min(self.true.place[1], self.costly.place[1])

    def _log_cost(self, s: Any) -> Any:
        """Return the logarithm of the cost where the logit of the costly share is s."""
        return np.logaddexp(self._least - np.logaddexp(0, s), self._most - np.logaddexp(0, -s))

    def _log_slope(self, s: Any) -> Any:
        """Return the logarithm of how fast that grows with s."""
        spread = self._most + math.log(-math.expm1(self._least - self._most))
        return spread - np.logaddexp(0, s) - np.logaddexp(0, -s) - self._log_cost(s)

    def _log_density(self, v: float) -> float:
        return log_integral(
            lambda s: self.costly.log_density(s) + self.true.log_density(v + self._log_cost(s)),
            *self._with_corners(self._places(v)),
        )

    def _log_tail(self, v: float, upper: bool) -> float:
        true, costly = self.true, self.costly
        places = self._places(v)
        if places[0][1] <= places[-1][1]:
            log_tail = true.log_sf if upper else true.log_cdf
            return log_integral(
                lambda s: costly.log_density(s) + log_tail(v + self._log_cost(s)),
                *self._with_corners(places),
            )
        other = costly.log_cdf if upper else costly.log_sf

        def log_f(s: Any) -> Any:
            return true.log_density(v + self._log_cost(s)) + self._log_slope(s) + other(s)

        # Beyond the greatest cost, or below the least, the share of true links alone decides.
        sure = true.log_sf(v + self._most) if upper else true.log_cdf(v + self._least)
        found = log_integral(log_f, *self._with_corners(places))
        return float(np.logaddexp(found, sure))

    def _with_corners(self, places: tuple[Place, ...]) -> tuple[Place, ...]:
        """Add where the cost begins and ends to grow."""
        return with_corners(places, 0.0, self._least - self._most)

    def _places(self, v: float) -> tuple[Place, ...]:
        """Return where the costly share is, and where the true share decides, if anywhere."""
        cost = self.true.place[0] - v
        if not self._least < cost < self._most:
            return (self.costly.place,)
        above, below = (math.expm1(cost - self._least), -math.expm1(cost - self._most))
        s = self._least - self._most + math.log(above) - math.log(below)
        slope = math.exp(float(self._log_slope(np.array([s]))[0]))
        return self.costly.place, (s, min(self.true.place[1] / slope, 1.0))

    def _lost(self) -> tuple[Any, Any]:
        (u, p), (s, q) = self.true.nodes(), self.costly.nodes()
        with np.errstate(over="ignore"):
            odds = np.exp(self._log_cost(s) - u[:, None])
        return odds, p[:, None] * q

    def sample(self, n: int, rng: np.random.Generator) -> Any:
        """Return n draws."""
        x = rng.beta(self.true.a, self.true.b, n)
        costly = rng.beta(self.costly.a, self.costly.b, n)
        cost = math.exp(self._least) * (1 - costly) + math.exp(self._most) * costly
        return x / (x + (1 - x) * cost)


class Tabulated(Posterior):
    """Another posterior by polynomials through 128 of its values, for those who ask often.

    Chances come out right to 1e-8; to 1e-4 where a prior of nearly nothing meets a count of 0, and
    the value is 0 or 1 but for a corner.
    """

    _SIZE = 128
    _DEEP = 45.0

    def __init__(self, of: Integrated) -> None:
        self._of = of
        self.mean, self.std, self.place = of.mean, of.std, of.place
        self._ends = self._end(-1.0), self._end(1.0)
        t = np.cos(np.pi * (np.arange(self._SIZE) + 0.5) / self._SIZE)
        low, high = self._ends
        self._t = (low + high) / 2 + (high - low) / 2 * t

    @cached_property
    def _density(self) -> Any:
        return self._through(self._of.log_density)

    @cached_property
    def _cdf(self) -> Any:
        return self._through(self._of.log_cdf)

    @cached_property
    def _sf(self) -> Any:
        return self._through(self._of.log_sf)

    def _through(self, log_of: Callable[[Any], Any]) -> Any:
        # SciPy would make the weights of these points in a random order, with other last bits.
        k = np.arange(self._SIZE)
        weights = (-1.0) ** k * np.sin(np.pi * (k + 0.5) / self._SIZE)
        values = log_of(self._v(self._t))
        return scipy.interpolate.BarycentricInterpolator(self._t, values, wi=weights)

    def _v(self, t: Any) -> Any:
        return self.place[0] + self.place[1] * np.sinh(t)

    def _end(self, sign: float) -> float:
        """Return how far out values count, as the t of centre + width sinh(t)."""
        least, t = self._of._log_density(self.place[0]) - self._DEEP, 0.25
        while self._of._log_density(float(self._v(sign * t))) > least:
            t += 0.25
        return sign * t

    def _read(self, polynomial: Any, v: Any, below: float, above: float) -> Any:
        t = np.arcsinh((v - self.place[0]) / self.place[1])
        low, high = self._ends
        found = polynomial(np.clip(t, low, high))
        return np.where(t < low, below, np.where(t > high, above, found))

    def log_density(self, v: Any) -> Any:
        return self._read(self._density, v, -np.inf, -np.inf)

    def log_cdf(self, v: Any) -> Any:
        return np.minimum(self._read(self._cdf, v, -np.inf, 0.0), 0.0)

    def log_sf(self, v: Any) -> Any:
        return np.minimum(self._read(self._sf, v, 0.0, -np.inf), 0.0)
