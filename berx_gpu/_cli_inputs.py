"""What the subcommands share: their common options, and the files behind them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from berx_gpu.errors import DataError, DataWarning, counted, some

if TYPE_CHECKING:
    import pyarrow as pa

    from berx_gpu.truth import Truth

GATE_FAILED = 1
_LISTS = ("pred", "truth", "candidates", "all")
_Command = Callable[..., Any]


def stacked(*options: Callable[[_Command], _Command]) -> Callable[[_Command], _Command]:
    """Return several click options as one decorator, in the order in which help shows them."""

    def decorate(command: _Command) -> _Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def choice(name: str, values: Sequence[str], text: str) -> Callable[[_Command], _Command]:
    """Return an option that takes one of a few values, the first by default."""
    kind = click.Choice(list(values))
    return click.option(name, type=kind, default=values[0], show_default=True, help=text)


def columns(name: str, form: str, text: str) -> Callable[[_Command], _Command]:
    return click.option(name, metavar=form, help=text)


device_option = click.option(
    "--device", type=click.Choice(["cpu", "cuda"]), default="cpu", help="Where to work."
)


truth_options = stacked(
    click.option("--entities", metavar="FILE", help="The entities that count. Required."),
    click.option(
        "--where",
        multiple=True,
        metavar="COLUMN=VALUE",
        help="Score only entities with this value (COLUMN= for a missing one). Repeatable: all "
        "must hold.",
    ),
    click.option(
        "--only", metavar="FILE", help="Score only the entities in this file, one id a line."
    ),
    click.option("--beta", type=float, default=0.5, show_default=True, help="β of F (not β²)."),
    columns("--truth-columns", "ENTITY,TARGET", "Columns of the truth."),
    click.option(
        "--undirected",
        is_flag=True,
        help="Pairs have no direction, as in deduplication: b,a is a,b.",
    ),
    choice("--nulls", ("error", "drop"), "What to do with rows that miss an id."),
    choice(
        "--unknown-entities",
        ("error", "drop"),
        "What to do with predictions for entities not listed.",
    ),
    device_option,
)

file_options = stacked(
    click.option("--entity-column", metavar="ENTITY", help="Id column of the entities file."),
    click.option(
        "--no-header",
        is_flag=True,
        help="No text file has a line of names: columns are entity, target, score, 4, 5, ...",
    ),
    click.option(
        "--lists",
        multiple=True,
        type=click.Choice(_LISTS),
        help="These files hold one entity a line: id, tab, its targets in a list. Repeatable.",
    ),
    click.option(
        "--list-separator",
        metavar="CHARACTER",
        help="What stands between the targets of a list.  [default: ,]",
    ),
    choice("--ids", ("exact", "text"), "Compare ids as they are, or as text (7 then equals '7')."),
)

by_option = click.option(
    "--by",
    multiple=True,
    metavar="COLUMN[,COLUMN]",
    help="Slice by columns of the entities file, or by n_true. Repeatable.",
)


output_options = stacked(
    click.option("--json", "as_json", is_flag=True, help="Print JSON."),
    click.option("--markdown", "as_markdown", is_flag=True, help="Print Markdown."),
    click.option("--quiet", is_flag=True, help="No table and no notes."),
)


level_option = click.option(
    "--level", type=float, default=0.95, show_default=True, help="Confidence of all limits."
)
seed_option = click.option(
    "--seed", type=int, help="Of random numbers; the result says which was used.  [default: any]"
)


@dataclass(frozen=True)
class Reader:
    """How files are read: their columns and their form, as the options say."""

    names: dict[str, list[str]]
    entity_column: str | None
    no_header: bool
    lists: Sequence[str]
    list_separator: str | None

    @property
    def usual(self) -> set[str | None]:
        """Names that columns usually have: a first line that starts with one is never data."""
        named = {name for names in self.names.values() for name in names}
        return {"entity", "target", "score", *named, self.entity_column}

    def pairs(self, kind: str, path: str) -> pa.Table:
        """Read a file of pairs: predictions, truth or candidates."""
        from berx_gpu import files, pair_files

        if kind in self.lists or "all" in self.lists:
            header = False if self.no_header else None
            return pair_files.read_pairs(
                path, "lists", separator=self.list_separator, header=header
            ).rename_columns(self.names[kind][:2])
        return files.read_table(path, header=not self.no_header, usual=self.usual)

    def table(self, path: str) -> pa.Table:
        """Read a file of one row per entity or target."""
        from berx_gpu import files

        return files.read_table(path, header=not self.no_header, usual=self.usual)

    def entities(self, path: str) -> tuple[pa.Table, Any]:
        """Read the entity list: as a table, and with its id column picked out."""
        table = self.table(path)
        return table, table if self.entity_column is None else keyed_by(table, self.entity_column)

    def truth(
        self,
        read: dict[str, tuple[str, pa.Table]],
        entity_list: Any,
        *,
        undirected: bool,
        nulls: str,
        ids: str,
        device: str,
    ) -> Truth:
        """Return the truth, after a look at the first line of every file.

        `read` holds the path and the table of the truth, of the pairs to score, and of the
        entities, by their kind; they are looked at in its order.
        """
        from berx_gpu.truth import Truth

        true, names = read["truth"][1], self.names["truth"]
        encoded = Truth(
            true,
            entity_list,
            entity=names[0],
            target=names[1],
            undirected=undirected,
            nulls=nulls,
            ids=ids,
            device=device,
        )
        true_ids = first_two(true, names)
        for kind, (path, table) in read.items():
            if kind == "entities":
                self.check_header(path, kind, table, true_ids[:1])
            else:
                self.check_pairs_header(path, kind, table, true, encoded)
        return encoded

    def check_pairs_header(
        self, path: str, kind: str, table: pa.Table, true: pa.Table, encoded: Truth
    ) -> None:
        """Raise when the first line of a file of pairs, taken as its names, holds an id."""
        true_ids = first_two(true, self.names["truth"])
        self.check_header(path, kind, table, [encoded._key_columns[0][1], *true_ids[1:]])

    def check_header(self, path: str, kind: str, table: pa.Table, ids: Sequence[Any]) -> None:
        """Raise when the first line of a text file, taken as its names, holds an id."""
        from berx_gpu import files

        if not self.no_header and kind not in self.lists and "all" not in self.lists:
            files.check_header(path, table, ids, self.usual)


def required(entities: str | None) -> str:
    """Return the entities file, or raise when it was not given."""
    if entities is None:
        raise DataError(
            "--entities FILE is missing: the list of all entities that the score is over, "
            "singletons and silent ones included, one row each"
        )
    return entities


def check_forms(
    lists: Sequence[str],
    separator: str | None,
    candidates: str | None,
    candidate_columns: str | None,
) -> None:
    """Raise for options of files that are not there."""
    if separator is not None and not lists:
        raise DataError("--list-separator is of lists; say which files are with --lists")
    if candidates is None and (candidate_columns is not None or "candidates" in lists):
        option = "--lists candidates" if candidate_columns is None else "--candidate-columns"
        raise DataError(f"{option} without candidates; give --candidates FILE")


def one_form(as_json: bool, as_markdown: bool) -> str:
    """Return in which form to print: json, md or txt."""
    if as_json and as_markdown:
        raise DataError("--json and --markdown exclude each other; give one")
    return "json" if as_json else "md" if as_markdown else "txt"


def check_plot(plot: str | None, others: Sequence[str | None]) -> None:
    """Raise when a figure cannot be written, or would overwrite another file of the call."""
    from berx_gpu import files

    if plot is not None:
        files.check_apart(plot, others, "--plot")
        if not plot.lower().endswith((".png", ".svg", ".pdf")):
            raise DataError(f"--plot {plot!r}: cannot tell what to draw; use .png, .svg or .pdf")


def draw(plot: str, figure: Callable[[], Any]) -> None:
    """Write a figure as the file's ending says."""
    from berx_gpu import files

    with warnings.catch_warnings():  # of matplotlib, about axes of a single value
        warnings.simplefilter("ignore", UserWarning)
        made = figure()
        files.write_with(plot, lambda temporary: made.savefig(temporary, format=plot[-3:], dpi=150))


