"""What the subcommands print: reports, tables of slices, notes of what was left out."""

from __future__ import annotations

import json
import math
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import click
import pyarrow.compute as pc

from berx_gpu.candidates.results import ErrorBudget
from berx_gpu.cli.options import Output
from berx_gpu.errors import DataError
from berx_gpu.evaluation.evaluation import Evaluation
from berx_gpu.evaluation.interval import Interval
from berx_gpu.evaluation.report import Ceiling, as_text, tables
from berx_gpu.files import whole
from berx_gpu.files.tables import write_table
from berx_gpu.links.dropped import Dropped
from berx_gpu.printing.printed import Printed, Table
from berx_gpu.printing.tables import (
    aligned,
    as_json,
    fbeta_name,
    markdown,
    metric_name,
    ratio,
    share_text,
    slice_name,
)

GATE_FAILED = 1
SHOWN_SLICES = 30
_LONG = 1000
"""Rows from which JSON is not indented: Python writes indented JSON itself, and slowly."""


def as_form(form: str, to_dict: Callable[[], Any], *parts: Printed | Table | str) -> str:
    """Return a result as txt, json or md: what JSON says, or parts one below the other."""
    if form == "json":
        told = to_dict()
        long = isinstance(told, dict) and sum(map(len, told.get("slices", {}).values())) > _LONG
        return json.dumps(told, indent=None if long else 2, default=str, ensure_ascii=False)
    return "\n\n".join(_part(part, form == "md") for part in parts)


def _part(part: Printed | Table | str, in_markdown: bool) -> str:
    if isinstance(part, str):
        return part
    if isinstance(part, Printed):
        return part.to_markdown() if in_markdown else str(part)
    return markdown(part) if in_markdown else "\n".join(aligned(part))


def show(out: Output, to_dict: Callable[[], Any], *parts: Printed | Table | str) -> None:
    """Print a result in the form asked for; --quiet leaves out the text."""
    if out.form != "txt" or not out.quiet:
        click.echo(as_form(out.form, to_dict, *parts))


def tell(kind: str, lines: Iterable[str]) -> None:
    """Print lines beside the result: warnings, notes."""
    for line in lines:
        click.echo(f"{kind}: {line}", err=True)


def check_plot(plot: str | None, others: Sequence[str | None]) -> None:
    """Raise when a figure cannot be written, or would overwrite another file of the call."""
    if plot is not None:
        whole.check_apart(plot, others, "--plot")
        if not plot.lower().endswith((".png", ".svg", ".pdf")):
            raise DataError(f"--plot {plot!r}: cannot tell what to draw; use .png, .svg or .pdf")


def draw(plot: str, figure: Callable[[], Any]) -> None:
    """Write a figure as the file's ending says."""
    with warnings.catch_warnings():  # of matplotlib, about axes of a single value
        warnings.simplefilter("ignore", UserWarning)
        made = figure()
        whole.write_with(plot, lambda temporary: made.savefig(temporary, format=plot[-3:], dpi=150))


def suspicions(ev: Evaluation, n_rows: int) -> list[str]:
    """Return what is possible, but seldom meant."""
    found = []
    if not ev.n_true and not ev.dropped.truth_outside:
        found.append("the truth holds no pair, so every entity counts as a singleton")
    if ev.n_pred and ev.n_true and not ev.tp:
        found.append(
            f"none of the {ev.n_pred:,} predicted pairs is true; compare how the target ids of "
            "both files are written, and whether the predictions come first"
        )
    if n_rows and n_rows == ev.dropped.below_threshold:
        found.append(f"no pair reaches the threshold {ev.threshold:g}")
    return found


def notes(ev: Evaluation, budget: ErrorBudget | None, n_listed: int) -> list[str]:
    """Return what was left out, in words."""
    notes = left_out(ev.dropped, "prediction")
    if budget is not None:
        own = replace(budget.dropped, truth_repeats=0, truth_nulls=0, truth_outside=0)
        notes += left_out(replace(own, truth_self_pairs=0), "candidate")
    if ev.n_entities < n_listed:
        notes.append(f"scored {ev.n_entities:,} of {n_listed:,} entities")
    return notes


def left_out(dropped: Dropped, kind: str, part: bool = False) -> list[str]:
    """Return what was left out of pairs of some kind, and of the truth, in words.

    Where only a part of the entities is scored, the rows of others compete for targets.
    """
    strangers = "{kind} {rows} of unlisted entities dropped"
    if part:
        strangers = "{kind} {rows} of entities that are not scored count only against others"
    told = {
        "prediction_repeats": "repeated {kind} {rows} counted once",
        "truth_repeats": "repeated truth {rows} counted once",
        "prediction_nulls": "{kind} {rows} without an id dropped",
        "truth_nulls": "truth {rows} without an id dropped",
        "unknown_entities": strangers,
        "truth_outside": "truth {rows} of entities that are not scored ignored",
        "prediction_self_pairs": "{kind} {rows} of a record with itself dropped",
        "truth_self_pairs": "truth {rows} of a record with itself dropped",
    }
    counts = ((getattr(dropped, name), text) for name, text in told.items())
    return [
        f"{count:,} {text.format(kind=kind, rows='row' if count == 1 else 'rows')}"
        for count, text in counts
        if count
    ]


