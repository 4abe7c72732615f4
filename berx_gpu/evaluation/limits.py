"""Limits of a mean over entities: bounded ones, by slice too, and Student's."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import special

from berx_gpu.arithmetic import bounded
from berx_gpu.runtime.progress import tell


def limits_by(values: Any, group: Any, n_groups: int, level: float) -> Any:
    """Return limits of the mean of each group: alone (low, high) and for all groups at once.

    Parameters
    ----------
    values : float64 array in [0, 1]
    group : int64 array
        The number of the group of each value.
    n_groups : int
    level : float

    Returns
    -------
    float64 array of shape (4, n_groups)
        NaN for groups of fewer than two.
    """
    together = level ** (1 / n_groups)  # Sidak
    order = np.lexsort((values, group))
    group, values = group[order], values[order]
    new = np.ones(len(group), bool)
    new[1:] = (group[1:] != group[:-1]) | (values[1:] != values[:-1])
    first = np.flatnonzero(new)
    count = np.diff(first, append=len(group)).astype(np.float64)
    ends = np.searchsorted(group[first], np.arange(n_groups), side="right")
    found = np.full((4, n_groups), math.nan)
    for i, end in enumerate(ends):
        tell("limits of slices", i + 1, n_groups)
        mine = slice(ends[i - 1] if i else 0, end)
        if count[mine].sum() >= 2:
            units = (values[first[mine]], count[mine])
            found[:, i] = (*limits_of_mean(*units, level), *limits_of_mean(*units, together))
    return found


def limits_of_mean(values: Any, count: Any, level: float) -> tuple[float, float]:
    """Return the bounded limits of a mean of numbers in [0, 1], of which there are so many each."""
    return bounded.limits(values, np.ones(len(values)), count.astype(np.float64), 1.0, level)


def student(num: Any, den: Any, count: Any, level: float) -> tuple[float, float, float]:
    """Return Student's limits of sum(num) / sum(den) inside [0, 1], and its standard error."""
    n, total = float(count.sum()), float((den * count).sum())
    estimate = float((num * count).sum()) / total
    residual = num - estimate * den
    error = math.sqrt(float((residual * residual * count).sum()) * n / (n - 1)) / total
    reach = float(special.stdtrit(n - 1, (1 + level) / 2)) * error
    return max(estimate - reach, 0.0), min(estimate + reach, 1.0), error