@contextmanager
def told_later() -> Iterator[list[str]]:
    """Collect the warnings of a block, each as one line."""
    told: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DataWarning)
        yield told
    told += [str(warning.message) for warning in caught]


def check_listed(
    pool: Any, truth: Truth, names: list[str], score: str, unknown_entities: str, nulls: str
) -> None:
    """Raise when candidates are of entities that not even the whole list holds."""
    from berx_gpu import _pairs
    from berx_gpu._links import backend_of, encoded_links

    frame = _pairs.read_pairs(
        pool,
        "candidates",
        entity=names[0],
        target=names[1],
        score=score,
        other=truth._names,
        undirected=truth.undirected,
    )
    encoded_links(frame, truth, unknown_entities, nulls, backend_of(pool, truth, None))


def slice_key(text: str) -> str | list[str]:
    """Return the slice that --by asks for: one column or several."""
    return text.split(",") if "," in text else text


def column_names(text: str | None, option: str, most: int) -> list[str]:
    """Return the column names that an option lists."""
    if text is None:
        return ["entity", "target"]
    names = [name.strip() for name in text.split(",")]
    if not 2 <= len(names) <= most or "" in names:
        form = "ENTITY,TARGET or ENTITY,TARGET,SCORE" if most == 3 else "ENTITY,TARGET"
        raise DataError(f"{option} {text!r}: give {form}, names with a comma between")
    return names


def keyed_by(table: pa.Table, name: str) -> Any:
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


def first_two(table: pa.Table, names: Sequence[str]) -> list[Any]:
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
        present = some(sorted({texts[code] for code in set(codes.tolist())}), 9)
        raise DataError(f"--where {condition!r} holds for no entity; the column has {present}")
    return holds


def chosen(truth: Truth, where: Sequence[str], only: str | None) -> Any:
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
