"""Entity ids -> positions in the list, by a table of the ids or by slots of their hashes.

Keys are given by six numbers, as in `match_cpu`.
"""

import numpy as np

from berx_gpu.kernels._jit import jit
from berx_gpu.kernels._memory import load_word, prefetch
from berx_gpu.kernels.key_rows import key_at, key_hash, order

AHEAD = 16
"""How many rows before its use a slot is asked for: long enough to come from memory."""

_ZERO = np.uint64(0)


@jit
def fill_table(ids_at, n, low, table):
    """Write the position of each of n ids at its distance from `low`; count those there twice."""
    twice = 0
    for i in range(n):
        at = np.int64(load_word(ids_at + 8 * i)) - low
        twice += table[at] >= 0
        table[at] = i
    return twice


@jit
def read_table(ids_at, begin, end, low, table, codes):
    """Write the position of ids begin to end, -1 where the table has none; count these."""
    strangers = 0
    first, size = np.uint64(low), np.uint64(table.size)
    for i in range(begin, end):
        at = load_word(ids_at + 8 * i) - first
        code = table[at] if at < size else np.int32(-1)
        codes[i] = code
        strangers += code < 0
    return strangers


@jit
def slot_key(slots_at, width, at):
    """Return the two words in a slot."""
    word_at = slots_at + 8 * width * at
    return load_word(word_at), load_word(word_at + 8) if width == 2 else _ZERO


@jit
def ask(slots_at, width, codes_at, at):
    """Fetch a slot that a later row will look at."""
    prefetch(codes_at + 4 * at)
    prefetch(slots_at + 8 * width * at)


@jit
def fill_slots(lo_at, hi_at, bytes_at, starts_at, size, hash_mask, n, slots, codes):
    """Put each of n keys in the first free slot from its hash on; count those there twice."""
    mask, width = codes.size - 1, slots.size // codes.size
    slots_at, codes_at = np.int64(slots.ctypes.data), np.int64(codes.ctypes.data)
    twice = 0
    for i in range(n):
        if i + AHEAD < n:
            x, y = key_at(lo_at, hi_at, bytes_at, starts_at, size, hash_mask, i + AHEAD)
            ask(slots_at, width, codes_at, key_hash(x, y) & mask)
        x, y = key_at(lo_at, hi_at, bytes_at, starts_at, size, hash_mask, i)
        at = key_hash(x, y) & mask
        while codes[at] >= 0:
            u, v = slot_key(slots_at, width, at)
            twice += order(x, y, bytes_at, starts_at, u, v, bytes_at, starts_at) == 0
            at = (at + 1) & mask
        codes[at] = i
        slots[at * width] = x
        if width == 2:
            slots[at * width + 1] = y
    return twice


@jit
def read_slots(
    lo_at, hi_at, bytes_at, starts_at, size, hash_mask, begin, end,
    slots, codes, list_bytes, list_starts, found,
):  # fmt: skip
    """Write the position of keys begin to end, -1 where no slot has one; count these."""
    mask, width = codes.size - 1, slots.size // codes.size
    slots_at, codes_at = np.int64(slots.ctypes.data), np.int64(codes.ctypes.data)
    strangers = 0
    for i in range(begin, end):
        if i + AHEAD < end:
            x, y = key_at(lo_at, hi_at, bytes_at, starts_at, size, hash_mask, i + AHEAD)
            ask(slots_at, width, codes_at, key_hash(x, y) & mask)
        x, y = key_at(lo_at, hi_at, bytes_at, starts_at, size, hash_mask, i)
        at = key_hash(x, y) & mask
        code = codes[at]
        while code >= 0:
            u, v = slot_key(slots_at, width, at)
            if order(x, y, bytes_at, starts_at, u, v, list_bytes, list_starts) == 0:
                break
            at = (at + 1) & mask
            code = codes[at]
        found[i] = code
        strangers += code < 0
    return strangers
