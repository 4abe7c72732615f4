"""Matching on the CPU: the same counts as `frames`, by kernels over pieces that fit the cache.

One id column of int64 numbers or of text on both sides is what nearly everyone has, and goes
through the kernels. Anything else (several key columns, numbers beyond int64, ...) is left to the
joins of `frames`, with the same answer.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from berx_gpu import _encode
from berx_gpu._backends import frames, threads
from berx_gpu.kernels import lookup_cpu, match_cpu

_PIECE_ROWS = 1 << 14
_MAX_PIECES = 1 << 12
_TASKS_PER_THREAD = 8
_ALL_BITS = np.uint64(0xFFFFFFFFFFFFFFFF)


@dataclass(frozen=True)
class Machine:
    """What kernels run with: the joins for everything else, threads, and bits of hashes."""

    libs: frames.Libraries
    n_threads: int
    hash_mask: Any = _ALL_BITS


class Keys(NamedTuple):
    """Ids as two words (`hi` empty for numbers), and the bytes and starts of texts."""

    lo: Any
    hi: Any
    data: Any
    starts: Any

    @property
    def words_at(self) -> tuple[int, int]:
        """The addresses of the low words, and of the high words or 0."""
        return _address(self.lo), _address(self.hi) if self.hi.size else 0

    @property
    def texts_at(self) -> tuple[int, int]:
        """The addresses of the bytes and of the starts."""
        return _address(self.data), _address(self.starts)


class Index(NamedTuple):
    """The entity list, ready for look-ups: a table by number, or slots by hash."""

    parts: list[Any]
    twice: int
    low: int
    table: Any
    keys: Keys | None
    slots: Any


class Prepared(NamedTuple):
    """True pairs, grouped by entity: where the sorted keys of each begin, and how many."""

    joins: frames.Prepared
    n_true: Any
    repeats: int
    first_key: Any = None
    keys: Keys | None = None


def keys_of(machine: Machine, part: Any) -> Keys:
    """Return the keys of one id column."""
    if isinstance(part, np.ndarray):
        words = np.ascontiguousarray(part).view(np.uint64)
        return Keys(words, np.empty(0, np.uint64), np.empty(0, np.uint8), np.zeros(1, np.int64))
    data, starts = _texts(part)
    n = len(starts) - 1
    lo, hi = np.empty(n, np.uint64), np.empty(n, np.uint64)
    text = (_address(data), data.size, _address(starts))
    spans = threads.spans(n, machine.n_threads)
    _run(machine, match_cpu.text_keys, [(*text, *s, machine.hash_mask, lo, hi) for s in spans])
    return Keys(lo, hi, data, starts)


def look_alikes(machine: Machine, pred: Any, truth: Any) -> int:
    """Count as `_encode.look_alikes` does, which is asked only when an id could change at all."""
    return _encode.look_alikes(pred, truth) if any(_odd(machine, t) for t in (pred, truth)) else 0


def _odd(machine: Machine, part: Any) -> bool:
    data, starts = _texts(part)
    text = (_address(data), _address(starts))
    spans = threads.spans(len(starts) - 1, machine.n_threads)
    return any(_run(machine, match_cpu.any_odd, [(*text, *span) for span in spans]))


def _texts(part: Any) -> tuple[Any, Any]:
    """Return the bytes and the starts of a pandas text array."""
    array = pa.array(part)
    if isinstance(array, pa.ChunkedArray):
        array = array.chunk(0) if array.num_chunks == 1 else pa.concat_arrays(array.chunks)
    _, offsets, values = array.buffers()
    starts = np.frombuffer(offsets, np.int64)[array.offset : array.offset + len(array) + 1]
    return np.frombuffer(b"" if values is None else values, np.uint8), starts


def _address(array: Any) -> int:
    return int(array.__array_interface__["data"][0])


def index(machine: Machine, parts: list[Any]) -> Index:
    """Return the entity list in a form for look-ups; `twice` counts repeated entities."""
    nothing = np.empty(0, np.uint64)
    if len(parts) != 1:
        return Index(parts, frames.index(machine.libs, parts).twice, 0, nothing, None, nothing)
    ids = parts[0]
    n = len(ids)
    if isinstance(ids, np.ndarray):
        low, high = int(ids.min()), int(ids.max())
        if high - low < 4 * n + 1024:
            table = np.full(high - low + 1, -1, np.int32)
            twice = lookup_cpu.fill_table(_address(np.ascontiguousarray(ids)), n, low, table)
            return Index(parts, twice, low, table, None, nothing)
    keys = keys_of(machine, ids)
    size = 1 << int(np.ceil(np.log2(n * 1.6 + 1)))
    codes = np.full(size, -1, np.int32)
    slots = np.empty(size * (2 if keys.hi.size else 1), np.uint64)
    twice = lookup_cpu.fill_slots(*keys.words_at, *keys.texts_at, n, slots, codes)
    return Index(parts, twice, 0, codes, keys, slots)


def lookup(machine: Machine, listed: Index, parts: list[Any]) -> tuple[Any, int]:
    """Return the position in the list of every row or -1, and how many have none."""
    if len(parts) != 1:
        return frames.lookup(machine.libs, listed.parts, parts)
    keys = keys_of(machine, parts[0])
    n = len(keys.lo)
    codes = np.empty(n, np.int32)
    spans = threads.spans(n, machine.n_threads)
    if listed.keys is None:
        ids_at, _ = keys.words_at
        table = (listed.low, listed.table, codes)
        calls: list[tuple[Any, ...]] = [(ids_at, *span, *table) for span in spans]
        return codes, int(sum(_run(machine, lookup_cpu.read_table, calls)))
    slots = (listed.slots, listed.table, *listed.keys.texts_at, codes)
    calls = [(*keys.words_at, *keys.texts_at, *span, *slots) for span in spans]
    return codes, int(sum(_run(machine, lookup_cpu.read_slots, calls)))


def prepare(machine: Machine, n: int, codes: Any, parts: list[Any]) -> Prepared:
    """Return true pairs ready to be matched; codes of -1 are passed over."""
    if len(parts) != 1:
        joins = frames.prepare(machine.libs, n, codes, parts)
        return Prepared(joins, joins.n_true, joins.repeats)
    given = keys_of(machine, parts[0])
    shift, bounds, grouped, keys = _pieces(machine, n, codes, given)
    kept = keys._replace(lo=np.empty_like(keys.lo), hi=np.empty_like(keys.hi))
    first_key, n_true = np.empty(n, np.int64), np.empty(n, np.int64)
    rows = (bounds, shift, grouped, *keys.words_at, *keys.texts_at)
    out = (*kept.words_at, first_key, n_true)
    calls = [(share, *rows, *out) for share in _shares(machine, len(bounds) - 1)]
    _run(machine, match_cpu.prepare_pieces, calls)
    repeats = int(bounds[-1] - n_true.sum())
    joins = frames.Prepared(n, codes, parts, n_true, repeats)
    return Prepared(joins, n_true, repeats, first_key, kept)


def match(machine: Machine, truth: Prepared, codes: Any, parts: list[Any]) -> frames.Counts:
    """Count, per entity, the distinct predicted targets and those that are true."""
    if truth.keys is None:
        return frames.match(machine.libs, truth.joins, codes, parts)
    n = truth.joins.n
    shift, bounds, grouped, keys = _pieces(machine, n, codes, keys_of(machine, parts[0]))
    tp, n_pred = np.empty(n, np.int64), np.empty(n, np.int64)
    true = (*truth.keys.words_at, *truth.keys.texts_at, truth.first_key, truth.n_true)
    rows = (bounds, shift, grouped, *keys.words_at, *keys.texts_at)
    calls = [(share, *rows, *true, tp, n_pred) for share in _shares(machine, len(bounds) - 1)]
    _run(machine, match_cpu.match_pieces, calls)
    return frames.Counts(tp, n_pred, int(bounds[-1] - n_pred.sum()))


def _pieces(machine: Machine, n: int, codes: Any, keys: Keys) -> tuple[int, Any, Any, Keys]:
    """Return the entity bits of a piece, where pieces begin, and codes and keys in that order.

    A piece is a range of entities. Rows that come in the order of their entities stay where they
    are.
    """
    wanted = min(max(len(codes) // _PIECE_ROWS, 1), _MAX_PIECES)
    shift = max(int(np.ceil(np.log2(n / wanted))), 0)
    spans = threads.spans(len(codes), machine.n_threads)
    counts = np.zeros((len(spans), ((n - 1) >> shift) + 1), np.int64)
    calls: list[tuple[Any, ...]] = [
        (codes, *span, shift, count) for span, count in zip(spans, counts, strict=True)
    ]
    rising = _run(machine, match_cpu.count_pieces, calls)
    bounds = np.concatenate([[0], np.cumsum(counts.sum(axis=0))])
    if all(rising):
        return shift, bounds, codes, keys
    places = bounds[:-1] + np.cumsum(counts, axis=0) - counts
    n_rows = int(bounds[-1])
    grouped = np.empty(n_rows, np.int32)
    lo, hi = np.empty(n_rows, np.uint64), np.empty(n_rows if keys.hi.size else 0, np.uint64)
    calls = [
        (codes, *keys.words_at, *span, shift, place, grouped, lo, hi)
        for span, place in zip(spans, places, strict=True)
    ]
    _run(machine, match_cpu.scatter, calls)
    return shift, bounds, grouped, keys._replace(lo=lo, hi=hi)


def _run(machine: Machine, kernel: Any, calls: list[tuple[Any, ...]]) -> list[Any]:
    return threads.run(kernel, calls, machine.n_threads)


def _shares(machine: Machine, n_pieces: int) -> list[Any]:
    """Return the pieces as shares of work, enough of them to keep every thread busy."""
    n = min(n_pieces, machine.n_threads * _TASKS_PER_THREAD)
    return np.array_split(np.arange(n_pieces), n)
