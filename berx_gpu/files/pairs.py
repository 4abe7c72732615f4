"""Files of pairs, a row per pair or a list per entity: `read_pairs`, `write_pairs`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pyarrow as pa

from berx_gpu.encoding import keys
from berx_gpu.errors import DataError, one_of, rows, some
from berx_gpu.files import lists, tables, whole
from berx_gpu.inputs.columns import host_array, to_arrow
from berx_gpu.inputs.entities import as_entities
from berx_gpu.inputs.pairs import Names, as_pairs


def read_pairs(
    path: str | os.PathLike[str],
    form: str = "rows",
    *,
    separator: str | None = None,
    header: bool | None = None,
) -> pa.Table:
    r"""Read a file of pairs as it is written: ids of text files stay text, ``007`` and ``NA`` too.

    Parameters
    ----------
    path : str or Path
        A ``.parquet``, ``.csv`` or ``.tsv`` file; text files may end in ``.gz`` or ``.zst`` too.
        List files may have any ending.
    form : {"rows", "lists"}, default "rows"
        ``"lists"``: one entity a line, then a tab, then its targets with a separator between, or
        nothing. There are no quotes: every other character belongs to an id.
    separator : str, optional
        What stands between the targets of a list; default: a comma, and an error when the lists
        hold a semicolon, a bar or a blank, which could mean either.
    header : bool, optional
        Whether the first line holds names. Default: of a text file of rows it does; of lists,
        when it reads ``entity`` and ``targets`` or the like.

    Returns
    -------
    pyarrow.Table
        The columns of the file; of a list file ``entity`` and ``target``, the latter holding
        lists, which every function takes.

    Raises
    ------
    DataError
        When the file is missing, damaged, or not in this form; the message names the line.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from berx_gpu import read_pairs
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "links.tsv"
    >>> _ = path.write_text("a\tx,y\nb\t\n")
    >>> read_pairs(path, "lists").to_pylist()
    [{'entity': 'a', 'target': ['x', 'y']}, {'entity': 'b', 'target': []}]
    """
    one_of("form", form, ("rows", "lists"))
    path = os.fspath(path)
    if form == "lists":
        return lists.parse(whole.read_bytes(path), path, separator, header)
    if separator is not None:
        raise DataError('separator= is of lists; pass form="lists", or leave it out')
    return tables.read_table(path, header=header is not False, usual={"entity", "target", "score"})


def write_pairs(
    pairs: Any,
    path: str | os.PathLike[str],
    form: str = "rows",
    *,
    entities: Any = None,
    entity: Names = "entity",
    target: Names = "target",
    separator: str | None = None,
) -> None:
    r"""Write pairs to a file, whole or not at all.

    Parameters
    ----------
    pairs : DataFrame, Arrow stream, mapping or list of tuples
    path : str or Path
        ``.parquet``, ``.csv`` or ``.tsv``, text also ``.gz`` or ``.zst``; lists go to text files
        of any ending.
    form : {"rows", "lists"}, default "rows"
        A row per pair, or a line per entity with its targets in a list; see `read_pairs`.
    entities : list, array, Index, Series or frame, optional
        With ``form="lists"``: which entities get a line, and in which order; those without a pair
        get an empty list. Default: the entities of the pairs, as they first appear, those with an
        empty list included.
    entity, target : str, default "entity", "target"
        Columns of the pairs.
    separator : str, optional
        What to write between the targets of a list; default: a comma.

    Raises
    ------
    DataError
        For an id that a list file cannot hold, a pair of an entity that is not in `entities`, or
        a file that cannot be written.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from berx_gpu import write_pairs
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "links.tsv"
    >>> write_pairs([("b", "y"), ("b", "x")], path, "lists", entities=["a", "b"])
    >>> path.read_text()
    'a\t\nb\ty,x\n'
    """
    one_of("form", form, ("rows", "lists"))
    path = os.fspath(path)
    if separator == "":
        raise DataError("separator='': give one ASCII character, such as ',' or ' '")
    frame = as_pairs(pairs, "pairs", entity=entity, target=target)
    if form == "rows":
        for name, value in (("entities", entities), ("separator", separator)):
            if value is not None:
                raise DataError(f'{name}= is of lists; pass form="lists" with it')
        plain = (
            (str(n), host_array(to_arrow(v, str(n)), frame.where(n), "exact")[0])
            for n, v in (*frame.entity, *frame.target)
        )
        tables.write_table(_table(plain), path)
        return
    if len(frame.entity) != 1 or len(frame.target) != 1:
        raise DataError("a list file holds one entity and one target column; pick one key column")
    own, targets = (_written(column, frame.where) for column in (frame.entity[0], frame.target[0]))
    listed = own.unique()
    if frame.owners is not None:
        listed = _written(frame.owners[0], frame.where).unique()
    if entities is not None:
        (key,) = as_entities(entities, entity, [frame.entity[0][0]]).key
        listed = _written(key, lambda name: f"entities column {name!r}")
    lines, lost = lists.lines_of(own, targets, listed, separator or ",", path)
    if lost:
        raise DataError(
            f"the pairs hold entities that are not in entities, such as {some(lost)}; add them, or "
            "leave their pairs out"
        )

    tables.write_lines(lines, path)


def _table(columns: Iterable[tuple[str, Any]]) -> pa.Table:
    names, arrays = zip(*columns, strict=True)
    if len(set(names)) < len(names):
        raise DataError(f"the pairs have two columns called {names[0]!r}; rename one")
    return pa.table(list(arrays), names=list(names))


def _written(column: Any, where: Callable[[Any], str]) -> Any:
    """Return the written text of one column of ids, none of them missing."""
    name, values = column
    key = keys.encode(values, where(name), "text")
    if key.missing is not None:
        row = int(np.argmax(key.missing))
        raise DataError(
            f"{where(name)} holds {rows(int(np.sum(key.missing)))} without an id, first at row "
            f"{row}; drop them first"
        )
    texts = pa.array(key.parts[0]) if len(values) else pa.array([], pa.large_string())
    return texts.combine_chunks() if isinstance(texts, pa.ChunkedArray) else texts
