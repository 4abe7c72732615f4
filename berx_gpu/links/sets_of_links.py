"""Sets of links beside each other: which stand in both, which targets both have, how many pairs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from berx_gpu.backends.backend import Backend
from berx_gpu.encoding.keys import aligned, same_kind
from berx_gpu.inputs.pairs import Pairs
from berx_gpu.links.links import Links
from berx_gpu.links.true_pairs import TruePairs
from berx_gpu.links.undirected import pairs_in


def true_links(truth: TruePairs, frame: Pairs) -> Links:
    """Return all true pairs as links, without scores, beside the columns of some frame."""
    return Links(replace(frame, score=None), truth.codes, truth.targets, None)


def totals(
    truth: TruePairs, links: Links, tp: Any, n_pred: Any, backend: Backend
) -> tuple[int, int]:
    """Return how many true pairs and how many pairs some links are, given what they match."""
    if not truth.undirected:
        return int(tp.sum()), int(n_pred.sum())
    new, hit, _ = truth.label(links, backend)
    true, every = (pairs_in(mask, links.codes, True, backend.xp) for mask in (new & hit, new))
    return true, every


def labelled(links: Links, among: Links, n: int, backend: Backend) -> tuple[Any, Any]:
    """Mark one row of each distinct pair of some links, and the rows that stand in others too."""
    same_kind(links.targets, among.targets)
    parts, others = aligned(backend.xp, links.targets, among.targets)
    once, inside, _ = backend.label(backend.prepare(n, among.codes, others), links.codes, parts)
    return once, inside


def among_targets(
    links: Links, rows: Any, among: Links, backend: Backend, listed: bool = False
) -> Any:
    """Mark which of some rows have a target that any of the other links has.

    With `listed`, only those whose code is not -1 count.
    """
    xp = backend.xp
    parts, others = aligned(xp, links.targets, among.targets)
    mine = [backend.take(part, rows) for part in parts]
    place = xp.zeros(len(among.codes), xp.int32)
    if listed:
        place = xp.where(among.codes >= 0, place, xp.int32(-1))
    held = backend.prepare(1, place, others)
    return backend.label(held, xp.zeros(len(rows), xp.int32), mine)[1]
