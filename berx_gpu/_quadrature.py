"""Integrals over the whole line of functions with one peak, right where they are tiny, too.

Functions are given by their logarithm. Points lie at peak + scale sinh(t) for even steps of t:
dense at the peak, and far out on either side in few steps, so that one rule serves a peak of width
1e-8 and a plateau of length 1e9. The sum over even steps of a smooth function that falls off at
both ends is wrong by exp(-c / step) only (Trefethen and Weideman 2014).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

_STEP = 1 / 32
_COARSE = 1 / 8
_REACHES = (4, 12, 60)
"""How far to look for the peak and the ends: nearly all are close by."""
_DEEP = 42.0
"""How many powers of e below the peak a point may lie and still count."""


def log_integral(log_f: Callable[[Any], Any], centre: float, width: float) -> float:
    """Return the logarithm of the integral, -inf for nothing.

    Parameters
    ----------
    log_f : callable
        The logarithm of the function at an array of points.
    centre, width : float
        Roughly where to look for the peak, and how fine.
    """
    _, logs = nodes(log_f, centre, width)
    top = logs.max()
    return float(top + np.log(np.exp(logs - top).sum())) if top > -np.inf else -np.inf


def nodes(log_f: Callable[[Any], Any], centre: float, width: float) -> tuple[Any, Any]:
    """Return points around the peak, and the logarithm of what each adds to the integral.

    They are densest at `centre` where coarse steps from there show the whole peak, which the fine
    ones then do four times as well, and at the peak itself elsewhere.
    """
    t, logs = _look(log_f, centre, width)
    i = int(np.argmax(logs))
    if logs[i] > -np.inf and not _whole(logs, i):
        centre, width = _peak(log_f, centre + width * np.sinh(t[max(i - 1, 0) : i + 2]))
        t, logs = _look(log_f, centre, width)
    logs = logs + np.log(np.cosh(t))
    seen = np.flatnonzero(logs > logs.max() - _DEEP)
    if not len(seen):
        return t[:1], logs[:1]
    low, high = t[max(seen[0] - 1, 0)], t[min(seen[-1] + 1, len(t) - 1)]
    t = low + _STEP * np.arange(round((high - low) / _STEP) + 1)
    points = centre + width * np.sinh(t)
    return points, log_f(points) + np.log(width * _STEP * np.cosh(t))


def _look(log_f: Callable[[Any], Any], centre: float, width: float) -> tuple[Any, Any]:
    """Return steps of t, and the function there, as far out as it counts."""
    for reach in _REACHES:
        t = np.arange(-reach, reach + _COARSE, _COARSE)
        logs = log_f(centre + width * np.sinh(t))
        if max(logs[0], logs[-1]) + reach < logs.max() - _DEEP:
            break
    return t, logs


def _whole(logs: Any, i: int) -> bool:
    """Say whether the points beside the highest one, i, are nearly as high."""
    return bool(min(logs[max(i - 1, 0)], logs[min(i + 1, len(logs) - 1)]) > logs[i] - 1)


def _peak(log_f: Callable[[Any], Any], points: Any) -> tuple[float, float]:
    """Return where the peak between some points is, and how wide within a factor of eight."""
    while True:
        points = np.linspace(points[0], points[-1], 17)
        logs = log_f(points)
        i = int(np.argmax(logs))
        beside = points[max(i - 1, 0) : i + 2]
        scale = (beside[-1] - beside[0]) / 2
        if _whole(logs, i) or scale <= 1e-15 * abs(points[i]):
            return float(points[i]), float(scale)
        points = beside
