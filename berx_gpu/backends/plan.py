"""How much device memory the joins and the sweep take, and so in how many parts they run.

A part is a range of entities, or for owners some of the targets, because nothing in these steps
looks from one to the other. What a step
takes for each row is counted from the arrays that it holds at its widest moment; the hash tables
of libcudf take up to 37 bytes a row. A fifth of the free memory is left alone, for what the pools
of the libraries lose in gaps.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

USED_SHARE = 0.8
_HASH = 37
MAX_ROWS = 2**31 - 1
"""What one column of cuDF holds."""
_TEXT_BYTES = 40
"""What a text id is taken for: its bytes, its offset, and room for longer ones."""


class Plan(NamedTuple):
    """How a step runs: parts, rows of each, and the bytes that it takes at most."""

    parts: int
    rows: int
    peak: int


def id_bytes(parts: Sequence[Any]) -> int:
    """Return the bytes of one id in some key parts."""
    return sum(8 if hasattr(part, "strides") else _TEXT_BYTES for part in parts)


def has_room(rows: int, id_bytes: int, free: int) -> bool:
    """Say whether a column may lie on the device whole, which leaves most of it for the steps."""
    return rows * id_bytes <= free // 8


def row_bytes(step: str, id_bytes: int) -> int:
    """Return the bytes that a step takes for each of its rows.

    Parameters
    ----------
    step : {"lookup", "match", "label", "curve", "owned"}
        Rows are those of predictions and truth together, or links, or candidates.
    id_bytes : int
        Of one target id.
    """
    chosen = 4 + id_bytes  # codes and ids of the part
    if step == "lookup":
        # Ids, row numbers, what maps both sides to the output, the output.
        return id_bytes + 8 + 2 * 4 + _HASH + id_bytes + 2 * 8
    if step == "curve":
        # Row, code, mark, fall and its place; the sort; counts of the entity; F before and after in
        # two words each; one running sum.
        return 8 + 4 + 8 + 2 * 8 + 4 * 8 + 6 * 8 + 6 * 8 + 2 * 8
    if step == "owned":
        # Row and ids, the numbers of both ids, places of scores, the best of each target, marks.
        return 8 + 2 * id_bytes + 2 * (8 + _HASH) + 4 * 8 + 5 * 8 + 8
    numbered = chosen + 2 * id_bytes + 8 + _HASH  # joined ids, distinct ones, their numbers
    packed = chosen + 8 + 8 + 16 + 8 + _HASH  # numbers, pairs and how they are made, distinct pairs
    if step == "label":
        packed += 8 + 16 + 8 + _HASH  # which row, the frame of both, the repeated pairs
    return max(numbered, packed)


def plan(step: str, rows: int, id_bytes: int, free: int) -> Plan:
    """Return how many parts a step needs beside what is held already.

    Parameters
    ----------
    step : {"lookup", "match", "label", "curve", "owned"}
    rows : int
    id_bytes : int
    free : int
        Bytes of device memory that nothing uses.
    """
    each = row_bytes(step, id_bytes)
    fitting = min(max(int(free * USED_SHARE) // each, 1), MAX_ROWS)
    parts = max(math.ceil(rows / fitting), 1)
    most = math.ceil(rows / parts)
    return Plan(parts, most, most * each)
