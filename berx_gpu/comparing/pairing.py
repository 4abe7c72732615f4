"""Two evaluations side by side: the same entities in one order, and what each adds to a metric."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from berx_gpu.backends.backend import Backend
from berx_gpu.errors import DataError, counted, one_of, some
from berx_gpu.evaluation.evaluation import Evaluation
from berx_gpu.evaluation.interval import MACRO_METRICS
from berx_gpu.evaluation.scores import of_counts
from berx_gpu.links.entity_list import ids_of
from berx_gpu.links.links import Links
from berx_gpu.links.sets_of_links import labelled, true_links
from berx_gpu.links.undirected import pairs_in

_EQUAL = 2e-15
"""Scores that differ by less are equal: the same fraction of other numbers may round otherwise."""


@dataclass(frozen=True)
class LinkChanges:
    """How many links a second system has and a first has not, and the other way round.

    Attributes
    ----------
    kept, kept_true : int
        Links of both systems, and the true ones of them.
    added, added_true : int
        Links that only the second has.
    removed, removed_true : int
        Links that only the first has.
    """

    kept: int
    kept_true: int
    added: int
    added_true: int
    removed: int
    removed_true: int


@dataclass(frozen=True, eq=False)
class Paired:
    """Two evaluations, and NumPy arrays in the order of the first one's entities.

    `first` and `second` are what each adds to the metric, `counted` which entities it is over, and
    `codes` where the entities of the first are in the list of the second.
    """

    a: Evaluation
    b: Evaluation
    first: Any
    second: Any
    counted: Any
    codes: Any


def check_evaluation(ev: Any, what: str) -> None:
    """Raise unless something is an evaluation."""
    if not isinstance(ev, Evaluation):
        raise DataError(f"{what} is a {type(ev).__name__}; give what evaluate() returns")


def paired(a: Evaluation, b: Evaluation, metric: str) -> Paired:
    """Return what both systems add to a metric, entity by entity."""
    one_of("metric", metric, MACRO_METRICS)
    check_evaluation(a, "the first system")
    check_evaluation(b, "the second system")
    if a.beta != b.beta:
        raise DataError(f"β differs: {a.beta:g} and {b.beta:g}; evaluate both with one beta")
    codes = _same_truth(a, b)
    parts = []
    for ev in (a, b):
        counts, to_host = ev._counts, ev._counts.truth.backend().to_host
        num, den = of_counts(ev, metric, *counts.each)
        parts.append((to_host(num), to_host(den)))
    (first, over), (second, _) = parts
    return Paired(a, b, first, second[codes], over > 0, codes)


def _same_truth(first: Evaluation, second: Evaluation) -> Any:
    """Return where the entities of one truth stand in another, which must say the same."""
    a, b = first._counts.truth, second._counts.truth
    if a is b:
        return np.arange(a.n_entities)
    backend = a.backend()
    xp = backend.xp
    if b.backend().name != backend.name:
        raise DataError("one evaluation is on the GPU and the other is not; make both in one place")
    if a.undirected != b.undirected:
        raise DataError("the pairs of one evaluation have a direction, those of the other have not")
    codes, strangers = a.listed.positions(b.listed.key, backend)
    if strangers:
        strange = ids_of(b.listed.entities.rows(backend.to_host((codes < 0).nonzero()[0])))
        raise DataError(
            f"{counted(strangers, 'entity', 'entities')} of the second evaluation, such as "
            f"{some(strange)}, {'is' if strangers == 1 else 'are'} not in the first; compare "
            "systems on the same entities"
        )
    if a.n_entities > b.n_entities:
        missing = a.n_entities - b.n_entities
        raise DataError(
            f"{counted(missing, 'entity', 'entities')} of the first evaluation "
            f"{'is' if missing == 1 else 'are'} not in the second; compare systems on the same "
            "entities"
        )
    theirs = _recoded(true_links(b, second._counts.links.frame), codes, backend)
    new, hit, _ = a.label(theirs, backend)
    shared = pairs_in(new & hit, theirs.codes, a.undirected, xp)
    if not shared == a.n_true == b.n_true:
        raise DataError(
            f"the true pairs differ: {a.n_true:,} and {b.n_true:,}, of which {shared:,} are the "
            "same; evaluate both systems against one truth"
        )
    position: Any = np.empty(len(codes), np.int64)
    position[backend.to_host(codes)] = np.arange(len(codes))
    return position


def _recoded(links: Links, codes: Any, backend: Backend) -> Links:
    """Return links whose entities stand elsewhere in another list."""
    xp = backend.xp
    return replace(links, codes=xp.where(links.codes >= 0, codes[links.codes], xp.int32(-1)))


def link_changes(both: Paired) -> LinkChanges:
    """Return the links that one system has and the other has not."""
    truth = both.a._counts.truth
    backend = truth.backend()
    xp = backend.xp
    place = xp.asarray(np.argsort(both.codes).astype(np.int32))
    sides = (both.a._counts.links, _recoded(both.b._counts.links, place, backend))
    found = []
    for links, others in (sides, sides[::-1]):
        new, hit, _ = truth.label(links, backend)
        _, shared = labelled(links, others, truth.n_entities, backend)
        found.append(
            [
                pairs_in(new & side & which, links.codes, truth.undirected, xp)
                for side in (shared, ~shared)
                for which in (True, hit)
            ]
        )
    (kept, kept_true, removed, removed_true), (_, _, added, added_true) = found
    return LinkChanges(kept, kept_true, added, added_true, removed, removed_true)


def differences(both: Paired) -> Any:
    """Return by how much the second score of each entity is above the first."""
    difference = both.second - both.first
    return np.where(np.abs(difference) < _EQUAL, 0.0, difference)
