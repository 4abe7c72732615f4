"""The error budget against plain sets."""

import pytest
from hypothesis import given
from plain_pairs import ENTITIES, betas, frame, macro, pairs, sets

from berx_gpu import DataError, Truth, error_budget, evaluate

pytestmark = pytest.mark.usefixtures("backend")


def mended(rows, candidates, truth, error):
    """Return the predictions as sets, without one kind of error, and how many links changed."""
    pred, pool, true = sets(rows), sets(candidates), sets(truth)
    owned = {t for _, t in truth}
    predicted = {t for _, t in rows}
    out, changed = {}, 0
    for e in ENTITIES:
        false, missed = pred[e] - true[e], true[e] - pred[e]
        stolen = {t for t in false if t in owned}
        retrieved = missed & pool[e]
        drop, add = {
            "false links on singletons": (set() if true[e] else false, set()),
            "other false links": (false if true[e] else set(), set()),
            "false, target of another entity": (stolen if true[e] else set(), set()),
            "false, target of nobody": (false - stolen if true[e] else set(), set()),
            "missed candidates": (set(), retrieved),
            "missed, given to another entity": (set(), retrieved & predicted),
            "missed, given to nobody": (set(), retrieved - predicted),
            "not in the candidates": (set(), missed - retrieved),
        }[error]
        out[e] = (pred[e] - drop) | add
        changed += len(drop) + len(add)
    return out, changed


@given(pairs, pairs, pairs, betas)
def test_the_budget_is_what_mending_one_error_gains(rows, candidates, truth, beta):
    budget = error_budget(
        frame(rows), candidates=frame(candidates), truth=frame(truth), entities=ENTITIES, beta=beta
    )
    true = sets(truth)
    before = macro(sets(rows), true, beta)
    for error, line in budget.lines.items():
        after, links = mended(rows, candidates, truth, error)
        assert line.links == links, error
        assert line.gain == pytest.approx(macro(after, true, beta) - before, abs=1e-12), error
    best = {e: sets(candidates)[e] & true[e] for e in ENTITIES}
    assert budget.oracle == pytest.approx(macro(best, true, beta), abs=1e-12)
    assert budget.lost_by_blocking + budget.lost_by_decision == pytest.approx(1 - before, abs=1e-12)
    outside = sum(len(sets(rows)[e] - sets(candidates)[e]) for e in ENTITIES)
    assert budget.outside_candidates == outside


def test_an_evaluation_brings_its_truth_to_the_budget():
    truth = Truth([("a", 1), ("b", 2)], ENTITIES)
    ev = evaluate([("a", 1), ("c", 2)], truth, beta=1.0)
    budget = error_budget(ev, candidates=[("a", 1), ("b", 2), ("c", 2)], truth=None)
    assert budget["missed, given to another entity"].links == 1
    assert budget["false links on singletons"].gain == pytest.approx(0.25)
    assert budget.beta == 1.0
    with pytest.raises(DataError, match="has its own truth"):
        error_budget(ev, candidates=[], truth=Truth([], ENTITIES))
