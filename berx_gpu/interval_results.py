"""Frozen result classes of intervals: fields, printing and `to_dict`."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import asdict, dataclass, field, fields
from typing import TYPE_CHECKING, Any

from berx_gpu._tables import aligned, as_html, as_json, fbeta_name, markdown, percent, score

if TYPE_CHECKING:
    from berx_gpu.policy import Policy
    from berx_gpu.results import Evaluation


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
        level = percent(self.confidence_level)
        return f"{level} [{score(self.low)}, {score(self.high)}]"

    def __str__(self) -> str:
        text = f"{self.metric} {score(self.estimate)}, {self.limits()}"
        return f"{text}; {self.note}" if self.note else text


@dataclass(frozen=True)
class Fold:
    """A fold, what was best outside it, and what that is worth inside.

    Attributes
    ----------
    name : int, or a value of the folds' column
    n_entities : int
    score : str
        The column of scores.
    policy : Policy
        Its rules before the threshold.
    threshold : float
    macro_fbeta : float
        Of the entities in the fold.
    """

    name: Any
    n_entities: int
    score: Hashable
    policy: Policy
    threshold: float
    macro_fbeta: float


@dataclass(frozen=True, eq=False)
class CrossFitted:
    """What thresholds are worth on entities that they were not chosen on.

    Attributes
    ----------
    beta : float
    estimate, low, high : float
        Macro F of all entities, each scored at what is best outside its fold, and its limits.
    confidence_level : float
    best : float
        Macro F of the best point of the sweep, chosen and scored on the same entities.
    optimism : float
        best - estimate.
    folds : list of Fold
        How far their thresholds lie apart shows how well the best one is known.
    evaluation : Evaluation
        Of these links: per entity, by slice, with other limits.
    """

    beta: float
    estimate: float
    low: float
    high: float
    confidence_level: float
    best: float
    optimism: float
    folds: list[Fold]
    evaluation: Evaluation = field(repr=False)

    @property
    def thresholds(self) -> tuple[float, float]:
        """The lowest and the highest threshold of the folds."""
        found = [fold.threshold for fold in self.folds]
        return min(found), max(found)

    def to_dict(self) -> dict[str, Any]:
        """Return the attributes but the evaluation as valid JSON."""
        names = [f.name for f in fields(self) if f.name not in ("folds", "evaluation")]
        out = {name: as_json(getattr(self, name)) for name in names}
        return {**out, "folds": [as_json(asdict(fold)) for fold in self.folds]}

    def line(self) -> str:
        """Return the result as one line."""
        low, high = self.thresholds
        level = percent(self.confidence_level)
        return (
            f"cross-fitted {fbeta_name(self.beta)} {score(self.estimate)}, {level} "
            f"[{score(self.low)}, {score(self.high)}]; the best point is {self.optimism:+.4f} too "
            f"good; {len(self.folds)} folds chose thresholds from {low:.6g} to {high:.6g}"
        )

    def _rows(self) -> list[list[str]]:
        rows = [["fold", "entities", fbeta_name(self.beta), "chosen elsewhere", ""]]
        several = len({fold.score for fold in self.folds}) > 1
        for fold in self.folds:
            rules = (f"{fold.score}: " if several else "") + fold.policy.rules()
            cells = (f"{fold.n_entities:,}", score(fold.macro_fbeta), f"{fold.threshold:.6g}")
            rows.append([str(fold.name), *cells, rules])
        return rows

    def __str__(self) -> str:
        return "\n".join([self.line(), "", *aligned(self._rows())])

    __repr__ = __str__

    def to_markdown(self) -> str:
        """Return the result as a line and a Markdown table of the folds."""
        return f"{self.line()}\n\n{markdown(self._rows())}"

    def _repr_html_(self) -> str:
        return f"<p>{self.line()}</p>{as_html(self._rows())}"
