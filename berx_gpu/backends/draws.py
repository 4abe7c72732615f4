"""Tables from which a kernel draws how often each group of units comes.

They are made with + - x / and square roots alone, which every machine rounds in the same way.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from berx_gpu.kernels.resample_rows import GUIDE_BITS

STREAM_VERSION = 1
"""Changes when the same seed would draw other numbers."""
_BITS = 53
_FEW = 64
_ANY = 2**62


class Tables(NamedTuple):
    """What `kernels.resample_rows.replicate_sums` draws from; see there."""

    kinds: Any
    low: Any
    starts: Any
    limits: Any
    guide: Any
    thresholds: Any
    alias: Any
    least: int
    most: int
    purpose: Any


def with_replacement(count: Any) -> Tables:
    """Return the tables of a multinomial draw of as many units as there are.

    Parameters
    ----------
    count : int64 array
        Units of each group, all above 0.
    """
    n = int(count.sum())
    # Drawn at one standard deviation below n, a sum above n is rare enough, and few are missing.
    share = (n - math.sqrt(n)) / n if n >= _FEW else 0.0
    thresholds, alias = _alias(count)
    return _tables(count, lambda c: _poisson(c * share), thresholds, alias, 0, n, 1)


def poisson(count: Any) -> Tables:
    """Return the tables of independent Poisson weights of mean 1, not all of them 0."""
    return _tables(count, lambda c: _poisson(float(c)), *_no_alias(), 1, _ANY, 3)


def signs(count: Any) -> Tables:
    """Return the tables of how many units of each group keep their sign, by fair coins."""
    return _tables(count, _coins, *_no_alias(), 0, _ANY, 5)


TABLES = {"with replacement": with_replacement, "poisson": poisson, "signs": signs}


def key_words(seed: int) -> tuple[Any, Any]:
    """Return the two words of 32 bits of a seed."""
    return np.uint64(seed & 0xFFFFFFFF), np.uint64(seed >> 32)


def _no_alias() -> tuple[Any, Any]:
    return np.zeros(0, np.uint64), np.zeros(0, np.int64)


def _tables(
    count: Any, made: Any, thresholds: Any, alias: Any, least: int, most: int, purpose: int
) -> Tables:
    seen, kinds = np.unique(count, return_inverse=True)
    lows, limits = zip(*(made(int(c)) for c in seen), strict=True)
    grid = np.arange(1 << GUIDE_BITS, dtype=np.uint64) << np.uint64(_BITS - GUIDE_BITS)
    return Tables(
        kinds=kinds.astype(np.int64),
        low=np.array(lows, np.int64),
        starts=np.cumsum([0, *map(len, limits[:-1])], dtype=np.int64),
        limits=np.concatenate(limits),
        guide=np.concatenate([np.searchsorted(t, grid, side="right") for t in limits]),
        thresholds=thresholds,
        alias=alias,
        least=least,
        most=most,
        purpose=np.uint64(purpose),
    )


def _poisson(mean: float) -> tuple[int, Any]:
    """Return the smallest number and the limits of a Poisson distribution."""
    top = int(mean)
    reach = 9 * math.sqrt(mean)
    low, high = max(0, int(top - reach - 9)), int(top + reach + 25) if mean else 0
    return low, _limits(low, top, high, lambda k: mean / k)


def _coins(count: int) -> tuple[int, Any]:
    """Return the smallest number and the limits of the heads of so many fair coins."""
    top = count // 2
    reach = int(5 * math.sqrt(count)) + 9
    low, high = max(0, top - reach), min(count, top + reach)
    return low, _limits(low, top, high, lambda k: (count - k + 1) / k)


def _limits(low: int, top: int, high: int, rise: Any) -> Any:
    """Return the cumulated probabilities of low, ..., high in 53 bits.

    `rise` is the probability of k over that of k - 1; they are added up from the top outwards.
    """
    weights = np.ones(high - low + 1)
    for k in range(top + 1, high + 1):
        weights[k - low] = weights[k - 1 - low] * rise(k)
    for k in range(top, low, -1):
        weights[k - 1 - low] = weights[k - low] / rise(k)
    shares = np.cumsum(weights)
    limits = np.floor(shares / shares[-1] * 2.0**_BITS).astype(np.uint64)
    limits[-1] = np.uint64(1 << _BITS)
    return limits


def _alias(count: Any) -> tuple[Any, Any]:
    """Return Walker's table in whole numbers: thresholds out of n, and the other groups."""
    n, groups = int(count.sum()), len(count)
    rest = [int(c) * groups for c in count]
    thresholds, alias = [n] * groups, list(range(groups))
    small = [g for g in range(groups) if rest[g] < n]
    large = [g for g in range(groups) if rest[g] >= n]
    while small and large:
        little, much = small.pop(), large.pop()
        thresholds[little], alias[little] = rest[little], much
        rest[much] -= n - rest[little]
        (small if rest[much] < n else large).append(much)
    return np.array(thresholds, np.uint64), np.array(alias, np.int64)
