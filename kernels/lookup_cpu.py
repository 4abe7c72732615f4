"""Entity ids -> positions in the list: by counting, by a table, or by slots of their hashes.

Keys are given by six numbers, as in `match_cpu`.
"""

import numpy as np

from berx_gpu.kernels._jit import jit
from berx_gpu.kernels._memory import load_word, prefetch
from berx_gpu.kernels.key_rows import key_at, key_hash, same

AHEAD = 16
"""How many rows before its use a slot is asked for: long enough to come from memory."""


BLOCK = 1024
"""After how many rows to look again whether they come in the order of the list."""

_ZERO = np.uint64(0)


@jit
def counts_up(ids_at, n):
    """Say whether n ids are consecutive numbers in order."""
    first, i = load_word(ids_at), 0
    while i < n and load_word(ids_at + 8 * i) - first == np.uint64(i):
        i += 1
    return i == n


@jit
def read_range(ids_at, begin, end, low, n, codes):
    """Write how far ids begin to end are above `low`, -1 where that is not below n; count these."""
    strangers = 0
    first, size = np.uint64(low), np.uint64(n)
    for i in range(begin, end):
        at = load_word(ids_at + 8 * i) - first
        codes[i] = np.int32(at) if at < size else np.int32(-1)
        strangers += at >= size
    return strangers


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
def slot_key(slots_at, hi_at, at):
    """Return the words in a slot: two of a text, one of a number."""
    if hi_at is None:
        return load_word(slots_at + 8 * at), _ZERO
    return load_word(slots_at + 16 * at), load_word(slots_at + 16 * at + 8)


@jit
def ask(slots_at, hi_at, codes_at, at):
    """Fetch a slot that a later row will look at."""
    prefetch(codes_at + 4 * at)
    prefetch(slots_at + (8 if hi_at is None else 16) * at)


@jit
def fill_slots(lo_at, hi_at, bytes_at, starts_at, size, hash_mask, n, slots, codes):
    """Put each of n keys in the first free slot from its hash on; count those there twice."""
    mask = codes.size - 1
    slots_at, codes_at = np.int64(slots.ctypes.data), np.int64(codes.ctypes.data)
    twice = 0
    for i in range(n):
        if i + AHEAD < n:
            x, y = key_at(lo_at, hi_at, bytes_at, starts_at, size, hash_mask, i + AHEAD)
            ask(slots_at, hi_at, codes_at, key_hash(x, y) & mask)
        x, y = key_at(lo_at, hi_at, bytes_at, starts_at, size, hash_mask, i)
        at = key_hash(x, y) & mask
        while codes[at] >= 0:
            u, v = slot_key(slots_at, hi_at, at)
            twice += same(x, y, bytes_at, starts_at, u, v, bytes_at, starts_at)
            at = (at + 1) & mask
        codes[at] = i
        if hi_at is None:
            slots[at] = x
        else:
            slots[2 * at], slots[2 * at + 1] = x, y
    return twice


@jit
def close_by(
    last, n, lo_at, hi_at, bytes_at, starts_at, size, hash_mask, x, y, own_bytes, own_starts
):  # fmt: skip
    """Return which of the three places of a list of n from the last one on has key (x, y), or -1.

    Sorted rows repeat an id, or go on to the next, or pass over one.
    """
    for code in range(last, min(last + 3, n)):
        u, v = key_at(lo_at, hi_at, bytes_at, starts_at, size, hash_mask, code)
        if same(x, y, own_bytes, own_starts, u, v, bytes_at, starts_at):
            return code
    return -1


@jit
def read_slots(
    lo_at, hi_at, bytes_at, starts_at, size, hash_mask, begin, end,
    slots, codes, n, list_lo, list_hi, list_bytes, list_starts, list_size, list_mask, found,
):  # fmt: skip
    """Write the position of keys begin to end, -1 where no slot has one; count these.

    While the rows come in the order of the list, the list itself is looked at, and no slot.
    """
    mask = codes.size - 1
    slots_at, codes_at = np.int64(slots.ctypes.data), np.int64(codes.ctypes.data)
    strangers, last, ordered = 0, 0, True
    for block in range(begin, end, BLOCK):
        steps = 0
        for i in range(block, min(block + BLOCK, end)):
            if not ordered and i + AHEAD < end:
                x, y = key_at(lo_at, hi_at, bytes_at, starts_at, size, hash_mask, i + AHEAD)
                ask(slots_at, hi_at, codes_at, key_hash(x, y) & mask)
            x, y = key_at(lo_at, hi_at, bytes_at, starts_at, size, hash_mask, i)
            code = -1
            if ordered:
                code = close_by(
                    last, n, list_lo, list_hi, list_bytes, list_starts, list_size, list_mask,
                    x, y, bytes_at, starts_at,
                )  # fmt: skip
            if code < 0:
                at = key_hash(x, y) & mask
                code = np.int64(codes[at])
                while code >= 0:
                    u, v = slot_key(slots_at, hi_at, at)
                    if same(x, y, bytes_at, starts_at, u, v, list_bytes, list_starts):
                        break
                    at = (at + 1) & mask
                    code = np.int64(codes[at])
            found[i] = code
            strangers += code < 0
            steps += 0 <= code - last <= 2
            last = max(code, 0)
        ordered = steps > BLOCK // 2
    return strangers
