"""Files with one entity a line and its targets in a list: ``id<TAB>id,id,...``."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from berx_gpu.errors import DataError, counted, some

_OTHERS = (b";", b"|", b" ")
_HEADS = {"entity", "target", "targets", "match", "matches", "id", "ids"}
_TAB, _LINE, _RETURN = b"\t\n\r"
_BOM = b"\xef\xbb\xbf"


def parse(data: bytes, path: str, separator: str | None, header: bool | None) -> pa.Table:
    """Return the pairs of a list file: a column of entities and one of lists of targets.

    Every byte but a tab, a line break and the separator belongs to an id: there are no quotes. All
    ids are cut out in a few passes over the bytes: without the bytes that part them, they stand
    one after the other as Arrow wants them.
    """
    data = data.removeprefix(_BOM).rstrip(b"\r\n") + b"\n"
    if b"\0" in data:
        raise DataError(f"{path} holds a zero byte, so it is not text; is it UTF-16?")
    if data == b"\n":
        return _table(pa.array([], pa.large_string()), np.zeros(1, np.int64), pa.array([]))
    if separator is None:
        _check_commas(data, path)
        separator = ","
    text = np.frombuffer(data, np.uint8)
    base = np.flatnonzero((text == _LINE) | (text == _TAB))
    marks = np.flatnonzero(text == _byte(separator))
    before = np.searchsorted(base, marks) - 1  # a separator in the entity's own id parts nothing
    marks = marks[(before >= 0) & (text[base[before]] == _TAB)]
    cuts = np.concatenate([base, marks])
    cuts.sort()
    kinds = text[cuts]
    lines = np.flatnonzero(kinds == _LINE)
    first = np.concatenate([[0], lines[:-1] + 1])
    _check_tabs(path, np.diff(np.cumsum(kinds == _TAB)[lines], prepend=0), separator, data)
    ends = cuts[lines]
    returns = np.zeros(len(cuts), np.int64)
    returns[lines] = (text[ends - 1] == _RETURN) & (ends > 0)
    keep = np.ones(len(text), bool)
    keep[cuts] = False
    keep[ends[returns[lines] > 0] - 1] = False
    stops = cuts - np.arange(len(cuts)) - np.cumsum(returns)
    lengths = np.diff(stops, prepend=0)
    if (lengths[first] == 0).any():
        line = int((lengths[first] == 0).argmax())
        raise DataError(f"{path}: line {line + 1} has no entity; write one entity a line")
    n_targets = lines - first
    alone = (n_targets == 1) & (lengths[lines] == 0)  # nothing behind the tab
    is_target = np.ones(len(cuts), bool)
    is_target[first] = is_target[lines[alone]] = False
    where = np.flatnonzero(is_target)
    if (empty := lengths[where] == 0).any():
        line = int(np.searchsorted(lines, where[empty.argmax()]))
        count = counted(int(empty.sum()), "target", "targets")
        raise DataError(
            f"{path} holds {count} without an id, first in line {line + 1}; look for a "
            f"{separator!r} too many"
        )
    ids = _texts(text[keep], np.concatenate([[0], stops]), path)
    starts = np.concatenate([[0], np.cumsum(np.where(alone, 0, n_targets))])
    table = _table(ids.take(pa.array(first)), starts, ids.take(pa.array(where)))
    return table.slice(1) if _has_header(table, header) else table


def _table(entity: Any, starts: Any, targets: Any) -> pa.Table:
    lists = pa.LargeListArray.from_arrays(pa.array(starts), targets.cast(pa.large_string()))
    return pa.table({"entity": entity, "target": lists})


def _check_commas(data: bytes, path: str) -> None:
    """Raise when the lists of a file hold what may stand between ids in place of a comma."""
    if not any(mark in data for mark in _OTHERS):
        return
    lists = b"".join(re.findall(rb"\t([^\n]*)", data))
    found = [mark.decode() for mark in (b",", *_OTHERS) if mark in lists]
    if found and found != [","]:
        raise DataError(
            f"{path}: the lists hold {some(found, 9)}; say what stands between two ids, such as "
            'separator="," (--list-separator on the command line)'
        )


def _byte(separator: str) -> int:
    if not isinstance(separator, str) or len(separator.encode()) != 1 or separator in "\t\n\r\0":
        raise DataError(f"separator={separator!r}: give one ASCII character, such as ',' or ' '")
    return ord(separator)


def _check_tabs(path: str, per_line: Any, separator: str, data: bytes) -> None:
    """Raise when a line has several tabs, or when there is none though there are separators."""
    if (per_line > 1).any():
        line = int((per_line > 1).argmax())
        raise DataError(
            f"{path}: line {line + 1} has {per_line[line] + 1} columns; a list file has two, the "
            f"entity and its targets with {separator!r} between"
        )
    if not per_line.any() and any(mark in data for mark in (b",", *_OTHERS)):
        raise DataError(
            f"{path} has no tab in any line; a list file has the entity, a tab, and its targets"
        )


def _texts(values: Any, offsets: Any, path: str) -> Any:
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(np.ascontiguousarray(values))]
    array = pa.Array.from_buffers(pa.large_string(), len(offsets) - 1, buffers)
    try:
        array.validate(full=True)
    except pa.ArrowInvalid as error:
        raise DataError(f"{path} is not UTF-8 text; save it as UTF-8 ({error})") from error
    return array


def _has_header(table: pa.Table, header: bool | None) -> bool:
    if header is not None or not len(table):
        return bool(header) and len(table) > 0
    names = [table["entity"][0].as_py(), *table["target"][0].as_py()]
    return len(names) <= 2 and {name.lower() for name in names} <= _HEADS


def lines_of(
    entity: Any, target: Any, listed: Any, separator: str, path: str
) -> tuple[Any, list[str]]:
    """Return the lines of a list file as Arrow text, and a sample of entities that lose a pair.

    Parameters
    ----------
    entity, target : Arrow text arrays
        A row per pair.
    listed : Arrow text array
        One line for each, in this order; those without a pair get an empty list.
    """
    comma = chr(_byte(separator))
    breaks = r"[\t\r\n\x00]|^\x{feff}|^$"
    kinds = (("entity", listed, breaks), ("target", target, f"{breaks}|{re.escape(comma)}"))
    for what, ids, pattern in kinds:
        wrong = pc.match_substring_regex(ids, pattern)
        if pc.any(wrong).as_py():
            row = pc.index(wrong, pa.scalar(True)).as_py()
            raise DataError(
                f"{path}: a list file cannot hold the {what} id {ids[row].as_py()!r}: it is empty, "
                f"or has a tab, a line break, a zero byte, a byte-order mark or a {separator!r}; "
                'choose another separator= that no id has, or form="rows"'
            )
    if len(listed.unique()) < len(listed):
        raise DataError(f"{path}: entities lists an entity twice; list each once")
    codes = pc.index_in(entity, listed)
    lost = entity.filter(pc.is_null(codes))
    known = pc.is_valid(codes)
    codes, target = codes.filter(known), target.filter(known)
    order = np.argsort(codes.to_numpy(), kind="stable")
    counts = np.bincount(codes.to_numpy(), minlength=len(listed))
    starts = pa.array(np.concatenate([[0], np.cumsum(counts)]))
    lists = pa.LargeListArray.from_arrays(starts, target.take(pa.array(order)))
    joined = pc.binary_join(lists, pa.scalar(comma, pa.large_string()))
    lines = pc.binary_join_element_wise(listed, joined, pa.scalar("\t", pa.large_string()))
    if len(lines) and _has_header(pa.table({"entity": listed, "target": lists}).slice(0, 1), None):
        raise DataError(
            f"{path}: its first line, {lines[0].as_py()!r}, would read as the names of the columns;"
            " put another entity first"
        )
    return lines, lost.unique().to_pylist()[:4]
