"""The oracle against plain sets."""

import pytest
from hypothesis import given
from plain_pairs import ENTITIES, betas, frame, macro, pairs, sets

from berx_gpu import candidate_recall, evaluate, oracle

pytestmark = pytest.mark.usefixtures("backend")


@given(pairs, pairs, betas)
def test_the_oracle_predicts_the_true_candidates(candidates, truth, beta):
    ev = oracle(frame(candidates), frame(truth), entities=ENTITIES, beta=beta)
    best = {e: sets(candidates)[e] & sets(truth)[e] for e in ENTITIES}
    assert ev.macro_fbeta == pytest.approx(macro(best, sets(truth), beta), abs=1e-12)
    assert ev.tp == ev.n_pred == sum(map(len, best.values()))
    assert ev.false_links().empty


def test_blocking_that_loses_a_pair_counts_it_as_missed():
    """https://github.com/moj-analytical-services/splink/issues/793"""
    truth, candidates = [("A", "a"), ("A", "b")], [("A", "a", 0.8)]
    ev = evaluate(candidates, truth, entities=["A"], threshold=0.5)
    assert (ev.n_true - ev.tp, ev.recall) == (1, 0.5)
    pool = [("A", "a")]
    assert candidate_recall(pool, truth, entities=["A"]).pair_recall == 0.5
    assert oracle(pool, truth, entities=["A"]).macro_fbeta == pytest.approx(0.833333333333)
