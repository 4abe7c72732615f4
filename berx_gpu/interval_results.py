"""Frozen result classes of intervals: fields, printing and `to_dict`."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from berx_gpu._tables import as_json, score


@dataclass(frozen=True)
class Interval:
    """A score with its limits.

    Attributes
    ----------
    metric : str
    estimate, low, high : float
    confidence_level : float
    method : str
        ``"bounded"``, ``"normal"``, ``"bca"``, ``"percentile"`` or ``"poisson"``.
    standard_error : float
        Of the estimate, from the spread of the units, or of the replicates.
    normal_low, normal_high : float
        The limits of the normal method, for comparison.
    n_units, n_imperfect : int
        Entities, or blocks of them, that the metric is over; those below 1.
    largest_share : float
        The part of the denominator that the largest unit holds.
    n_resamples, seed : int or None
        Of a bootstrap.
    note : str
        What to bear in mind, if anything.
    """

    metric: str
    estimate: float
    low: float
    high: float
    confidence_level: float
    method: str
    standard_error: float
    normal_low: float
    normal_high: float
    n_units: int
    n_imperfect: int
    largest_share: float
    n_resamples: int | None
    seed: int | None
    note: str

    def to_dict(self) -> dict[str, Any]:
        """Return the attributes as valid JSON."""
        return {name: as_json(value) for name, value in asdict(self).items()}

    def limits(self) -> str:
        """Return the limits as text, with the level that they hold at."""
        level = f"{100 * self.confidence_level:g} %"
        return f"{level} [{score(self.low)}, {score(self.high)}]"

    def __str__(self) -> str:
        text = f"{self.metric} {score(self.estimate)}, {self.limits()}"
        return f"{text}; {self.note}" if self.note else text
