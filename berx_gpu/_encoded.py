"""Pairs of any form -> entity codes and target keys."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from berx_gpu import _encode, _pairs
from berx_gpu._backends import select
from berx_gpu.errors import DataError, rows

if TYPE_CHECKING:
    from berx_gpu.truth import Truth


@dataclass(frozen=True, eq=False)
class Encoded:
    """Pairs after encoding, rows with a missing id left out.

    Attributes
    ----------
    codes : int32 array
        Position of the entity in the list, -1 for a stranger.
    target : tuple of Key
    present : bool array or None
        Which rows of the frame are here; None when all are.
    nulls, strangers, self_pairs : int
        How many pairs missed an id, are of unlisted entities, or are of a record with itself.
    strange : bool array
        Which present rows are of unlisted entities.
    """

    codes: Any
    target: tuple[_encode.Key, ...]
    present: Any
    nulls: int
    strangers: int
    self_pairs: int
    strange: Any


def encode_pairs(frame: _pairs.Pairs, truth: Truth, nulls: str, backend: select.Backend) -> Encoded:
    """Return the rows of a frame as entity codes and target keys, without missing ids.

    Rows of entities that the truth does not list keep the code -1 and are counted as strangers.
    """
    columns = [*frame.entity, *frame.target]
    keys = [backend.encode(v, frame.where(n), truth.ids) for n, v in columns]
    present = _present(keys, frame, nulls)
    dropped = 0
    if present is not None:
        dropped = frame.count(~present)
        keys = [key.rows(backend.take, present) for key in keys]
    entity, target = tuple(keys[: len(frame.entity)]), tuple(keys[len(frame.entity) :])
    codes, strangers = truth._positions(entity, backend)
    if not frame.mirrored:
        return Encoded(codes, target, present, dropped, strangers, 0, codes < 0)
    xp = backend.xp
    own = _same(entity, target, backend)
    self_pairs = int(own.sum()) // 2
    if self_pairs:
        codes, target = codes[~own], tuple(key.rows(backend.take, ~own) for key in target)
        if present is None:
            present = ~own
        else:
            present[xp.flatnonzero(present)[own]] = False
    half = len(codes) // 2
    strange = codes < 0
    strange[:half] &= codes[half:] < 0
    strange[half:] = False
    return Encoded(codes, target, present, dropped, int(strange.sum()), self_pairs, strange)


def _same(a: tuple[_encode.Key, ...], b: tuple[_encode.Key, ...], backend: select.Backend) -> Any:
    """Mark the rows whose two keys are equal."""
    _encode.same_kind(a, b)
    series = backend.frames.Series
    sides = zip(*_encode.aligned(backend.xp, a, b), strict=True)
    same = [(series(backend.here(x)) == series(backend.here(y))).values for x, y in sides]
    if not same:  # no id on either side
        return backend.xp.zeros(0, bool)
    mask = backend.xp.ones(len(same[0]), bool)
    for part in same:
        mask &= backend.xp.asarray(part, dtype=bool)
    return mask


def own_entities(frame: _pairs.Pairs, ids: str, backend: select.Backend) -> _pairs.Entities:
    """Return the entities of some pairs, each once, in the order of their first row."""
    columns = frame.entity if frame.owners is None else frame.owners
    keys = [backend.encode(values, frame.where(name), ids) for name, values in columns]
    again = backend.repeats([part for key in keys for part in key.parts])
    for key in keys:
        if key.missing is not None:
            again = again | key.missing
    first = backend.to_host((~again).nonzero()[0])
    return _pairs.Entities(columns).rows(first)


def both_listed(codes: Any, xp: Any) -> Any:
    """Mark the rows of mirrored pairs whose two records are both listed."""
    half = len(codes) // 2
    both = (codes[:half] >= 0) & (codes[half:] >= 0)
    return xp.concatenate([both, both])


def _present(keys: list[_encode.Key], frame: _pairs.Pairs, nulls: str) -> Any:
    """Return a mask of the rows that miss no id, or None when none does."""
    missing = None
    for key in keys:
        if key.missing is None:
            continue
        missing = key.missing if missing is None else missing | key.missing
        if nulls == "error":
            raise DataError(
                f"{key.where} misses an id in {rows(int(key.missing.sum()))}, first at row "
                f"{frame.row(key.missing.argmax())}; fix the rows or leave them out with "
                'nulls="drop" (--nulls drop)'
            )
    return None if missing is None else ~missing
