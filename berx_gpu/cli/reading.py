"""The files behind the subcommands: their columns, their form, and the truth among them."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from berx_gpu.cli.options import FileForm, Scope
from berx_gpu.errors import DataError, DataWarning, counted, some
from berx_gpu.files import pairs, tables, whole
from berx_gpu.inputs.columns import to_series
from berx_gpu.inputs.entities import Entities
from berx_gpu.links.how import Reading
from berx_gpu.links.true_pairs import TruePairs
from berx_gpu.printing.tables import written


class Opened(NamedTuple):
    """The truth of a command, its pairs, and the entities that --where and --only leave."""

    truth: TruePairs
    true: pa.Table
    pairs: Any
    part: Any


@dataclass(frozen=True)
class Reader:
    """How files are read: their columns, by the kind of file, and their form."""

    names: dict[str, list[str]]
    form: FileForm

    @classmethod
    def of(cls, form: FileForm, **columns: str | None) -> Reader:
        """Return a reader of some kinds of files, whose columns are named as options name them."""
        return cls({kind: _column_names(kind, text) for kind, text in columns.items()}, form)

    @property
    def usual(self) -> set[str | None]:
        """Names that columns usually have: a first line that starts with one is never data."""
        named = {name for names in self.names.values() for name in names}
        return {"entity", "target", "score", *named, self.form.entity_column}

    def keys(self, kind: str) -> dict[str, Any]:
        """Return the names of the entity and the target column of a kind, as options of calls."""
        return dict(zip(("entity", "target"), self.names[kind], strict=False))

    def options(self, kind: str, scope: Scope, part: Any = None) -> dict[str, Any]:
        """Return how a call reads the pairs of a kind, and scores them over a part of the list.

        Pairs of entities that are not in the part are no error.
        """
        unknown = scope.unknown_entities if part is None else "drop"
        told = {"entities": part, "unknown_entities": unknown, "nulls": scope.nulls}
        return {**self.keys(kind), **told}

    def score(self, kind: str) -> str:
        """Return the name of the column of scores of a kind."""
        return self.names[kind][2] if len(self.names[kind]) == 3 else "score"

    def pairs(self, kind: str, path: str, scored: bool = False) -> pa.Table:
        """Read a file of pairs, and its column of scores as numbers where these are used."""
        if self.form.is_lists(kind):
            header = False if self.form.no_header else None
            separator = self.form.list_separator
            table = pairs.read_pairs(path, "lists", separator=separator, header=header)
            table = table.rename_columns(self.names[kind][:2])
        else:
            table = self.table(path)
        if not scored:
            return table
        return tables.with_scores(table, self.score(kind), path, _flag(kind))

    def table(self, path: str) -> pa.Table:
        """Read a file of one row per entity or target."""
        return tables.read_table(path, header=not self.form.no_header, usual=self.usual)

    def entities(self, path: str) -> tuple[pa.Table, Any]:
        """Read the entity list: as a table, and with its id column picked out."""
        table, name = self.table(path), self.form.entity_column
        return table, table if name is None else _keyed_by(table, name)

    def open(
        self, scope: Scope, truth: str, kind: str = "", path: str = "", scored: bool = False
    ) -> Opened:
        """Read the truth, its entities, and a file of pairs of some kind if there is one.

        The first line of every file is looked at: it may hold ids instead of names.
        """
        listed, entity_list = self.entities(_required(scope.entities))
        true = self.pairs("truth", truth)
        read = self.pairs(kind, path, scored) if kind else None
        how = Reading(
            **self.keys("truth"), nulls=scope.nulls, ids=self.form.ids, device=scope.device
        )
        made = TruePairs.read(true, entity_list, how, scope.undirected)
        opened = Opened(made, true, read, None)
        self.check_header(truth, "truth", true, opened)
        if kind:
            self.check_header(path, kind, read, opened)
        if not self.form.no_header:
            known = _first_two(true, self.names["truth"])[:1]
            tables.check_header(str(scope.entities), listed, known, self.usual)
        return opened._replace(part=_chosen(made, scope) if scope.is_part else None)

    def check_header(self, path: str, kind: str, table: pa.Table, opened: Opened) -> None:
        """Raise when the first line of a file of pairs, taken as its names, holds an id."""
        if self.form.no_header or self.form.is_lists(kind):
            return
        targets = _first_two(opened.true, self.names["truth"])[1:]
        known = [opened.truth.listed.key_columns[0][1], *targets]
        tables.check_header(path, table, known, self.usual)


def check_forms(form: FileForm, candidates: str | None, candidate_columns: str | None) -> None:
    """Raise for options of files that are not there."""
    if form.list_separator is not None and not form.lists:
        raise DataError("--list-separator is of lists; say which files are with --lists")
    if candidates is None and (candidate_columns is not None or "candidates" in form.lists):
        option = "--lists candidates" if candidate_columns is None else "--candidate-columns"
        raise DataError(f"{option} without candidates; give --candidates FILE")


@contextmanager
def told_later() -> Iterator[list[str]]:
    """Collect the warnings of a block, each as one line."""
    told: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DataWarning)
        yield told
    told += [str(warning.message) for warning in caught]


def slice_key(text: str) -> str | list[str]:
    """Return the slice that --by asks for: one column or several."""
    return text.split(",") if "," in text else text


def _flag(kind: str) -> str:
    return "--candidate-columns" if kind == "candidates" else f"--{kind}-columns"


def _column_names(kind: str, text: str | None) -> list[str]:
    """Return the column names that an option lists."""
    if text is None:
        return ["entity", "target"]
    most = 2 if kind == "truth" else 3
    names = [name.strip() for name in text.split(",")]
    if not 2 <= len(names) <= most or "" in names:
        form = "ENTITY,TARGET or ENTITY,TARGET,SCORE" if most == 3 else "ENTITY,TARGET"
        raise DataError(f"{_flag(kind)} {text!r}: give {form}, names with a comma between")
    return names


def _required(entities: str | None) -> str:
    """Return the entities file, or raise when it was not given."""
    if entities is None:
        raise DataError(
            "--entities FILE is missing: the list of all entities that the score is over, "
            "singletons and silent ones included, one row each"
        )
    return entities


def _keyed_by(table: pa.Table, name: str) -> Entities:
    """Return the entity list of a file by the name of its id column."""
    columns = list(zip(table.column_names, table.columns, strict=True))
    key = [column for column in columns if column[0] == name]
    if len(key) != 1:
        raise DataError(
            f"entities has {len(key) or 'no'} column {name!r}; its columns are "
            f"{', '.join(table.column_names)}"
        )
    return Entities(key, [column for column in columns if column[0] != name])


def _first_two(table: pa.Table, names: Sequence[str]) -> list[Any]:
    """Return the entity and the target column of a file of pairs that has been read already."""
    known = set(names) <= set(table.column_names)
    return [table[name] for name in names] if known else table.columns


def _chosen(truth: TruePairs, scope: Scope) -> Any:
    """Return the ids of the entities that --where and --only leave, in the list's order."""
    kept = np.ones(truth.n_entities, bool)
    columns = [*truth.listed.slice_columns, *truth.listed.key_columns]
    for condition in scope.where:
        name, equals, value = condition.partition("=")
        held = [values for column, values in columns if column == name]
        if not equals or len(held) != 1:
            known = some([column for column, _ in columns], 20)
            raise DataError(f"--where {condition!r}: give COLUMN=VALUE; the entities have {known}")
        kept &= _holds(held[0], condition, value)
    if scope.only is not None:
        kept &= _named(truth, scope.only)
    if not kept.any():
        raise DataError("no entity meets all of --where and --only")
    return truth.listed.key_columns[0][1].take(pa.array(np.flatnonzero(kept)))


def _holds(column: Any, condition: str, value: str) -> Any:
    """Return which entities have a value, written as the report writes it; empty for missing."""
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


def _named(truth: TruePairs, only: str) -> Any:
    """Return which entities a file of ids names."""
    lines = whole.read_lines(only)
    codes = truth.listed.codes_of(lines, "--only", truth.backend())
    if (codes < 0).any():
        count = counted(int((codes < 0).sum()), "id", "ids")
        first = int((codes < 0).argmax())
        raise DataError(
            f"{only} holds {count} that --entities does not, first {lines[first]!r} in line "
            f"{first + 1}"
        )
    named = np.zeros(truth.n_entities, bool)
    named[codes] = True
    return named
