"""The oracle, candidate recall, the error budget and the links, against plain sets."""

import math

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import fbeta_exact

from berx_gpu import (
    DataError,
    Truth,
    candidate_recall,
    check,
    error_budget,
    evaluate,
    oracle,
)
from berx_gpu.evaluation.scoring import part

pytestmark = pytest.mark.usefixtures("backend")

ENTITIES = [*"abcd"]
pairs = st.lists(st.tuples(st.sampled_from(ENTITIES), st.integers(0, 5)), max_size=14)
betas = st.sampled_from([0.5, 1.0, 2.7])


def frame(rows):
    columns = {"entity": [e for e, _ in rows], "target": [t for _, t in rows]}
    return pd.DataFrame(columns).astype({"entity": "str", "target": "int64"})


def sets(rows):
    return {e: {t for f, t in rows if f == e} for e in ENTITIES}


def macro(pred, true, beta):
    f = (fbeta_exact(len(pred[e] & true[e]), len(pred[e]), len(true[e]), beta) for e in ENTITIES)
    return float(sum(f) / len(ENTITIES))


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


@given(pairs, pairs, betas)
def test_the_oracle_predicts_the_true_candidates(candidates, truth, beta):
    ev = oracle(frame(candidates), frame(truth), entities=ENTITIES, beta=beta)
    best = {e: sets(candidates)[e] & sets(truth)[e] for e in ENTITIES}
    assert ev.macro_fbeta == pytest.approx(macro(best, sets(truth), beta), abs=1e-12)
    assert ev.tp == ev.n_pred == sum(map(len, best.values()))
    assert ev.false_links().empty


@given(pairs, pairs)
def test_recall_counts_what_the_candidates_hold(candidates, truth):
    found = candidate_recall(frame(candidates), frame(truth), entities=ENTITIES, n_targets=6)
    pool, true = sets(candidates), sets(truth)
    hits = {e: len(pool[e] & true[e]) for e in ENTITIES}
    others = [e for e in ENTITIES if true[e]]
    sizes = sorted(len(pool[e]) for e in ENTITIES)
    assert found.retrieved == sum(hits.values())
    assert found.n_candidates == sum(sizes)
    assert found.no_hit == sum(hits[e] == 0 for e in others)
    assert (found.per_entity_median, found.per_entity_p95, found.per_entity_max) == (
        sizes[1], sizes[3], sizes[3],
    )  # fmt: skip
    assert found.per_entity_mean == sum(sizes) / 4
    assert found.reduction_ratio == pytest.approx(1 - sum(sizes) / 24)
    if others:
        n_true = sum(len(true[e]) for e in ENTITIES)
        assert found.pair_recall == pytest.approx(found.retrieved / n_true)
        shares = [hits[e] / len(true[e]) for e in others]
        assert found.mean_recall == pytest.approx(sum(shares) / len(others))
        whole = [e for e in others if true[e] <= pool[e]]
        assert found.all_match_rate == pytest.approx(len(whole) / len(others))
    else:
        assert math.isnan(found.pair_recall)
        assert math.isnan(found.all_match_rate)


scores = st.sampled_from([0.1, 0.5, 0.5, 0.9, math.inf, -0.0, 0.0])


@given(
    st.lists(st.tuples(st.sampled_from(ENTITIES), st.integers(0, 5), scores), max_size=20),
    pairs,
    st.integers(1, 4),
    st.randoms(),
)
def test_the_k_best_do_not_depend_on_the_row_order(rows, truth, k, random):
    best = {}
    for e, t, s in rows:
        best[e, t] = max(s, best.get((e, t), -math.inf))
    kept = set()
    for e in ENTITIES:
        mine = sorted((-s, t) for (f, t), s in best.items() if f == e)
        kept |= {(e, t) for _, t in mine[:k]}
    random.shuffle(rows)
    table = frame([r[:2] for r in rows])
    table["score"] = np.array([r[2] for r in rows], "float64")
    found = candidate_recall(table, frame(truth), entities=ENTITIES, k=k)
    line = found.lines[1]
    assert line["n_candidates"] == len(kept)
    assert line["retrieved"] == len(kept & set(truth))


