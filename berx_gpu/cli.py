"""The command line: parses, calls one door, prints."""

from __future__ import annotations

import json
import signal
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from berx_gpu import __version__
from berx_gpu.errors import DataError, DataWarning, counted

if TYPE_CHECKING:
    import pyarrow as pa

    from berx_gpu.results import Evaluation

BAD_INPUT, GATE_FAILED, INTERRUPTED = 2, 1, 130


def main() -> None:
    """Run the command line: exit 0 done, 1 gate failed, 2 bad input with one line."""
    if hasattr(signal, "SIGPIPE"):  # a reader that leaves early ends the command in silence
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="replace")  # type: ignore[union-attr]
    try:
        code = cli(standalone_mode=False)
    except (click.exceptions.Abort, KeyboardInterrupt):
        code = INTERRUPTED
    except (DataError, click.ClickException) as error:
        text = error.format_message() if isinstance(error, click.ClickException) else str(error)
        click.echo(f"berx-gpu: error: {' '.join(text.split())}", err=True)
        code = BAD_INPUT
    sys.exit(code or 0)


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(__version__, prog_name="berx-gpu")
def cli() -> None:
    """Score entity-resolution output: how good it is and where it fails."""


@cli.command(no_args_is_help=True)
@click.argument("predictions")
@click.argument("truth")
@click.option("--entities", metavar="FILE", help="The entities that the score is over. Required.")
@click.option("--threshold", type=float, help="Keep pairs with at least this score.")
@click.option(
    "--by",
    multiple=True,
    metavar="COLUMN[,COLUMN]",
    help="Slice by columns of the entities file, or by n_true. Repeatable.",
)
@click.option(
    "--where",
    multiple=True,
    metavar="COLUMN=VALUE",
    help="Score only entities with this value. Repeatable: all must hold.",
)
@click.option("--only", metavar="FILE", help="Score only the entities in this file, one id a line.")
@click.option("--beta", type=float, default=0.5, show_default=True, help="β of F (not β²).")
@click.option(
    "--pred-columns",
    metavar="ENTITY,TARGET[,SCORE]",
    help="Columns of the predictions; two columns need no names.",
)
@click.option("--truth-columns", metavar="ENTITY,TARGET", help="Columns of the truth.")
@click.option("--entity-column", metavar="ENTITY", help="Id column of the entities file.")
@click.option("--no-header", is_flag=True, help="Text files start with data, not with names.")
@click.option(
    "--ids",
    type=click.Choice(["exact", "text"]),
    default="exact",
    show_default=True,
    help="Compare ids as they are, or as written text (7 then equals '7').",
)
@click.option(
    "--nulls",
    type=click.Choice(["error", "drop"]),
    default="error",
    show_default=True,
    help="What to do with rows that miss an id.",
)
@click.option(
    "--unknown-entities",
    type=click.Choice(["error", "drop"]),
    default="error",
    show_default=True,
    help="What to do with predictions for entities not listed.",
)
@click.option("--name", help="What to call the predictions.  [default: the file's name]")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--markdown", "as_markdown", is_flag=True, help="Print Markdown.")
@click.option(
    "--output",
    metavar="FILE",
    help="Write the report (.txt, .json, .md) or the scores of every entity "
    "(.parquet, .csv, .tsv), by the file's ending.",
)
@click.option("--fail-under", type=float, metavar="F", help="Exit 1 when macro F is below this.")
@click.option("--quiet", is_flag=True, help="No table, notes or warnings.")
def score(
    predictions: str,
    truth: str,
    entities: str | None,
    threshold: float | None,
    by: tuple[str, ...],
    where: tuple[str, ...],
    only: str | None,
    beta: float,
    pred_columns: str | None,
    truth_columns: str | None,
    entity_column: str | None,
    no_header: bool,
    ids: str,
    nulls: str,
    unknown_entities: str,
    name: str | None,
    as_json: bool,
    as_markdown: bool,
    output: str | None,
    fail_under: float | None,
    quiet: bool,
) -> int:
    """Score PREDICTIONS against TRUTH, two files of (entity, target) pairs.

    Files are Parquet, CSV or TSV (also .csv.gz, .tsv.zst, ...). The mean runs over all of
    --entities: those without a true target or a prediction count too.
    """
    from berx_gpu import files
    from berx_gpu.scoring import evaluate, part
    from berx_gpu.truth import Truth

    if entities is None:
        raise DataError(
            "--entities FILE is missing: the list of all entities that the score is over, "
            "singletons and silent ones included, one row each"
        )
    pred_names = _columns(pred_columns, "--pred-columns", 2, 3)
    true_names = _columns(truth_columns, "--truth-columns", 2, 2)
    score_column = pred_names[2] if len(pred_names) == 3 else "score"
    listed = files.read_table(entities, header=not no_header)
    true = files.read_table(truth, header=not no_header)
    pred = files.read_table(predictions, header=not no_header)
    if threshold is not None:
        pred = files.with_scores(pred, score_column, predictions)
    if entity_column is not None:
        listed = _renamed(listed, entity_column, true_names[0])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DataWarning)
        encoded = Truth(
            true,
            listed,
            entity=true_names[0],
            target=true_names[1],
            nulls=nulls,
            ids=ids,
        )
        if not no_header:
            ids_listed = encoded.key_columns[0][1]
            files.check_header(truth, true, ids_listed)
            files.check_header(predictions, pred, ids_listed)
            files.check_header(entities, listed, true.column(0))
        ev = evaluate(
            pred,
            encoded,
            beta=beta,
            entity=pred_names[0],
            target=pred_names[1],
            score=score_column,
            threshold=threshold,
            unknown_entities=unknown_entities,
            nulls=nulls,
            name=name or Path(predictions).name.split(".")[0],
        )
        if where or only:
            ev = part(ev, _chosen(encoded, where, only))
    tables = {column: ev.by(column.split(",") if "," in column else column) for column in by}
    if not quiet:
        for warning in caught:
            click.echo(f"warning: {warning.message}", err=True)
        for note in _notes(ev, encoded.n_entities):
            click.echo(f"note: {note}", err=True)
    if output:
        _write(output, ev, tables)
    if as_json or as_markdown or not quiet:
        click.echo(_report(ev, tables, "json" if as_json else "md" if as_markdown else "txt"))
    if fail_under is not None and not ev.macro_fbeta >= fail_under:
        click.echo(f"macro F {ev.macro_fbeta:.6f} is below {fail_under:g}", err=True)
        return GATE_FAILED
    return 0


