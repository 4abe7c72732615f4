"""What `berx-gpu sweep` does."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from berx_gpu.candidates.oracle import oracle
from berx_gpu.cli.commands.sweep import Grid, Written
from berx_gpu.cli.options import FileForm, Output, Scope
from berx_gpu.cli.reading import Opened, Reader, check_forms, slice_key, told_later
from berx_gpu.cli.report import check_plot, draw, gain_cells, left_out, records, show, tell
from berx_gpu.errors import DataError
from berx_gpu.files import tables, whole
from berx_gpu.links.how import Reading
from berx_gpu.links.reading import backend_of, read_links
from berx_gpu.options import confidence
from berx_gpu.printing.tables import markdown
from berx_gpu.sweeping.sweeping import sweep

_AROUND = 3
"""How many thresholds to show on either side of the best one."""
_ENOUGH = 1000
"""Entities from which five folds of ten each are sure."""


def run(
    candidates: str,
    truth: str,
    scope: Scope,
    rules: Grid,
    grid: str | None,
    by: tuple[str, ...],
    folds: int | None,
    level: float,
    show_bands: bool,
    candidate_columns: str | None,
    form: FileForm,
    out: Output,
    written: Written,
) -> int:
    """Sweep a file of candidates, print the best points, write what is asked for."""
    check_forms(form, candidates, candidate_columns)
    shown_as = out.form
    _check_files([candidates, truth, scope.entities, scope.only], written)
    reader = Reader.of(form, truth=scope.truth_columns, candidates=candidate_columns)
    with told_later() as told:
        opened = reader.open(scope, truth, "candidates", candidates, scored=True)
        if scope.is_part:
            _check_listed(opened, reader, scope)
        how = {"beta": scope.beta, **reader.options("candidates", scope, opened.part)}
        sw = sweep(
            opened.pairs,
            opened.truth,
            score=reader.score("candidates"),
            thresholds=None if grid is None else _numbers(grid),
            **rules.values,
            **how,
        )
        slices = {column: sw.by(slice_key(column)) for column in by}
        elsewhere = _cross_fitted(sw, folds, level)
        ceiling = None
        if written.plot is not None:
            ceiling = oracle(opened.pairs, opened.truth, **how).macro_fbeta
    tell("warning", told)
    _write(sw, ceiling, written)

    def as_dict() -> dict[str, Any]:
        told = sw.to_dict() | {"cross_fitted": elsewhere and elsewhere.to_dict()}
        if show_bands:
            told["bands"] = records(sw.bands())
        if slices:
            told["slices"] = {name: records(frame) for name, frame in slices.items()}
        return told

    in_markdown = shown_as == "md"
    around = [] if in_markdown else [sw.around(_AROUND)]
    bands = [sw.band_table(form=markdown if in_markdown else None)] if show_bands else []
    gains = [gain_cells(frame, scope.beta) for frame in slices.values()]
    show(out, as_dict, sw, _line(elsewhere), *around, *bands, *gains)
    if not out.quiet:
        tell("note", left_out(sw.dropped, "candidate", part=scope.is_part))
    return 0


def _check_files(inputs: list[str | None], written: Written) -> None:
    """Raise when a file to write has no known ending, or is read or written by another option."""
    made = {f"--{name}": path for name, path in asdict(written).items()}
    for option, path in made.items():
        others = [other for name, other in made.items() if name != option]
        if path is not None:
            whole.check_apart(path, [*inputs, *others], option)
    if written.output is not None:
        tables.check_output(written.output, [], reports=False)
    check_plot(written.plot, [])


def _check_listed(opened: Opened, reader: Reader, scope: Scope) -> None:
    """Raise when candidates are of entities that not even the whole list holds."""
    how = Reading(
        **reader.keys("candidates"),
        score=reader.score("candidates"),
        unknown_entities=scope.unknown_entities,
        nulls=scope.nulls,
    )
    backend = backend_of(opened.pairs, opened.truth, None)
    read_links(opened.pairs, "candidates", opened.truth, how, backend)


def _cross_fitted(sw: Any, folds: int | None, level: float) -> Any:
    """Return the cross-fitted score; None where it is not wanted, or the entities are too few."""
    confidence(level)
    if folds == 0:
        return None
    try:
        return sw.cross_fitted(5 if folds is None else folds, confidence_level=level)
    except DataError:
        if folds is None and sw.n_entities < _ENOUGH:
            return None
        raise


def _write(sw: Any, ceiling: float | None, written: Written) -> None:
    if written.save is not None:
        sw.best.policy.save(written.save)
    if written.plot is not None:
        draw(written.plot, lambda: sw.plot(oracle=ceiling))
    if written.output is not None:
        tables.write_table(sw.curve, written.output)


def _line(elsewhere: Any) -> str:
    if elsewhere is not None:
        return str(elsewhere.line())
    return "not cross-fitted: --folds 0, or too few entities for five folds of ten each"


def _numbers(grid: str) -> list[float]:
    try:
        return [float(part) for part in grid.split(",")]
    except ValueError as error:
        raise DataError(f"--grid {grid!r}: give numbers with a comma between") from error
