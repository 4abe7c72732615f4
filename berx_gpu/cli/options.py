"""The options that several subcommands share, in groups; this loads click alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from functools import wraps
from importlib import import_module
from typing import Any

import click

from berx_gpu.errors import DataError

Command = Callable[..., Any]
Decorator = Callable[[Command], Command]


def work(command: str, **given: Any) -> int:
    """Do what a subcommand does: its libraries are loaded only now."""
    return int(import_module(f"berx_gpu.cli.work.{command}").run(**given))


def group(name: str, kind: type, *options: Decorator) -> Decorator:
    """Return options as one decorator, in the order in which help shows them.

    The command gets their values as one argument of this name and kind, a dataclass.
    """

    def decorate(command: Command) -> Command:
        @wraps(command)
        def called(**given: Any) -> Any:
            own = {field.name: given.pop(field.name) for field in fields(kind)}
            return command(**given, **{name: kind(**own)})

        made: Command = called
        for option in reversed(options):
            made = option(made)
        return made

    return decorate


def choice(name: str, values: Sequence[str], text: str) -> Decorator:
    """Return an option that takes one of a few values, the first by default."""
    kind = click.Choice(list(values))
    return click.option(name, type=kind, default=values[0], show_default=True, help=text)


def columns(kind: str, form: str, text: str) -> Decorator:
    """Return the option that names the columns of a kind of file."""
    return click.option(f"--{kind}-columns", metavar=form, help=text)


SCORED = "ENTITY,TARGET[,SCORE]"

device_option = click.option(
    "--device", type=click.Choice(["cpu", "cuda"]), default="cpu", help="Where to work."
)
nulls_option = choice("--nulls", ("error", "drop"), "What to do with rows that miss an id.")
candidate_columns = columns("candidate", SCORED, "Columns of the candidates.")
by_option = click.option(
    "--by",
    multiple=True,
    metavar="COLUMN[,COLUMN]",
    help="Slice by columns of the entities file, or by n_true. Repeatable.",
)
level_option = click.option(
    "--level", type=float, default=0.95, show_default=True, help="Confidence of all limits."
)
seed_option = click.option(
    "--seed", type=int, help="Of random numbers; the result says which was used.  [default: any]"
)


@dataclass(frozen=True)
class Scope:
    """What counts: which entities, which truth, which pairs."""

    entities: str | None
    where: tuple[str, ...]
    only: str | None
    beta: float
    truth_columns: str | None
    undirected: bool
    nulls: str
    unknown_entities: str
    device: str

    @property
    def is_part(self) -> bool:
        """Whether only some of the entities are scored."""
        return bool(self.where) or self.only is not None


scope_options = group(
    "scope",
    Scope,
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
    columns("truth", "ENTITY,TARGET", "Columns of the truth."),
    click.option(
        "--undirected",
        is_flag=True,
        help="Pairs have no direction, as in deduplication: b,a is a,b.",
    ),
    nulls_option,
    choice(
        "--unknown-entities",
        ("error", "drop"),
        "What to do with predictions for entities not listed.",
    ),
    device_option,
)


@dataclass(frozen=True)
class FileForm:
    """How the files are written."""

    entity_column: str | None
    no_header: bool
    lists: tuple[str, ...]
    list_separator: str | None
    ids: str

    def is_lists(self, kind: str) -> bool:
        """Say whether the files of a kind hold lists."""
        return kind in self.lists or "all" in self.lists


file_options = group(
    "form",
    FileForm,
    click.option("--entity-column", metavar="ENTITY", help="Id column of the entities file."),
    click.option(
        "--no-header",
        is_flag=True,
        help="No text file has a line of names: columns are entity, target, score, 4, 5, ...",
    ),
    click.option(
        "--lists",
        multiple=True,
        type=click.Choice(["pred", "truth", "candidates", "all"]),
        help="These files hold one entity a line: id, tab, its targets in a list. Repeatable.",
    ),
    click.option(
        "--list-separator",
        metavar="CHARACTER",
        help="What stands between the targets of a list.  [default: ,]",
    ),
    choice("--ids", ("exact", "text"), "Compare ids as they are, or as text (7 then equals '7')."),
)


@dataclass(frozen=True)
class Output:
    """What to print."""

    as_json: bool
    as_markdown: bool
    quiet: bool

    @property
    def form(self) -> str:
        """In which form to print: json, md or txt."""
        if self.as_json and self.as_markdown:
            raise DataError("--json and --markdown exclude each other; give one")
        return "json" if self.as_json else "md" if self.as_markdown else "txt"


output_options = group(
    "out",
    Output,
    click.option("--json", "as_json", is_flag=True, help="Print JSON."),
    click.option("--markdown", "as_markdown", is_flag=True, help="Print Markdown."),
    click.option("--quiet", is_flag=True, help="No table and no notes."),
)
