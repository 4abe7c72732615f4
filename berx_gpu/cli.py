"""The command line: parses, calls one door, prints."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from berx_gpu import __version__
from berx_gpu._progress import progress
from berx_gpu.errors import DataError, DataWarning, counted, some

if TYPE_CHECKING:
    import pyarrow as pa

BAD_INPUT, GATE_FAILED, INTERRUPTED = 2, 1, 130
_PATIENCE = 1.0
"""After how many seconds a command shows how far it has come."""


def main() -> None:
    """Run the command line: exit 0 done, 1 gate failed, 2 bad input with one line."""
    if hasattr(signal, "SIGPIPE"):  # a reader that leaves early ends the command in silence
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.reconfigure(errors="replace")  # type: ignore[union-attr]
    try:
        with _progress_bar():
            code = cli(standalone_mode=False)
        if sys.stdout is not None:
            sys.stdout.flush()
    except (click.exceptions.Abort, KeyboardInterrupt):
        code = INTERRUPTED
    except (DataError, click.ClickException) as error:
        text = error.format_message() if isinstance(error, click.ClickException) else str(error)
        code = _told(text)
    except OSError as error:
        _told(f"the result cannot be written: {error.strerror or error}")
        os._exit(BAD_INPUT)  # Python would try, and fail, to write the rest at its exit
    except Exception as error:
        code = _told(f"this is a fault of berx-gpu, please report it: {error!r}")
    sys.exit(code or 0)


@contextlib.contextmanager
def _progress_bar() -> Iterator[None]:
    """Show how far a long command has come, on a terminal and there on a line that goes away."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield
        return
    shown, start = "", time.monotonic()

    def show(step: str, done: int, total: int) -> None:
        nonlocal shown
        bar = f"{step} {'█' * (20 * done // total):░<20} {100 * done // total:3} %"
        text = "" if done == total else bar
        if text != shown and time.monotonic() - start > _PATIENCE:
            shown = text
            click.echo(f"\r{text:<60}\r", nl=False, err=True)

    with progress(show):
        yield


def _told(message: str) -> int:
    with contextlib.suppress(OSError):
        click.echo(f"berx-gpu: error: {' '.join(message.split())}", err=True)
    return BAD_INPUT


@click.group(
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="berx-gpu")
@click.pass_context
def cli(context: click.Context) -> None:
    """Score entity-resolution output: how good it is and where it fails."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


@cli.command()
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
    help="Score only entities with this value (COLUMN= for a missing one). Repeatable: all must "
    "hold.",
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
@click.option(
    "--no-header",
    is_flag=True,
    help="No text file has a line of names: columns are entity, target, score, 4, 5, ...",
)
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
@click.option(
    "--fail-under",
    type=float,
    metavar="F",
    help="Exit 1 when macro F is below this.",
)
@click.option("--quiet", is_flag=True, help="No table and no notes.")
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

    Files are Parquet, CSV with commas or TSV, in UTF-8 (also .csv.gz, .tsv.zst, ...). Ids of text
    files are text. Messages count rows from 0. The mean runs over all of --entities: those without
    a true target or a prediction count too.
    """
    from berx_gpu import _report, files
    from berx_gpu.scoring import evaluate, part
    from berx_gpu.truth import Truth

    if entities is None:
        raise DataError(
            "--entities FILE is missing: the list of all entities that the score is over, "
            "singletons and silent ones included, one row each"
        )
    if fail_under is not None and not 0 <= fail_under <= 1:
        raise DataError(f"--fail-under {fail_under}: give a score between 0 and 1")
    if as_json and as_markdown:
        raise DataError("--json and --markdown exclude each other; give one")
    if output is not None:
        files.check_output(
            output, [predictions, truth, entities, *([] if only is None else [only])]
        )
    pred_names = _columns(pred_columns, "--pred-columns", 3)
    true_names = _columns(truth_columns, "--truth-columns", 2)
    score_column = pred_names[2] if len(pred_names) == 3 else "score"
    usual = {"entity", "target", "score", *pred_names, *true_names, entity_column}
    listed, true, pred = (
        files.read_table(file, header=not no_header, usual=usual)
        for file in (entities, truth, predictions)
    )
    notes = []
    if threshold is not None:
        pred = files.with_scores(pred, score_column, predictions)
    elif score_column in pred.column_names:
        notes.append(f"every row is a prediction: {score_column!r} only counts with --threshold")
    entity_list = listed if entity_column is None else _keyed_by(listed, entity_column)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DataWarning)
        encoded = Truth(
            true, entity_list, entity=true_names[0], target=true_names[1], nulls=nulls, ids=ids
        )
        if not no_header:
            true_ids = _first_two(true, true_names)
            known = [encoded._key_columns[0][1], *true_ids[1:]]
            files.check_header(truth, true, known, usual)
            files.check_header(predictions, pred, known, usual)
            files.check_header(entities, listed, true_ids[:1], usual)
        ev = evaluate(
            pred,
            encoded,
            beta=beta,
            entity=pred_names[0],
            target=pred_names[1],
            score=None if threshold is None else score_column,
            threshold=threshold,
            unknown_entities=unknown_entities,
            nulls=nulls,
            name=name or Path(predictions).name.split(".")[0] or predictions,
        )
        if where or only is not None:
            ev = part(ev, _chosen(encoded, where, only))
    tables = {column: ev.by(column.split(",") if "," in column else column) for column in by}
    told = [str(warning.message) for warning in caught]
    for warning in [*told, *_report.suspicions(ev, len(pred))]:
        click.echo(f"warning: {warning}", err=True)
    if not quiet:
        for note in [*notes, *_report.notes(ev, encoded.n_entities)]:
            click.echo(f"note: {note}", err=True)
    if output is not None:
        _report.write(output, ev, tables)
    if as_json or as_markdown or not quiet:
        form = "json" if as_json else "md" if as_markdown else "txt"
        click.echo(_report.report(ev, tables, form))
    if fail_under is not None and not ev.macro_fbeta >= fail_under:
        click.echo(f"macro F {ev.macro_fbeta!r} is below {fail_under!r}", err=True)
        return GATE_FAILED
    return 0


