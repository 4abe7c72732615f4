"""Two evaluations side by side: the same entities in one order, and what each adds to a metric."""

from __future__ import annotations

from typing import Any

import numpy as np

from berx_gpu import _encode
from berx_gpu._encoded import both_listed
from berx_gpu.comparison_results import LinkChanges, Paired
from berx_gpu.errors import DataError, counted, one_of, some
from berx_gpu.resampling import MACRO_METRICS, of_counts
from berx_gpu.results import Evaluation
from berx_gpu.truth import Truth, ids_of

_EQUAL = 2e-15
"""Scores that differ by less are equal: the same fraction of other numbers may round otherwise."""


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
    codes = _same_truth(a._counts.truth, b._counts.truth)
    parts = []
    for ev in (a, b):
        counts, to_host = ev._counts, ev._counts.truth._backend().to_host
        num, den = of_counts(ev, metric, counts.tp, counts.n_pred, counts.n_true)
        parts.append((to_host(num), to_host(den)))
    (first, over), (second, _) = parts
    return Paired(a, b, first, second[codes], over > 0, codes)


def _same_truth(a: Truth, b: Truth) -> Any:
    """Return where the entities of one truth stand in another, which must say the same."""
    if a is b:
        return np.arange(a.n_entities)
    backend = a._backend()
    xp = backend.xp
    if b._backend().name != backend.name:
        raise DataError("one evaluation is on the GPU and the other is not; make both in one place")
    if a.undirected != b.undirected:
        raise DataError("the pairs of one evaluation have a direction, those of the other have not")
    codes, strangers = a._positions(b._key, backend)
    if strangers:
        strange = ids_of(b._entities.rows(backend.to_host((codes < 0).nonzero()[0])))
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
    listed = b._codes >= 0
    theirs = xp.where(listed, codes[b._codes], xp.int32(-1))
    new, hit, _ = a._label(theirs, b._targets, backend)
    shared = _pairs_of(new & hit, theirs, a)
    if not shared == a.n_true == b.n_true:
        raise DataError(
            f"the true pairs differ: {a.n_true:,} and {b.n_true:,}, of which {shared:,} are the "
            "same; evaluate both systems against one truth"
        )
    position: Any = np.empty(len(codes), np.int64)
    position[backend.to_host(codes)] = np.arange(len(codes))
    return position


def _pairs_of(mask: Any, codes: Any, truth: Truth) -> int:
    """Return how many pairs the rows of a mask are: one without a direction stands in two."""
    if not truth.undirected:
        return int(mask.sum())
    return int(mask.sum()) - int((mask & both_listed(codes, truth._backend().xp)).sum()) // 2


def link_changes(both: Paired) -> LinkChanges:
    """Return the links that one system has and the other has not."""
    truth = both.a._counts.truth
    backend = truth._backend()
    xp = backend.xp
    first, second = both.a._counts.links, both.b._counts.links
    place = xp.asarray(np.argsort(both.codes).astype(np.int32))
    theirs = xp.where(second.codes >= 0, place[second.codes], xp.int32(-1))
    sides = ((first.codes, first.targets), (theirs, second.targets))
    found = []
    for (codes, targets), (other_codes, others) in (sides, sides[::-1]):
        new, hit, _ = truth._label(codes, targets, backend)
        _encode.same_kind(targets, others)
        parts, held = _encode.aligned(xp, targets, others)
        prepared = backend.prepare(truth.n_entities, other_codes, held)
        shared = backend.label(prepared, codes, parts)[1]
        found.append(
            [
                _pairs_of(new & side & which, codes, truth)
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
