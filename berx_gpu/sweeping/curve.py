"""What a sweep holds: labelled candidates, the curve of each policy, and its best point."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from berx_gpu.backends.backend import Scored
from berx_gpu.deciding.policy import Policy
from berx_gpu.encoding.scores import Scale
from berx_gpu.links.dropped import Dropped
from berx_gpu.links.links import Links
from berx_gpu.links.true_pairs import TruePairs
from berx_gpu.printing.tables import as_json


@dataclass(frozen=True, eq=False)
class SweepData:
    """The labelled candidates that the curves of one score column are made from."""

    truth: TruePairs
    links: Links
    scores: Any
    scale: Scale
    once: Any
    hit: Any
    dropped: Dropped
    beta: float

    @property
    def scored(self) -> Scored:
        """The rows as a curve takes them."""
        return Scored(self.links.codes, self.scores, self.scale, self.hit)

    @property
    def library(self) -> str:
        """The library of the candidates, which results go back to."""
        return self.links.frame.library


@dataclass(frozen=True, eq=False)
class Best:
    """The best point of a curve.

    Attributes
    ----------
    policy : Policy
        The rules and this threshold, ready for `decide`.
    score : str
        The column of scores.
    threshold : float
        The highest threshold with this result, an int for integer scores beyond 2**53. When it is
        best to predict nothing, inf; NaN where a score is inf itself.
    down_to : float
        Every threshold above this one gives the same links; -inf for the lowest score.
    round_threshold : float
        The shortest decimal in that range.
    macro_fbeta : float
    tp, n_pred, n_true, n_linked : int
        True links, links, true pairs, and entities with a link.
    """

    policy: Policy
    score: Hashable
    threshold: float
    down_to: float
    round_threshold: float
    macro_fbeta: float
    tp: int
    n_pred: int
    n_true: int
    n_linked: int

    @property
    def precision(self) -> float:
        """Pooled precision; 0 without a link."""
        return self.tp / self.n_pred if self.n_pred else 0.0

    @property
    def recall(self) -> float:
        """Pooled recall; 0 without a true pair."""
        return self.tp / self.n_true if self.n_true else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Return the attributes as valid JSON."""
        names = ("score", "threshold", "down_to", "round_threshold", "macro_fbeta", "precision",
                 "recall", "tp", "n_pred", "n_linked", "policy")  # fmt: skip
        return {name: as_json(getattr(self, name)) for name in names}


@dataclass(frozen=True, eq=False)
class PolicyCurve:
    """The fields of a `PolicySweep`, which says what they are.

    `mask` holds what the rules before the threshold keep, eight rows to a byte.
    """

    score: Hashable
    policy: Policy
    data: SweepData = field(repr=False)
    mask: Any = field(repr=False)
    threshold: Any
    macro_fbeta: Any
    tp: Any
    n_pred: Any
    n_linked: Any
    best: Best
    is_grid: bool = False

    def kept(self, xp: Any) -> Any:
        """Return which candidates the rules before the threshold keep, as a mask."""
        return xp.unpackbits(self.mask)[: len(self.data.once)].astype(bool)


C = TypeVar("C", bound=PolicyCurve)


@dataclass(frozen=True, eq=False)
class SweepCurves(Generic[C]):
    """The fields of a `Sweep`, which says what they are."""

    beta: float
    n_entities: int
    n_true: int
    results: list[C]

    @property
    def dropped(self) -> Dropped:
        """What was left out of the candidates and the truth."""
        return self.results[0].data.dropped

    @property
    def top(self) -> C:
        """The result with the best point; among equals the first."""
        return max(self.results, key=lambda result: result.best.macro_fbeta)

    @property
    def best(self) -> Best:
        """The best point of all."""
        return self.top.best


def names_of(results: Sequence[PolicyCurve]) -> list[str]:
    """Return the rules of each result in words, behind its score where there are several."""
    several = len({result.score for result in results}) > 1
    return [(f"{r.score}: " if several else "") + r.policy.rules() for r in results]
