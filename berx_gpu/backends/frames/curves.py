"""The curve of a sweep by array operations: one source for CuPy and NumPy."""

from __future__ import annotations

from typing import Any

from berx_gpu.arithmetic.exact_sums import mean_of, words
from berx_gpu.backends.backend import Curve, Scored
from berx_gpu.backends.frames.libraries import Libraries
from berx_gpu.backends.frames.matching import ranges


def curve(libs: Libraries, fbeta: Any, n_true: Any, links: Scored, kept: Any, beta: float) -> Curve:
    """Return the curve of some rows.

    Parameters
    ----------
    fbeta : callable
        (tp, n_pred, n_true, beta) -> F.
    n_true : int64 array
        True targets of every entity.
    links : Scored
    kept : bool array
        Which of its rows are links.
    beta : float

    Notes
    -----
    Entities are taken in ranges of codes, so that a part fits in memory; the changes of the parts
    are added up by score.
    """
    xp = libs.xp
    rows = xp.flatnonzero(kept)
    changes = []
    mine = links.codes[rows]
    for low, high in ranges(libs, "curve", len(n_true), (rows, [])):
        here = rows[(mine >= low) & (mine < high)]
        drops = links.scale.drops(links.scores[here])
        codes, hit = links.codes[here], links.hit[here]
        changes.append(_changes(libs, n_true, codes, drops, hit, beta, fbeta))
    drops, *columns = (xp.concatenate(column) for column in zip(*changes, strict=True))
    order = xp.argsort(drops, kind="stable")
    drops = drops[order]
    last = xp.ones(len(drops), bool)
    last[:-1] = drops[1:] != drops[:-1]
    zero = xp.zeros(1, xp.int64)
    n_pred, tp, linked, high_sum, low_sum = (
        xp.concatenate([zero, xp.cumsum(column[order])[last]]) for column in columns
    )
    silent = xp.zeros(len(n_true), xp.int64)
    high_sum, low_sum = (
        change + begun.sum()
        for change, begun in zip(
            (high_sum, low_sum), words(fbeta(silent, silent, n_true, beta)), strict=True
        )
    )
    drops = xp.concatenate([xp.zeros(1, drops.dtype), drops[last]])
    return Curve(drops, mean_of(high_sum, low_sum, len(n_true)), n_pred, tp, linked)


def _changes(
    libs: Libraries, n_true: Any, codes: Any, drops: Any, hit: Any, beta: float, fbeta: Any
) -> tuple[Any, ...]:
    """Return what the links of some entities change, added up for each distinct score.

    Sorted by entity and score, every link changes the F of its entity; inside a group of equal
    scores the changes cancel out.

    Returns
    -------
    drops, links, hits, linked, high, low : array
        `high` and `low` are changes of F in two words.
    """
    xp = libs.xp
    seen, place = xp.unique(drops, return_inverse=True)
    place = place.ravel()
    order = xp.lexsort(xp.vstack([place, codes]))
    codes, place, hit = codes[order], place[order], hit[order].astype(xp.int64)
    first = xp.ones(len(codes), bool)
    first[1:] = codes[1:] != codes[:-1]
    run = xp.cumsum(first) - 1
    rows = xp.arange(1, len(codes) + 1)
    hits = xp.cumsum(hit)
    k = rows - (rows[first] - 1)[run]
    tp = hits - (hits - hit)[first][run]
    real = n_true[codes]
    after = words(fbeta(tp, k, real, beta))
    before = words(fbeta(tp - hit, k - 1, real, beta))
    by_score = xp.argsort(place, kind="stable")
    sizes = xp.bincount(place, minlength=len(seen))
    ends = xp.cumsum(sizes) - 1

    def added(change: Any) -> Any:
        running = xp.cumsum(change[by_score])[ends]
        running[1:] = running[1:] - running[:-1]
        return running

    steps = [added(new - old) for new, old in zip(after, before, strict=True)]
    return (seen, sizes.astype(xp.int64), added(hit), added(first.astype(xp.int64)), *steps)
