"""What `berx-gpu compare` does."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import click

from berx_gpu.cli.options import FileForm, Output, Scope
from berx_gpu.cli.reading import Opened, Reader, check_forms, slice_key, told_later
from berx_gpu.cli.report import (
    GATE_FAILED,
    check_plot,
    delta_cells,
    draw,
    left_out,
    records,
    show,
    suspicions,
    tell,
)
from berx_gpu.comparing.comparing import compare, compare_all
from berx_gpu.errors import DataError, counted
from berx_gpu.evaluation.evaluation import Evaluation
from berx_gpu.evaluation.scoring import evaluate, part


class _System(NamedTuple):
    """A file of predictions, what to call it, and the score from which pairs are predicted."""

    path: str
    name: str
    threshold: float | None


def run(
    predictions: tuple[str, ...],
    truth: str,
    scope: Scope,
    threshold: tuple[float, ...],
    name: tuple[str, ...],
    baseline: str | None,
    metric: str,
    level: float,
    seed: int | None,
    by: tuple[str, ...],
    pred_columns: str | None,
    form: FileForm,
    out: Output,
    plot: str | None,
    fail_if_worse: bool,
) -> int:
    """Compare files of predictions, and print what the limits allow to say."""
    systems = _systems(predictions, threshold, name)
    alone = len(systems) == 2 and baseline is None
    if not alone and (by or fail_if_worse):
        option = "--by" if by else "--fail-if-worse"
        raise DataError(f"{option} is for two systems; give A and B only, without --baseline")
    check_forms(form, None, None)
    _ = out.form  # both forms at once are refused before anything is read
    check_plot(plot, [*predictions, truth, scope.entities, scope.only])
    reader = Reader.of(form, pred=pred_columns, truth=scope.truth_columns)
    with told_later() as told:
        opened = reader.open(scope, truth)
        made, notes = {}, []
        for system in systems:
            ev, said, unused = _evaluated(system, opened, reader, scope)
            made[system.name] = ev
            told += [f"{system.name}: {text}" for text in said]
            notes += [f"{system.name}: {text}" for text in unused]
        how: dict[str, Any] = {"metric": metric, "confidence_level": level, "rng": seed}
        found: Any
        if alone:
            found = compare(*made.values(), **how)
        else:
            found = compare_all(made, baseline=baseline, **how)
        slices = {column: found.by(slice_key(column)) for column in by}
    tell("warning", told)
    if not out.quiet:
        for called, ev in made.items():
            left = left_out(ev.dropped, "prediction", part=scope.is_part)
            notes += [f"{called}: {note}" for note in left]
        tell("note", notes)
    if plot is not None:
        key = [slice_key(by[0])] if by else []
        draw(plot, lambda: found.plot(*key).figure)

    def as_dict() -> dict[str, Any]:
        rows = {column: records(frame) for column, frame in slices.items()}
        return {**found.to_dict(), **({"slices": rows} if rows else {})}

    show(out, as_dict, found, *map(delta_cells, slices.values()))
    if fail_if_worse and found.high < 0:
        click.echo(found.verdict, err=True)
        return GATE_FAILED
    return 0


def _evaluated(
    system: _System, opened: Opened, reader: Reader, scope: Scope
) -> tuple[Evaluation, list[str], list[str]]:
    """Return the evaluation of a system, what is suspicious, and what did not count."""
    path, name, threshold = system
    score = reader.score("pred")
    pred = reader.pairs("pred", path, scored=threshold is not None)
    reader.check_header(path, "pred", pred, opened)
    ev = evaluate(
        pred,
        opened.truth,
        **reader.options("pred", scope),
        beta=scope.beta,
        score=None if threshold is None else score,
        threshold=threshold,
        name=name,
    )
    unused = threshold is None and score in pred.column_names
    notes = [f"every row is a link: {score!r} only counts with --threshold"] if unused else []
    own = part(ev, opened.part) if scope.is_part else ev
    return own, suspicions(ev, len(pred)), notes


def _systems(
    predictions: tuple[str, ...], threshold: tuple[float, ...], name: tuple[str, ...]
) -> list[_System]:
    """Return the systems to compare, each with a name of its own."""
    n = len(predictions)
    if n < 2:
        raise DataError("give two files of predictions or more, and the truth last")
    thresholds = _each(threshold, n, "--threshold")
    names = list(name) or _names(predictions, thresholds)
    if len(names) != n:
        times = counted(len(names), "time", "times")
        raise DataError(f"--name is given {times} for {n} systems; give it for each")
    if "" in names:
        raise DataError("--name is empty; give each system a name")
    if len(set(names)) < n:
        raise DataError("two systems have one name; tell them apart with --name, once for each")
    return list(map(_System, predictions, names, thresholds))


def _each(values: Sequence[float], n: int, option: str) -> Sequence[float | None]:
    """Return one value for each system: that of all, or its own."""
    if not values:
        return [None] * n
    if len(values) not in (1, n):
        times = counted(len(values), "time", "times")
        raise DataError(
            f"{option} is given {times} for {n} systems; give it once, or once for each"
        )
    return list(values) * (n if len(values) == 1 else 1)


def _names(predictions: tuple[str, ...], thresholds: Sequence[float | None]) -> list[str]:
    """Return the names of the files; with their thresholds where these tell them apart."""
    names = [Path(path).name.split(".")[0] or path for path in predictions]
    if len(set(names)) == len(names) or None in thresholds:
        return names
    return [f"{name} ≥ {least:g}" for name, least in zip(names, thresholds, strict=True)]
