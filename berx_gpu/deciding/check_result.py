"""`Check`: what was found in predictions."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from berx_gpu.errors import some
from berx_gpu.inputs.columns import to_rows
from berx_gpu.printing.printed import Printed, Table
from berx_gpu.printing.tables import aligned, as_json, written

SHOWN = 3


@dataclass(frozen=True, eq=False, repr=False)
class Check(Printed):
    """What can be said of predictions without any truth.

    Attributes
    ----------
    n_rows, n_pairs, n_entities : int
        Rows of the predictions, distinct pairs of listed entities, listed entities.
    findings : dict of str to int
        How many rows, pairs, entities or targets each kind of fault has: ``repeats``, ``nulls``,
        ``unknown_entities``, ``unknown_targets``, ``outside_candidates``, ``shared_targets`` (given
        to several entities), ``empty_entities``. What could not be checked, for want of a list, is
        not there.
    examples : dict of str to list
        The first few ids of each kind of fault.
    slices : dict of str to DataFrame
        For each further column of the entities: entities, the share of empty ones, and links per
        entity.
    """

    n_rows: int
    n_pairs: int
    n_entities: int
    findings: dict[str, int]
    examples: dict[str, list[Any]] = field(repr=False)
    slices: dict[str, Any] = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Return the counts, examples and slices as valid JSON."""
        shown = {name: [str(value) for value in ids] for name, ids in self.examples.items()}
        slices = {name: as_json(to_rows(frame)) for name, frame in self.slices.items()}
        return {**super().to_dict(), "examples": shown, "slices": slices}

    def _above(self) -> list[str]:
        return [
            f"{self.n_rows:,} rows · {self.n_pairs:,} pairs · {self.n_entities:,} entities · "
            f"{self.n_pairs / self.n_entities:.2f} links per entity"
        ]

    def _tables(self) -> list[Table]:
        rows = [["check", "count", "such as"]]
        for name, count in self.findings.items():
            shown = some(self.examples.get(name, ()), SHOWN)
            rows.append([name.replace("_", " "), f"{count:,}", shown])
        return [rows, *(_slice_cells(n, f) for n, f in self.slices.items())]

    def __str__(self) -> str:
        found, *slices = self._tables()
        lines = [f"{a:<20}{b:>10}  {c}".rstrip() for a, b, c in found]
        tables = ["\n".join(lines), *("\n".join(aligned(table)) for table in slices)]
        return "\n\n".join([*self._above(), *tables])


def _slice_cells(name: str, frame: Any) -> list[list[str]]:
    rows = sorted(to_rows(frame), key=lambda row: -row["empty_share"])
    cells = [
        [
            written(row[name]) or "?",
            f"{row['n_entities']:,}",
            f"{row['empty_share']:.4f}",
            f"{row['links_per_entity']:.2f}",
        ]
        for row in rows[:30]
    ]
    return [[name, "entities", "empty", "links each"], *cells]
