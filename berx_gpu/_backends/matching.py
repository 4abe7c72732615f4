"""Matching on the CPU: the same counts as `frames`, by kernels over pieces that fit the cache.

One id column of int64 numbers or of text on both sides is what nearly everyone has, and goes
through the kernels. Anything else (several key columns, numbers beyond int64, ...) is left to the
joins of `frames`, with the same answer; and so is what is small, because the joins are done before
a kernel is loaded, or compiled where it cannot be cached.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from berx_gpu import _encode
from berx_gpu._backends import frames, threads
from berx_gpu.kernels import group_cpu, lookup_cpu, match_cpu

_PIECE_ROWS = 1 << 13
_MAX_PIECES = 1 << 12
_TASKS_PER_THREAD = 8
_TASK_ROWS = 1 << 20
_GROUP_SLOTS = 1 << 16
_ALL_BITS = np.uint64(0xFFFFFFFFFFFFFFFF)


@dataclass(frozen=True)
class Machine:
    """What kernels run with: the joins for everything else, threads, and bits of hashes.

    Up to `small_rows` rows are left to the joins.
    """

    libs: frames.Libraries
    n_threads: int
    small_rows: int = 1 << 16
    hash_mask: Any = _ALL_BITS


class Keys(NamedTuple):
    """Ids for kernels: numbers as low words; texts as bytes and starts, and words once moved."""

    lo: Any
    hi: Any
    data: Any
    starts: Any
    hash_mask: Any

    @property
    def is_text(self) -> bool:
        """Whether the ids are texts."""
        return self.starts is not None

    @property
    def words_at(self) -> tuple[int, int | None]:
        """The addresses of low and of high words: None for numbers, 0 for texts not moved yet."""
        return _address(self.lo), _address(self.hi) if self.is_text else None

    @property
    def texts_at(self) -> tuple[int, int]:
        """The addresses of bytes and of starts, 0 for numbers."""
        return _address(self.data), _address(self.starts)

    @property
    def source(self) -> tuple[Any, ...]:
        """The six numbers by which a kernel finds a key."""
        size = self.data.size if self.is_text else 0
        return (*self.words_at, *self.texts_at, size, self.hash_mask)

    def moved(self, n: int) -> "Keys":
        """Return room for the words of n keys, beside the same bytes."""
        hi = np.empty(n, np.uint64) if self.is_text else None
        return self._replace(lo=np.empty(n, np.uint64), hi=hi)


class Range(NamedTuple):
    """A list of n consecutive numbers from `low` on."""

    low: int
    n: int


class Table(NamedTuple):
    """The ids of a list by number: the position of `low + i` at i, -1 for none."""

    low: int
    codes: Any


class Slots(NamedTuple):
    """The keys of a list by hash: two words or one a slot, and the position, -1 for a free slot."""

    keys: Keys
    words: Any
    codes: Any


class Index(NamedTuple):
    """The entity list ready for look-ups; a small one has no places yet."""

    parts: list[Any]
    twice: int
    places: Range | Table | Slots | None


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
        codes_at = None if self.codes is None else _address(self.codes)
        return (self.bounds, codes_at, *self.keys.source)


class Prepared(NamedTuple):
    """True pairs ready to be matched; few of them are not in pieces yet."""

    joins: frames.Prepared
    n_true: Any
    repeats: int
    pieces: Pieces | None


def keys_of(machine: Machine, part: Any) -> Keys:
    """Return the keys of one id column, without a pass over it."""
    if isinstance(part, np.ndarray):
        return Keys(np.ascontiguousarray(part), None, None, None, machine.hash_mask)
    data, starts = _texts(part)
    return Keys(None, None, data, starts, machine.hash_mask)


def look_alikes(machine: Machine, pred: Any, truth: Any) -> int:
    """Count as `_encode.look_alikes` does, which is asked only when an id could change at all."""
    few = max(len(pred), len(truth)) <= machine.small_rows
    if few or any(_odd(machine, t) for t in (pred, truth)):
        return _encode.look_alikes(pred, truth)
    return 0


def _odd(machine: Machine, part: Any) -> bool:
    data, starts = _texts(part)
    text = (_address(data), _address(starts))
    spans = row_spans(machine, len(starts) - 1)
    return any(_run(machine, match_cpu.any_odd, [(*text, *span) for span in spans]))


def _texts(part: Any) -> tuple[Any, Any]:
    """Return the bytes and the starts of a pandas text array."""
    array = pa.array(part)
    if not len(array):
        return np.empty(0, np.uint8), np.zeros(1, np.int64)
    if isinstance(array, pa.ChunkedArray):
        array = array.chunk(0) if array.num_chunks == 1 else pa.concat_arrays(array.chunks)
    _, offsets, values = array.buffers()
    starts = np.frombuffer(offsets, np.int64)[array.offset : array.offset + len(array) + 1]
    return np.frombuffer(b"" if values is None else values, np.uint8), starts


def _address(array: Any) -> int:
    return 0 if array is None else int(array.__array_interface__["data"][0])


def index(machine: Machine, parts: list[Any]) -> Index:
    """Return the entity list in a form for look-ups; `twice` counts repeated entities."""
    if len(parts) != 1 or len(parts[0]) <= machine.small_rows:
        return Index(parts, frames.index(machine.libs, parts).twice, None)
    twice, places = _places(machine, parts[0])
    return Index(parts, twice, places)


def _places(machine: Machine, ids: Any) -> tuple[int, Range | Table | Slots]:
    n = len(ids)
    keys = keys_of(machine, ids)
    if isinstance(ids, np.ndarray):
        if lookup_cpu.counts_up(keys.words_at[0], n):
            return 0, Range(int(ids[0]), n)
        low, high = int(ids.min()), int(ids.max())
        if high - low < 4 * n + 1024:
            table = np.full(high - low + 1, -1, np.int32)
            twice = lookup_cpu.fill_table(keys.words_at[0], n, low, table)
            return twice, Table(low, table)
    size = 1 << int(np.ceil(np.log2(n * 1.6 + 1)))
    codes = np.full(size, -1, np.int32)
    words = np.empty(size * (2 if keys.is_text else 1), np.uint64)
    twice = lookup_cpu.fill_slots(*keys.source, n, words, codes)
    return twice, Slots(keys, words, codes)


def lookup(machine: Machine, listed: Index, parts: list[Any]) -> tuple[Any, int]:
    """Return the position in the list of every row or -1, and how many have none."""
    n = len(parts[0])
    if len(parts) != 1 or (listed.places is None and n <= machine.small_rows):
        return frames.lookup(machine.libs, listed.parts, parts)
    places = listed.places or _places(machine, listed.parts[0])[1]
    keys = keys_of(machine, parts[0])
    codes = np.empty(n, np.int32)
    spans = row_spans(machine, n)
    if isinstance(places, Range | Table):
        read = lookup_cpu.read_range if isinstance(places, Range) else lookup_cpu.read_table
        ids_at, _ = keys.words_at
        calls: list[tuple[Any, ...]] = [(ids_at, *span, *places, codes) for span in spans]
        return codes, int(sum(_run(machine, read, calls)))
    n_listed = len(listed.parts[0])
    slots = (places.words, places.codes, n_listed, *places.keys.source, codes)
    calls = [(*keys.source, *span, *slots) for span in spans]
    return codes, int(sum(_run(machine, lookup_cpu.read_slots, calls)))


def prepare(machine: Machine, n: int, codes: Any, parts: list[Any]) -> Prepared:
    """Return true pairs ready to be matched; codes of -1 are passed over."""
    if len(parts) != 1 or len(codes) <= machine.small_rows:
        joins = frames.prepare(machine.libs, n, codes, parts)
        return Prepared(joins, joins.n_true, joins.repeats, None)
    pieces = _pieces(machine, n, codes, keys_of(machine, parts[0]), match_cpu.ENTITY_BITS)
    n_true = np.empty(n, np.int64)
    rows = (pieces.shift, *pieces.source, pieces.codes is codes, n_true)
    _run(
        machine, match_cpu.count_true, [(share, *rows) for share in shares(machine, pieces.bounds)]
    )
    repeats = int(pieces.bounds[-1] - n_true.sum())
    return Prepared(frames.Prepared(n, codes, parts, n_true, repeats), n_true, repeats, pieces)


def match(machine: Machine, truth: Prepared, codes: Any, parts: list[Any]) -> frames.Counts:
    """Count, per entity, the distinct predicted targets and those that are true."""
    if _by_joins(machine, truth, codes, parts):
        return frames.match(machine.libs, truth.joins, codes, parts)
    pred, true = _both(machine, truth, codes, parts)
    tp, n_pred = np.empty(truth.joins.n, np.int64), np.empty(truth.joins.n, np.int64)
    rows = (*_sides(pred, true), tp, n_pred)
    _run(
        machine, match_cpu.match_pieces, [(share, *rows) for share in shares(machine, pred.bounds)]
    )
    return frames.Counts(tp, n_pred, int(pred.bounds[-1] - n_pred.sum()))


def label(machine: Machine, truth: Prepared, codes: Any, parts: list[Any]) -> frames.Labels:
    """Mark the rows of distinct pairs, of true ones and of repeated ones."""
    if _by_joins(machine, truth, codes, parts):
        return frames.label(machine.libs, truth.joins, codes, parts)
    pred, true = _both(machine, truth, codes, parts)
    flags = np.empty(int(pred.bounds[-1]), np.uint8)
    rows = (*_sides(pred, true), flags)
    _run(
        machine, match_cpu.label_pieces, [(share, *rows) for share in shares(machine, pred.bounds)]
    )
    if pred.places is not None:
        placed, flags = flags, np.zeros(len(codes), np.uint8)
        calls = [
            (codes, *span, pred.shift, place, placed, flags)
            for span, place in zip(row_spans(machine, len(codes)), pred.places, strict=True)
        ]
        _run(machine, match_cpu.gather_flags, calls)
    kinds = (match_cpu.NEW, match_cpu.HIT, match_cpu.REPEATED)
    return frames.Labels(*((flags & kind) > 0 for kind in kinds))


def _by_joins(machine: Machine, truth: Prepared, codes: Any, parts: list[Any]) -> bool:
    small = truth.pieces is None and len(codes) <= machine.small_rows
    return len(parts) != 1 or small


def _both(machine: Machine, truth: Prepared, codes: Any, parts: list[Any]) -> tuple[Pieces, Pieces]:
    """Return predicted and true pairs in the same pieces."""
    joins = truth.joins
    widest = truth.pieces.shift if truth.pieces else match_cpu.ENTITY_BITS
    keys = keys_of(machine, parts[0])
    pred = _pieces(machine, joins.n, codes, keys, widest, pack=True)
    true = truth.pieces
    if true is None or true.shift != pred.shift:
        keys = keys_of(machine, joins.parts[0])
        true = _pieces(machine, joins.n, joins.codes, keys, pred.shift, pred.shift)
    return pred, true


def _sides(pred: Pieces, true: Pieces) -> tuple[Any, ...]:
    return (pred.shift, pred.low, *pred.source, *true.source)


def group(machine: Machine, tp: Any, n_pred: Any, n_true: Any) -> tuple[Any, ...]:
    """Return the distinct (tp, n_pred, n_true) as arrays, and how many entities have each."""
    n = len(tp)
    if n <= machine.small_rows:
        return frames.group(machine.libs, tp, n_pred, n_true)
    spans = threads.spans(n, machine.n_threads)
    found = [
        (np.empty((_GROUP_SLOTS, 3), np.int64), np.zeros(_GROUP_SLOTS, np.int64)) for _ in spans
    ]
    calls: list[tuple[Any, ...]] = [
        (tp, n_pred, n_true, *span, *slots) for span, slots in zip(spans, found, strict=True)
    ]
    if not all(_run(machine, group_cpu.count_groups, calls)):  # nearly all are different
        return frames.group(machine.libs, tp, n_pred, n_true)
    triples = np.concatenate([groups[sizes > 0] for groups, sizes in found])
    sizes = np.concatenate([sizes[sizes > 0] for _, sizes in found])
    distinct, which = np.unique(triples, axis=0, return_inverse=True)
    size = np.zeros(len(distinct), np.int64)
    np.add.at(size, which.ravel(), sizes)
    return (*np.ascontiguousarray(distinct.T), size)


def _pieces(
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
    spans = row_spans(machine, len(codes))
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
        if all(_run(machine, match_cpu.scatter, calls)):
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
    spans = row_spans(machine, len(codes))
    counts = np.zeros((len(spans), ((n - 1) >> shift) + 1), np.int64)
    calls: list[tuple[Any, ...]] = [
        (codes, *span, shift, count) for span, count in zip(spans, counts, strict=True)
    ]
    rising = _run(machine, match_cpu.count_pieces, calls)
    bounds = np.concatenate([[0], np.cumsum(counts.sum(axis=0))])
    if all(rising):
        return bounds, None
    return bounds, bounds[:-1] + np.cumsum(counts, axis=0) - counts


def _below(number: Any) -> Any:
    """Return what packed numbers count from: half their range below the first one."""
    return np.uint64((int(number) - (1 << match_cpu.PACKED_BITS - 1)) % 2**64)


def _run(machine: Machine, kernel: Any, calls: list[tuple[Any, ...]]) -> list[Any]:
    return threads.run(kernel, calls, machine.n_threads)


def row_spans(machine: Machine, n: int) -> list[tuple[int, int]]:
    """Return ranges of rows: few for few rows, as many as `shares` for many."""
    tasks = min(max(n // _TASK_ROWS, 1), _TASKS_PER_THREAD)
    return threads.spans(n, machine.n_threads * tasks)


def shares(machine: Machine, bounds: Any) -> list[Any]:
    """Return the pieces as shares of work, enough of them to keep every thread busy."""
    n_pieces = len(bounds) - 1
    n = min(n_pieces, machine.n_threads * _TASKS_PER_THREAD)
    return np.array_split(np.arange(n_pieces), n)
