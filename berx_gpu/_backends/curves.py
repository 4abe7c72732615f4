"""The curve of a sweep on the CPU: a radix sort in threads, and a walk over the links in parts."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from berx_gpu._backends import frames, threads
from berx_gpu._backends.frames import Curve
from berx_gpu._backends.matching import Machine
from berx_gpu._sums import mean_of
from berx_gpu.kernels import sweep_cpu

_DIGIT = 11
_CHUNK = 1 << 18


def curve(
    machine: Machine,
    n_true: Any,
    codes: Any,
    scores: Any,
    scale: Any,
    kept: Any,
    hit: Any,
    beta: float,
    fbeta: Any,
) -> Curve:
    """Return the curve of the kept links; see `frames.curve`, which few links are left to."""
    if len(codes) <= machine.small_rows:
        links = (codes, scores, scale, kept, hit)
        return frames.curve(machine.libs, n_true, *links, beta, fbeta)
    n_threads = machine.n_threads
    keys, links, shift = _sorted_links(n_threads, codes, scores, scale, kept, hit)
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
        np.zeros(ends[-1], np.uint32 if scale.bits <= 32 else np.uint64),
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


def _sorted_links(
    n_threads: int, codes: Any, scores: Any, scale: Any, kept: Any, hit: Any
) -> tuple[Any, Any, int]:
    """Return keys and words of the kept links by falling score, and where a key has its score."""
    rows = len(codes)
    chunks = [(at, min(at + _CHUNK, rows)) for at in range(0, rows, _CHUNK)]
    sizes = [int(np.count_nonzero(kept[begin:end])) for begin, end in chunks]
    places = np.cumsum([0, *sizes])
    wide = scale.bits > 32
    words = np.empty(places[-1], np.uint64)
    keys = np.empty(places[-1] if wide else 0, np.uint64)

    def pack(begin: int, end: int, place: int) -> None:
        found = np.flatnonzero(kept[begin:end])
        found += begin
        drops = scale.drops(scores[found])
        to = slice(place, place + len(found))
        if wide:
            keys[to] = drops
            drops = np.zeros(len(found), np.uint64)
        sweep_cpu.pack(drops, codes, hit, found, words[to])

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
