"""Links by falling score: sorted, and walked once to get the score at every threshold.

A link is one 64-bit word: how far its score falls below the best in the upper half, then the code
of its entity and, in the last bit, whether it is true. Wide scores have a word of their own beside
it. The sort takes the digits of the score, the last first, and keeps the order of equal ones.
"""

import numpy as np

from berx_gpu.kernels._jit import jit
from berx_gpu.kernels._memory import prefetch
from berx_gpu.kernels.fbeta_rows import fbeta
from berx_gpu.kernels.sweep_rows import high_word, low_word

AHEAD = 16
_ONE = np.uint64(1)
_32 = np.uint64(32)


@jit
def pack(drops, codes, hit, begin, end, words):
    """Write the words of links begin to end whose `drops`, below 2**32, are uint64."""
    for i in range(begin, end):
        mark = _ONE if hit[i] else np.uint64(0)
        words[i] = (drops[i] << _32) | (np.uint64(codes[i]) << _ONE) | mark


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
def walk(drops, links, shift, n_true, beta, start_high, start_low, end_of, high, low, hits, linked):
    """Follow the sums as links come in by falling score.

    For the d-th distinct score, `end_of[d]` is how many links have this score or a higher one, and
    `high`, `low`, `hits` and `linked` are the sum of F in two words, true links, and entities with
    a link, all with these links in. `drops >> shift` tells scores apart; `links` holds code and
    mark in its lower 32 bits.
    """
    # True targets, links and true links of an entity in one place: one look at memory a link.
    state = np.zeros((n_true.size, 4), np.int32)
    for e in range(n_true.size):
        state[e, 0] = n_true[e]
    state_at = np.int64(state.ctypes.data)
    sum_high, sum_low, sum_hits, sum_linked, distinct = start_high, start_low, 0, 0, 0
    low_half = np.uint64(0xFFFFFFFF)
    for i in range(links.size):
        if i + AHEAD < links.size:
            prefetch(state_at + 16 * np.int64((links[i + AHEAD] & low_half) >> _ONE))
        link = links[i] & low_half
        e = np.int64(link >> _ONE)
        mark = np.int64(link & _ONE)
        real, k, tp = np.int64(state[e, 0]), np.int64(state[e, 1]), np.int64(state[e, 2])
        state[e, 1] = k + 1
        state[e, 2] = tp + mark
        sum_linked += k == 0
        sum_hits += mark
        before = fbeta(tp, k, real, beta)
        after = fbeta(tp + mark, k + 1, real, beta)
        sum_high += high_word(after) - high_word(before)
        sum_low += low_word(after) - low_word(before)
        if i + 1 == links.size or drops[i] >> np.uint64(shift) != drops[i + 1] >> np.uint64(shift):
            end_of[distinct] = i + 1
            high[distinct], low[distinct] = sum_high, sum_low
            hits[distinct], linked[distinct] = sum_hits, sum_linked
            distinct += 1
