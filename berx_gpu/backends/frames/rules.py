"""The rules of a policy by array operations: one source for CuPy and NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from berx_gpu.backends.frames.libraries import Libraries
from berx_gpu.backends.plan import id_bytes, plan
from berx_gpu.encoding.keys import Key
from berx_gpu.encoding.scores import places


def ranks(
    libs: Libraries, codes: Any, scores: Any, targets: tuple[Key, ...], once: bool = False
) -> Any:
    """Return the place of every row among the targets of its entity, 1 the best.

    A repeated pair counts once, with its best score; its other rows get 0, and so do rows with a
    code of -1. Equal scores are ordered by target id, the smaller first, whatever the row order.

    Parameters
    ----------
    codes : int32 array
    scores : array
    targets : tuple of Key
    once : bool
        Whether no pair is repeated.
    """
    xp = libs.xp
    rows = xp.flatnonzero(codes >= 0)
    out = xp.zeros(len(codes), xp.int32)
    if not len(rows):
        return out
    codes, scores = codes[rows], scores[rows]
    smaller = order_of(libs, targets, rows)
    order = xp.lexsort(xp.vstack([smaller, _falling(xp, scores), codes]))
    codes, smaller = codes[order], smaller[order]
    starts = xp.ones(len(order), bool)
    starts[1:] = codes[1:] != codes[:-1]
    repeated = xp.zeros(len(order), bool) if once else _repeated(xp, codes, smaller)
    counted = xp.cumsum(~repeated)
    before = counted - (~repeated)
    place = counted - before[starts][xp.cumsum(starts) - 1]
    out[rows[order]] = xp.where(repeated, 0, place)
    return out


def _falling(xp: Any, scores: Any) -> Any:
    """Return numbers that rise where scores fall: places of their distinct values."""
    seen, place = xp.unique(scores, return_inverse=True)
    return len(seen) - place.ravel()


def _repeated(xp: Any, codes: Any, numbers: Any) -> Any:
    """Mark, in sorted order, every pair that stood before."""
    order = xp.lexsort(xp.vstack([xp.arange(len(codes)), numbers, codes]))
    again = xp.zeros(len(codes), bool)
    same = (codes[order][1:] == codes[order][:-1]) & (numbers[order][1:] == numbers[order][:-1])
    again[order[1:]] = same
    return again


def order_of(libs: Libraries, keys: tuple[Key, ...], rows: Any) -> Any:
    """Return numbers that are ordered as the ids of some rows are."""
    number: Any = None
    for key in keys:
        # The further bits of wide numbers weigh more than the first ones.
        for part in reversed(key.parts) if key.kind == "integer" else key.parts:
            column = libs.to_host(libs.take(part, rows))
            codes, seen = pd.factorize(pd.Series(column), sort=True)
            if number is None:
                number = codes.astype(np.int64)
            else:
                number, _ = pd.factorize(number * len(seen) + codes, sort=True)
    return libs.xp.asarray(number)


def owned(
    libs: Libraries,
    entities: tuple[Key, ...],
    targets: tuple[Key, ...],
    scores: Any,
    margin: float | None,
    counts: Any = None,
) -> Any:
    """Mark the rows whose entity scores their target highest, and by a margin if there is one.

    Equal scores go to the smaller entity id.

    Parameters
    ----------
    entities, targets : tuple of Key
    scores : array
    margin : float or None
    counts : bool array, optional
        The best row of each pair. Of an owner's rows with the best score, these are marked; the
        others may be too, and all are where this is not known.

    Notes
    -----
    Targets are taken in parts by the remainder of a hash, so that a part fits in memory: nothing
    in this rule looks from one target to another.
    """
    xp = libs.xp
    ids = [part for key in targets for part in key.parts]
    n_parts = plan("owned", len(scores), id_bytes(ids), libs.free()).parts
    if n_parts == 1:
        return _owned(libs, entities, targets, scores, margin)
    keep = xp.zeros(len(scores), bool)
    which = libs.hashed(ids[0]) % xp.uint64(n_parts)
    for part in range(n_parts):
        rows = xp.flatnonzero(which == part)
        if len(rows):
            mine, theirs = (
                tuple(key.rows(libs.take, rows) for key in side) for side in (entities, targets)
            )
            keep[rows] = _owned(libs, mine, theirs, scores[rows], margin)
    return keep


def _owned(
    libs: Libraries,
    entities: tuple[Key, ...],
    targets: tuple[Key, ...],
    scores: Any,
    margin: float | None,
) -> Any:
    """Mark the rows of the owners of all targets at once."""
    xp = libs.xp
    n = len(scores)
    target, m = numbered(libs, targets)
    place = places(scores, xp)
    best = _highest(xp, target, place, m)
    top = place == best[target]
    claims = xp.bincount(target[top], minlength=m)
    order = xp.zeros(n, xp.int64)
    tied = xp.flatnonzero(top & (claims[target] > 1))
    if len(tied):
        order[tied] = order_of(libs, entities, tied)
    first = xp.full(m, n, xp.int64)
    xp.minimum.at(first, target[top], order[top])
    keep = top & (order == first[target])
    if margin is None:
        return keep
    entity, _ = numbered(libs, entities)
    owner = xp.zeros(m, xp.int64)
    owner[target[keep]] = entity[keep]
    other = entity != owner[target]
    rivals = xp.zeros(m, bool)
    rivals[target[other]] = True
    second = _highest(xp, target[other], place[other], m)
    next_to = other & (place == second[target])
    apart = rivals & (best != second)
    lead = xp.zeros(m)
    lead[apart] = (
        _value(xp, target, scores, keep, m)[apart] - _value(xp, target, scores, next_to, m)[apart]
    )
    return keep & (~rivals | (lead >= margin))[target]


def _highest(xp: Any, group: Any, place: Any, m: int) -> Any:
    """Return the highest place of each of m groups, 0 for an empty one.

    Places, not scores: CuPy takes the maximum of float64 in single precision.
    """
    best = xp.zeros(m, xp.uint64)
    xp.maximum.at(best, group, place)
    return best


def _value(xp: Any, group: Any, scores: Any, which: Any, m: int) -> Any:
    """Return the score of each of m groups, given by one or more rows with the same."""
    out = xp.zeros(m)
    out[group[which]] = scores[which].astype(xp.float64)
    return out


def numbered(libs: Libraries, keys: tuple[Key, ...]) -> tuple[Any, int]:
    """Return a number for each distinct id, and how many there are."""
    xd, xp = libs.frames, libs.xp
    number, count = None, 0
    for part in (part for key in keys for part in key.parts):
        codes, seen = xd.factorize(xd.Series(libs.here(part)))
        codes = xp.asarray(codes).astype(xp.int64)
        if number is not None:
            codes, seen = xd.factorize(xd.Series(number * len(seen) + codes))
            codes = xp.asarray(codes).astype(xp.int64)
        number, count = codes, len(seen)
    return number, count


def near_best(
    libs: Libraries,
    codes: Any,
    scores: Any,
    keep: Any,
    ratio: float | None,
    margin: float | None,
    least: float | None,
) -> None:
    """Take the mark from rows that fall too far below the best marked score of their entity.

    Parameters
    ----------
    codes : int32 array
        Of the entities; not -1 where `keep` is set.
    scores : array
    keep : bool array
        Changed in place.
    ratio, margin, least : float or None
        A score must be at least ratio x best and best - margin, and the best at least `least`.
    """
    xp = libs.xp
    at = xp.flatnonzero(keep)
    if not len(at):
        return
    codes, mine = codes[at], scores[at].astype(xp.float64)
    place, m = places(scores[at], xp), int(codes.max()) + 1
    best = _value(xp, codes, mine, place == _highest(xp, codes, place, m)[codes], m)[codes]
    stays = xp.ones(len(at), bool)
    if ratio is not None:
        stays &= mine >= ratio * best
    if margin is not None:
        stays &= (mine >= best - margin) | (mine == best)
    if least is not None:
        stays &= best >= least
    keep[at[~stays]] = False
