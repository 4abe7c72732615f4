"""Limits from replicates: percentile, BCa and Poisson bootstraps, and a test by flipped signs."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from scipy import special

from berx_gpu.backends.backend import Backend
from berx_gpu.options import seed_of, whole_number

METHODS = ("bca", "percentile", "poisson")
_FINEST = 40
_ROOM = 62
_RESAMPLES = (100, 100_000_000)
"""The fewest replicates, and the most."""


class Draws(NamedTuple):
    """How many replicates to draw, and their seed."""

    n_resamples: int
    seed: int

    @classmethod
    def of(cls, n_resamples: Any, rng: Any) -> Draws:
        """Return the draws that two options ask for."""
        return cls(whole_number("n_resamples", n_resamples, *_RESAMPLES), seed_of(rng))


def limits(
    method: str, num: Any, den: Any, count: Any, level: float, draws: Draws, backend: Backend
) -> tuple[float, float, float]:
    """Return the lower and the upper limit of sum(num) / sum(den), and its standard error.

    Parameters
    ----------
    method : {"bca", "percentile", "poisson"}
    num, den, count : float64 array
        Of the distinct units, and how many are like each.
    level : float
    draws : Draws
    backend : Backend
    """
    how = "poisson" if method == "poisson" else "with replacement"
    drawn = replicates(how, num, den, count, draws, backend)
    error = float(drawn.std(ddof=1))
    shares = np.array([(1 - level) / 2, (1 + level) / 2])
    if method == "bca":
        shares = _corrected(shares, drawn, num, den, count)
    low, high = np.quantile(drawn, shares)
    return float(low), float(high), error


def replicates(how: str, num: Any, den: Any, count: Any, draws: Draws, backend: Backend) -> Any:
    """Return sum(num) / sum(den) of every replicate."""
    most = max(float(np.abs(num).max()), float(den.max()), 1.0) * float(count.sum())
    fine = min(_FINEST, _ROOM - math.ceil(math.log2(most)))
    above, below = (np.rint(np.ldexp(part, fine)).astype(np.int64) for part in (num, den))
    sums = backend.resample(how, count.astype(np.int64), above, below, *draws)
    return sums[:, 0] / sums[:, 1]


def _corrected(shares: Any, drawn: Any, num: Any, den: Any, count: Any) -> Any:
    """Return the shares of replicates that BCa cuts off (Efron 1987)."""
    estimate = (num * count).sum() / (den * count).sum()
    same = np.isclose(drawn, estimate, rtol=1e-12, atol=0)
    below = ((drawn < estimate) & ~same).mean() + same.mean() / 2
    edge = 0.5 / len(drawn)
    bias = special.ndtri(min(max(below, edge), 1 - edge))
    moved = bias + special.ndtri(shares)
    spread = 1 - acceleration(num, den, count) * moved
    with np.errstate(divide="ignore", invalid="ignore"):
        inside = special.ndtr(bias + moved / spread)
    return np.where(spread > 0, inside, moved > 0)


def acceleration(num: Any, den: Any, count: Any) -> float:
    """Return BCa's acceleration of sum(num) / sum(den): the skewness of the jackknife over 6."""
    without = ((num * count).sum() - num) / ((den * count).sum() - den)
    away = (without * count).sum() / count.sum() - without
    square = float((count * away * away).sum())
    return float((count * away**3).sum()) / (6 * square**1.5) if square else 0.0


def sign_flip_p(values: Any, count: Any, draws: Draws, backend: Backend) -> float:
    """Return how often a sum of differences, each with a fair coin's sign, is as far from 0.

    Parameters
    ----------
    values : float64 array
        Distinct differences.
    count : float64 array
        How many units have each.
    draws : Draws
    backend : Backend

    Returns
    -------
    float
        (1 + replicates as far) / (1 + n_resamples); 1 where all differences are 0.
    """
    size, which = np.unique(np.abs(values[values != 0]), return_inverse=True)
    if not len(size):
        return 1.0
    n = np.bincount(which, weights=count[values != 0])
    fine = min(_FINEST, _ROOM - 1 - math.ceil(math.log2(max(float((size * n).sum()), 1.0))))
    whole = np.rint(np.ldexp(size, fine)).astype(np.int64)
    n = n.astype(np.int64)
    kept = backend.resample("signs", n, 2 * whole, np.zeros_like(whole), *draws)[:, 0]
    weighed = np.rint(np.ldexp(values, fine)) * count
    seen, all_of_them = abs(int(weighed.sum())), int((whole * n).sum())
    return float(1 + (np.abs(kept - all_of_them) >= seen).sum()) / (1 + draws.n_resamples)
