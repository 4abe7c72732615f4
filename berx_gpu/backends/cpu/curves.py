"""The curve of a sweep on the CPU: a radix sort in threads, and a walk over the links in parts."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from berx_gpu.arithmetic.exact_sums import mean_of
from berx_gpu.backends.backend import Curve, Scored
from berx_gpu.backends.cpu.machine import Machine
from berx_gpu.backends.frames import curves
from berx_gpu.kernels import sweep_cpu
from berx_gpu.runtime import threads

_DIGIT = 11
_CHUNK = 1 << 18


def curve(machine: Machine, fbeta: Any, n_true: Any, rows: Scored, kept: Any, beta: float) -> Curve:
    """Return the curve of the kept rows; see `frames.curves`, which few rows are left to."""
    if len(rows.codes) <= machine.small_rows:
        return curves.curve(machine.libs, fbeta, n_true, rows, kept, beta)
    n_threads = machine.n_threads
    keys, links, shift = _sorted_links(n_threads, rows, kept)
    n = len(keys)
    # A part costs six numbers an entity, which must stay little beside the links.
    parts = max(min(n_threads, n // (3 * len(n_true))), 1)
    cuts = [_first_of_score(keys, shift, at) for at, _ in threads.spans(n, parts)]
    spans = list(itertools.pairwise([*cuts, n]))
    counts = np.zeros((parts, len(n_true), 2), np.int32)
    earlier = list(zip(spans[:-1], counts[1:], strict=True))
    threads.run(
        sweep_cpu.count_links, [(links, *span, count) for span, count in earlier], n_threads
    )
    np.cumsum(counts, axis=0, out=counts)
    states = np.zeros((parts, len(n_true), 4), np.int32)
    begun = [(n_true, count, beta, state) for count, state in zip(counts, states, strict=True)]
    sums = threads.run(sweep_cpu.start, begun, n_threads)
    sizes = threads.run(sweep_cpu.count_scores, [(keys, shift, *span) for span in spans], n_threads)
    ends = 1 + np.cumsum(sizes)
    kind = np.int32 if n < 2**31 else np.int64
    made = Curve(
        np.zeros(ends[-1], np.uint32 if rows.scale.bits <= 32 else np.uint64),
        np.empty(ends[-1]),
        *(np.zeros(ends[-1], kind) for _ in range(3)),
    )
    high, low, *_ = sums[0]
    made.macro_f[0] = mean_of(high, low, len(n_true))
    outs = [
        [part[end - size : end] for part in made] for end, size in zip(ends, sizes, strict=True)
    ]
    calls = [
        (keys, links, shift, *span, state, beta, *total, *out)
        for span, state, total, out in zip(spans, states, sums, outs, strict=True)
    ]
    threads.run(sweep_cpu.walk, calls, n_threads)
    return made


def _sorted_links(n_threads: int, rows: Scored, kept: Any) -> tuple[Any, Any, int]:
    """Return keys and words of the kept rows by falling score, and where a key has its score."""
    n, scale = len(rows.codes), rows.scale
    chunks = [(at, min(at + _CHUNK, n)) for at in range(0, n, _CHUNK)]
    sizes = [int(np.count_nonzero(kept[begin:end])) for begin, end in chunks]
    places = np.cumsum([0, *sizes])
    wide = scale.bits > 32
    words = np.empty(places[-1], np.uint64)
    keys = np.empty(places[-1] if wide else 0, np.uint64)

    def pack(begin: int, end: int, place: int) -> None:
        found = np.flatnonzero(kept[begin:end])
        found += begin
        drops = scale.drops(rows.scores[found])
        to = slice(place, place + len(found))
        if wide:
            keys[to] = drops
            drops = np.zeros(len(found), np.uint64)
        sweep_cpu.pack(drops, rows.codes, rows.hit, found, words[to])

    calls = [(*chunk, int(place)) for chunk, place in zip(chunks, places[:-1], strict=True)]
    threads.run(pack, calls, n_threads)
    if wide:
        return *_sorted(keys, words, 0, scale.bits, n_threads), 0
    keys, _ = _sorted(words, keys, 32, scale.bits, n_threads)
    return keys, keys, 32


def _first_of_score(keys: Any, shift: int, at: int) -> int:
    """Return the first place from `at` on, in sorted keys, where a score begins."""
    if at in (0, len(keys)):
        return at
    following = (int(keys[at - 1]) >> shift) + 1 << shift
    return len(keys) if following >> 64 else int(np.searchsorted(keys, np.uint64(following)))


def _sorted(keys: Any, payload: Any, low_bit: int, bits: int, n_threads: int) -> tuple[Any, Any]:
    """Return keys, and what belongs to them, by the given bits of the keys."""
    n = len(keys)
    spans = threads.spans(n, n_threads)
    to_keys, to_payload = np.empty_like(keys), np.empty_like(payload)
    digit = -(-bits // max(-(-bits // _DIGIT), 1))  # all of a size, and no wider than they must be
    for shift in range(low_bit, low_bit + bits, max(digit, 1)):
        counts = np.zeros((len(spans), 1 << min(digit, low_bit + bits - shift)), np.int64)
        calls: list[tuple[Any, ...]] = [
            (keys, *span, shift, count) for span, count in zip(spans, counts, strict=True)
        ]
        threads.run(sweep_cpu.count_digits, calls, n_threads)
        totals = counts.sum(axis=0)
        places = np.cumsum(totals) - totals + np.cumsum(counts, axis=0) - counts
        calls = [
            (keys, payload, *span, shift, place, to_keys, to_payload)
            for span, place in zip(spans, places, strict=True)
        ]
        threads.run(sweep_cpu.move_digits, calls, n_threads)
        keys, to_keys = to_keys, keys
        payload, to_payload = to_payload, payload
    return keys, payload
