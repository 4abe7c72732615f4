"""The place of each pair among the pairs of its entity, by score."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pandas as pd

from berx_gpu import _columns, _encode
from berx_gpu._backends import select
from berx_gpu._links import Links


def ranks(links: Links, backend: select.Backend) -> Any:
    """Return the place of every present row among the targets of its entity, 1 the best.

    A repeated pair counts once, with its best score; its other rows get 0, and so do rows with a
    code of -1. Equal scores are ordered by target id, the smaller first, whatever the row order.
    """
    xp = backend.xp
    scores = present_scores(links, backend)
    rows = xp.flatnonzero(links.codes >= 0)
    if not len(rows):
        return xp.zeros(len(links.codes), xp.int64)
    codes, scores = links.codes[rows], scores[rows]
    smaller = order_of(links.targets, rows, backend)
    order = xp.lexsort(xp.vstack([smaller, _falling(xp, scores), codes]))
    codes, smaller = codes[order], smaller[order]
    starts = xp.ones(len(order), bool)
    starts[1:] = codes[1:] != codes[:-1]
    repeated = _repeated(xp, codes, smaller)
    counted = xp.cumsum(~repeated)
    before = counted - (~repeated)
    place = counted - before[starts][xp.cumsum(starts) - 1]
    out = xp.zeros(len(links.codes), xp.int64)
    out[rows[order]] = xp.where(repeated, 0, place)
    return out


def present_scores(links: Links, backend: select.Backend) -> Any:
    """Return the scores of the present rows."""
    name, values = cast(_columns.Column, links.frame.score)
    scores = backend.scores(values, links.frame.where(name), links.present)
    return scores if links.present is None else scores[links.present]


def _falling(xp: Any, scores: Any) -> Any:
    """Return numbers that rise where scores fall: places of their distinct values."""
    seen, place = xp.unique(scores, return_inverse=True)
    return len(seen) - place.ravel()


def order_of(keys: tuple[_encode.Key, ...], rows: Any, backend: select.Backend) -> Any:
    """Return numbers that are ordered as the ids of some rows are."""
    number: Any = None
    for key in keys:
        # The further bits of wide numbers weigh more than the first ones.
        for part in reversed(key.parts) if key.kind == "integer" else key.parts:
            column = backend.to_host(backend.take(part, rows))
            codes, seen = pd.factorize(pd.Series(column), sort=True)
            if number is None:
                number = codes.astype(np.int64)
            else:
                number, _ = pd.factorize(number * len(seen) + codes, sort=True)
    return backend.xp.asarray(number)


def _repeated(xp: Any, codes: Any, numbers: Any) -> Any:
    """Mark, in sorted order, every pair that stood before."""
    order = xp.lexsort(xp.vstack([xp.arange(len(codes)), numbers, codes]))
    again = xp.zeros(len(codes), bool)
    same = (codes[order][1:] == codes[order][:-1]) & (numbers[order][1:] == numbers[order][:-1])
    again[order[1:]] = same
    return again