def test_channels_have_lines_of_their_own():
    table = frame([("a", 1), ("a", 2), ("b", 1), ("a", 1)])
    table["source"] = ["name", "name", "phone", "phone"]
    found = candidate_recall(table, [("a", 1), ("b", 9)], entities=ENTITIES, channel="source")
    assert [(x["name"], x["n_candidates"], x["retrieved"]) for x in found.lines] == [
        ("all candidates", 3, 1),
        ("source=name", 2, 1),
        ("source=phone", 2, 1),
    ]
    with pytest.raises(DataError, match="no column 'kind'"):
        candidate_recall(table, [("a", 1)], entities=ENTITIES, channel="kind")


@pytest.mark.parametrize("options", [{"k": 0}, {"k": [2, -1]}, {"k": 1.5}, {"n_targets": 0}])
def test_wrong_options_are_refused(options):
    with pytest.raises(DataError, match="whole number"):
        candidate_recall([("a", 1)], [("a", 1)], entities=ENTITIES, **options)


def test_blocking_that_loses_a_pair_counts_it_as_missed():
    """https://github.com/moj-analytical-services/splink/issues/793"""
    truth, candidates = [("A", "a"), ("A", "b")], [("A", "a", 0.8)]
    ev = evaluate(candidates, truth, entities=["A"], threshold=0.5)
    assert (ev.n_true - ev.tp, ev.recall) == (1, 0.5)
    pool = [("A", "a")]
    assert candidate_recall(pool, truth, entities=["A"]).pair_recall == 0.5
    assert oracle(pool, truth, entities=["A"]).macro_fbeta == pytest.approx(0.833333333333)


# -- the links themselves ---------------------------------------------------------------------


@given(pairs, pairs, pairs)
def test_links_are_listed_by_what_they_cost(rows, candidates, truth):
    ev = evaluate(frame(rows), frame(truth), entities=ENTITIES)
    pred, pool, true = sets(rows), sets(candidates), sets(truth)

    def f(e, tp, k):
        return float(fbeta_exact(tp, k, len(true[e]), 0.5))

    false = ev.false_links(frame(candidates))
    expected = {(e, t) for e in ENTITIES for t in pred[e] - true[e]}
    assert set(zip(false["entity"], false["target"], strict=True)) == expected
    assert len(false) == len(expected)
    assert (np.diff(false["gain"]) <= 0).all()
    for row in false.itertuples():
        e, tp, k = row.entity, len(pred[row.entity] & true[row.entity]), len(pred[row.entity])
        assert row.gain == pytest.approx(f(e, tp, k - 1) - f(e, tp, k), abs=1e-12)
        assert row.candidate == (row.target in pool[e])
        owners = [o for o in ENTITIES if row.target in true[o]]
        assert row.owner == owners[0] if owners else pd.isna(row.owner)
    missed = ev.missed_links(frame(candidates), n=5)
    expected = {(e, t) for e in ENTITIES for t in true[e] - pred[e]}
    assert set(zip(missed["entity"], missed["target"], strict=True)) <= expected
    assert len(missed) == min(len(expected), 5)
    for row in missed.itertuples():
        e, tp, k = row.entity, len(pred[row.entity] & true[row.entity]), len(pred[row.entity])
        assert row.gain == pytest.approx(f(e, tp + 1, k + 1) - f(e, tp, k), abs=1e-12)
        assert row.candidate == (row.target in pool[e])
        holders = [o for o in ENTITIES if row.target in pred[o]]
        assert row.given_to == holders[0] if holders else pd.isna(row.given_to)


SCORED = pd.DataFrame(
    {
        "entity": ["a", "a", "a", "b", "b", "c"],
        "target": ["x", "y", "y", "z", "x", "w"],
        "score": [0.9, 0.2, 0.8, 0.7, 0.95, 0.6],
    }
)
TRUE = [("a", "z"), ("b", "z"), ("c", "x"), ("d", "q")]


def test_scores_and_ranks_stand_beside_the_links():
    ev = evaluate(SCORED, TRUE, entities=ENTITIES, threshold=0.6)
    false = ev.false_links(SCORED).set_index(["entity", "target"])
    assert false.loc[("a", "y"), "score"] == 0.8
    assert false["rank"].to_dict() == {
        ("a", "x"): 1, ("a", "y"): 2, ("b", "x"): 1, ("c", "w"): 1,
    }  # fmt: skip
    assert false.loc[("b", "x"), "owner"] == "c"
    missed = ev.missed_links(SCORED).set_index(["entity", "target"])
    assert missed.loc[("a", "z"), "given_to"] == "b"
    assert missed.loc[("c", "x"), "given_to"] == "b"  # the best of its two scores
    assert not missed["candidate"].any()
    assert missed["rank"].isna().all()
    late = evaluate(SCORED, TRUE, entities=ENTITIES, threshold=0.8).missed_links(SCORED)
    row = late.set_index(["entity", "target"]).loc[("b", "z")]
    assert (row["candidate"], row["score"], row["rank"]) == (True, 0.7, 2)


