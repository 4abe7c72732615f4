"""A posterior on [0, 1]: what can be asked of it.

Distributions are handled by the logit of their value, v = log(x / (1 - x)): there a Beta density
has one peak and smooth sides, and neither x nor 1 - x is rounded away.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
import scipy  # its further modules load when they are first used
from scipy import special

from berx_gpu.arithmetic.quadrature import Place
from berx_gpu.errors import DataError

_FURTHEST = 745.0
"""Logits beyond it are those of 0 and 1, as floats go."""


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
        return tail_at(x, self.log_cdf, 0.0)

    def sf(self, x: Any) -> Any:
        """Return P(value > x) for each x of an array, also where it is tiny."""
        return tail_at(x, self.log_sf, 1.0)

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
        return float(
            special.expit(scipy.optimize.brentq(excess, start, end, xtol=1e-14, maxiter=500))
        )

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

        found = scipy.optimize.minimize_scalar(
            width, bounds=(0, 1 - level), method="bounded", options={"xatol": 1e-12}
        ).x
        return limits(min((0.0, float(found), 1 - level), key=width))


def _chance(q: float) -> float:
    if not 0 <= q <= 1:
        raise DataError(f"q={q!r}: give a probability between 0 and 1")
    return float(q)


def tail_at(x: Any, log_tail: Any, at_zero: float) -> Any:
    """Return a tail at values of [0, 1], the ends and what lies beyond them included."""
    try:
        x = np.asarray(x, np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"{x!r} is no array of numbers") from error
    tail = np.where(np.isnan(x), np.nan, np.where(x <= 0, at_zero, 1 - at_zero))
    inside = (x > 0) & (x < 1)
    tail[inside] = np.minimum(np.exp(log_tail(special.logit(x[inside]))), 1.0)
    return tail