SHOWN_SLICES = 30


def _columns(text: str | None, option: str, least: int, most: int) -> list[str]:
    """Return the column names that an option lists."""
    if text is None:
        return ["entity", "target"]
    names = text.split(",")
    if not least <= len(names) <= most or "" in names:
        raise DataError(
            f"{option} {text!r}: give {least} names with a comma between, such as id,match"
        )
    return names


def _renamed(table: pa.Table, old: str, new: str) -> pa.Table:
    if old not in table.column_names:
        raise DataError(
            f"entities has no column {old!r}; its columns are {', '.join(table.column_names)}"
        )
    return table.rename_columns([new if name == old else name for name in table.column_names])


def _chosen(truth: Any, where: Sequence[str], only: str | None) -> Any:
    """Return the ids of the entities that --where and --only leave, in the list's order."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    from berx_gpu import files

    kept = np.ones(truth.n_entities, bool)
    columns = dict(truth.slice_columns)
    for condition in where:
        column, equals, value = condition.partition("=")
        if not equals or column not in columns:
            known = ", ".join(map(str, columns)) or "no column beside the ids"
            raise DataError(f"--where {condition!r}: give COLUMN=VALUE; the entities have {known}")
        text = pc.fill_null(columns[column].cast(pa.string()), "")
        kept &= pc.equal(text, value).to_numpy()
    if only is not None:
        codes = truth.codes_of(files.read_lines(only), "--only")
        if (codes < 0).any():
            count = counted(int((codes < 0).sum()), "id", "ids")
            line = int((codes < 0).argmax()) + 1
            raise DataError(f"{only} holds {count} that --entities does not, first in line {line}")
        named = np.zeros(len(kept), bool)
        named[codes] = True
        kept &= named
    if not kept.any():
        raise DataError("--where and --only leave no entity to score")
    return truth.key_columns[0][1].take(pa.array(np.flatnonzero(kept)))


def _notes(ev: Evaluation, n_listed: int) -> list[str]:
    """Return what was left out, in words."""
    told = {
        "prediction_repeats": "repeated prediction {rows} counted once",
        "truth_repeats": "repeated truth {rows} counted once",
        "prediction_nulls": "prediction {rows} without an id dropped",
        "truth_nulls": "truth {rows} without an id dropped",
        "unknown_entities": "prediction {rows} of unlisted entities dropped",
        "truth_outside": "truth {rows} of entities that are not scored ignored",
    }
    notes = []
    for field, text in told.items():
        if count := getattr(ev.dropped, field):
            notes.append(f"{count:,} {text.format(rows='row' if count == 1 else 'rows')}")
    if ev.n_entities < n_listed:
        notes.append(f"scored {ev.n_entities:,} of {n_listed:,} entities")
    return notes


def _report(ev: Evaluation, slices: dict[str, Any], form: str) -> str:
    from berx_gpu.results import aligned, markdown

    if form == "json":
        by = {name: _records(frame) for name, frame in slices.items()}
        tables = {"losses": _records(ev.losses()), "slices": by}
        return json.dumps({**ev.to_dict(), **tables}, indent=2, default=str, ensure_ascii=False)
    cells = [_slice_cells(ev, frame) for frame in slices.values()]
    if form == "md":
        return "\n\n".join([ev.to_markdown(), *map(markdown, cells)])
    return "\n\n".join([str(ev), *("\n".join(aligned(rows)) for rows in cells)])


def _records(frame: Any) -> list[dict[str, Any]]:
    from berx_gpu.results import as_json

    return [as_json(row) for row in frame.to_pylist()]


def _slice_cells(ev: Evaluation, frame: Any) -> list[list[str]]:
    from berx_gpu.results import fbeta_name, score

    keys = frame.column_names[: frame.column_names.index("n_entities")]
    header = [f"{', '.join(keys)} (worst loss first)", "entities", fbeta_name(ev.beta), "P", "R"]
    rows = sorted(frame.to_pylist(), key=lambda row: -row["loss_share"])
    cells = [
        [
            ", ".join("?" if row[key] is None else str(row[key]) for key in keys),
            f"{row['n_entities']:,}",
            *(score(row[name]) for name in ("macro_fbeta", "precision", "recall")),
        ]
        for row in rows[:SHOWN_SLICES]
    ]
    if len(rows) > SHOWN_SLICES:
        cells.append([f"... {len(rows) - SHOWN_SLICES:,} more (--json has all)", "", "", "", ""])
    return [header, *cells]


def _write(path: str, ev: Evaluation, slices: dict[str, Any]) -> None:
    from berx_gpu import files

    form = Path(path).suffix.lstrip(".").lower()
    if form in ("txt", "json", "md"):
        files.write_text(_report(ev, slices, form) + "\n", path)
    else:
        files.write_table(ev.per_entity, path)


if __name__ == "__main__":
    main()