@pytest.mark.parametrize("library", [pl.DataFrame, pa.table, pd.DataFrame])
def test_links_come_in_the_library_of_the_predictions(library):
    columns = {"entity": ["a", "b"], "target": [1, 2]}
    records = pd.DataFrame({"id": ["a", "b"], "name": ["Ann", "Bob"]})
    sides = (records, pd.DataFrame({"id": [1, 2], "city": ["Rome", "Oslo"]}))
    ev = evaluate(library(columns), [("a", 2)], entities=["a", "b"])
    false = ev.false_links(records=sides)
    assert isinstance(false, library if library is not pa.table else pa.Table)
    found = false if isinstance(false, pd.DataFrame) else false.to_pandas()
    assert found["entity"].tolist() == ["b", "a"]
    assert found["entity_name"].tolist() == ["Bob", "Ann"]
    assert found["target_city"].tolist() == ["Oslo", "Rome"]
    assert pd.isna(found["owner"][1])
    missed = ev.missed_links(records=sides)
    found = missed if isinstance(missed, pd.DataFrame) else missed.to_pandas()
    assert found.loc[0, ["target_city", "given_to"]].tolist() == ["Oslo", "b"]


def test_records_must_be_clear():
    ev = evaluate([("a", "x")], [("a", "y")], entities=["a"])
    twice = pd.DataFrame({"id": ["a", "a"], "name": ["1", "2"]})
    with pytest.raises(DataError, match=r"1 row with an id.*'a'"):
        ev.false_links(records=twice)
    with pytest.raises(DataError, match="integer"):
        ev.false_links(records=pd.DataFrame({"id": [1], "name": ["1"]}))


def test_a_part_lists_only_its_own_links():
    ev = part(evaluate(SCORED, TRUE, entities=ENTITIES, threshold=0.6), ["d", "b"])
    assert ev.false_links()["entity"].tolist() == ["b"]
    assert ev.missed_links()[["entity", "target"]].to_numpy().tolist() == [["d", "q"]]


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


@given(st.lists(st.sampled_from(["u", "v", "w", None]), min_size=1, max_size=9))
def test_clusters_are_the_pairs_within_them(clusters):
    n = len(clusters)
    table = pd.DataFrame({"id": range(n), "cluster": pd.array(clusters, "str"), "side": "n"})
    truth = Truth.from_clusters(table, id="id", cluster="cluster")
    expected = [
        sum(clusters[j] == clusters[i] and j != i for j in range(n)) if clusters[i] else 0
        for i in range(n)
    ]
    assert truth._prepared.n_true_each.tolist() == expected
    assert truth.n_true == sum(expected) // 2
    assert evaluate([], truth).by("side")["n_entities"].tolist() == [n]


# -- checks without a truth -------------------------------------------------------------------


@given(pairs, pairs, st.sets(st.integers(0, 5)))
def test_a_check_counts_each_fault(rows, candidates, targets):
    listed = ENTITIES[:3]
    found = check(
        frame(rows),
        entities=listed,
        candidates=frame(candidates),
        targets=pd.Series(sorted(targets), dtype="int64"),
    )
    kept = [r for r in rows if r[0] in listed]
    assert found.findings == {
        "repeats": len(kept) - len(set(kept)),
        "nulls": 0,
        "unknown_entities": len(rows) - len(kept),
        "unknown_targets": sum(t not in targets for _, t in set(kept)),
        "outside_candidates": len(set(kept) - set(candidates)),
        "shared_targets": sum(
            len({e for e, u in kept if u == t}) > 1 for t in {t for _, t in kept}
        ),
        "empty_entities": sum(all(e != f for f, _ in kept) for e in listed),
    }
    assert (found.n_rows, found.n_pairs, found.n_entities) == (len(rows), len(set(kept)), 3)


