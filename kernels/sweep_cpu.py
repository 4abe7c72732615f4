"""Links by falling score: sorted, and walked once to get the score at every threshold.

A link is one 64-bit word: how far its score falls below the best in the upper half, then the code
of its entity and, in the last bit, whether it is true. Wide scores have a word of their own beside
it. The sort takes the digits of the score, the last first, and keeps the order of equal ones. Each
thread walks a part of the sorted links; what stands before it is counted first.
"""

import numpy as np

from berx_gpu.kernels._jit import jit
from berx_gpu.kernels._memory import load_int, prefetch, store_int
from berx_gpu.kernels.fbeta_rows import fbeta
from berx_gpu.kernels.sweep_rows import WORD, high_word, low_word

AHEAD = 16
_ONE = np.uint64(1)
_32 = np.uint64(32)
_LINK = np.uint64(0xFFFFFFFF)
_LOW = (1 << WORD) - 1
_SCALE = float(1 << WORD)


@jit
def pack(drops, codes, hit, rows, words):
    """Write the words of some rows; `drops` are theirs alone, 0 where a word holds none."""
    for i in range(rows.size):
        row = rows[i]
        mark = _ONE if hit[row] else np.uint64(0)
        words[i] = (np.uint64(drops[i]) << _32) | (np.uint64(codes[row]) << _ONE) | mark


@jit
def count_digits(keys, begin, end, shift, counts):
    """Count the keys begin to end by a digit of theirs."""
    mask = np.uint64(counts.size - 1)
    for i in range(begin, end):
        counts[(keys[i] >> np.uint64(shift)) & mask] += 1


@jit
def move_digits(keys, payload, begin, end, shift, places, to_keys, to_payload):
    """Move keys begin to end, and what belongs to them, to the next place of their digit."""
    mask = np.uint64(places.size - 1)
    for i in range(begin, end):
        digit = (keys[i] >> np.uint64(shift)) & mask
        at = places[digit]
        places[digit] = at + 1
        to_keys[at] = keys[i]
        if payload.size:
            to_payload[at] = payload[i]


@jit
def count_scores(drops, shift, begin, end):
    """Count the links begin to end, in sorted order, that are the last of their score."""
    count = 0
    for i in range(begin, end):
        count += i + 1 == drops.size or (
            drops[i] >> np.uint64(shift) != drops[i + 1] >> np.uint64(shift)
        )
    return count


@jit
def entity(link):
    """Return the code of a link."""
    return np.int64((link & _LINK) >> _ONE)


@jit
def count_links(links, begin, end, counts):
    """Count the links begin to end of each entity, and the true ones."""
    counts_at = np.int64(counts.ctypes.data)
    for i in range(begin, end):
        if i + AHEAD < end:
            prefetch(counts_at + 8 * entity(links[i + AHEAD]))
        at = counts_at + 8 * entity(links[i])
        store_int(at, load_int(at) + np.int32(1))
        store_int(at + 4, load_int(at + 4) + np.int32(links[i] & _ONE))
    counts[0, 0] += 0  # Numba would free an array after the last use of its name


@jit
def start(n_true, counts, beta, state):
    """Write true targets, links and true links of every entity; return sums over all of them.

    These are F in two words, the true links, and the entities with a link.
    """
    high, low, hits, linked = 0, 0, 0, 0
    for e in range(n_true.size):
        k, tp = np.int64(counts[e, 0]), np.int64(counts[e, 1])
        state[e, 0], state[e, 1], state[e, 2] = n_true[e], k, tp
        f = fbeta(tp, k, n_true[e], beta)
        high += high_word(f)
        low += low_word(f)
        hits += tp
        linked += k > 0
    return high, low, hits, linked


@jit
def mean(high, low, n):
    """Return a sum in two words over n; equal sums give equal means."""
    return (high + (low >> WORD) + (low & _LOW) / _SCALE) / _SCALE / n


@jit
def walk(
    drops, links, shift, begin, end, state, beta, high, low, hits, linked,
    out_drops, out_f, out_n_pred, out_hits, out_linked,
):  # fmt: skip
    """Follow the sums as the links begin to end come in by falling score.

    `state`, a row per entity, and the sums are those of all links before. For each distinct score
    one place of the outputs gets the score, mean F, links, true links and entities with a link, all
    with the links of this score in. `drops >> shift` tells scores apart.
    """
    state_at = np.int64(state.ctypes.data)
    n = state.shape[0]
    distinct = 0
    for i in range(begin, end):
        if i + AHEAD < end:
            prefetch(state_at + 16 * entity(links[i + AHEAD]))
        at = state_at + 16 * entity(links[i])
        mark = np.int64(links[i] & _ONE)
        real = np.int64(load_int(at))
        k, tp = np.int64(load_int(at + 4)), np.int64(load_int(at + 8))
        store_int(at + 4, np.int32(k + 1))
        store_int(at + 8, np.int32(tp + mark))
        linked += k == 0
        hits += mark
        before = fbeta(tp, k, real, beta)
        after = fbeta(tp + mark, k + 1, real, beta)
        high += high_word(after) - high_word(before)
        low += low_word(after) - low_word(before)
        # What is not yet the last link of its score is written over by the next.
        out_drops[distinct] = drops[i] >> np.uint64(shift)
        out_f[distinct] = mean(high, low, n)
        out_n_pred[distinct] = i + 1
        out_hits[distinct], out_linked[distinct] = hits, linked
        distinct += i + 1 == links.size or (
            drops[i] >> np.uint64(shift) != drops[i + 1] >> np.uint64(shift)
        )
    state[0, 3] = 0  # Numba would free an array after the last use of its name
