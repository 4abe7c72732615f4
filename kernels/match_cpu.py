"""Pairs, grouped by entity code in pieces that fit the cache, and counted piece by piece.

Codes are int32, -1 for a row to pass over. Keys are 64-bit words, see `key_rows`, given by six
numbers: the addresses of low words, of high words, of the bytes of texts and of their int64 starts,
how many bytes these are, and a mask for hashes. Numbers have only low words; texts have none until
they are moved.
"""

import numpy as np

from berx_gpu.kernels._jit import jit
from berx_gpu.kernels._memory import load_byte, load_word
from berx_gpu.kernels.key_rows import key_at
from berx_gpu.kernels.segment_rows import common, distinct, put

_HIGH_BITS = np.uint64(0x8080808080808080)


@jit
def start_of(starts_at, i):
    """Return where text i begins."""
    return np.int64(load_word(starts_at + 8 * i))


@jit
def is_blank(byte):
    """Say whether a byte is ASCII white space."""
    return byte == 32 or 9 <= byte <= 13


@jit
def any_odd(bytes_at, starts_at, begin, end):
    """Say whether a text of begin to end is not ASCII, or has a blank at an end."""
    at, stop = bytes_at + start_of(starts_at, begin), bytes_at + start_of(starts_at, end)
    seen = np.uint64(0)
    while at + 8 <= stop:
        seen |= load_word(at)
        at += 8
    while at < stop:
        seen |= np.uint64(load_byte(at))
        at += 1
    if seen & _HIGH_BITS:
        return True
    for i in range(begin, end):
        first, last = start_of(starts_at, i), start_of(starts_at, i + 1) - 1
        if first <= last and (
            is_blank(load_byte(bytes_at + first)) or is_blank(load_byte(bytes_at + last))
        ):
            return True
    return False


@jit
def count_pieces(codes, begin, end, shift, counts):
    """Count the rows of each piece; return whether no code falls and none is negative."""
    rising = True
    last = codes[begin - 1] if begin else np.int32(0)
    for i in range(begin, end):
        code = codes[i]
        rising &= code >= last
        last = code
        if code >= 0:
            counts[code >> shift] += 1
    return rising


@jit
def scatter(
    codes, lo_at, hi_at, bytes_at, starts_at, size, hash_mask,
    begin, end, shift, places, out_codes, to_lo, to_hi,
):  # fmt: skip
    """Move rows begin to end to their pieces; `places` says where the next of each goes."""
    for i in range(begin, end):
        code = codes[i]
        if code >= 0:
            at = places[code >> shift]
            places[code >> shift] = at + 1
            out_codes[at] = code
            x, y = key_at(lo_at, hi_at, bytes_at, starts_at, size, hash_mask, i)
            put(to_lo, to_hi, at, x, y)


@jit
def group_piece(
    codes, lo_at, hi_at, bytes_at, starts_at, size, hash_mask,
    begin, end, first, ends, to_lo, to_hi, to,
):  # fmt: skip
    """Group a piece by entity: keys go to places from `to` on, `ends[j]` is the end of entity j.

    `first` is the piece's first entity; `ends` has one place per entity of the piece.
    """
    ends[:] = 0
    for i in range(begin, end):
        ends[codes[i] - first] += 1
    total = to
    for j in range(ends.size):
        many = ends[j]
        ends[j] = total
        total += many
    for i in range(begin, end):
        j = codes[i] - first
        at = ends[j]
        ends[j] = at + 1
        x, y = key_at(lo_at, hi_at, bytes_at, starts_at, size, hash_mask, i)
        put(to_lo, to_hi, at, x, y)


@jit
def prepare_pieces(
    pieces, bounds, shift, codes, lo_at, hi_at, bytes_at, starts_at, size, hash_mask,
    to_lo, to_hi, first_key, n_keys,
):  # fmt: skip
    """Group pieces, keep each key once, and write where the keys of each entity begin.

    The keys of entity e are then those from `first_key[e]` on, `n_keys[e]` of them, sorted.
    """
    ends = np.empty(1 << shift, np.int64)
    for p in pieces:
        begin, end, first = bounds[p], bounds[p + 1], p << shift
        here = ends[: min(1 << shift, n_keys.size - first)]
        group_piece(
            codes, lo_at, hi_at, bytes_at, starts_at, size, hash_mask,
            begin, end, first, here, to_lo, to_hi, begin,
        )  # fmt: skip
        at = begin
        for j in range(here.size):
            first_key[first + j] = at
            n_keys[first + j] = distinct(to_lo, to_hi, bytes_at, starts_at, at, ends[j]) - at
            at = ends[j]


@jit
def match_pieces(
    pieces, bounds, shift, codes, lo_at, hi_at, bytes_at, starts_at, size, hash_mask,
    true_lo, true_hi, true_bytes, true_starts, first_key, n_keys, tp, n_pred,
):  # fmt: skip
    """Write, for the entities of some pieces, the distinct predictions and the true ones."""
    ends = np.empty(1 << shift, np.int64)
    largest = 1
    for p in pieces:
        largest = max(largest, bounds[p + 1] - bounds[p])
    room = np.empty((2 if starts_at else 1) * largest, np.uint64)
    lo = np.int64(room.ctypes.data)
    hi = lo + 8 * largest if starts_at else 0
    for p in pieces:
        begin, end, first = bounds[p], bounds[p + 1], p << shift
        here = ends[: min(1 << shift, n_pred.size - first)]
        group_piece(
            codes, lo_at, hi_at, bytes_at, starts_at, size, hash_mask,
            begin, end, first, here, lo, hi, 0,
        )  # fmt: skip
        at = 0
        for j in range(here.size):
            e = first + j
            stop = distinct(lo, hi, bytes_at, starts_at, at, ends[j])
            n_pred[e] = stop - at
            tp[e] = common(
                lo, hi, bytes_at, starts_at, at, stop,
                true_lo, true_hi, true_bytes, true_starts, first_key[e], first_key[e] + n_keys[e],
            )  # fmt: skip
            at = ends[j]
    room[0] = 0  # Numba would free the room after the last use of its name
