"""What options of posteriors may hold: a prior, a metric, a level."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from berx_gpu.errors import DataError, one_of
from berx_gpu.options import number

PRIORS = {"uniform": (1.0, 1.0), "jeffreys": (0.5, 0.5), "haldane": (1e-9, 1e-9)}
"""Named priors, as pseudo-counts of successes and failures."""
MOST = 1e12
"""The largest count: far above it the tails of Beta distributions are rounded away."""
LEAST_PRIOR = 1e-9


class Metric(StrEnum):
    """What a posterior is of."""

    PRECISION = "precision"
    RECALL = "recall"
    F1 = "f1"


def prior_counts(prior: Any, alpha: Any, beta: Any) -> tuple[float, float]:
    """Return the pseudo-counts of a prior by its name, or by two numbers."""
    given = (
        number("prior_alpha", alpha, LEAST_PRIOR, MOST),
        number("prior_beta", beta, LEAST_PRIOR, MOST),
    )
    if prior is None:
        return given
    one_of("prior", prior, tuple(PRIORS))
    if given != (1.0, 1.0):
        raise DataError(f"prior={prior!r} and prior_alpha, prior_beta: give one of them")
    return PRIORS[prior]


def share_of_one(name: str, value: Any) -> float:
    """Return an option that lies between 0 and 1, the ends left out."""
    found = number(name, value)
    if not 0 < found < 1:
        raise DataError(f"{name}={value!r}: give a number between 0 and 1, such as 0.95")
    return found


def metric_of(metric: Any) -> Metric:
    """Return a metric by its name."""
    one_of("metric", str(getattr(metric, "value", metric)), [m.value for m in Metric])
    return Metric(metric)
