"""`berx-gpu compare`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from berx_gpu import _cli_inputs as inputs
from berx_gpu.errors import DataError, counted


@click.command()
@click.argument("predictions", nargs=-1, required=True, metavar="A B ...")
@click.argument("truth")
@inputs.truth_options
@click.option(
    "--threshold",
    type=float,
    multiple=True,
    help="Keep pairs with at least this score: once for all systems, or once for each, in order.",
)
@click.option("--name", multiple=True, help="What to call a system: once for each, in order.")
@click.option("--baseline", metavar="NAME", help="Compare all others with this system only.")
@click.option(
    "--metric",
    type=click.Choice(
        ["macro_fbeta", "macro_fbeta_non_singleton", "macro_precision", "macro_recall"]
    ),
    default="macro_fbeta",
    show_default=True,
    help="What to compare.",
)
@inputs.level_option
@inputs.seed_option
@inputs.by_option
@inputs.columns(
    "--pred-columns",
    "ENTITY,TARGET[,SCORE]",
    "Columns of the predictions of all systems; two columns need no names.",
)
@inputs.file_options
@inputs.output_options
@click.option("--plot", metavar="FILE", help="Draw the differences (.png, .svg, .pdf).")
@click.option("--fail-if-worse", is_flag=True, help="Exit 1 when B is worse than A.")
def compare(
    predictions: tuple[str, ...],
    truth: str,
    entities: str | None,
    where: tuple[str, ...],
    only: str | None,
    beta: float,
    truth_columns: str | None,
    undirected: bool,
    nulls: str,
    unknown_entities: str,
    device: str,
    threshold: tuple[float, ...],
    name: tuple[str, ...],
    baseline: str | None,
    metric: str,
    level: float,
    seed: int | None,
    by: tuple[str, ...],
    pred_columns: str | None,
    entity_column: str | None,
    no_header: bool,
    lists: tuple[str, ...],
    list_separator: str | None,
    ids: str,
    as_json: bool,
    as_markdown: bool,
    quiet: bool,
    plot: str | None,
    fail_if_worse: bool,
) -> int:
    """Compare systems A and B, or more, on the same entities of one TRUTH.

    The limits of the difference hold over entities like these; the verdict is theirs. Three or
    more systems are compared in pairs, with limits for all pairs at once.
    """
    from berx_gpu import _report, files
    from berx_gpu._tables import aligned, markdown
    from berx_gpu.comparing import compare as compared
    from berx_gpu.comparing import compare_all
    from berx_gpu.scoring import evaluate, part

    entities = inputs.required(entities)
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
    alone = n == 2 and baseline is None
    if not alone and (by or fail_if_worse):
        option = "--by" if by else "--fail-if-worse"
        raise DataError(f"{option} is for two systems; give A and B only, without --baseline")
    inputs.check_forms(lists, list_separator, None, None)
    form = inputs.one_form(as_json, as_markdown)
    inputs.check_plot(plot, [*predictions, truth, entities, only])
    columns = {
        "pred": inputs.column_names(pred_columns, "--pred-columns", 3),
        "truth": inputs.column_names(truth_columns, "--truth-columns", 2),
    }
    score = columns["pred"][2] if len(columns["pred"]) == 3 else "score"
    reader = inputs.Reader(columns, entity_column, no_header, lists, list_separator)
    listed, entity_list = reader.entities(entities)
    true = reader.pairs("truth", truth)
    read = {"truth": (truth, true), "entities": (entities, listed)}
    with inputs.told_later() as told:
        encoded = reader.truth(
            read, entity_list, undirected=undirected, nulls=nulls, ids=ids, device=device
        )
        chosen = inputs.chosen(encoded, where, only) if where or only is not None else None
        systems, notes = {}, []
        for path, system, least in zip(predictions, names, thresholds, strict=True):
            pred = reader.pairs("pred", path)
            reader.check_pairs_header(path, "pred", pred, true, encoded)
            if least is None and score in pred.column_names:
                notes.append(
                    f"{system}: every row is a link: {score!r} only counts with --threshold"
                )
            if least is not None:
                pred = files.with_scores(pred, score, path, "--pred-columns")
            ev = evaluate(
                pred,
                encoded,
                beta=beta,
                entity=columns["pred"][0],
                target=columns["pred"][1],
                score=None if least is None else score,
                threshold=least,
                unknown_entities=unknown_entities,
                nulls=nulls,
                name=system,
            )
            systems[system] = ev if chosen is None else part(ev, chosen)
            told += [f"{system}: {text}" for text in _report.suspicions(ev, len(pred))]
        options: dict[str, Any] = {"metric": metric, "confidence_level": level, "rng": seed}
        made: Any
        if alone:
            made = compared(*systems.values(), **options)
        else:
            made = compare_all(systems, baseline=baseline, **options)
        slices = {column: made.by(inputs.slice_key(column)) for column in by}
    for warning in told:
        click.echo(f"warning: {warning}", err=True)
    if not quiet:
        for note in notes:
            click.echo(f"note: {note}", err=True)
        for system, ev in systems.items():
            for note in _report.left_out(ev.dropped, "prediction", part=chosen is not None):
                click.echo(f"note: {system}: {note}", err=True)
    if plot is not None:
        key = inputs.slice_key(by[0]) if by else None
        inputs.draw(plot, lambda: (made.plot(key) if alone else made.plot()).figure)
    if form == "json":
        tables = {column: _report.records(frame) for column, frame in slices.items()}
        out = made.to_dict() | ({"slices": tables} if slices else {})
        click.echo(json.dumps(out, indent=2, ensure_ascii=False))
    elif form == "md":
        cells = [markdown(_report.delta_cells(frame)) for frame in slices.values()]
        click.echo("\n\n".join([made.to_markdown(), *cells]))
    elif not quiet:
        cells = ["\n".join(aligned(_report.delta_cells(f))) for f in slices.values()]
        click.echo("\n\n".join([str(made), *cells]))
    if fail_if_worse and made.high < 0:
        click.echo(made.verdict, err=True)
        return inputs.GATE_FAILED
    return 0


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
