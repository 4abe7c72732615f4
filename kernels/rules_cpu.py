"""The rules of a policy that look at more than one pair: owners of targets, and places by score.

Ids are compared by value: int64 numbers at an address, or texts by the addresses of their bytes and
starts, see `key_rows`; the address of starts is None for numbers. Targets are numbered from `low`.
"""

import numpy as np

from berx_gpu.kernels._jit import jit
from berx_gpu.kernels._memory import load_word, prefetch
from berx_gpu.kernels.key_rows import bytes_order

AHEAD = 16
BATCH = 1024


@jit
def id_order(ids_at, starts_at, i, j):
    """Return a number below, at or above 0 as id i stands before, at or after id j."""
    if starts_at is None:
        a, b = np.int64(load_word(ids_at + 8 * i)), np.int64(load_word(ids_at + 8 * j))
        return (a > b) - (a < b)
    a, b = np.int64(load_word(starts_at + 8 * i)), np.int64(load_word(starts_at + 8 * j))
    return bytes_order(
        ids_at + a, np.int64(load_word(starts_at + 8 * i + 8)) - a,
        ids_at + b, np.int64(load_word(starts_at + 8 * j + 8)) - b,
    )  # fmt: skip


@jit
def rows_in_range(targets, low, counts, begin, end, first, rows):
    """Write which rows that count, from `first` on, have a target in a range, as many as fit.

    All rows count where `counts` is None. Returns how many there are and the row to go on from.
    """
    n, i = 0, first
    while i < targets.size and n < rows.size:
        rows[n] = i  # written over by the next unless it stays: no branch to guess wrong
        inside = begin <= targets[i] - low < end
        if counts is None:
            n += inside
        else:
            n += inside & counts[i]
        i += 1
    return n, i


@jit
def claim(targets, low, scores, ids_at, starts_at, counts, begin, end, owner, best):
    """Find, for the targets of numbers begin to end, the row that scores each highest.

    Only rows that count are looked at, see `rows_in_range`. Equal scores go to the smaller entity
    id. `owner` has a row for each target, -1 before, and `best` gets its score.
    """
    owner_at, best_at = np.int64(owner.ctypes.data), np.int64(best.ctypes.data)
    found = np.empty(BATCH, np.int64)
    i = 0
    while i < targets.size:
        count, i = rows_in_range(targets, low, counts, begin, end, i, found)
        for k in range(count):
            if k + AHEAD < count:
                ahead = targets[found[k + AHEAD]] - low
                prefetch(owner_at + owner.itemsize * ahead)
                prefetch(best_at + best.itemsize * ahead)
            row = found[k]
            t, score = targets[row] - low, scores[row]
            held, top = owner[t], best[t]
            better = held < 0 or score > top
            if score == top and held >= 0:
                better = id_order(ids_at, starts_at, row, held) < 0
            owner[t], best[t] = row if better else held, score if better else top


@jit
def owned(targets, low, scores, ids_at, starts_at, begin, end, owner, best, kept):
    """Mark the rows begin to end of the owner of their target, with its best score."""
    owner_at, best_at = np.int64(owner.ctypes.data), np.int64(best.ctypes.data)
    for i in range(begin, end):
        if i + AHEAD < end:
            ahead = targets[i + AHEAD] - low
            prefetch(owner_at + owner.itemsize * ahead)
            prefetch(best_at + best.itemsize * ahead)
        t = targets[i] - low
        kept[i] = scores[i] == best[t]
        if kept[i] and owner[t] != i:
            kept[i] = id_order(ids_at, starts_at, i, owner[t]) == 0


@jit
def mark_owners(owner, begin, end, kept):
    """Mark the owners of the targets of numbers begin to end."""
    for t in range(begin, end):
        if owner[t] >= 0:
            kept[owner[t]] = True


@jit
def rivals(targets, low, scores, ids_at, starts_at, begin, end, owner, second, has_rival):
    """Find, for the targets of numbers begin to end, the best score of all but the owner."""
    owner_at = np.int64(owner.ctypes.data)
    found = np.empty(BATCH, np.int64)
    i = 0
    while i < targets.size:
        count, i = rows_in_range(targets, low, None, begin, end, i, found)
        for k in range(count):
            if k + AHEAD < count:
                prefetch(owner_at + owner.itemsize * (targets[found[k + AHEAD]] - low))
            row = found[k]
            t = targets[row] - low
            if (not has_rival[t] or scores[row] > second[t]) and id_order(
                ids_at, starts_at, row, owner[t]
            ) != 0:
                second[t], has_rival[t] = scores[row], True


