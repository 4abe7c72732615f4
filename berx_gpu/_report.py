"""An evaluation as the command line prints and writes it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.compute as pc

from berx_gpu import files
from berx_gpu._summary import as_text, in_markdown
from berx_gpu._tables import aligned, as_json, fbeta_name, markdown, ratio, score
from berx_gpu.candidate_results import ErrorBudget
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


def report(ev: Evaluation, budget: ErrorBudget | None, slices: dict[str, Any], form: str) -> str:
    """Return the whole report as txt, json or md."""
    if form == "json":
        by = {name: records(frame) for name, frame in slices.items()}
        sure = ev.interval().to_dict() if ev.n_entities > 1 else None
        told = {**ev.to_dict(), "interval": sure, "losses": records(ev.losses()), "slices": by}
        if budget is not None:
            told["error_budget"] = budget.to_dict()
        # Indented JSON is written by Python, a long one must not be.
        indent = 2 if sum(map(len, by.values())) <= 1000 else None
        return json.dumps(told, indent=indent, default=str, ensure_ascii=False)
    cells = [_slice_cells(ev, frame) for frame in slices.values()]
    if form == "md":
        return "\n\n".join([in_markdown(ev, budget), *map(markdown, cells)])
    return "\n\n".join([as_text(ev, budget), *("\n".join(aligned(rows)) for rows in cells)])


def records(frame: Any) -> list[dict[str, Any]]:
    return [as_json(row) for row in frame.to_pylist()]


def _slice_cells(ev: Evaluation, frame: Any) -> list[list[str]]:
    keys = frame.column_names[: frame.column_names.index("n_entities")]
    title = f"{', '.join(keys)} (worst loss first)"
    order = pc.sort_indices(frame["loss_share"], sort_keys=[("", "descending")])
    cells = [
        [
            ", ".join(written(row[key]) or "?" for key in keys),
            f"{row['n_entities']:,}",
            score(row["loss_share"] * (1 - ev.macro_fbeta)),
            score(row["macro_fbeta"]),
            ratio(row["precision"], row["tp"] + row["fp"]),
            ratio(row["recall"], row["tp"] + row["fn"]),
        ]
        for row in frame.take(order[:SHOWN_SLICES]).to_pylist()
    ]
    if len(frame) > SHOWN_SLICES:
        cells.append([f"... {len(frame) - SHOWN_SLICES:,} more (--json has all)", *[""] * 5])
    return [[title, "entities", "loss", fbeta_name(ev.beta), "P", "R"], *cells]


def gain_cells(frame: Any, beta: float) -> list[list[str]]:
    """Return the slices of a sweep as cells, the largest gain first."""
    keys = frame.column_names[: frame.column_names.index("n_entities")]
    order = pc.sort_indices(frame["gain_overall"], sort_keys=[("", "descending")])
    f = fbeta_name(beta)
    head = [f"{', '.join(keys)} (largest gain first)", "entities", "own best τ", f"{f} there"]
    cells = [[*head, f"{f} at the best τ of all", "gain overall"]]
    cells += [
        [
            ", ".join(written(row[key]) or "?" for key in keys),
            f"{row['n_entities']:,}",
            f"{row['best_threshold']:.6g}",
            score(row["best_macro_fbeta"]),
            score(row["macro_fbeta"]),
            f"{row['gain_overall']:+.4f}",
        ]
        for row in frame.take(order[:SHOWN_SLICES]).to_pylist()
    ]
    if len(frame) > SHOWN_SLICES:
        cells.append([f"... {len(frame) - SHOWN_SLICES:,} more (--json has all)", *[""] * 5])
    return cells


def written(value: Any) -> str:
    """Return a slice value as text, nothing for a missing one."""
    return "" if value is None or value != value else str(value)


def write(path: str, ev: Evaluation, budget: ErrorBudget | None, slices: dict[str, Any]) -> None:
    """Write the report, or the scores of every entity, as the file's ending says."""
    form = Path(path).suffix.lstrip(".").lower()
    if form in ("txt", "json", "md"):
        files.write_text(report(ev, budget, slices, form) + "\n", path)
    else:
        files.write_table(ev.per_entity, path)
