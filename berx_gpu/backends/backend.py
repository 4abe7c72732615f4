"""What one call works with on its device, and what its functions return."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple


@dataclass(frozen=True)
class Backend:
    """The libraries and functions that one call uses; everything after the door receives it.

    Attributes
    ----------
    name : str
        For messages only: nothing branches on it.
    frames, xp : module
        pandas and NumPy, or cuDF and CuPy.
    encode : callable
        (column, where, ids) -> `encoding.keys.Key`.
    take : callable
        (key part, mask or row numbers) -> the part's rows.
    here : callable
        Key part -> the part where the libraries work; a large one may have stayed on the host.
    repeats, index, lookup, prepare, match, label : callable
        Matching over encoded keys; see `frames.matching`.
    group : callable
        (tp, n_pred, n_true) -> the distinct triples as three arrays, and how often each occurs.
    ranks, owned, near_best : callable
        The rules of policies; see `frames.rules`.
    curve : callable
        (n_true, scored rows, mask of links, beta) -> the state after every distinct score; see
        `frames.curves`.
    scores : callable
        (column, where, present rows) -> float or integer array.
    look_alikes : callable
        (ids, true ids) -> how many match only after stripping blanks or NFC.
    fbeta : callable
        (tp, n_pred, n_true, beta) -> float64 array of F per entity.
    resample : callable
        (how, count, num, den, n_resamples, seed) -> both sums of every replicate, an int64 NumPy
        array of shape (n_resamples, 2); `how` is a key of `draws.TABLES`.
    special : module
        SciPy's special functions, or CuPy's.
    to_host : callable
        Array or Series -> NumPy array or pandas Series.
    """

    name: str
    frames: Any
    xp: Any
    encode: Callable[..., Any]
    take: Callable[..., Any]
    here: Callable[..., Any]
    repeats: Callable[..., Any]
    index: Callable[..., Any]
    lookup: Callable[..., Any]
    prepare: Callable[..., Any]
    match: Callable[..., Any]
    label: Callable[..., Any]
    group: Callable[..., Any]
    ranks: Callable[..., Any]
    owned: Callable[..., Any]
    near_best: Callable[..., Any]
    curve: Callable[..., Any]
    scores: Callable[..., Any]
    look_alikes: Callable[..., Any]
    fbeta: Callable[..., Any]
    resample: Callable[..., Any]
    special: Any
    to_host: Callable[..., Any]


class Counts(NamedTuple):
    """What matching yields per entity: int64 arrays in the order of the entity list."""

    tp: Any
    n_pred: Any
    repeats: int


class Scored(NamedTuple):
    """Rows with a score, for a curve.

    `codes` are their entities, `scale` says how far scores fall below the best in whole numbers,
    and `hit` marks the rows of true pairs.
    """

    codes: Any
    scores: Any
    scale: Any
    hit: Any


class Curve(NamedTuple):
    """The state without any link, and after every distinct score, the highest first.

    `drops` says how far the score falls below the best, and `n_pred` counts links.
    """

    drops: Any
    macro_f: Any
    n_pred: Any
    tp: Any
    n_linked: Any


class Labels(NamedTuple):
    """What is known of rows beside true pairs: three bool arrays, False where a code is -1.

    `new` marks one row of each distinct pair, `hit` the rows of true pairs, and `again` every row
    of a pair that stands in more than one.
    """

    new: Any
    hit: Any
    again: Any