def _columns(text: str | None, option: str, most: int) -> list[str]:
    """Return the column names that an option lists."""
    if text is None:
        return ["entity", "target"]
    names = [name.strip() for name in text.split(",")]
    if not 2 <= len(names) <= most or "" in names:
        form = "ENTITY,TARGET or ENTITY,TARGET,SCORE" if most == 3 else "ENTITY,TARGET"
        raise DataError(f"{option} {text!r}: give {form}, names with a comma between")
    return names


def _keyed_by(table: pa.Table, name: str) -> Any:
    """Return the entity list of a file by the name of its id column."""
    from berx_gpu import _pairs

    columns = list(zip(table.column_names, table.columns, strict=True))
    key = [column for column in columns if column[0] == name]
    if len(key) != 1:
        raise DataError(
            f"entities has {len(key) or 'no'} column {name!r}; its columns are "
            f"{', '.join(table.column_names)}"
        )
    return _pairs.Entities(key, [column for column in columns if column[0] != name])


def _first_two(table: pa.Table, names: Sequence[str]) -> list[Any]:
    """Return the entity and the target column of a file of pairs that has been read already."""
    known = set(names) <= set(table.column_names)
    return [table[name] for name in names] if known else table.columns


def _holds(column: Any, condition: str, value: str) -> Any:
    """Return which entities have a value, written as the report writes it; empty for missing."""
    import numpy as np

    from berx_gpu._columns import to_series
    from berx_gpu._report import written

    try:
        codes, seen = to_series(column).factorize()
    except TypeError as error:
        raise DataError(f"--where {condition!r}: the column holds lists or the like") from error
    texts = [*map(written, seen), ""]  # a missing value has the code -1, which is the last
    holds: Any = np.array([text == value for text in texts])[codes]
    if not holds.any():
        present = some(sorted(set(texts)), 9)
        raise DataError(f"--where {condition!r} holds for no entity; the column has {present}")
    return holds


def _chosen(truth: Any, where: Sequence[str], only: str | None) -> Any:
    """Return the ids of the entities that --where and --only leave, in the list's order."""
    import numpy as np
    import pyarrow as pa

    from berx_gpu import files

    kept = np.ones(truth.n_entities, bool)
    columns = [*truth._slice_columns, *truth._key_columns]
    for condition in where:
        name, equals, value = condition.partition("=")
        held = [values for column, values in columns if column == name]
        if not equals or len(held) != 1:
            known = some([column for column, _ in columns], 20)
            raise DataError(f"--where {condition!r}: give COLUMN=VALUE; the entities have {known}")
        kept &= _holds(held[0], condition, value)
    if only is not None:
        lines = files.read_lines(only)
        codes = truth._codes_of(lines, "--only")
        if (codes < 0).any():
            count = counted(int((codes < 0).sum()), "id", "ids")
            first = int((codes < 0).argmax())
            raise DataError(
                f"{only} holds {count} that --entities does not, first {lines[first]!r} in line "
                f"{first + 1}"
            )
        named = np.zeros(len(kept), bool)
        named[codes] = True
        kept &= named
    if not kept.any():
        raise DataError("no entity meets all of --where and --only")
    return truth._key_columns[0][1].take(pa.array(np.flatnonzero(kept)))


if __name__ == "__main__":
    main()
