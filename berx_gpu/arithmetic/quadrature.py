"""Integrals over the whole line of smooth functions, right where they are tiny, too.

Functions are given by their logarithm, and by the places where they change, each with a width. The
points lie at even steps of t, the sum of asinh((s - place) / width) over the places: dense at each,
and far out in few steps, so that one rule serves a peak of width 1e-8, two of them far apart, and a
plateau of length 1e9. The sum over even steps of a smooth function that falls off at both ends is
wrong by exp(-c / step) only (Trefethen and Weideman 2014).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

_STEP = 1 / 24
_COARSE = 1 / 8
_REACHES = (4, 12, 60)
"""How far from a place to look, as asinh: nearly all is close by."""
_GAP = 8.0
_DEEP = 42.0
"""How many powers of e below the highest point another may lie and still count."""
Place = tuple[float, float]


def log_integral(log_f: Callable[[Any], Any], *places: Place) -> float:
    """Return the logarithm of the integral, -inf for nothing.

    Parameters
    ----------
    log_f : callable
        The logarithm of the function at an array of points.
    places : tuple of float
        A point where the function changes, and within how much.
    """
    _, logs = nodes(log_f, *places)
    top = logs.max()
    return float(top + np.log(np.exp(logs - top).sum())) if top > -np.inf else -np.inf


def nodes(log_f: Callable[[Any], Any], *places: Place) -> tuple[Any, Any]:
    """Return points, and the logarithm of what each adds to the integral.

    A peak that coarse steps do not show in full becomes one more place.
    """
    line = _Line(places)
    t, points, logs, parts = _look(log_f, line)
    i = int(np.argmax(logs))
    if logs[i] == -np.inf:
        return points[:1], logs[:1]
    if not _whole(logs, i):
        line = _Line((*places, _peak(log_f, points[max(i - 1, 0) : i + 2])))
        t, points, logs, parts = _look(log_f, line)
    seen = np.flatnonzero(parts > parts.max() - _DEEP)
    low, high = t[max(seen[0] - 1, 0)], t[min(seen[-1] + 1, len(t) - 1)]
    points = line.points(low + _STEP * np.arange(round((high - low) / _STEP) + 1))
    return points, log_f(points) + np.log(_STEP * line.spacing(points))


def with_corners(places: tuple[Place, ...], *corners: float) -> tuple[Place, ...]:
    """Return places and, where these leave wide gaps, points where the function bends within 1."""
    for corner in corners:
        if _Line(places).spacing(np.array([corner]))[0] > _GAP:
            places = (*places, (corner, 1.0))
    return places


class _Line:
    """The points s, and t, the sum of asinh((s - place) / width) over some places."""

    def __init__(self, places: tuple[Place, ...]) -> None:
        self.places = np.array([p for p, _ in places])[:, None]
        self.widths = np.array([w for _, w in places])[:, None]

    def around(self, reach: float) -> Any:
        """Return points as far as `reach` from each place, in order."""
        u = np.arange(-reach, reach + _COARSE, _COARSE)
        return np.sort((self.places + self.widths * np.sinh(u)).ravel())

    def t(self, s: Any) -> Any:
        """Return the t of points."""
        return np.arcsinh((s - self.places) / self.widths).sum(axis=0)

    def spacing(self, s: Any) -> Any:
        """Return ds / dt at points."""
        return 1 / (1 / np.hypot(s - self.places, self.widths)).sum(axis=0)

    def points(self, t: Any) -> Any:
        """Return the points at some t, in order."""
        reach = _REACHES[-1] if max(-t[0], t[-1]) > _REACHES[1] else _REACHES[1]
        known = self.around(reach)
        s = np.interp(t, self.t(known), known)
        for _ in range(4):
            s = s - (self.t(s) - t) * self.spacing(s)
        return s


def _look(log_f: Callable[[Any], Any], line: _Line) -> tuple[Any, Any, Any, Any]:
    """Return even coarse steps of t as far as they count, their points, and the logarithms there.

    These are of the function, and of what the points add to the integral.
    """
    for reach in _REACHES:
        low, high = line.t(line.around(reach)[[0, -1]])
        t = np.arange(low, high + _COARSE, _COARSE)
        points = line.points(t)
        logs = log_f(points)
        parts = logs + np.log(line.spacing(points))
        if max(parts[0], parts[-1]) < parts.max() - _DEEP:
            break
    return t, points, logs, parts


def _whole(logs: Any, i: int) -> bool:
    """Say whether the points beside the highest one, i, are nearly as high."""
    return bool(min(logs[max(i - 1, 0)], logs[min(i + 1, len(logs) - 1)]) > logs[i] - 1)


def _peak(log_f: Callable[[Any], Any], points: Any) -> Place:
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