@jit
def lead(targets, low, scores, begin, end, second, has_rival, margin, kept):
    """Take the mark from rows begin to end whose target has a rival less than a margin below."""
    for i in range(begin, end):
        t = targets[i] - low
        if kept[i] and has_rival[t]:
            best, other = np.float64(scores[i]), np.float64(second[t])
            kept[i] = (0.0 if best == other else best - other) >= margin


@jit
def before(scores, ids_at, starts_at, i, j, by_id):
    """Say whether row i comes before row j: by falling score and then by target id, or reversed.

    The row itself settles what is equal in both.
    """
    by_score = (scores[i] < scores[j]) - (scores[i] > scores[j])
    if by_score and not by_id:
        return by_score < 0
    by_target = id_order(ids_at, starts_at, i, j)
    if by_target:
        return by_target < 0
    return by_score < 0 or (by_score == 0 and i < j)


@jit
def sort_rows(rows, spare, scores, ids_at, starts_at, by_id):
    """Sort rows in place by merging ever longer runs, the first of them by insertion."""
    n, width = rows.size, 8
    for begin in range(0, n, width):
        for k in range(begin + 1, min(begin + width, n)):
            row, at = rows[k], k
            while at > begin and before(scores, ids_at, starts_at, row, rows[at - 1], by_id):
                rows[at] = rows[at - 1]
                at -= 1
            rows[at] = row
    while width < n:
        for begin in range(0, n, 2 * width):
            middle, end = min(begin + width, n), min(begin + 2 * width, n)
            a, b = begin, middle
            for at in range(begin, end):
                if b == end or (
                    a < middle and not before(scores, ids_at, starts_at, rows[b], rows[a], by_id)
                ):
                    spare[at], a = rows[a], a + 1
                else:
                    spare[at], b = rows[b], b + 1
        rows[:] = spare[:n]
        width *= 2


@jit
def rank_pieces(pieces, shift, bounds, rows, codes, scores, ids_at, starts_at, once, places):
    """Write the place of each row of some pieces among the targets of its entity, 1 the best.

    Unless every pair stands `once`, a repeated pair counts with its best row, and the others get 0.
    """
    most = 1
    for p in pieces:
        most = max(most, bounds[p + 1] - bounds[p])
    mine, spare = np.empty(most, rows.dtype), np.empty(most, rows.dtype)
    ends = np.empty((1 << shift) + 1, np.int64)
    scores_at = np.int64(scores.ctypes.data)
    for p in pieces:
        begin, end, first = bounds[p], bounds[p + 1], p << shift
        ends[:] = 0
        for k in range(begin, end):
            prefetch(scores_at + scores.itemsize * rows[k])
            ends[codes[rows[k]] - first + 1] += 1
        for e in range(1 << shift):
            ends[e + 1] += ends[e]
        for k in range(begin, end):
            e = codes[rows[k]] - first
            mine[ends[e]] = rows[k]
            ends[e] += 1
        start = 0
        for e in range(1 << shift):
            stop = ends[e]
            here = mine[start:stop]
            start = stop
            count = here.size
            if not once and count > 1:
                sort_rows(here, spare, scores, ids_at, starts_at, True)
                count = 1
                for k in range(1, here.size):
                    if id_order(ids_at, starts_at, here[k], here[count - 1]) == 0:
                        places[here[k]] = 0
                    else:
                        here[count] = here[k]
                        count += 1
            sort_rows(here[:count], spare, scores, ids_at, starts_at, False)
            for k in range(count):
                places[here[k]] = k + 1


@jit
def best_of(codes, kept, scores, best):
    """Find the best score of each entity among the kept rows; `best` is -inf before."""
    for i in range(codes.size):
        if kept[i]:
            best[codes[i]] = max(best[codes[i]], np.float64(scores[i]))


@jit
def near_best(codes, scores, best, ratio, margin, least, begin, end, kept):
    """Take the mark from rows begin to end that fall too far below the best of their entity.

    A ratio or margin below 0 is none, and so is a least best of -inf.
    """
    for i in range(begin, end):
        if kept[i]:
            score, top = np.float64(scores[i]), best[codes[i]]
            near = margin < 0 or score == top or score >= top - margin
            kept[i] = near and (ratio < 0 or score >= ratio * top) and top >= least
