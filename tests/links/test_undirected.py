"""Pairs without a direction, at every door."""

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from berx_gpu import DataError, Truth, candidate_recall, check, error_budget, evaluate, oracle
from berx_gpu.evaluation.scoring import part

pytestmark = pytest.mark.usefixtures("backend")


# -- pairs without a direction ----------------------------------------------------------------


edges = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=14)


@pytest.mark.filterwarnings("ignore::berx_gpu.DataWarning")
@given(edges, edges, st.sets(st.integers(0, 3), min_size=1))
def test_undirected_pairs_count_for_both_records_and_once_in_totals(rows, true_rows, listed):
    listed = sorted(listed)
    truth = Truth(frame_of(true_rows), listed, undirected=True)
    ev = evaluate(frame_of(rows), truth, unknown_entities="drop")

    def known(edges):
        return {frozenset(e) for e in edges if e[0] != e[1] and set(e) & set(listed)}

    pred, true = known(rows), known(true_rows)
    assert (ev.tp, ev.n_pred, ev.n_true) == (len(pred & true), len(pred), len(true))
    assert truth.n_true == len(true)
    assert ev.dropped.prediction_self_pairs == sum(a == b for a, b in rows)
    assert truth.self_pairs == sum(a == b for a, b in true_rows)
    outside = [e for e in rows if e[0] != e[1] and not set(e) & set(listed)]
    assert ev.dropped.unknown_entities == len(outside)
    inside = [e for e in rows if e[0] != e[1] and set(e) & set(listed)]
    assert ev.dropped.prediction_repeats == len(inside) - len(pred)
    per = ev.per_entity
    for i, a in enumerate(listed):
        mine, real = ({p for p in s if a in p} for s in (pred, true))
        assert per.iloc[i, 1:4].tolist() == [len(mine & real), len(mine), len(real)]
    half = part(ev, listed[:1])
    assert half.n_pred == len({p for p in pred if listed[0] in p})
    found = candidate_recall(frame_of(rows), truth, unknown_entities="drop")
    assert (found.n_candidates, found.retrieved) == (len(pred), len(pred & true))
    assert found.per_entity_mean * len(listed) == sum(
        len({p for p in pred if a in p}) for a in listed
    )
    best = oracle(frame_of(rows), truth, unknown_entities="drop")
    assert (best.tp, best.n_pred, best.n_true) == (len(pred & true), len(pred & true), len(true))
    assert best.dropped.prediction_repeats == ev.dropped.prediction_repeats
    budget = error_budget(ev, candidates=frame_of(true_rows), truth=None, unknown_entities="drop")
    assert budget.outside_candidates == len(pred - true)
    assert budget.absent == 0
    owned = {t for a, b in true_rows if a != b for t in (a, b)}
    singles = {a for a in listed if not any(a in p for p in true)}
    false = [(a, *(p - {a})) for p in pred - true for a in p & set(listed)]
    assert budget["false links on singletons"].links == sum(a in singles for a, _ in false)
    assert budget["false, target of nobody"].links == sum(
        a not in singles and b not in owned for a, b in false
    )


def frame_of(rows):
    return pd.DataFrame({"entity": [a for a, _ in rows], "target": [b for _, b in rows]}).astype(
        "int64"
    )


def test_pairs_of_a_record_with_itself_do_not_count():
    """https://github.com/AI-team-UoA/pyJedAI/issues/20"""
    truth = Truth([(1, 1), (1, 2)], [1, 2], undirected=True)
    ev = evaluate([(1, 2)], truth)
    assert (ev.precision, ev.recall, ev.dropped.truth_self_pairs) == (1.0, 1.0, 1)


def test_both_orders_of_a_pair_are_one():
    """https://github.com/JohnGiorgi/seq2rel/issues/57"""
    ev = evaluate([("b", "a"), ("a", "b")], Truth([("a", "b")], ["a", "b"], undirected=True))
    assert (ev.tp, ev.n_pred, ev.n_true) == (1, 1, 1)
    with pytest.raises(DataError, match=r"1 row of entities.*first at row 1"):
        evaluate([("b", "q"), ("p", "q")], Truth([("a", "b")], ["a", "b"], undirected=True))


# -- what hostile input was found to break ----------------------------------------------------


def two():
    return Truth([("a", "b")], ["a", "b"], undirected=True)


def test_both_directions_of_a_candidate_are_one_pair():
    truth = Truth([("a", "b"), ("c", "d")], list("abcd"), undirected=True)
    best = oracle([("a", "b"), ("b", "a")], truth)
    assert (best.tp, best.n_pred, best.recall) == (1, 1, 0.5)
    table = pd.DataFrame({"entity": ["a", "b"], "target": ["b", "a"], "score": [0.9, 0.8]})
    table["rule"] = ["p", "q"]
    found = candidate_recall(table, two(), k=1, channel="rule")
    assert [(x["name"], x["n_candidates"], x["retrieved"]) for x in found.lines] == [
        ("all candidates", 1, 1), ("best 1", 1, 1), ("rule=p", 1, 1), ("rule=q", 1, 1),
    ]  # fmt: skip
    own = Truth([("a", "b"), ("c", "c")], list("abcd"), undirected=True)
    budget = error_budget([("a", "c")], candidates=[("a", "c")], truth=own)
    assert budget["false, target of nobody"].links == 1
    assert budget["false, target of another entity"].links == 0


def test_empty_sides_are_no_surprise():
    none = pd.DataFrame({"entity": [], "target": [], "score": []}).astype(
        {"entity": "str", "target": "str", "score": "float64"}
    )
    assert evaluate([], two()).n_pred == 0
    assert oracle([], two()).tp == 0
    assert candidate_recall([], two()).retrieved == 0
    assert Truth([], ["a"], undirected=True).n_true == 0
    alone = pd.DataFrame({"id": [1, 2], "cluster": [1, 2]})
    assert Truth.from_clusters(alone, id="id", cluster="cluster").n_true == 0
    truth = Truth({"a": ["x"]}, ["a", "b"])
    assert candidate_recall(none, truth, k=1).lines[1]["n_candidates"] == 0
    assert evaluate(none, truth, threshold=0.5).false_links().empty
    assert len(evaluate(none, truth, threshold=0.5).missed_links(none)) == 1
    silent = evaluate({}, Truth({}, ["a"]))
    assert silent.missed_links().empty
    assert silent.false_links().empty
    assert check([], entities=["a", "b"]).findings["empty_entities"] == 2
    assert error_budget([], candidates=[], truth=truth)["not in the candidates"].links == 1
