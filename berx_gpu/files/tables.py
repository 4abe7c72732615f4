"""Files <-> frames: Parquet, CSV and TSV, the text ones also compressed (.gz, .zst)."""

from __future__ import annotations

import csv
from collections.abc import Sequence, Set
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet as pq

from berx_gpu.errors import DataError, rows
from berx_gpu.files.whole import (
    CODECS,
    check_apart,
    endings,
    guarded,
    plain_stream,
    replaced,
    text_stream,
)

_SEPARATORS = {".csv": ",", ".tsv": "\t", ".tab": "\t"}
_PARQUET = (".parquet", ".pq")
_REPORTS = (".txt", ".json", ".md")
_BLOCK = 1 << 25
"""Bytes read at once: no field may be longer."""
_LINES = 1 << 16
_NUMBER = r"^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$|^[+-]?(inf|infinity|nan)$"


def is_text(kind: pa.DataType) -> bool:
    """Say whether a type is one of the texts that files are read as."""
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def read_table(path: str, *, header: bool, usual: Set[str | None]) -> pa.Table:
    """Read a file of columns; every column of a text file is text, exactly as written.

    Parameters
    ----------
    path : str
        A ``.parquet``, ``.csv`` or ``.tsv`` file; text files may end in ``.gz`` or ``.zst`` too.
    header : bool
        Whether the first line of a text file names the columns. Without it they are called
        entity, target, score, and then by their number.
    usual : set of str
        Names that columns usually have: a first line that starts with one of them is never data.

    Returns
    -------
    pyarrow.Table
        In text files an empty field is null, and ``NA``, ``nan`` or ``007`` are ordinary text.

    Raises
    ------
    DataError
        When the file is missing, is a folder, is damaged, or has no known ending.
    """
    ending, packed = endings(path)
    if ending in _PARQUET and not packed:
        return guarded(_read_parquet, path)
    if ending not in _SEPARATORS:
        raise DataError(f"{path}: unknown kind of file; use .parquet, .csv or .tsv (+ .gz, .zst)")
    return guarded(_read_text, path, _SEPARATORS[ending], header, usual)


def with_scores(table: pa.Table, name: str, path: str, flag: str) -> pa.Table:
    """Return a table of a text file with one column as numbers."""
    if is_parquet(path) or table.column_names.count(name) != 1:
        return table
    text = pc.utf8_trim_whitespace(table[name])
    wrong = pc.invert(pc.match_substring_regex(text, _NUMBER, ignore_case=True))
    wrong = pc.fill_null(wrong, False).to_numpy()
    if wrong.any():
        row = int(wrong.argmax())
        raise DataError(
            f"{path}: column {name!r} holds {rows(int(wrong.sum()))} of text where a score must "
            f"stand, first at row {row} ({table[name][row].as_py()!r}); write scores as 0.93, or "
            f"name another column with {flag} ENTITY,TARGET,SCORE"
        )
    return table.set_column(table.column_names.index(name), name, text.cast(pa.float64()))


def check_header(path: str, table: pa.Table, ids: Sequence[Any], usual: Set[str | None]) -> None:
    """Raise when the first line of a text file, taken as its names, holds an id of some column."""
    if is_parquet(path):
        return
    for name in table.column_names[:3]:
        for known in ids:
            if name and name not in usual and is_text(known.type) and _holds(known, name):
                raise DataError(
                    f"{path}: its first line, read as the names of its columns, holds the id "
                    f"{name!r}; if no file has a line of names, say --no-header, else give this "
                    "one its line of names"
                )


def _holds(column: Any, value: str) -> bool:
    return int(pc.index(column, pa.scalar(value, column.type)).as_py()) >= 0


def check_output(
    path: str, inputs: Sequence[str], option: str = "--output", reports: bool = True
) -> None:
    """Raise when a file to write has no name or no known ending, or is one that is read."""
    ending, packed = endings(path)
    known = (*_PARQUET, *_SEPARATORS, *(_REPORTS if reports else ()))
    if ending not in known or (packed and ending not in _SEPARATORS):
        cure = (
            "use .txt, .json or .md for the report, .parquet, .csv or .tsv for the scores of every "
            "entity"
            if reports
            else "use .parquet, .csv or .tsv"
        )
        raise DataError(f"{option} {path!r}: cannot tell what to write; {cure}")
    check_apart(path, inputs, option)


def is_parquet(path: str) -> bool:
    """Say whether a file is Parquet by its ending."""
    return endings(path)[0] in _PARQUET


