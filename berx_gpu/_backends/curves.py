"""The curve of a sweep on the CPU: a radix sort in threads, and one walk over the links."""

from __future__ import annotations

from typing import Any

import numpy as np

from berx_gpu._backends import threads
from berx_gpu._backends.frames import Curve
from berx_gpu.kernels import sweep_cpu

_DIGIT = 11


def curve(
    n_threads: int,
    n_true: Any,
    codes: Any,
    drops: Any,
    hit: Any,
    beta: float,
    start: tuple[int, int],
    fbeta: Any = None,
) -> Curve:
    """Return the curve of links, given by entity code, fall of the score, and truth.

    Parameters
    ----------
    n_true : int64 array
        True targets of every entity.
    codes : int32 array
    drops : uint64 array
        How far each score falls below the best, in steps that tell scores apart.
    hit : bool array
    start : (int, int)
        The sum of F without any link, in two words.
    fbeta : callable
        Not used here: the kernel has the row.
    """
    n = len(codes)
    bits = int(drops.max()).bit_length() if n else 0
    spans = threads.spans(n, n_threads)
    wide = bits > 32
    words = np.empty(n, np.uint64)
    packed = np.zeros(n, np.uint64) if wide else drops
    threads.run(sweep_cpu.pack, [(packed, codes, hit, *span, words) for span in spans], n_threads)
    if wide:
        keys, links = _sorted(drops.copy(), words, 0, bits, n_threads)
        shift = 0
    else:
        keys, _ = _sorted(words, np.empty(0, np.uint64), 32, bits, n_threads)
        links, shift = keys, 32
    last = [(keys, shift, *span) for span in spans]
    distinct = sum(threads.run(sweep_cpu.count_scores, last, n_threads))
    ends, high, low, tp = (np.empty(distinct, np.int64) for _ in range(4))
    linked = np.empty(distinct, np.int32)
    sweep_cpu.walk(keys, links, shift, n_true, beta, *start, ends, high, low, tp, linked)
    return Curve(keys[ends - 1] >> np.uint64(shift), ends, high, low, tp, linked)


def _sorted(keys: Any, payload: Any, low_bit: int, bits: int, n_threads: int) -> tuple[Any, Any]:
    """Return keys, and what belongs to them, by the given bits of the keys."""
    n = len(keys)
    spans = threads.spans(n, n_threads)
    to_keys, to_payload = np.empty_like(keys), np.empty_like(payload)
    for shift in range(low_bit, low_bit + bits, _DIGIT):
        counts = np.zeros((len(spans), 1 << min(_DIGIT, low_bit + bits - shift)), np.int64)
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
