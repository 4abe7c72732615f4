"""Pairs, grouped by entity code in pieces that fit the cache, and counted piece by piece.

Codes are int32, -1 for a row to pass over. Keys are 64-bit words, see `key_rows`, given by six
numbers: the addresses of low words, of high words, of the bytes of texts and of their int64 starts,
how many bytes these are, and a mask for hashes. Numbers have only low words; texts have none until
they are moved. Moved numbers may share a word with the entity: its number in the piece, then how
far the key is above some number, less than 2**48; their codes are None.

`rows`, `pred` and `true` are tuples: the bounds of pieces, the address of codes (or None), and
these six numbers. `slots` are three addresses, see `slot_rows`.
"""

import numpy as np

from berx_gpu.kernels._jit import jit
from berx_gpu.kernels._memory import load_byte, load_int, load_word, store_int
from berx_gpu.kernels.key_rows import key_at, same
from berx_gpu.kernels.slot_rows import AGAIN, FREE, SEEN, TRUE, clear, fill, put, slot_of
from berx_gpu.kernels.slot_rows import ENTITY_BITS as ENTITY_BITS

FEW = 8
NEW, HIT, REPEATED = np.uint8(1), np.uint8(2), np.uint8(4)
PACKED_BITS = 48
_48 = np.uint64(PACKED_BITS)
_PACKED = np.uint64((1 << PACKED_BITS) - 1)
_ZERO = np.uint64(0)
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
def row_at(codes_at, first, lo_at, hi_at, bytes_at, starts_at, size, hash_mask, i):
    """Return row i: the number of its entity in the piece that begins at `first`, and the key."""
    if codes_at is None:
        word = load_word(lo_at + 8 * i)
        return np.int32(word >> _48), word & _PACKED, _ZERO
    x, y = key_at(lo_at, hi_at, bytes_at, starts_at, size, hash_mask, i)
    return load_int(codes_at + 4 * i) - np.int32(first), x, y


@jit
def scatter(
    codes, lo_at, hi_at, bytes_at, starts_at, size, hash_mask,
    begin, end, shift, places, low, codes_to, to_lo, to_hi,
):  # fmt: skip
    """Move rows begin to end to their pieces; `places` says where the next of each goes.

    Return whether each key is less than 2**48 above `low`, without which words are no use.
    """
    in_piece = np.int32((1 << shift) - 1)
    seen = _ZERO
    for i in range(begin, end):
        code = codes[i]
        if code >= 0:
            at = places[code >> shift]
            places[code >> shift] = at + 1
            x, y = key_at(lo_at, hi_at, bytes_at, starts_at, size, hash_mask, i)
            if low is not None:
                x -= low
                seen |= x
                x |= np.uint64(code & in_piece) << _48
            if codes_to is not None:
                store_int(codes_to + 4 * at, code)
            put(to_lo, to_hi, at, x, y)
    return seen <= _PACKED


@jit
def scatter_rows(codes, begin, end, shift, places, rows):
    """Write which row came to each place, when `scatter` moved rows begin to end."""
    for i in range(begin, end):
        code = codes[i]
        if code >= 0:
            rows[places[code >> shift]] = i
            places[code >> shift] += 1


@jit
def gather_flags(codes, begin, end, shift, places, flags, out):
    """Bring back to rows begin to end the flags of the places that `scatter` moved them to."""
    for i in range(begin, end):
        code = codes[i]
        if code >= 0:
            out[i] = flags[places[code >> shift]]
            places[code >> shift] += 1


@jit
def slots_for(n_rows):
    """Return how many slots stay a third empty with so many rows."""
    return n_rows + n_rows // 2 + 1


@jit
def make_slots(pieces, bounds, more_bounds, hi_at):
    """Return slots for the largest of some pieces: tags, words, and the addresses of both."""
    most = 1
    for p in pieces:
        most = max(most, bounds[p + 1] - bounds[p] + more_bounds[p + 1] - more_bounds[p])
    n = slots_for(most)
    words = np.empty((1 if hi_at is None else 2) * n, np.uint64)
    tags = np.empty(n, np.int32)
    slot_lo = np.int64(words.ctypes.data)
    slot_hi = None if hi_at is None else slot_lo + 8 * n
    return tags, words, (np.int64(tags.ctypes.data), slot_lo, slot_hi)


@jit
def seat_of(slots, n, first, i, low, rows, true, pred):
    """Return the slot, of n, of row i, the number of its entity in the piece, and its key.

    The rows are true pairs or predicted ones. Where the predictions share words with their
    entities, `low` is what their numbers count from, and true ones as well; elsewhere it is None.
    """
    _, codes_at, lo_at, hi_at, bytes_at, starts_at, size, hash_mask = rows
    j, x, y = row_at(codes_at, first, lo_at, hi_at, bytes_at, starts_at, size, hash_mask, i)
    if low is not None:
        x -= low
    at = slot_of(
        slots[0], slots[1], slots[2], n, j, x, y, bytes_at, starts_at,
        true[4], true[5], pred[4], pred[5],
    )  # fmt: skip
    return at, j, x, y


