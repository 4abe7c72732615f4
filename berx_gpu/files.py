"""Files <-> frames: Parquet, CSV and TSV, the text ones also compressed (.gz, .zst)."""

from __future__ import annotations

import csv
import io
import os
import tempfile
from collections.abc import Callable, Sequence, Set
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet as pq

from berx_gpu.errors import DataError, rows

_SEPARATORS = {".csv": ",", ".tsv": "\t", ".tab": "\t"}
_PARQUET = (".parquet", ".pq")
_REPORTS = (".txt", ".json", ".md")
_CODECS = {".gz": "gzip", ".zst": "zstd"}


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
    ending, _ = _endings(path)
    if ending in _PARQUET:
        return _guarded(path, lambda: _read_parquet(path))
    if ending not in _SEPARATORS:
        raise DataError(f"{path}: unknown kind of file; use .parquet, .csv or .tsv (+ .gz, .zst)")
    return _guarded(path, lambda: _read_text(path, _SEPARATORS[ending], header, usual))


def read_lines(path: str) -> list[str]:
    """Read one id a line; empty lines at the end do not count."""
    text = _guarded(path, lambda: _unpacked(path, path).read().decode("utf-8-sig"))
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    while lines and not lines[-1]:
        lines.pop()
    if "" in lines:
        raise DataError(f"{path}: line {lines.index('') + 1} is empty; write one id a line")
    return lines


def with_scores(table: pa.Table, name: str, path: str) -> pa.Table:
    """Return a table read from text with one column as numbers."""
    if table.column_names.count(name) != 1 or not pa.types.is_string(table.schema.field(name).type):
        return table
    column = table[name]
    try:
        numbers = column.cast(pa.float64())
    except pa.ArrowInvalid as error:
        wrong = [(i, v) for i, v in enumerate(column.to_pylist()) if not _is_number(v)]
        row, value = wrong[0]
        raise DataError(
            f"{path}: column {name!r} holds {rows(len(wrong))} of text where a score must stand, "
            f"first at row {row} ({value!r}); write scores as 0.93, or name another column with "
            "--pred-columns ENTITY,TARGET,SCORE"
        ) from error
    return table.set_column(table.column_names.index(name), name, numbers)


def check_header(path: str, table: pa.Table, ids: pa.ChunkedArray) -> None:
    """Raise when the first line of a text file, taken as its header, holds an id."""
    if _endings(path)[0] in _PARQUET or not table.num_columns:
        return
    first = table.column_names[0]
    is_text = pa.types.is_string(ids.type) or pa.types.is_large_string(ids.type)
    if is_text and pc.index(ids, pa.scalar(first, ids.type)).as_py() >= 0:
        raise DataError(
            f"{path}: its first line, read as the names of its columns, starts with the id "
            f"{first!r}; if the file has no header, say --no-header"
        )


def check_output(path: str, inputs: Sequence[str]) -> None:
    """Raise when a file to write has no name or no known ending, or is one that is read."""
    if _endings(path)[0] not in (*_PARQUET, *_SEPARATORS, *_REPORTS):
        raise DataError(
            f"--output {path!r}: cannot tell what to write; use .txt, .json or .md for the report, "
            ".parquet, .csv or .tsv for the scores of every entity"
        )
    if any(Path(path).resolve() == Path(file).resolve() for file in inputs):
        raise DataError(f"--output {path!r} is one of the files to read; name another")


def write_table(table: pa.Table, path: str) -> None:
    """Write a frame as the file's ending says, whole or not at all."""
    ending, packed = _endings(path)
    if ending in _PARQUET:
        _replace(path, lambda temporary: pq.write_table(table, temporary))
    else:
        options = pyarrow.csv.WriteOptions(delimiter=_SEPARATORS[ending], quoting_style="needed")
        codec = _CODECS.get(packed)

        def write(temporary: str) -> None:
            with pa.output_stream(temporary, compression=codec) as stream:
                pyarrow.csv.write_csv(table, stream, options)

        _replace(path, write)


def write_text(text: str, path: str) -> None:
    """Write a text file, whole or not at all."""
    _replace(path, lambda temporary: Path(temporary).write_text(text, encoding="utf-8"))


def _endings(path: str) -> tuple[str, str]:
    """Return the ending that tells the format, and the one that tells the compression."""
    suffixes = [s.lower() for s in Path(path).suffixes]
    packed = suffixes.pop() if suffixes and suffixes[-1] in _CODECS else ""
    return (suffixes[-1] if suffixes else ""), packed


def _read_parquet(path: str) -> pa.Table:
    with pq.ParquetFile(path) as file:
        table = file.read()
    # pandas stores a row index as a column of this name.
    extra = [name for name in table.column_names if name.startswith("__index_level_")]
    return table.drop_columns(extra)


def _unpacked(source: Any, path: str) -> Any:
    """Return a stream of the plain bytes of a path or an open file."""
    return pa.input_stream(source, compression=_CODECS.get(_endings(path)[1]))


def _read_text(path: str, separator: str, header: bool, usual: Set[str | None]) -> pa.Table:
    with open(path, "rb") as file, _unpacked(file, path) as data:
        lines = io.TextIOWrapper(data, encoding="utf-8-sig", newline="")
        first = next((row for row in csv.reader(lines, delimiter=separator) if row), None)
    if first is None:
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
    return pyarrow.csv.read_csv(
        _unpacked(path, path),
        read_options=pyarrow.csv.ReadOptions(column_names=names, skip_rows_after_names=int(header)),
        parse_options=pyarrow.csv.ParseOptions(delimiter=separator, newlines_in_values=True),
        convert_options=pyarrow.csv.ConvertOptions(
            column_types=dict.fromkeys(names, pa.string()),
            null_values=[""],
            strings_can_be_null=True,
            quoted_strings_can_be_null=True,
        ),
    )


def _guarded(path: str, read: Callable[[], Any]) -> Any:
    """Read, and turn what files can do wrong into one clear line."""
    if Path(path).is_dir():
        raise DataError(f"{path} is a folder; name one file")
    try:
        return read()
    except FileNotFoundError as error:
        raise DataError(f"{path}: no such file") from error
    except UnicodeDecodeError as error:
        raise DataError(
            f"{path} is not UTF-8 text (byte {error.start}); save it as UTF-8"
        ) from error
    except (pa.ArrowException, OSError, csv.Error, EOFError) as error:
        raise DataError(f"{path} cannot be read, it may be damaged or cut off: {error}") from error


def _replace(path: str, write: Callable[[str], Any]) -> None:
    """Write a temporary file beside `path` and move it there only when it is whole."""
    folder = Path(path).resolve().parent
    try:
        handle, temporary = tempfile.mkstemp(dir=folder, prefix=f".{Path(path).name}.")
        os.close(handle)
        try:
            write(temporary)
            os.chmod(temporary, 0o666 & ~_umask())
            os.replace(temporary, path)
        except BaseException:
            os.unlink(temporary)
            raise
    except OSError as error:
        raise DataError(f"{path} cannot be written: {error.strerror or error}") from error


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _is_number(value: str | None) -> bool:
    try:
        return value is None or float(value) is not None
    except ValueError:
        return False
