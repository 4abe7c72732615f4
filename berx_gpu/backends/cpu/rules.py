"""The rules of a policy on the CPU: the same answers as `rules`, by kernels in threads.

Ids that are one column of int64 numbers or of text go through the kernels; other ids, and few rows,
are left to the array operations of `rules`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from berx_gpu.backends.cpu.keys import keys_of
from berx_gpu.backends.cpu.machine import Machine
from berx_gpu.backends.cpu.pieces import piece_places, piece_shift
from berx_gpu.backends.frames import rules
from berx_gpu.encoding.keys import Key
from berx_gpu.kernels import match_cpu, rules_cpu
from berx_gpu.runtime import threads


def ranks(
    machine: Machine, codes: Any, scores: Any, targets: tuple[Key, ...], once: bool = False
) -> Any:
    """Return the place of every row among the targets of its entity; see `rules.ranks`."""
    ids = _ids(machine, targets, len(codes))
    if ids is None:
        return rules.ranks(machine.libs, codes, scores, targets, once)
    n = int(codes.max()) + 1
    places = np.zeros(len(codes), np.int32)
    if not n:
        return places
    shift = piece_shift(n, len(codes))
    bounds, moved = piece_places(machine, n, codes, shift)
    rows = np.arange(len(codes), dtype=np.int32 if len(codes) < 2**31 else np.int64)
    if moved is not None:
        rows = np.empty(int(bounds[-1]), rows.dtype)
        spans = machine.row_spans(len(codes))
        calls: list[tuple[Any, ...]] = [
            (codes, *span, shift, place, rows) for span, place in zip(spans, moved, strict=True)
        ]
        machine.run(match_cpu.scatter_rows, calls)
    calls = [
        (share, shift, bounds, rows, codes, scores, *ids, once, places)
        for share in machine.shares(bounds)
    ]
    machine.run(rules_cpu.rank_pieces, calls)
    return places


def owned(
    machine: Machine,
    entities: tuple[Key, ...],
    targets: tuple[Key, ...],
    scores: Any,
    margin: float | None,
    counts: Any = None,
) -> Any:
    """Mark the rows of the owner of each target; see `rules.owned`."""
    ids = _ids(machine, entities, len(scores))
    if ids is None:
        return rules.owned(machine.libs, entities, targets, scores, margin, counts)
    n_threads = machine.n_threads
    numbers, low, m = _numbered(machine, targets)
    pairs = (numbers, low, scores, *ids)
    owner = np.full(m, -1, np.int32 if len(scores) < 2**31 else np.int64)
    best = np.empty(m, scores.dtype)
    kept = np.zeros(len(scores), bool)
    calls: list[tuple[Any, ...]]
    targets_of, rows_of = threads.spans(m, n_threads), machine.row_spans(len(scores))
    calls = [(*pairs, counts, *span, owner, best) for span in targets_of]
    machine.run(rules_cpu.claim, calls)
    if counts is None:
        calls = [(*pairs, *span, owner, best, kept) for span in rows_of]
        machine.run(rules_cpu.owned, calls)
    else:
        calls = [(owner, *span, kept) for span in targets_of]
        machine.run(rules_cpu.mark_owners, calls)
    if margin is not None:
        rival = (np.empty(m, scores.dtype), np.zeros(m, bool))
        calls = [(*pairs, *span, owner, *rival) for span in targets_of]
        machine.run(rules_cpu.rivals, calls)
        calls = [(*pairs[:3], *span, *rival, float(margin), kept) for span in rows_of]
        machine.run(rules_cpu.lead, calls)
    return kept


def near_best(
    machine: Machine,
    codes: Any,
    scores: Any,
    keep: Any,
    ratio: float | None,
    margin: float | None,
    least: float | None,
) -> None:
    """Take the mark from rows too far below the best of their entity; see `rules.near_best`."""
    if len(codes) <= machine.small_rows:
        rules.near_best(machine.libs, codes, scores, keep, ratio, margin, least)
        return
    best = np.full(int(codes.max()) + 1, -math.inf)
    rules_cpu.best_of(codes, keep, scores, best)
    limits = (
        -1.0 if ratio is None else float(ratio),
        -1.0 if margin is None else float(margin),
        -math.inf if least is None else float(least),
    )
    spans = machine.row_spans(len(codes))
    calls = [(codes, scores, best, *limits, *span, keep) for span in spans]
    machine.run(rules_cpu.near_best, calls)


def _ids(machine: Machine, keys: tuple[Key, ...], n: int) -> tuple[int, int | None] | None:
    """Return the addresses of ids and of starts of texts, or None for what kernels do not take."""
    parts = [part for key in keys for part in key.parts]
    if n <= machine.small_rows or len(parts) != 1:
        return None
    own = keys_of(machine, parts[0])
    return own.texts_at if own.is_text else (own.words_at[0], None)


def _numbered(machine: Machine, keys: tuple[Key, ...]) -> tuple[Any, int, int]:
    """Return int64 numbers of ids, the lowest of them, and how far they go."""
    parts = [part for key in keys for part in key.parts]
    if len(parts) == 1 and isinstance(parts[0], np.ndarray):
        low, high = int(parts[0].min()), int(parts[0].max())
        if high - low < 4 * len(parts[0]):
            return parts[0], low, high - low + 1
    numbers, count = rules.numbered(machine.libs, keys)
    return numbers, 0, count