def test_a_check_needs_no_entities_and_shows_examples():
    found = check([("a", "x"), ("b", "x"), ("b", None), (None, "y")])
    assert found.findings["nulls"] == 2
    assert found.findings["shared_targets"] == 1
    assert found.examples == {"shared_targets": ["x"]}
    assert found.n_entities == 2
    assert "unknown_entities" not in found.findings
    listed = pd.DataFrame({"entity": ["a", "b", "c"], "side": ["n", None, "n"]})
    found = check({"a": ["x", "y"], "b": []}, entities=listed)
    rows = found.to_dict()["slices"]["side"]
    assert rows == [
        {"side": "n", "n_entities": 2, "empty_share": 0.5, "links_per_entity": 1.0},
        {"side": None, "n_entities": 1, "empty_share": 1.0, "links_per_entity": 0.0},
    ]
    assert "empty entities" in str(found)


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


def test_the_owner_does_not_depend_on_scores_of_other_pairs():
    truth = Truth([("a", "x"), ("b", "y"), ("c", "y")], list("abc"))
    table = pd.DataFrame({"entity": ["a"] * 3, "target": ["y", "q", "r"], "score": [0.6, 0.7, 0.9]})
    false = evaluate(table, truth, threshold=0.5).false_links()
    assert false.set_index("target")["owner"]["y"] == "b"
    one = evaluate(table[:1], truth, threshold=0.5).false_links()
    assert one["owner"].tolist() == ["b"]


def test_other_kinds_of_ids_are_refused_everywhere():
    ev = evaluate({"a": ["x"]}, {"a": ["y"]}, entities=["a"])
    for call in (ev.false_links, ev.missed_links):
        with pytest.raises(DataError, match="integer"):
            call(candidates={"a": [2]})
    with pytest.raises(DataError, match="integer"):
        check({"a": ["x"]}, candidates={"a": [2]})
    wide = pl.DataFrame(
        {"entity": pl.Series([1], dtype=pl.Int64), "target": pl.Series([2**63], dtype=pl.UInt64)}
    )
    assert Truth(wide, [1], undirected=True).n_true == 1
    texts = Truth({1: [7, 8]}, [1, 2], ids="text")
    records = pd.DataFrame({"id": ["8", "1"], "name": ["eight", "one"]})
    missed = evaluate({1: [7]}, texts).missed_links(records=records)
    assert missed[["entity_name", "target_name"]].to_numpy().tolist() == [["one", "eight"]]


def test_what_has_no_effect_or_no_sense_is_refused():
    truth = Truth({"a": ["x"]}, ["a"])
    ev = evaluate({"a": ["x"]}, truth)
    for option in ({"beta": 2.0}, {"entities": ["a"]}, {"threshold": 0.5}):
        with pytest.raises(DataError, match="has its own"):
            error_budget(ev, candidates=[("a", "x")], truth=None, **option)
    with pytest.raises(DataError, match="hold 2 targets"):
        candidate_recall({"a": ["x", "y"]}, truth, n_targets=1)
    with pytest.raises(DataError, match="whole number"):
        candidate_recall([("a", "x", 1.0)], truth, k=[None, 5])
    clusters = pd.DataFrame({"id": [1, 1, 2], "cluster": ["A", "B", "A"]})
    with pytest.raises(DataError, match="1 row with an id that stood before, such as 1"):
        Truth.from_clusters(clusters, id="id", cluster="cluster", entities=[1, 2])
    with pytest.raises(DataError, match="name two columns"):
        Truth.from_clusters(clusters, id="id", cluster="id")
    lists = pd.DataFrame({"entity": ["a"], "target": ["x"], "rule": [["p"]]})
    with pytest.raises(DataError, match="holds lists"):
        candidate_recall(lists, truth, channel="rule")


def test_repeats_and_missing_channels_are_counted():
    truth = Truth({"a": ["x"]}, ["a"])
    assert candidate_recall([("a", "x")] * 3, truth).dropped.prediction_repeats == 2
    assert oracle([("a", "x")] * 3, truth).dropped.prediction_repeats == 2
    table = pl.DataFrame({"entity": ["a"] * 3, "target": [*"xyz"], "rule": [1.0, np.nan, np.nan]})
    found = candidate_recall(table, truth, channel="rule", k=None)
    assert [(x["name"], x["n_candidates"]) for x in found.lines[1:]] == [
        ("rule missing", 2), ("rule=1.0", 1),
    ]  # fmt: skip
    found = check({"a": ["x"]}, targets=pd.DataFrame({"name": ["q"], "target": ["x"]}))
    assert found.findings == {
        "repeats": 0, "nulls": 0, "unknown_targets": 0, "shared_targets": 0, "empty_entities": 0,
    }  # fmt: skip
    assert "empty_entities" not in check([("a", "x")]).findings
