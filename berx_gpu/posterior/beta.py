"""The Beta distribution, right in every tail."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy  # its further modules load when they are first used
from scipy import special

from berx_gpu.arithmetic.quadrature import nodes
from berx_gpu.posterior.distribution import Posterior

LEAST = 2.3e-308
"""SciPy's quantiles end here, whatever the right one is."""


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
        return x if x > LEAST else 0.0

    def _isf(self, q: float) -> float:
        x = float(special.betainccinv(self.a, self.b, q))
        return x if x > LEAST else 0.0

    def interval(self, level: float) -> tuple[float, float]:
        low, high = super().interval(level)
        return min(low, high), high  # both may be below the smallest float

    def frozen(self) -> Any:
        """Return SciPy's own object of the distribution."""
        return scipy.stats.beta(self.a, self.b)


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
