"""What common misreadings of the metric make of the same predictions."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from berx_gpu._tables import aligned, as_html, as_json, fbeta_name, markdown, score


@dataclass(frozen=True, eq=False)
class Reconciliation:
    """The right macro F_β and what common misreadings make of the same predictions.

    Attributes
    ----------
    beta : float
    readings : dict of str to float
        The value of each reading, the right one first.
    """

    beta: float
    readings: dict[str, float]

    def __getitem__(self, reading: str) -> float:
        return self.readings[reading]

    def to_dict(self) -> dict[str, Any]:
        """Return beta and the readings as valid JSON."""
        return {
            "beta": as_json(self.beta),
            "readings": {k: as_json(v) for k, v in self.readings.items()},
        }

    def _rows(self) -> list[list[str]]:
        right = next(iter(self.readings.values()))
        rows = [["reading", fbeta_name(self.beta), "off by"]]
        for name, value in self.readings.items():
            off = "" if len(rows) == 1 or math.isnan(value) else f"{value - right:+.4f}"
            rows.append([name, score(value), off])
        return rows

    def __str__(self) -> str:
        return "\n".join(aligned(self._rows()))

    __repr__ = __str__

    def to_markdown(self) -> str:
        """Return the readings as a Markdown table."""
        return markdown(self._rows())

    def _repr_html_(self) -> str:
        return as_html(self._rows())
