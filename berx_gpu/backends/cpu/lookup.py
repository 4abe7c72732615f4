"""Where ids stand in a list: by subtraction, by a table, or by hashed slots."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from berx_gpu.backends.cpu.keys import Keys, keys_of
from berx_gpu.backends.cpu.machine import Machine
from berx_gpu.backends.frames import matching as joins
from berx_gpu.kernels import lookup_cpu


class Range(NamedTuple):
    """A list of n consecutive numbers from `low` on."""

    low: int
    n: int


class Table(NamedTuple):
    """The ids of a list by number: the position of `low + i` at i, -1 for none."""

    low: int
    codes: Any


class Slots(NamedTuple):
    """The keys of a list by hash: two words or one a slot, and the position, -1 for a free slot."""

    keys: Keys
    words: Any
    codes: Any


class Index(NamedTuple):
    """The entity list ready for look-ups; a small one has no places yet."""

    parts: list[Any]
    twice: int
    places: Range | Table | Slots | None


def index(machine: Machine, parts: list[Any]) -> Index:
    """Return the entity list in a form for look-ups; `twice` counts repeated entities."""
    if len(parts) != 1 or len(parts[0]) <= machine.small_rows:
        return Index(parts, joins.index(machine.libs, parts).twice, None)
    twice, places = _places(machine, parts[0])
    return Index(parts, twice, places)


def _places(machine: Machine, ids: Any) -> tuple[int, Range | Table | Slots]:
    n = len(ids)
    keys = keys_of(machine, ids)
    if isinstance(ids, np.ndarray):
        if lookup_cpu.counts_up(keys.words_at[0], n):
            return 0, Range(int(ids[0]), n)
        low, high = int(ids.min()), int(ids.max())
        if high - low < 4 * n + 1024:
            table = np.full(high - low + 1, -1, np.int32)
            twice = lookup_cpu.fill_table(keys.words_at[0], n, low, table)
            return twice, Table(low, table)
    size = 1 << int(np.ceil(np.log2(n * 1.6 + 1)))
    codes = np.full(size, -1, np.int32)
    words = np.empty(size * (2 if keys.is_text else 1), np.uint64)
    twice = lookup_cpu.fill_slots(*keys.source, n, words, codes)
    return twice, Slots(keys, words, codes)


def lookup(machine: Machine, listed: Index, parts: list[Any]) -> tuple[Any, int]:
    """Return the position in the list of every row or -1, and how many have none."""
    n = len(parts[0])
    if len(parts) != 1 or (listed.places is None and n <= machine.small_rows):
        return joins.lookup(machine.libs, listed.parts, parts)
    places = listed.places or _places(machine, listed.parts[0])[1]
    keys = keys_of(machine, parts[0])
    codes = np.empty(n, np.int32)
    spans = machine.row_spans(n)
    if isinstance(places, Range | Table):
        read = lookup_cpu.read_range if isinstance(places, Range) else lookup_cpu.read_table
        ids_at, _ = keys.words_at
        calls: list[tuple[Any, ...]] = [(ids_at, *span, *places, codes) for span in spans]
        return codes, int(sum(machine.run(read, calls)))
    n_listed = len(listed.parts[0])
    slots = (places.words, places.codes, n_listed, *places.keys.source, codes)
    calls = [(*keys.source, *span, *slots) for span in spans]
    return codes, int(sum(machine.run(lookup_cpu.read_slots, calls)))
