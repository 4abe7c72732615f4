"""What a call left out, and why."""

from __future__ import annotations

from dataclasses import dataclass

from berx_gpu.links.links import LeftOut
from berx_gpu.links.true_pairs import TruePairs


@dataclass(frozen=True)
class Dropped:
    """Rows that a call left out, and why: nothing is lost silently.

    Attributes
    ----------
    prediction_repeats, truth_repeats : int
        Rows whose pair had been counted already.
    prediction_nulls, truth_nulls : int
        Rows with a missing id (only with ``nulls="drop"``).
    unknown_entities : int
        Prediction rows of unlisted entities (only with ``unknown_entities="drop"``).
    truth_outside : int
        Truth rows of unlisted entities.
    below_threshold : int
        Prediction rows with a score under the threshold.
    prediction_self_pairs, truth_self_pairs : int
        Rows that pair a record with itself (only where pairs have no direction).
    """

    prediction_repeats: int = 0
    truth_repeats: int = 0
    prediction_nulls: int = 0
    truth_nulls: int = 0
    unknown_entities: int = 0
    truth_outside: int = 0
    below_threshold: int = 0
    prediction_self_pairs: int = 0
    truth_self_pairs: int = 0

    @classmethod
    def of(cls, truth: TruePairs, left_out: LeftOut, repeats: int = 0, below: int = 0) -> Dropped:
        """Return what was left out of the truth and of encoded pairs."""
        return cls(
            prediction_repeats=repeats,
            truth_repeats=truth.repeats,
            prediction_nulls=left_out.nulls,
            truth_nulls=truth.nulls,
            unknown_entities=left_out.strangers,
            truth_outside=truth.outside,
            below_threshold=below,
            prediction_self_pairs=left_out.self_pairs,
            truth_self_pairs=truth.self_pairs,
        )
