"""What `berx-gpu score` does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from berx_gpu.candidates.budget import error_budget
from berx_gpu.cli.commands.score import Limits, Written
from berx_gpu.cli.options import FileForm, Output, Scope
from berx_gpu.cli.reading import Reader, check_forms, slice_key, told_later
from berx_gpu.cli.report import GATE_FAILED, Report, notes, show, suspicions, tell
from berx_gpu.errors import DataError
from berx_gpu.evaluation.interval import METRICS
from berx_gpu.evaluation.scoring import evaluate, part
from berx_gpu.files import tables
from berx_gpu.options import confidence


def run(
    predictions: str,
    truth: str,
    scope: Scope,
    threshold: float | None,
    candidates: str | None,
    by: tuple[str, ...],
    limits: Limits,
    pred_columns: str | None,
    candidate_columns: str | None,
    form: FileForm,
    name: str | None,
    out: Output,
    written: Written,
    fail_under: float | None,
) -> int:
    """Score a file of predictions, print the report, write what is asked for."""
    if fail_under is not None and not 0 <= fail_under <= 1:
        raise DataError(f"--fail-under {fail_under}: give a score between 0 and 1")
    shown_as = out.form
    check_files([predictions, truth, scope.entities, scope.only, candidates], written)
    check_forms(form, candidates, candidate_columns)
    reader = Reader.of(
        form, pred=pred_columns, truth=scope.truth_columns, candidates=candidate_columns
    )
    score = reader.score("pred")
    with told_later() as told:
        opened = reader.open(scope, truth, "pred", predictions, scored=threshold is not None)
        ev = evaluate(
            opened.pairs,
            opened.truth,
            **reader.options("pred", scope),
            beta=scope.beta,
            score=None if threshold is None else score,
            threshold=threshold,
            name=name or Path(predictions).name.split(".")[0] or predictions,
        )
        if scope.is_part:
            ev = part(ev, opened.part)
        pool = None if threshold is None else opened.pairs
        if candidates is not None:
            pool = reader.pairs("candidates", candidates, scored=True)
        budget = None
        if pool is not None:
            kind = "pred" if candidates is None else "candidates"
            how = reader.options(kind, scope, opened.part) | {"entities": None}
            budget = error_budget(ev, candidates=pool, truth=None, **how)
        _write_links(ev, pool, reader, written)
    report = Report(ev, budget, *_limits(ev, limits), _slices(ev, by, limits))
    tell("warning", [*told, *suspicions(ev, len(opened.pairs))])
    if not out.quiet:
        unused = threshold is None and score in opened.pairs.column_names
        tell("note", [*_notes(report, score if unused else None),
                      *notes(ev, budget, opened.truth.n_entities)])  # fmt: skip
    if written.output is not None:
        report.write(written.output)
    show(out, report.to_dict, *([] if shown_as == "json" else report.parts(shown_as)))
    if fail_under is not None and not ev.macro_fbeta >= fail_under:
        click.echo(f"macro F {ev.macro_fbeta!r} is below {fail_under!r}", err=True)
        return GATE_FAILED
    return 0


def check_files(inputs: list[str | None], written: Written) -> None:
    """Raise when a file to write has no known ending, or is read or written by another option."""
    read = [file for file in (*inputs, written.records) if file is not None]
    if written.output is not None:
        tables.check_output(written.output, read)
        read.append(written.output)
    links = (("--false-links", written.false_links), ("--missed-links", written.missed_links))
    for option, file in links:
        if file is not None:
            tables.check_output(file, read, option, reports=False)
            read.append(file)
    if written.records is not None and not any(file for _, file in links):
        raise DataError("--records FILE stands beside links; give --false-links or --missed-links")


def _write_links(ev: Any, pool: Any, reader: Reader, written: Written) -> None:
    """Write the false and the missed links, with the records beside them."""
    records = None if written.records is None else reader.table(written.records)
    links = ((written.false_links, ev.false_links), (written.missed_links, ev.missed_links))
    made = [(method(pool, records), file) for file, method in links if file is not None]
    for table, file in made:
        tables.write_table(table, file)


def _limits(ev: Any, limits: Limits) -> tuple[Any, dict[str, Any]]:
    """Return the interval of macro F, and that of every metric where asked for, or why not."""
    level = confidence(limits.level)
    how: dict[str, Any] = {"confidence_level": level, "method": limits.method, "rng": limits.seed}
    macro = ev.interval(**how) if ev.n_entities > 1 else None
    found: dict[str, Any] = {}
    for metric in METRICS if limits.interval else ():
        try:
            found[metric] = ev.interval(metric, **how)
        except DataError as error:
            found[metric] = str(error)
    return macro, found


def _slices(ev: Any, by: tuple[str, ...], limits: Limits) -> dict[str, Any]:
    return {
        column: ev.by(slice_key(column), interval=limits.interval, confidence_level=limits.level)
        for column in by
    }


def _notes(report: Report, unused: str | None) -> list[str]:
    """Return what to know of scores that were not used, and of limits from replicates."""
    told = []
    if unused is not None:
        told.append(f"every row is a prediction: {unused!r} only counts with --threshold")
    macro = report.macro
    if macro is not None and macro.seed is not None:
        told.append(f"limits of {macro.n_resamples:,} replicates, --seed {macro.seed}")
    return told
