"""Pairs, moved into pieces of entities whose rows fit the cache."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from berx_gpu.backends.cpu.keys import Keys, address
from berx_gpu.backends.cpu.machine import Machine
from berx_gpu.kernels import match_cpu

_PIECE_ROWS = 1 << 13
_MAX_PIECES = 1 << 12


class Pieces(NamedTuple):
    """Pairs in pieces of 2**shift entities: piece p has the rows bounds[p] to bounds[p + 1].

    Numbers that share words with their entities have no codes, and count from `low`.
    `places` says where the next row of each piece went, for each span of rows; it is None where all
    rows stand as they came.
    """

    shift: int
    bounds: Any
    codes: Any
    keys: Keys
    places: Any
    low: Any

    @property
    def source(self) -> tuple[Any, ...]:
        """What a kernel finds rows by: bounds, and the addresses of codes and of keys."""
        codes_at = None if self.codes is None else address(self.codes)
        return (self.bounds, codes_at, *self.keys.source)


def in_pieces(
    machine: Machine,
    n: int,
    codes: Any,
    keys: Keys,
    widest: int,
    narrowest: int = 0,
    pack: bool = False,
) -> Pieces:
    """Return pairs in pieces small enough for the cache, of at most 2**widest entities.

    Rows that come in the order of their entities stay where they are; others are packed where all
    their numbers lie within 2**47 of the first one.
    """
    shift = max(min(piece_shift(n, len(codes)), widest), narrowest)
    bounds, places = piece_places(machine, n, codes, shift)
    if places is None:
        return Pieces(shift, bounds, codes, keys, None, None)
    spans = machine.row_spans(len(codes))
    n_rows = int(bounds[-1])
    low = None if keys.is_text or not pack else _below(keys.lo[0])
    while True:
        ordered = np.empty(n_rows, np.int32) if low is None else None
        pieces = Pieces(shift, bounds, ordered, keys.moved(n_rows), places, low)
        _, codes_to, *words_to = pieces.source[:4]
        calls = [
            (codes, *keys.source, *span, shift, place.copy(), low, codes_to, *words_to)
            for span, place in zip(spans, places, strict=True)
        ]
        if all(machine.run(match_cpu.scatter, calls)):
            return pieces
        low = None


def piece_shift(n: int, n_rows: int) -> int:
    """Return the power of two of entities, of n, whose rows fit the cache."""
    wanted = min(max(n_rows // _PIECE_ROWS, 1), _MAX_PIECES)
    return max((n // wanted).bit_length() - 1, 0)


def piece_places(machine: Machine, n: int, codes: Any, shift: int) -> tuple[Any, Any]:
    """Return where pieces begin, and where each span's first row of each piece goes.

    The places are None for rows that come in the order of their entities.
    """
    spans = machine.row_spans(len(codes))
    counts = np.zeros((len(spans), ((n - 1) >> shift) + 1), np.int64)
    calls: list[tuple[Any, ...]] = [
        (codes, *span, shift, count) for span, count in zip(spans, counts, strict=True)
    ]
    rising = machine.run(match_cpu.count_pieces, calls)
    bounds = np.concatenate([[0], np.cumsum(counts.sum(axis=0))])
    if all(rising):
        return bounds, None
    return bounds, bounds[:-1] + np.cumsum(counts, axis=0) - counts


def _below(number: Any) -> Any:
    """Return what packed numbers count from: half their range below the first one."""
    return np.uint64((int(number) - (1 << match_cpu.PACKED_BITS - 1)) % 2**64)
