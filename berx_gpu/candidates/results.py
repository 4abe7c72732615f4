"""What is said of candidates: `CandidateRecall` and `ErrorBudget`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from berx_gpu.errors import counted
from berx_gpu.links.dropped import Dropped
from berx_gpu.printing.printed import Printed, Table
from berx_gpu.printing.tables import as_json, fbeta_name, share_text


@dataclass(frozen=True, eq=False, repr=False)
class CandidateRecall(Printed):
    """How much of the truth the candidates hold, and what they cost.

    Attributes
    ----------
    name : str
    n_candidates, n_true, retrieved : int
        Distinct candidate pairs of the entities, true pairs, and true pairs among the candidates.
    pair_recall : float
        retrieved / n_true (pairs completeness); NaN without a true pair.
    mean_recall : float
        The mean over entities with a true target of their own share retrieved.
    all_match_rate : float
        The share of entities with a true target whose true targets are all candidates.
    no_hit : int
        Entities with a true target and none of them among the candidates.
    per_entity_mean : float
    per_entity_median, per_entity_p95, per_entity_max : int
        Candidates per listed entity, those with none included.
    reduction_ratio : float or None
        1 - n_candidates / (entities × targets), when the number of targets was given.
    dropped : Dropped
        Candidate and truth rows that were not counted.
    lines : list of dict
        The same figures of all candidates, of each k, and of each channel.
    """

    name: str
    n_candidates: int
    n_true: int
    retrieved: int
    pair_recall: float
    mean_recall: float
    all_match_rate: float
    no_hit: int
    per_entity_mean: float
    per_entity_median: int
    per_entity_p95: int
    per_entity_max: int
    reduction_ratio: float | None
    dropped: Dropped
    lines: list[dict[str, Any]]

    def to_dict(self) -> dict[str, Any]:
        """Return the lines and what was dropped as valid JSON."""
        return {name: as_json(getattr(self, name)) for name in ("lines", "dropped")}

    def _tables(self) -> list[Table]:
        head = ["candidates", "pairs", "true", "pair recall", "all found", "no hit", "mean", "max"]
        rows = [
            [
                line["name"],
                f"{line['n_candidates']:,}",
                f"{line['retrieved']:,}",
                share_text(line["pair_recall"]),
                share_text(line["all_match_rate"]),
                f"{line['no_hit']:,}",
                f"{line['per_entity_mean']:.2f}",
                f"{line['per_entity_max']:,}",
            ]
            for line in self.lines
        ]
        return [[head, *rows]]

    def _below(self) -> list[str]:
        ratio = self.reduction_ratio
        return [] if ratio is None else [f"reduction ratio {ratio:.6f}"]


@dataclass(frozen=True, eq=False, repr=False)
class ErrorBudget(Printed):
    """What macro F would gain if one kind of error alone were fixed.

    Attributes
    ----------
    name : str
    beta, macro_fbeta : float
    oracle : float
        Macro F of the best choice among the candidates.
    outside_candidates, absent : int
        Predicted pairs, and missed pairs, that are no candidates.
    dropped : Dropped
        Candidate and truth rows that were not counted.
    lines : dict of str to ErrorBudget.Line
        How many links each kind of error has, and the gain if they alone were fixed.
    """

    @dataclass(frozen=True)
    class Line:
        """One kind of error: its links, and the gain in macro F."""

        links: int
        gain: float

    name: str
    beta: float
    macro_fbeta: float
    oracle: float
    outside_candidates: int
    absent: int
    dropped: Dropped
    lines: dict[str, Line]

    def __getitem__(self, error: str) -> Line:
        return self.lines[error]

    @property
    def lost_by_blocking(self) -> float:
        """What no choice among the candidates could have avoided: 1 - oracle."""
        return 1 - self.oracle

    @property
    def lost_by_decision(self) -> float:
        """What the choice among the candidates lost: oracle - macro_fbeta."""
        return self.oracle - self.macro_fbeta

    def to_dict(self) -> dict[str, Any]:
        """Return the attributes as valid JSON."""
        split = {x: as_json(getattr(self, x)) for x in ("lost_by_blocking", "lost_by_decision")}
        return {**super().to_dict(), **split}

    def _tables(self) -> list[Table]:
        rows = [["if fixed alone", "links", fbeta_name(self.beta)]]
        for error, line in self.lines.items():
            rows.append([error, f"{line.links:,}", f"{line.gain:+.4f}"])
        return [rows]

    def _below(self) -> list[str]:
        outside = self.outside_candidates
        drawn = f" · {counted(outside, 'link', 'links')} outside the candidates" if outside else ""
        return [
            f"oracle {share_text(self.oracle)} · lost by blocking "
            f"{share_text(self.lost_by_blocking)} · by decision "
            f"{share_text(self.lost_by_decision)}{drawn}"
        ]