class Report(NamedTuple):
    """An evaluation, and what stands beside it in the report of `score`.

    `macro` is the interval of macro F. A metric without an interval has the reason in its place.
    """

    ev: Evaluation
    budget: ErrorBudget | None
    macro: Interval | None
    metrics: dict[str, Interval | str]
    slices: dict[str, Any]

    @property
    def tables(self) -> list[Table]:
        """The further tables: intervals, and slices."""
        intervals = [_interval_cells(self.ev, self.metrics)] if self.metrics else []
        return [*intervals, *(_slice_cells(self.ev, frame) for frame in self.slices.values())]

    def parts(self, form: str) -> list[Any]:
        """Return what is printed as text or Markdown, one after the other."""
        budget = self.budget
        ceiling = None if budget is None else Ceiling(budget.oracle, budget.absent)
        told = (self.ev, ceiling, self.macro)
        own = tables(*told) if form == "md" else [as_text(*told)]
        return [*own, *([] if budget is None else [budget]), *self.tables]

    def to_dict(self) -> dict[str, Any]:
        """Return the report as valid JSON."""
        ev, macro, budget = self.ev, self.macro, self.budget
        told = {
            **ev.to_dict(),
            "interval": None if macro is None else macro.to_dict(),
            "losses": records(ev.losses()),
            "slices": {name: records(frame) for name, frame in self.slices.items()},
        }
        if self.metrics:
            told["intervals"] = {
                name: {"note": made} if isinstance(made, str) else made.to_dict()
                for name, made in self.metrics.items()
            }
        if budget is not None:
            told["error_budget"] = budget.to_dict()
        return told

    def as_form(self, form: str) -> str:
        """Return the whole report as txt, json or md."""
        return as_form(form, self.to_dict, *self.parts(form))

    def write(self, path: str) -> None:
        """Write the report, or the scores of every entity, as the file's ending says."""
        form = Path(path).suffix.lstrip(".").lower()
        if form in ("txt", "json", "md"):
            whole.write_text(self.as_form(form) + "\n", path)
        else:
            write_table(self.ev.per_entity, path)


def _interval_cells(ev: Evaluation, metrics: dict[str, Interval | str]) -> list[list[str]]:
    table = [["metric", "estimate", "limits", "normal", "units", "imperfect", ""]]
    for name, made in metrics.items():
        row = [metric_name(name, ev.beta)]
        if isinstance(made, str):
            table.append([*row, *["-"] * 5, made])
            continue
        normal = f"[{share_text(made.normal_low)}, {share_text(made.normal_high)}]"
        units = (f"{made.n_units:,}", f"{made.n_imperfect:,}")
        table.append([*row, share_text(made.estimate), made.limits(), normal, *units, made.note])
    return table


def records(frame: Any) -> list[dict[str, Any]]:
    """Return an Arrow table as rows of valid JSON."""
    return [as_json(row) for row in frame.to_pylist()]


def _slice_cells(ev: Evaluation, frame: Any) -> list[list[str]]:
    cells = {
        "loss": lambda row: share_text(row["loss_share"] * (1 - ev.macro_fbeta)),
        fbeta_name(ev.beta): lambda row: share_text(row["macro_fbeta"]),
        "P": lambda row: ratio(row["precision"], row["tp"] + row["fp"]),
        "R": lambda row: ratio(row["recall"], row["tp"] + row["fn"]),
    }
    if "low_all" in frame.column_names:
        cells["bounded, all slices"] = lambda row: (
            f"[{share_text(row['low_all'])}, {share_text(row['high_all'])}]"
        )
    return _cells(frame, "loss_share", "worst loss first", cells)


def gain_cells(frame: Any, beta: float) -> list[list[str]]:
    """Return the slices of a sweep as cells, the largest gain first."""
    f = fbeta_name(beta)
    cells = {
        "own best τ": lambda row: f"{row['best_threshold']:.6g}",
        f"{f} there": lambda row: share_text(row["best_macro_fbeta"]),
        f"{f} at the best τ of all": lambda row: share_text(row["macro_fbeta"]),
        "gain overall": lambda row: f"{row['gain_overall']:+.4f}",
    }
    return _cells(frame, "gain_overall", "largest gain first", cells)


def delta_cells(frame: Any) -> list[list[str]]:
    """Return the slices of a comparison as cells, the largest gain first."""
    cells = {
        "A": lambda row: share_text(row["estimate_a"]),
        "B": lambda row: share_text(row["estimate_b"]),
        "delta": lambda row: _signed(row["delta"]),
        "limits for all slices": lambda row: (
            f"[{_signed(row['low_all'])}, {_signed(row['high_all'])}]"
        ),
        "better": lambda row: f"{row['better']:,}",
        "worse": lambda row: f"{row['worse']:,}",
        "delta overall": lambda row: f"{row['delta_overall']:+.4f}",
    }
    return _cells(frame, "delta_overall", "largest gain first", cells)


def _signed(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:+.4f}"


def _cells(
    frame: Any, order_by: str, order: str, cells: dict[str, Callable[[Any], str]]
) -> list[list[str]]:
    """Return the first few slices as cells: their keys and sizes, and what is asked for."""
    keys = frame.column_names[: frame.column_names.index("n_entities")]
    ranked = pc.sort_indices(frame[order_by], sort_keys=[("", "descending")])
    shown = frame.take(ranked[:SHOWN_SLICES]).to_pylist()
    named = ([slice_name(row, keys), f"{row['n_entities']:,}"] for row in shown)
    values = ([cell(row) for cell in cells.values()] for row in shown)
    table = [[f"{', '.join(keys)} ({order})", "entities", *cells]]
    table += [[*name, *value] for name, value in zip(named, values, strict=True)]
    if len(frame) > SHOWN_SLICES:
        more = f"... {len(frame) - SHOWN_SLICES:,} more (--json has all)"
        table.append([more, "", *[""] * len(cells)])
    return table
