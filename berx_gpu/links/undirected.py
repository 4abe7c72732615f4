"""Pairs without a direction: each stands in two rows, one for either record, and counts once.

Such rows are mirrored: the second half repeats the first one the other way round. A pair of which
one record alone is listed has one row with a code, and a pair of two listed records has two.
"""

from __future__ import annotations

from typing import Any


def both_listed(codes: Any, xp: Any) -> Any:
    """Mark the rows of mirrored pairs whose two records are both listed."""
    half = len(codes) // 2
    both = (codes[:half] >= 0) & (codes[half:] >= 0)
    return xp.concatenate([both, both])


def either_way(mask: Any, xp: Any) -> Any:
    """Return a mask of mirrored rows that is set where either row of a pair is."""
    half = len(mask) // 2
    either = mask[:half] | mask[half:]
    return xp.concatenate([either, either])


def twice(mask: Any, codes: Any, undirected: bool, xp: Any) -> int:
    """Return how many pairs have two rows in a mask that holds each row of a pair once."""
    return int((mask & both_listed(codes, xp)).sum()) // 2 if undirected else 0


def pairs_in(mask: Any, codes: Any, undirected: bool, xp: Any) -> int:
    """Return how many pairs the rows of such a mask are."""
    return int(mask.sum()) - twice(mask, codes, undirected, xp)
