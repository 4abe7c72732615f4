"""What a sweep is made from, and its best point."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from berx_gpu._tables import as_json

if TYPE_CHECKING:
    from berx_gpu._links import Links
    from berx_gpu._scores import Scale
    from berx_gpu.policy import Policy
    from berx_gpu.results import Dropped
    from berx_gpu.truth import Truth


@dataclass(frozen=True, eq=False)
class SweepData:
    """The labelled candidates that the curves of one score column are made from."""

    truth: Truth
    links: Links
    scores: Any
    scale: Scale
    once: Any
    hit: Any
    dropped: Dropped
    beta: float


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
        out = {
            name: getattr(self, name)
            for name in ("score", "threshold", "down_to", "round_threshold", "macro_fbeta")
        }
        out |= {name: getattr(self, name) for name in ("precision", "recall", "tp", "n_pred")}
        out["n_linked"] = self.n_linked
        out["policy"] = {k: as_json(v) for k, v in asdict(self.policy).items()}
        return {name: as_json(value) for name, value in out.items()}
