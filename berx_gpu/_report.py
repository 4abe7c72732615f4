"""An evaluation as the command line prints and writes it."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow.compute as pc

from berx_gpu import files
from berx_gpu._summary import as_text, in_markdown
from berx_gpu._tables import aligned, as_json, fbeta_name, markdown, metric_name, ratio, score
from berx_gpu.candidate_results import ErrorBudget
from berx_gpu.interval_results import Interval
from berx_gpu.results import Dropped, Evaluation

SHOWN_SLICES = 30


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
    notes = []
    for field, text in told.items():
        if count := getattr(dropped, field):
            notes.append(
                f"{count:,} {text.format(kind=kind, rows='row' if count == 1 else 'rows')}"
            )
    return notes


@dataclass(frozen=True)
class Sure:
    """The interval of macro F, and of every metric where these are asked for.

    A metric without an interval has the reason in its place.
    """

    macro: Interval | None
    metrics: dict[str, Interval | str]


def report(
    ev: Evaluation, budget: ErrorBudget | None, sure: Sure, slices: dict[str, Any], form: str
) -> str:
    """Return the whole report as txt, json or md."""
    if form == "json":
        by = {name: records(frame) for name, frame in slices.items()}
        own = None if sure.macro is None else sure.macro.to_dict()
        told = {**ev.to_dict(), "interval": own, "losses": records(ev.losses()), "slices": by}
        if sure.metrics:
            told["intervals"] = {
                name: {"note": made} if isinstance(made, str) else made.to_dict()
                for name, made in sure.metrics.items()
            }
        if budget is not None:
            told["error_budget"] = budget.to_dict()
        # Indented JSON is written by Python, a long one must not be.
        indent = 2 if sum(map(len, by.values())) <= 1000 else None
        return json.dumps(told, indent=indent, default=str, ensure_ascii=False)
    cells = [_interval_cells(ev, sure.metrics)] if sure.metrics else []
    cells += [_slice_cells(ev, frame) for frame in slices.values()]
    if form == "md":
        return "\n\n".join([in_markdown(ev, budget, sure.macro), *map(markdown, cells)])
    tables = ("\n".join(aligned(rows)) for rows in cells)
    return "\n\n".join([as_text(ev, budget, sure.macro), *tables])


def _interval_cells(ev: Evaluation, metrics: dict[str, Interval | str]) -> list[list[str]]:
    table = [["metric", "estimate", "limits", "normal", "units", "imperfect", ""]]
    for name, made in metrics.items():
        row = [metric_name(name, ev.beta)]
        if isinstance(made, str):
            table.append([*row, *["-"] * 5, made])
            continue
        normal = f"[{score(made.normal_low)}, {score(made.normal_high)}]"
        units = (f"{made.n_units:,}", f"{made.n_imperfect:,}")
        table.append([*row, score(made.estimate), made.limits(), normal, *units, made.note])
    return table


def records(frame: Any) -> list[dict[str, Any]]:
    return [as_json(row) for row in frame.to_pylist()]


def _slice_cells(ev: Evaluation, frame: Any) -> list[list[str]]:
    cells = {
        "loss": lambda row: score(row["loss_share"] * (1 - ev.macro_fbeta)),
        fbeta_name(ev.beta): lambda row: score(row["macro_fbeta"]),
        "P": lambda row: ratio(row["precision"], row["tp"] + row["fp"]),
        "R": lambda row: ratio(row["recall"], row["tp"] + row["fn"]),
    }
    if "low_all" in frame.column_names:
        cells["bounded, all slices"] = lambda row: (
            f"[{score(row['low_all'])}, {score(row['high_all'])}]"
        )
    return _cells(frame, "loss_share", "worst loss first", cells)


def gain_cells(frame: Any, beta: float) -> list[list[str]]:
    """Return the slices of a sweep as cells, the largest gain first."""
    f = fbeta_name(beta)
    cells = {
        "own best τ": lambda row: f"{row['best_threshold']:.6g}",
        f"{f} there": lambda row: score(row["best_macro_fbeta"]),
        f"{f} at the best τ of all": lambda row: score(row["macro_fbeta"]),
        "gain overall": lambda row: f"{row['gain_overall']:+.4f}",
    }
    return _cells(frame, "gain_overall", "largest gain first", cells)


def delta_cells(frame: Any) -> list[list[str]]:
    """Return the slices of a comparison as cells, the largest gain first."""
    cells = {
        "A": lambda row: score(row["estimate_a"]),
        "B": lambda row: score(row["estimate_b"]),
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
    table = [[f"{', '.join(keys)} ({order})", "entities", *cells]]
    for row in frame.take(ranked[:SHOWN_SLICES]).to_pylist():
        name = ", ".join(written(row[key]) or "?" for key in keys)
        table.append([name, f"{row['n_entities']:,}", *(cell(row) for cell in cells.values())])
    if len(frame) > SHOWN_SLICES:
        more = f"... {len(frame) - SHOWN_SLICES:,} more (--json has all)"
        table.append([more, "", *[""] * len(cells)])
    return table


def written(value: Any) -> str:
    """Return a slice value as text, nothing for a missing one."""
    return "" if value is None or value != value else str(value)


def write(
    path: str, ev: Evaluation, budget: ErrorBudget | None, sure: Sure, slices: dict[str, Any]
) -> None:
    """Write the report, or the scores of every entity, as the file's ending says."""
    form = Path(path).suffix.lstrip(".").lower()
    if form in ("txt", "json", "md"):
        files.write_text(report(ev, budget, sure, slices, form) + "\n", path)
    else:
        files.write_table(ev.per_entity, path)
