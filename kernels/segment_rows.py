"""A segment is the run of keys of one entity: sort it, keep each key once, count common ones.

Keys stand in two arrays of words, given by their addresses; integers have no high words, and the
address of those is 0. `bytes_at` and `starts_at` lead to the bytes of long texts, see `key_rows`.
"""

import numpy as np

from berx_gpu.kernels._jit import jit
from berx_gpu.kernels._memory import load_word, store_word
from berx_gpu.kernels.key_rows import order

RUN = 16
_ZERO = np.uint64(0)


@jit
def high(hi_at, i):
    """Return the high word of key i, 0 where there are none."""
    return load_word(hi_at + 8 * i) if hi_at else _ZERO


@jit
def put(lo_at, hi_at, i, lo, hi):
    """Write key i."""
    store_word(lo_at + 8 * i, lo)
    if hi_at:
        store_word(hi_at + 8 * i, hi)


@jit
def insertion_sort(lo_at, hi_at, bytes_at, starts_at, a, b):
    """Sort keys a to b in place: the fastest way for a handful."""
    for i in range(a + 1, b):
        x, y = load_word(lo_at + 8 * i), high(hi_at, i)
        j = i - 1
        while j >= a:
            u, v = load_word(lo_at + 8 * j), high(hi_at, j)
            if order(u, v, bytes_at, starts_at, x, y, bytes_at, starts_at) <= 0:
                break
            put(lo_at, hi_at, j + 1, u, v)
            j -= 1
        put(lo_at, hi_at, j + 1, x, y)


@jit
def merge(lo_at, hi_at, bytes_at, starts_at, a, middle, b, to_lo, to_hi):
    """Merge the sorted keys a to middle and middle to b into the same places elsewhere."""
    i, j = a, middle
    for k in range(a, b):
        left = j >= b
        if i < middle and not left:
            left = order(
                load_word(lo_at + 8 * i), high(hi_at, i), bytes_at, starts_at,
                load_word(lo_at + 8 * j), high(hi_at, j), bytes_at, starts_at,
            ) <= 0  # fmt: skip
        source = i if left else j
        put(to_lo, to_hi, k, load_word(lo_at + 8 * source), high(hi_at, source))
        i += left
        j += not left


@jit
def merge_sort(lo_at, hi_at, bytes_at, starts_at, a, b):
    """Sort keys a to b in place, in n log n steps however many they are."""
    n = b - a
    room = np.empty((2 if hi_at else 1) * n, np.uint64)
    for run in range(a, b, RUN):
        insertion_sort(lo_at, hi_at, bytes_at, starts_at, run, min(run + RUN, b))
    from_lo, from_hi = lo_at + 8 * a, hi_at + 8 * a if hi_at else 0
    to_lo = np.int64(room.ctypes.data)
    to_hi = to_lo + 8 * n if hi_at else 0
    width, moved = RUN, False
    while width < n:
        for left in range(0, n, 2 * width):
            middle, right = min(left + width, n), min(left + 2 * width, n)
            merge(from_lo, from_hi, bytes_at, starts_at, left, middle, right, to_lo, to_hi)
        from_lo, to_lo = to_lo, from_lo
        from_hi, to_hi = to_hi, from_hi
        width *= 2
        moved = not moved
    if moved:
        for i in range(n):
            put(to_lo, to_hi, i, load_word(from_lo + 8 * i), high(from_hi, i))
    room[0] = 0  # Numba would free the room after the last use of its name


@jit
def distinct(lo_at, hi_at, bytes_at, starts_at, a, b):
    """Sort keys a to b and move each distinct one to the front; return where they end."""
    if b - a <= RUN:
        insertion_sort(lo_at, hi_at, bytes_at, starts_at, a, b)
    else:
        merge_sort(lo_at, hi_at, bytes_at, starts_at, a, b)
    if b - a < 2:
        return b
    end = a + 1
    u, v = load_word(lo_at + 8 * a), high(hi_at, a)
    for i in range(a + 1, b):
        x, y = load_word(lo_at + 8 * i), high(hi_at, i)
        if order(u, v, bytes_at, starts_at, x, y, bytes_at, starts_at) != 0:
            put(lo_at, hi_at, end, x, y)
            u, v = x, y
            end += 1
    return end


@jit
def common(
    a_lo, a_hi, a_bytes, a_starts, a, a_end, b_lo, b_hi, b_bytes, b_starts, b, b_end
):  # fmt: skip
    """Count the keys that two sorted segments of distinct keys share."""
    count = 0
    while a < a_end and b < b_end:
        side = order(
            load_word(a_lo + 8 * a), high(a_hi, a), a_bytes, a_starts,
            load_word(b_lo + 8 * b), high(b_hi, b), b_bytes, b_starts,
        )  # fmt: skip
        count += side == 0
        a += side <= 0
        b += side >= 0
    return count
