"""Populations of entities, as counts of true, predicted and all true links."""

from collections.abc import Callable
from typing import Any

import numpy as np

Counts = tuple[Any, Any, Any]


def _linked(rng: Any, n_true: Any, found: float, false: float, singletons: float) -> Counts:
    """Return tp, n_pred and n_true where links are found, and false ones added, one by one."""
    tp = rng.binomial(n_true, found)
    added = np.where(n_true > 0, rng.poisson(false * n_true), rng.random(len(n_true)) < singletons)
    return tp, tp + added, n_true


def brief(rng: Any, n: int) -> Counts:
    """Return entities with a few true links each, 98 % of the links right."""
    return _linked(rng, 1 + rng.poisson(2.4, n), 0.95, 0.02, 0)


def clean(rng: Any, n: int) -> Counts:
    """Return the same, nearly perfect: one entity in fifty fails."""
    return _linked(rng, 1 + rng.poisson(2.4, n), 0.997, 0.003, 0)


def heavy(rng: Any, n: int) -> Counts:
    """Return entities with up to 50 links by a power law, three in ten of them singletons."""
    sizes = np.arange(1, 51)
    share = sizes**-1.6
    n_true = rng.choice(sizes, n, p=share / share.sum()) * (rng.random(n) > 0.3)
    return _linked(rng, n_true, 0.97, 0.02, 0.01)


def huge_failures(rng: Any, n: int) -> Counts:
    """Return entities of which half lack one of forty links, and one in two hundred fails.

    The others are singletons left alone.
    """
    flawed = rng.random(n) < 0.5
    failed = rng.random(n) < 0.005
    n_true = np.where(flawed, 40, 0)
    tp = np.where(flawed, 39, 0)
    n_pred = np.where(failed, 50, tp)
    return np.where(failed, 0, tp), n_pred, n_true


def right_or_wrong(rng: Any, n: int) -> Counts:
    """Return entities with one true link, 3 % of them wrong."""
    right = rng.random(n) < 0.97
    one = np.ones(n, np.int64)
    return right.astype(np.int64), one, one


def hub(rng: Any, n: int) -> Counts:
    """Return brief entities, one in a thousand with thirty false links."""
    tp, n_pred, n_true = brief(rng, n)
    return tp, n_pred + 30 * (rng.random(n) < 0.001), n_true


POPULATIONS: dict[str, Callable[[Any, int], Counts]] = {
    "brief": brief,
    "clean": clean,
    "heavy": heavy,
    "few huge failures": huge_failures,
    "right or wrong": right_or_wrong,
    "a rare hub": hub,
}