def write_table(table: pa.Table, path: str) -> None:
    """Write a frame as the file's ending says, whole or not at all."""
    ending, packed = endings(path)
    if ending in _PARQUET:
        replaced(path, lambda temporary: pq.write_table(table, temporary))
        return
    if ending not in _SEPARATORS:
        raise DataError(f"{path}: unknown kind of file; use .parquet, .csv or .tsv (+ .gz, .zst)")
    for name in table.column_names:
        text = table[name]
        if is_text(text.type) and pc.any(pc.match_substring(text, "\0")).as_py():
            raise DataError(f"{path}: column {name!r} holds a zero byte; use .parquet for such ids")
    options = pyarrow.csv.WriteOptions(delimiter=_SEPARATORS[ending], quoting_style="needed")

    def write(temporary: str) -> None:
        with pa.output_stream(temporary, compression=CODECS.get(packed)) as stream:
            pyarrow.csv.write_csv(table, stream, options)

    replaced(path, write)


def write_lines(lines: Any, path: str) -> None:
    """Write an Arrow array of lines to a text file, whole or not at all."""

    def write(temporary: str) -> None:
        with pa.output_stream(temporary, compression=CODECS.get(endings(path)[1])) as stream:
            for start in range(0, len(lines), _LINES):
                block = lines[start : start + _LINES].to_pylist()
                stream.write("".join(f"{line}\n" for line in block).encode())

    replaced(path, write)


def _read_parquet(path: str) -> pa.Table:
    with open(path, "rb") as file, pq.ParquetFile(file) as parquet:
        table = parquet.read()
    # pandas stores a row index as a column of this name.
    extra = [name for name in table.column_names if name.startswith("__index_level_")]
    return table.drop_columns(extra)


def _read_text(path: str, separator: str, header: bool, usual: Set[str | None]) -> pa.Table:
    with text_stream(path) as lines:
        first, blank, more = _first_record(lines, separator)
    if not first:
        raise DataError(f"{path} is empty; it needs at least a line that names its columns")
    other = next((c for c in ";\t|," if c != separator and c in first[0]), None)
    if len(first) == 1 and other is not None:
        raise DataError(
            f"{path}: its columns stand apart by {other!r}, not {separator!r} ({first[0]!r}); save "
            "it with commas as .csv or with tabs as .tsv"
        )
    if not header and first[0] in usual:
        raise DataError(f"{path}: --no-header, but its first line is {separator.join(first)!r}")
    names = first if header else ["entity", "target", "score"][: len(first)]
    names = names + [str(i + 1) for i in range(len(names), len(first))]
    if header and not more:
        return pa.table([pa.array([], pa.string())] * len(names), names=names)
    read = pyarrow.csv.ReadOptions(
        column_names=names, skip_rows=blank, skip_rows_after_names=int(header), block_size=_BLOCK
    )
    parse = pyarrow.csv.ParseOptions(delimiter=separator, newlines_in_values=True)
    convert = pyarrow.csv.ConvertOptions(
        column_types=dict.fromkeys(names, pa.string()),
        null_values=[""],
        strings_can_be_null=True,
        quoted_strings_can_be_null=True,
    )
    with plain_stream(path) as stream:
        table = pyarrow.csv.read_csv(stream, read, parse, convert)
    _check_whole(path, separator, table.num_rows + int(header))
    return table


def _first_record(lines: Any, separator: str) -> tuple[list[str], int, bool]:
    """Return the first record, how many blank lines stand before it, and whether more follows."""
    records = csv.reader(lines, delimiter=separator, strict=True)
    blank = 0
    for record in records:
        if record:
            return record, blank, any(line.strip("\r\n") for line in lines)
        blank = records.line_num
    return [], blank, False


def _check_whole(path: str, separator: str, n_records: int) -> None:
    """Raise when a text file holds more than was read: pyarrow forgives a quote left open.

    Where every line is a record there is nothing to find; otherwise (blank lines, line breaks in
    quotes, a quote left open) Python's strict reader goes through the file once more.
    """
    n_lines, end = 0, b"\n"
    with plain_stream(path) as stream:
        while block := stream.read(_BLOCK):
            if b"\0" in block:
                raise DataError(f"{path} holds a zero byte, so it is not text; is it UTF-16?")
            n_lines, end = n_lines + block.count(b"\n"), block[-1:]
    if n_lines + (end != b"\n") == n_records:
        return
    limit = csv.field_size_limit(_BLOCK)
    with text_stream(path) as lines:
        records = csv.reader(lines, delimiter=separator, strict=True)
        try:
            found = sum(1 for record in records if record)
        except csv.Error as error:
            raise DataError(
                f"{path}: near line {records.line_num}, {error}; a quote is open or stands alone"
            ) from error
        finally:
            csv.field_size_limit(limit)
    if found != n_records:
        raise DataError(
            f"{path} holds {rows(found)} but {n_records:,} could be read; look for a quote that "
            "is left open, or save the file anew"
        )
