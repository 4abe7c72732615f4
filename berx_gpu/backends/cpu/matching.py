"""Matching on the CPU: the same counts as `frames`, by kernels over pieces that fit the cache.

One id column of int64 numbers or of text on both sides is what nearly everyone has, and goes
through the kernels. Anything else (several key columns, numbers beyond int64, ...) is left to the
joins of `frames`, with the same answer; and so is what is small, because the joins are done before
a kernel is loaded, or compiled where it cannot be cached.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from berx_gpu.backends.backend import Counts, Labels
from berx_gpu.backends.cpu.keys import keys_of
from berx_gpu.backends.cpu.machine import Machine
from berx_gpu.backends.cpu.pieces import Pieces, in_pieces
from berx_gpu.backends.frames import matching as joins
from berx_gpu.kernels import group_cpu, match_cpu
from berx_gpu.runtime import threads

_GROUP_SLOTS = 1 << 16


class Prepared(NamedTuple):
    """True pairs ready to be matched; few of them are not in pieces yet."""

    rows: joins.Prepared
    n_true: Any
    repeats: int
    pieces: Pieces | None


def prepare(machine: Machine, n: int, codes: Any, parts: list[Any]) -> Prepared:
    """Return true pairs ready to be matched; codes of -1 are passed over."""
    if len(parts) != 1 or len(codes) <= machine.small_rows:
        few = joins.prepare(machine.libs, n, codes, parts)
        return Prepared(few, few.n_true, few.repeats, None)
    pieces = in_pieces(machine, n, codes, keys_of(machine, parts[0]), match_cpu.ENTITY_BITS)
    n_true = np.empty(n, np.int64)
    rows = (pieces.shift, pieces.source, pieces.codes is codes, n_true)
    machine.run(match_cpu.count_true, [(share, *rows) for share in machine.shares(pieces.bounds)])
    repeats = int(pieces.bounds[-1] - n_true.sum())
    return Prepared(joins.Prepared(n, codes, parts, n_true, repeats), n_true, repeats, pieces)


def match(machine: Machine, truth: Prepared, codes: Any, parts: list[Any]) -> Counts:
    """Count, per entity, the distinct predicted targets and those that are true."""
    if _by_joins(machine, truth, codes, parts):
        return joins.match(machine.libs, truth.rows, codes, parts)
    pred, true = _both(machine, truth, codes, parts)
    tp, n_pred = np.empty(truth.rows.n, np.int64), np.empty(truth.rows.n, np.int64)
    rows = (*_sides(pred, true), tp, n_pred)
    machine.run(match_cpu.match_pieces, [(share, *rows) for share in machine.shares(pred.bounds)])
    return Counts(tp, n_pred, int(pred.bounds[-1] - n_pred.sum()))


def label(machine: Machine, truth: Prepared, codes: Any, parts: list[Any]) -> Labels:
    """Mark the rows of distinct pairs, of true ones and of repeated ones."""
    if _by_joins(machine, truth, codes, parts):
        return joins.label(machine.libs, truth.rows, codes, parts)
    pred, true = _both(machine, truth, codes, parts)
    flags = np.empty(int(pred.bounds[-1]), np.uint8)
    rows = (*_sides(pred, true), flags)
    machine.run(match_cpu.label_pieces, [(share, *rows) for share in machine.shares(pred.bounds)])
    if pred.places is not None:
        placed, flags = flags, np.zeros(len(codes), np.uint8)
        calls = [
            (codes, *span, pred.shift, place, placed, flags)
            for span, place in zip(machine.row_spans(len(codes)), pred.places, strict=True)
        ]
        machine.run(match_cpu.gather_flags, calls)
    kinds = (match_cpu.NEW, match_cpu.HIT, match_cpu.REPEATED)
    return Labels(*((flags & kind) > 0 for kind in kinds))


def _by_joins(machine: Machine, truth: Prepared, codes: Any, parts: list[Any]) -> bool:
    small = truth.pieces is None and len(codes) <= machine.small_rows
    return len(parts) != 1 or small


def _both(machine: Machine, truth: Prepared, codes: Any, parts: list[Any]) -> tuple[Pieces, Pieces]:
    """Return predicted and true pairs in the same pieces."""
    rows = truth.rows
    widest = truth.pieces.shift if truth.pieces else match_cpu.ENTITY_BITS
    keys = keys_of(machine, parts[0])
    pred = in_pieces(machine, rows.n, codes, keys, widest, pack=True)
    true = truth.pieces
    if true is None or true.shift != pred.shift:
        keys = keys_of(machine, rows.parts[0])
        true = in_pieces(machine, rows.n, rows.codes, keys, pred.shift, pred.shift)
    return pred, true


def _sides(pred: Pieces, true: Pieces) -> tuple[Any, ...]:
    return (pred.shift, pred.low, pred.source, true.source)


def group(machine: Machine, tp: Any, n_pred: Any, n_true: Any) -> tuple[Any, ...]:
    """Return the distinct (tp, n_pred, n_true) as arrays, and how many entities have each."""
    n = len(tp)
    if n <= machine.small_rows:
        return joins.group(machine.libs, tp, n_pred, n_true)
    spans = threads.spans(n, machine.n_threads)
    found = [
        (np.empty((_GROUP_SLOTS, 3), np.int64), np.zeros(_GROUP_SLOTS, np.int64)) for _ in spans
    ]
    calls: list[tuple[Any, ...]] = [
        (tp, n_pred, n_true, *span, *slots) for span, slots in zip(spans, found, strict=True)
    ]
    if not all(machine.run(group_cpu.count_groups, calls)):  # nearly all are different
        return joins.group(machine.libs, tp, n_pred, n_true)
    triples = np.concatenate([groups[sizes > 0] for groups, sizes in found])
    sizes = np.concatenate([sizes[sizes > 0] for _, sizes in found])
    distinct, which = np.unique(triples, axis=0, return_inverse=True)
    size = np.zeros(len(distinct), np.int64)
    np.add.at(size, which.ravel(), sizes)
    return (*np.ascontiguousarray(distinct.T), size)
