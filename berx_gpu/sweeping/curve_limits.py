"""Limits that hold for a whole curve of thresholds at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import scipy  # its further modules load when they are first used
from scipy import special

from berx_gpu.errors import DataError, counted
from berx_gpu.evaluation.limits import limits_of_mean
from berx_gpu.inputs.columns import build_frame
from berx_gpu.options import confidence, seed_of, whole_number
from berx_gpu.sweeping import points
from berx_gpu.sweeping.curve import PolicyCurve, SweepData

_DRAWS = 40_000


class _Changes(NamedTuple):
    """Where F of an entity changes along some points of a curve, and the F that it changes to.

    Sorted by entity, and by point within it; every entity starts at point 0.
    """

    entity: Any
    point: Any
    fbeta: Any
    n_entities: int
    n_points: int


def limits_of(
    result: PolicyCurve, n: int = 100, confidence_level: float = 0.95, rng: Any = None
) -> Any:
    """Return limits that hold for the whole curve as a frame, see `Sweep.curve_limits`."""
    level, n, seed = confidence(confidence_level), whole_number("n", n, 2), seed_of(rng)
    data = result.data
    if data.truth.n_entities < 2:
        few = counted(data.truth.n_entities, "entity", "entities")
        raise DataError(f"limits over {few}: they need two or more")
    backend = data.truth.backend()
    mask = result.kept(backend.xp)
    levels, macro, *_ = points.points(data, mask, backend)
    rows = np.unique(np.linspace(0, len(levels) - 1, n).round().astype(np.int64))
    changes = _changes(data, mask, levels[rows[1:]])
    reach = max(_reach(changes, level, seed), float(special.ndtri((1 + level) / 2)))
    each = float(2 * special.ndtr(reach) - 1)
    limits = np.array([limits_of_mean(*units, each) for units in _units(changes)])
    columns = [
        ("threshold", points.as_floats(levels)[rows]),
        ("macro_fbeta", macro[rows]),
        ("low", limits[:, 0]),
        ("high", limits[:, 1]),
    ]
    return build_frame(columns, data.library)


def _changes(data: SweepData, mask: Any, levels: Any) -> _Changes:
    """Return the changes of F along the scores of some points; point 0 is without any link."""
    backend = data.truth.backend()
    xp, host = backend.xp, backend.to_host
    at = xp.flatnonzero(mask)
    codes, hit = (host(part[at]).astype(np.int64) for part in (data.links.codes, data.hit))
    on_host = replace(data.scale, xp=np)
    drops, ends = on_host.drops(host(data.scores[at])), on_host.drops(levels)
    n, n_points = data.truth.n_entities, len(levels) + 1
    point = np.searchsorted(ends, drops, side="left") + 1
    inside = point <= len(levels)
    codes, hit, point = codes[inside], hit[inside], point[inside]
    # Every entity has a state at point 0, without a link.
    key = np.concatenate([np.arange(n) * n_points, codes * n_points + point])
    state, event = np.unique(key, return_inverse=True)
    links = np.concatenate([np.zeros(n), np.ones(len(codes))])
    hits = np.concatenate([np.zeros(n), hit])
    entity = state // n_points
    first = np.searchsorted(entity, np.arange(n))

    def so_far(counts: Any) -> Any:
        total = np.cumsum(np.bincount(event, weights=counts).astype(np.int64))
        return total - total[first][entity]

    counts = (so_far(hits), so_far(links), host(data.truth.n_true_each)[entity])
    fbeta = host(backend.fbeta(*map(xp.asarray, counts), data.beta))
    return _Changes(entity, state % n_points, fbeta, n, n_points)


def _reach(changes: _Changes, level: float, seed: int) -> float:
    """Return how many standard errors the whole curve stays within, with some confidence.

    From draws of a normal curve with the covariance of the entities' curves.
    """
    n = changes.n_entities
    step = np.diff(changes.fbeta, prepend=0.0)
    step[changes.point == 0] = changes.fbeta[changes.point == 0]
    steps = scipy.sparse.csr_array(
        (step, (changes.entity, changes.point)), shape=(n, changes.n_points)
    )
    products = np.cumsum(np.cumsum((steps.T @ steps).toarray(), axis=0), axis=1) / n
    mean = np.cumsum(steps.sum(axis=0)) / n
    covariance = products - np.outer(mean, mean)
    spread = np.sqrt(np.maximum(np.diag(covariance), 0))
    some = spread > 1e-9
    if not some.any():
        return 0.0
    correlation = covariance[np.ix_(some, some)] / np.outer(spread[some], spread[some])
    sizes, axes = np.linalg.eigh(correlation)
    root = axes * np.sqrt(np.maximum(sizes, 0))
    draws = np.random.default_rng(seed).standard_normal((_DRAWS, len(root)))
    return float(np.quantile(np.abs(draws @ root.T).max(axis=1), level))


def _units(changes: _Changes) -> Iterator[tuple[Any, Any]]:
    """Yield the distinct F, and how many entities have each, at every point."""
    values, which = np.unique(changes.fbeta, return_inverse=True)
    order = np.argsort(changes.point, kind="stable")
    ends = np.searchsorted(changes.point[order], np.arange(changes.n_points), side="right")
    before = np.append(-1, which[:-1])
    count = np.zeros(len(values), np.int64)
    start = 0
    for end in ends:
        here = order[start:end]
        count += np.bincount(which[here], minlength=len(values))
        if start:
            count -= np.bincount(before[here], minlength=len(values))
        start = end
        yield values[count > 0], count[count > 0]
