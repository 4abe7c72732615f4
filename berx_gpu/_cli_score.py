"""`berx-gpu score`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from berx_gpu import _cli_inputs as inputs
from berx_gpu.errors import DataError


@click.command()
@click.argument("predictions")
@click.argument("truth")
@inputs.truth_options
@click.option("--threshold", type=float, help="Keep pairs with at least this score.")
@click.option(
    "--candidates",
    metavar="FILE",
    help="What the predictions were chosen from: adds the oracle and the error budget.  [default "
    "with --threshold: all rows of the predictions]",
)
@inputs.by_option
@click.option("--interval", is_flag=True, help="Limits of every metric, and of the slices of --by.")
@inputs.level_option
@inputs.choice(
    "--method",
    ("auto", "bounded", "normal", "bca", "percentile", "poisson"),
    "How limits of all entities are made; auto is bounded.",
)
@inputs.seed_option
@inputs.columns(
    "--pred-columns",
    "ENTITY,TARGET[,SCORE]",
    "Columns of the predictions; two columns need no names.",
)
@inputs.columns("--candidate-columns", "ENTITY,TARGET[,SCORE]", "Columns of the candidates.")
@inputs.file_options
@click.option("--name", help="What to call the predictions.  [default: the file's name]")
@inputs.output_options
@click.option(
    "--output",
    metavar="FILE",
    help="Write the report (.txt, .json, .md) or the scores of every entity "
    "(.parquet, .csv, .tsv), by the file's ending.",
)
@click.option("--false-links", metavar="FILE", help="Write the false links, the costliest first.")
@click.option("--missed-links", metavar="FILE", help="Write the missed links, the costliest first.")
@click.option(
    "--records",
    metavar="FILE",
    help="What to write beside the ids of these links: ids in the first column.",
)
@click.option("--fail-under", type=float, metavar="F", help="Exit 1 when macro F is below this.")
def score(
    predictions: str,
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
    threshold: float | None,
    candidates: str | None,
    by: tuple[str, ...],
    interval: bool,
    level: float,
    method: str,
    seed: int | None,
    pred_columns: str | None,
    candidate_columns: str | None,
    entity_column: str | None,
    no_header: bool,
    lists: tuple[str, ...],
    list_separator: str | None,
    ids: str,
    name: str | None,
    as_json: bool,
    as_markdown: bool,
    quiet: bool,
    output: str | None,
    false_links: str | None,
    missed_links: str | None,
    records: str | None,
    fail_under: float | None,
) -> int:
    """Score PREDICTIONS against TRUTH, two files of (entity, target) pairs.

    Files are Parquet, CSV with commas or TSV, in UTF-8 (also .csv.gz, .tsv.zst, ...), or lists
    (--lists). Ids of text files are text. Messages count rows from 0. The mean runs over all of
    --entities: those without a true target or a prediction count too.
    """
    from berx_gpu import _report, files
    from berx_gpu.resampling import confidence
    from berx_gpu.scoring import evaluate, part

    entities = inputs.required(entities)
    if fail_under is not None and not 0 <= fail_under <= 1:
        raise DataError(f"--fail-under {fail_under}: give a score between 0 and 1")
    form = inputs.one_form(as_json, as_markdown)
    read = [predictions, truth, entities]
    read += [file for file in (only, candidates, records) if file is not None]
    if output is not None:
        files.check_output(output, read)
    for option, file in (("--false-links", false_links), ("--missed-links", missed_links)):
        if file is not None:
            read += [] if output is None else [output]
            files.check_output(file, read, option, reports=False)
            read.append(file)
    if records is not None and false_links is None and missed_links is None:
        raise DataError("--records FILE stands beside links; give --false-links or --missed-links")
    inputs.check_forms(lists, list_separator, candidates, candidate_columns)
    names = {
        "pred": inputs.column_names(pred_columns, "--pred-columns", 3),
        "truth": inputs.column_names(truth_columns, "--truth-columns", 2),
        "candidates": inputs.column_names(candidate_columns, "--candidate-columns", 3),
    }
    score_column = names["pred"][2] if len(names["pred"]) == 3 else "score"
    reader = inputs.Reader(names, entity_column, no_header, lists, list_separator)
    listed, entity_list = reader.entities(entities)
    true, pred = reader.pairs("truth", truth), reader.pairs("pred", predictions)
    notes = []
    if threshold is not None:
        pred = files.with_scores(pred, score_column, predictions, "--pred-columns")
    elif score_column in pred.column_names:
        notes.append(f"every row is a prediction: {score_column!r} only counts with --threshold")
    with inputs.told_later() as told:
        read_files = {
            "truth": (truth, true),
            "pred": (predictions, pred),
            "entities": (entities, listed),
        }
        encoded = reader.truth(
            read_files, entity_list, undirected=undirected, nulls=nulls, ids=ids, device=device
        )
        ev = evaluate(
            pred,
            encoded,
            beta=beta,
            entity=names["pred"][0],
            target=names["pred"][1],
            score=None if threshold is None else score_column,
            threshold=threshold,
            unknown_entities=unknown_entities,
            nulls=nulls,
            name=name or Path(predictions).name.split(".")[0] or predictions,
        )
        if where or only is not None:
            ev = part(ev, inputs.chosen(encoded, where, only))
        pool = _pool(reader, candidates, pred if threshold is not None else None, names)
        # Where a part of the entities is scored, the candidates of the others are no error.
        unknown = "drop" if where or only is not None else unknown_entities
        budget = None if pool is None else _budget(ev, pool, unknown, nulls)
        said = None if records is None else reader.table(records)
        methods = ((false_links, ev.false_links), (missed_links, ev.missed_links))
        made = [
            (method(None if pool is None else pool[0], said), file)
            for file, method in methods
            if file is not None
        ]
        for table, file in made:
            files.write_table(table, file)
    confidence(level)
    made_limits: dict[str, Any] = {"confidence_level": level, "method": method, "rng": seed}
    sure = _report.Sure(
        macro=ev.interval(**made_limits) if ev.n_entities > 1 else None,
        metrics=_intervals(ev, made_limits) if interval else {},
    )
    tables = {
        column: ev.by(inputs.slice_key(column), interval=interval, confidence_level=level)
        for column in by
    }
    for warning in [*told, *_report.suspicions(ev, len(pred))]:
        click.echo(f"warning: {warning}", err=True)
    if not quiet:
        if sure.macro is not None and sure.macro.seed is not None:
            notes.append(
                f"limits of {sure.macro.n_resamples:,} replicates, --seed {sure.macro.seed}"
            )
        for note in [*notes, *_report.notes(ev, budget, encoded.n_entities)]:
            click.echo(f"note: {note}", err=True)
    if output is not None:
        _report.write(output, ev, budget, sure, tables)
    if form != "txt" or not quiet:
        click.echo(_report.report(ev, budget, sure, tables, form))
    if fail_under is not None and not ev.macro_fbeta >= fail_under:
        click.echo(f"macro F {ev.macro_fbeta!r} is below {fail_under!r}", err=True)
        return inputs.GATE_FAILED
    return 0


def _intervals(ev: Any, options: dict[str, Any]) -> dict[str, Any]:
    """Return the interval of every metric, or why it has none."""
    from berx_gpu.resampling import METRICS

    found: dict[str, Any] = {}
    for metric in METRICS:
        try:
            found[metric] = ev.interval(metric, **options)
        except DataError as error:
            found[metric] = str(error)
    return found


def _pool(
    reader: inputs.Reader, candidates: str | None, pred: Any, names: dict[str, list[str]]
) -> tuple[Any, list[str]] | None:
    """Return the candidates and the names of their columns, or None when there are none."""
    if candidates is not None:
        from berx_gpu import files

        table, own = reader.pairs("candidates", candidates), names["candidates"]
        return files.with_scores(
            table, own[2] if len(own) == 3 else "score", candidates, "--candidate-columns"
        ), own
    return None if pred is None else (pred, names["pred"])


def _budget(ev: Any, pool: tuple[Any, list[str]], unknown_entities: str, nulls: str) -> Any:
    from berx_gpu.budget import error_budget

    table, names = pool
    return error_budget(
        ev,
        candidates=table,
        truth=None,
        entity=names[0],
        target=names[1],
        unknown_entities=unknown_entities,
        nulls=nulls,
    )