@jit
def seat_true(slots, p, first, low, pred, true):
    """Put the true pairs of piece p in its slots, and return how many slots it has."""
    bounds, pred_bounds = true[0], pred[0]
    begin, end = bounds[p], bounds[p + 1]
    n = slots_for(end - begin + pred_bounds[p + 1] - pred_bounds[p])
    clear(slots[0], n)
    for i in range(begin, end):
        at, j, x, y = seat_of(slots, n, first, i, low, true, true, pred)
        fill(slots[0], slots[1], slots[2], at, j | TRUE, x, y)
    return n


@jit
def distinct_of_few(lo_at, hi_at, bytes_at, starts_at, size, hash_mask, begin, end):
    """Count the distinct keys of rows begin to end by comparing each with those before it."""
    count = 0
    for i in range(begin, end):
        x, y = key_at(lo_at, hi_at, bytes_at, starts_at, size, hash_mask, i)
        new = True
        for k in range(begin, i):
            u, v = key_at(lo_at, hi_at, bytes_at, starts_at, size, hash_mask, k)
            new &= not same(u, v, bytes_at, starts_at, x, y, bytes_at, starts_at)
        count += new
    return count


@jit
def count_true(pieces, shift, rows, in_order, n_true):
    """Write how many distinct keys each entity of some pieces has.

    Where rows come in the order of their entities, a few of one need no slots.
    """
    bounds, codes_at, lo_at, hi_at, bytes_at, starts_at, size, hash_mask = rows
    tags, words, slots = make_slots(pieces, bounds, bounds, hi_at)
    for p in pieces:
        first = p << shift
        n_true[first : first + (1 << shift)] = 0
        begin, end = bounds[p], bounds[p + 1]
        n = 2 * (end - begin)
        clear(slots[0], n)
        i = begin
        while i < end:
            code = load_int(codes_at + 4 * i)
            if in_order and (i == begin or load_int(codes_at + 4 * i - 4) != code):
                stop = i + 1
                while stop < end and stop - i <= FEW and load_int(codes_at + 4 * stop) == code:
                    stop += 1
                if stop - i <= FEW:
                    n_true[code] = distinct_of_few(
                        lo_at, hi_at, bytes_at, starts_at, size, hash_mask, i, stop
                    )
                    i = stop
                    continue
            at, j, x, y = seat_of(slots, n, first, i, None, rows, rows, rows)
            n_true[first + j] += load_int(slots[0] + 4 * at) == FREE
            fill(slots[0], slots[1], slots[2], at, j, x, y)
            i += 1
    tags[0] = words[0] = 0  # Numba would free an array after the last use of its name


@jit
def match_pieces(pieces, shift, low, pred, true, tp, n_pred):
    """Write, for the entities of some pieces, the distinct predictions and the true ones."""
    bounds = pred[0]
    tags, words, slots = make_slots(pieces, bounds, true[0], pred[3])
    for p in pieces:
        first = p << shift
        tp[first : first + (1 << shift)] = 0
        n_pred[first : first + (1 << shift)] = 0
        n = seat_true(slots, p, first, low, pred, true)
        for i in range(bounds[p], bounds[p + 1]):
            at, j, x, y = seat_of(slots, n, first, i, None, pred, true, pred)
            tag = load_int(slots[0] + 4 * at)
            if tag == FREE:
                n_pred[first + j] += 1
                fill(slots[0], slots[1], slots[2], at, j | SEEN, x, y)
            elif not tag & SEEN:
                n_pred[first + j] += 1
                tp[first + j] += 1
                store_int(slots[0] + 4 * at, tag | SEEN)
    tags[0] = words[0] = 0  # Numba would free an array after the last use of its name


@jit
def label_pieces(pieces, shift, low, pred, true, flags):
    """Mark the places of some pieces: the first one of each pair, true pairs, repeated ones."""
    bounds = pred[0]
    tags, words, slots = make_slots(pieces, bounds, true[0], pred[3])
    for p in pieces:
        first = p << shift
        n = seat_true(slots, p, first, low, pred, true)
        repeats = 0
        for i in range(bounds[p], bounds[p + 1]):
            at, j, x, y = seat_of(slots, n, first, i, None, pred, true, pred)
            tag = load_int(slots[0] + 4 * at)
            if tag == FREE:
                flags[i] = NEW
                fill(slots[0], slots[1], slots[2], at, j | SEEN, x, y)
                continue
            flags[i] = (HIT if tag & TRUE else 0) | (0 if tag & SEEN else NEW)
            repeats += (tag & SEEN) != 0
            store_int(slots[0] + 4 * at, tag | (SEEN if not tag & SEEN else AGAIN))
        for i in range(bounds[p], bounds[p + 1] if repeats else bounds[p]):
            at, j, x, y = seat_of(slots, n, first, i, None, pred, true, pred)
            if load_int(slots[0] + 4 * at) & AGAIN:
                flags[i] |= REPEATED
    tags[0] = words[0] = 0  # Numba would free an array after the last use of its name
