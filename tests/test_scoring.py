"""`evaluate` against plain sets, and the numbers that the metric is defined by."""

import math
import pickle
import subprocess
import sys

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import reference
from hypothesis import example, given
from hypothesis import strategies as st

from berx_gpu import DataError, Truth, break_even_ratio, evaluate
from berx_gpu.evaluation.scoring import part

FIGURES = (
    "n_entities",
    "n_singletons",
    "singletons_linked",
    "tp",
    "n_pred",
    "n_true",
    "macro_fbeta",
    "macro_precision",
    "macro_recall",
    "macro_fbeta_non_singleton",
    "precision",
    "recall",
    "pooled_fbeta",
    "empty_baseline",
    "break_even",
)
DROPPED = (
    "prediction_repeats",
    "truth_repeats",
    "prediction_nulls",
    "truth_nulls",
    "unknown_entities",
    "truth_outside",
)


def assert_equal(ev, ref):
    """Counts are equal, floats to 1e-12, rows in the order of the list."""
    for name in FIGURES:
        ours, theirs = getattr(ev, name), getattr(ref, name)
        if isinstance(theirs, int):
            assert ours == theirs, name
        else:
            assert ours == pytest.approx(theirs, abs=1e-12, rel=1e-12, nan_ok=True), name
    for name in DROPPED:
        assert getattr(ev.dropped, name) == getattr(ref, name), name


def rows_of(per_entity):
    """Return `per_entity` as tuples, whatever library it is of."""
    if isinstance(per_entity, pd.DataFrame):
        return list(per_entity.itertuples(index=False, name=None))
    return [tuple(row.values()) for row in pa.table(per_entity).to_pylist()]


TEXT = [f"id {c}" for c in "abcdefgh"] + ["", "007", "7", "NA", "nan", "é", "a\0b", "a\0c"]
INTEGERS = [0, -1, 1, 7, 2**53, 2**53 + 1, 2**63 - 1, -(2**63), 2**63, 2**64 - 1]


@st.composite
def tables(draw):
    """Draw predictions, truth and entities: repeats, singletons, strangers, nulls, any order."""
    pool = draw(st.sampled_from([TEXT, INTEGERS[:8], INTEGERS[4:], INTEGERS]))
    entities = draw(st.lists(st.sampled_from(pool), min_size=1, max_size=7, unique=True))
    ids = st.sampled_from([*pool, None]) if draw(st.booleans()) else st.sampled_from(pool)
    known = st.sampled_from(entities) if draw(st.booleans()) else ids
    pairs = st.lists(st.tuples(known, ids), max_size=25)
    predictions, truth = draw(pairs), draw(pairs)
    if draw(st.booleans()):
        predictions += draw(st.permutations(truth))[: len(truth) // 2]
    return predictions, truth, entities


def as_library(rows, library, names=("entity", "target")):
    """Return tuples as a frame of a library, ids typed as one column type."""
    columns = [list(c) for c in zip(*rows, strict=True)] or [[], []]
    if library == "tuples":
        return rows
    if library == "object":
        return pd.DataFrame(
            {n: pd.Series(c, dtype=object) for n, c in zip(names, columns, strict=True)}
        )
    arrays = {n: arrow(c) for n, c in zip(names, columns, strict=True)}
    if library == "category":
        arrays = {n: a.dictionary_encode() for n, a in arrays.items()}
    table = pa.table(arrays)
    if library == "polars":
        return pl.from_arrow(table)
    if library == "pandas":
        return table.to_pandas(types_mapper=pd.ArrowDtype)
    return table


def arrow(values):
    """Return ids as an Arrow array of the narrowest type that holds them all."""
    numbers = [v for v in values if isinstance(v, int)]
    if numbers and min(numbers) < 0 and max(numbers) > 2**63 - 1:
        return pa.array(values, pa.decimal128(25, 0))
    if numbers and max(numbers) > 2**63 - 1:
        return pa.array(values, pa.uint64())
    return pa.array(values)


strangers_allowed = pytest.mark.filterwarnings("ignore::berx_gpu.errors.DataWarning")
LIBRARIES = st.sampled_from(["tuples", "object", "pandas", "polars", "pyarrow", "category"])


@strangers_allowed
@given(tables(), LIBRARIES, LIBRARIES, st.sampled_from([0.5, 1.0, 2.0, 0.1, 1e-100, 1e100]))
@example(([], [], ["only"]), "tuples", "tuples", 0.5)
@example(([("b", "x")], [("a", "x")], ["a", "b", "c", "d"]), "polars", "object", 0.5)
def test_equals_plain_sets(backend, drawn, library, other, beta):
    predictions, truth, entities = drawn
    options = {"nulls": "drop", "unknown_entities": "drop", "beta": beta}
    ref = reference.score(predictions, truth, entities, **options)
    ev = evaluate(
        as_library(predictions, library), as_library(truth, other), entities=entities, **options
    )
    assert_equal(ev, ref)
    rows = rows_of(ev.per_entity)
    assert [r[:4] for r in rows] == [r[:4] for r in ref.per_entity]
    assert [r[4] for r in rows] == pytest.approx([r[4] for r in ref.per_entity], abs=1e-12)
    lost = {
        outcome: (n, pytest.approx(loss, abs=1e-12)) for outcome, n, loss in rows_of(ev.losses())
    }
    assert lost == reference.losses(ref)


@strangers_allowed
@given(tables())
def test_strict_options_refuse_what_the_reference_refuses(backend, drawn):
    try:
        ref = reference.score(*drawn)
    except reference.Refused:
        with pytest.raises(DataError):
            evaluate(drawn[0], drawn[1], entities=drawn[2])
    else:
        assert_equal(evaluate(drawn[0], drawn[1], entities=drawn[2]), ref)


@strangers_allowed
@given(tables(), st.randoms())
def test_row_order_changes_no_bit(backend, drawn, random):
    predictions, truth, entities = drawn
    options = {"nulls": "drop", "unknown_entities": "drop", "beta": 0.3}
    one = evaluate(predictions, truth, entities=entities, **options)
    shuffled = [random.sample(rows, len(rows)) for rows in (predictions, truth)]
    two = evaluate(*shuffled, entities=entities, **options)
    assert one.to_dict() == two.to_dict()
    assert one.per_entity.equals(two.per_entity)


@strangers_allowed
@given(tables(), st.sampled_from([0.5, 0.1, 3.3, 1e-100, 1e100]))
def test_truth_scored_against_itself_is_perfect(backend, drawn, beta):
    _, truth, entities = drawn
    ev = evaluate(truth, truth, entities=entities, beta=beta, nulls="drop", unknown_entities="drop")
    assert ev.macro_fbeta == ev.macro_precision == ev.macro_recall == 1.0
    assert ev.n_true == 0 or ev.pooled_fbeta == ev.precision == ev.recall == 1.0


@strangers_allowed
@given(tables(), st.data())
def test_a_part_is_scored_against_the_whole(backend, drawn, data):
    predictions, truth, entities = drawn
    part = data.draw(st.lists(st.sampled_from(entities), min_size=1, unique=True))
    whole = Truth(truth, entities, nulls="drop")
    ev = evaluate(predictions, whole, entities=part, nulls="drop", unknown_entities="drop")
    ref = reference.score(predictions, truth, part, nulls="drop", unknown_entities="drop")
    assert [r[:4] for r in rows_of(ev.per_entity)] == [r[:4] for r in ref.per_entity]
    assert ev.macro_fbeta == pytest.approx(ref.macro_fbeta, abs=1e-12)
    lost = ev.dropped
    assert ev.n_true + lost.truth_repeats + lost.truth_outside + lost.truth_nulls == len(truth)


def test_a_part_of_an_evaluation_counts_each_truth_row_once():
    rows = [("a", "x"), ("a", "x"), ("b", "y"), ("b", "y"), ("c", "z")]
    whole = evaluate([("a", "x")], rows, entities=["a", "b"])
    ev = part(whole, ["a"])
    lost = ev.dropped
    assert (ev.n_true, lost.truth_repeats, lost.truth_outside) == (1, 1, 3)


@pytest.mark.parametrize("entity", ["first", "last", "both", "consecutive"])
def test_singletons_anywhere(backend, entity):
    listed = {
        "first": ["s", "a", "b"],
        "last": ["a", "b", "s"],
        "both": ["s", "a", "b", "t"],
        "consecutive": ["a", "s", "t", "u", "b"],
    }[entity]
    pairs = [("a", "x"), ("b", "y")]
    ev = evaluate(pairs, pairs, entities=listed)
    assert ev.macro_fbeta == 1.0
    assert ev.n_singletons == len(listed) - 2
    assert ev.per_entity["entity"].tolist() == listed


def test_documented_numbers():
    one = evaluate({"e": ["a"]}, {"e": ["a", "b", "c"]}, entities=["e"])
    assert one.macro_fbeta == pytest.approx(0.7142857, abs=5e-8)
    assert evaluate({"e": ["a", "x"]}, {"e": ["a"]}, entities=["e"]).macro_fbeta == 1.25 / 2.25


@pytest.mark.parametrize(
    ("t", "tp", "k", "ratio"), [(4, 3, 3, 3.0), (68_983, 66_009, 66_324, 3.7589)]
)
def test_break_even_documented(t, tp, k, ratio):
    assert break_even_ratio(tp, k, t) == pytest.approx(ratio, abs=5e-5)
    # Means over 20,000 entities give the same ratio as the totals.
    assert break_even_ratio(tp / 2e4, k / 2e4, t / 2e4) == pytest.approx(ratio, abs=5e-5)


@given(
    st.integers(1, 400), st.integers(0, 400), st.integers(0, 400), st.sampled_from([0.5, 1, 2, 0.1])
)
def test_break_even_equals_the_gain_and_loss_of_one_pair(t, k, tp, beta):
    tp = min(tp, t, k)
    if tp in (0, t):
        return
    b2 = beta * beta

    def f(tp, k):
        return (1 + b2) * tp / (b2 * t + k)

    gain, loss = f(tp + 1, k + 1) - f(tp, k), f(tp, k) - f(tp, k + 1)
    assert break_even_ratio(tp, k, t, beta=beta) == pytest.approx(loss / gain, rel=1e-9)


def test_break_even_edges():
    assert math.isnan(break_even_ratio(0, 0, 0))
    assert break_even_ratio([0, 3], [5, 3], [0, 4]).tolist() == [0.0, 3.0]
    for bad in [(4, 3, 5), (4, 5, 3), (-1, 3, 3), (math.nan, 1, 1)]:
        with pytest.raises(DataError, match="0 <= tp <= n_pred"):
            break_even_ratio(*bad)


def test_zero_division():
    nothing = {"predictions": [], "truth": {}, "entities": ["a"]}
    ev = evaluate(**nothing)
    assert (ev.precision, ev.recall, ev.pooled_fbeta, ev.macro_fbeta) == (0, 0, 0, 1)
    assert math.isnan(ev.macro_fbeta_non_singleton)
    assert math.isnan(ev.break_even)
    assert math.isnan(evaluate(**nothing, zero_division=math.nan).precision)
    assert evaluate(**nothing, zero_division=1).pooled_fbeta == 1.0
    silent = evaluate([], {"a": ["x"]}, entities=["a"], zero_division=0.7)
    assert (silent.precision, silent.recall, silent.pooled_fbeta) == (0.7, 0.0, 0.0)


def test_twenty_million_entities_sum_exactly():
    n = 20_000_000
    entities = np.arange(n)
    ev = evaluate(
        pa.table({"e": pa.array([], pa.int64()), "t": pa.array([], pa.int64())}),
        pa.table({"e": pa.array([], pa.int64()), "t": pa.array([], pa.int64())}),
        entities=entities,
    )
    assert ev.macro_fbeta == 1.0


def test_one_hot_entity_is_linear():
    n = 100_000
    pred = pd.DataFrame({"entity": 0, "target": np.arange(n)})
    true = pd.DataFrame({"entity": 0, "target": np.arange(n // 2, n + n // 2)})
    ev = evaluate(pred, true, entities=[0, 1])
    assert (ev.tp, ev.n_pred, ev.n_true) == (n // 2, n, n)


# -- thresholds -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("dtype", "scores", "threshold", "kept"),
    [
        ("float32", [0.7, 0.69999], 0.7, 1),
        ("float64", [0.3, 0.29], 0.3, 1),
        ("float64", [0.3], np.arange(0.2, 0.951, 0.01)[10], 0),
        ("float16", [0.5, 0.25], 0.5, 1),
        ("float64", [np.inf, 1e308, -np.inf], np.inf, 1),
        ("float64", [np.inf, 1e308, -np.inf], -np.inf, 3),
        ("float64", [0.0, -0.0, -1e-300], 0.0, 2),
        ("float64", [0.0, -0.0, -1e-300], -0.0, 2),
        ("int8", [1, 2, 3], 1.5, 2),
        ("int8", [1, 2, 3], 1000, 0),
        ("int8", [1, 2, 3], -1000, 3),
        ("uint8", [0, 2], -1.5, 2),
        ("uint64", [2**64 - 1, 2**63], 2**64 - 1, 1),
        ("int64", [2**63 - 1, 2**63 - 2], 2**63 - 1, 1),
        ("int64", [2**63 - 1], 1e19, 0),
        ("int64", [5], math.inf, 0),
        ("int64", [5], -math.inf, 1),
    ],
)
def test_threshold_is_at_least_in_the_type_of_the_scores(backend, dtype, scores, threshold, kept):
    n = len(scores)
    frame = pd.DataFrame({"entity": "a", "target": range(n), "score": np.array(scores, dtype)})
    ev = evaluate(frame, {"a": [0]}, entities=["a"], threshold=threshold)
    assert (ev.n_pred, ev.dropped.below_threshold) == (kept, n - kept)


def test_a_repeated_pair_keeps_its_best_score(backend):
    frame = pd.DataFrame({"entity": "a", "target": ["x", "x"], "score": [0.1, 0.9]})
    ev = evaluate(frame, {"a": ["x"]}, entities=["a"], threshold=0.5)
    assert (ev.tp, ev.n_pred) == (1, 1)


@pytest.mark.parametrize(
    ("scores", "said"),
    [
        (["high", "low"], "scores of type"),
        ([True, False], "scores of type bool"),
        (pd.array([1, 2], pd.ArrowDtype(pa.decimal128(5, 2))), "scores of type decimal"),
        ([0.5, np.nan], "misses a score in 1 row, first at row 1"),
        (pd.array([None, 0.5], "Float64"), "misses a score in 1 row, first at row 0"),
    ],
)
def test_scores_that_are_refused(scores, said):
    frame = pd.DataFrame({"entity": "a", "target": [1, 2], "score": scores})
    with pytest.raises(DataError, match=f"predictions column 'score'.*{said}"):
        evaluate(frame, {"a": [1]}, entities=["a"], threshold=0.5)


def test_a_threshold_needs_scores():
    with pytest.raises(DataError, match="no column 'score'"):
        evaluate(pd.DataFrame({"a": ["x"], "b": ["y"]}), [], entities=["x"], threshold=0.5)
    with pytest.raises(DataError, match="mapping, which holds no scores"):
        evaluate({"x": ["y"]}, [], entities=["x"], threshold=0.5)
    ev = evaluate([("x", "y", 0.9), ("x", "z", 0.1)], [("x", "y")], entities=["x"], threshold=0.5)
    assert (ev.tp, ev.n_pred) == (1, 1)


# -- slices and losses ------------------------------------------------------------------------


@strangers_allowed
@given(tables(), st.data())
def test_slices_equal_plain_sets(backend, drawn, data):
    predictions, truth, entities = drawn
    values = data.draw(
        st.lists(st.sampled_from(["n", "s", None]), min_size=len(entities), max_size=len(entities))
    )
    ref = reference.score(predictions, truth, entities, nulls="drop", unknown_entities="drop")
    frame = pd.DataFrame({"entity": pd.Series(entities, dtype=object), "side": values})
    ev = evaluate(predictions, truth, entities=frame, nulls="drop", unknown_entities="drop")
    table = ev.by("side")
    expected = reference.slices(ref, values)
    keys = [None if pd.isna(v) else v for v in table["side"]]
    assert keys == sorted(expected, key=lambda v: (v is None, v or ""))
    for key, row in zip(keys, table.to_dict("records"), strict=True):
        one = expected[key]
        assert (row["n_entities"], row["n_singletons"]) == (one.n_entities, one.n_singletons)
        assert (row["tp"], row["fp"], row["fn"]) == (
            one.tp,
            one.n_pred - one.tp,
            one.n_true - one.tp,
        )
        for name in ("macro_fbeta", "precision", "recall", "links_per_entity", "loss_share"):
            assert row[name] == pytest.approx(getattr(one, name), abs=1e-12)


def scored(entities=None):
    """Return a small evaluation with slices."""
    frame = pd.DataFrame(
        {
            "entity": ["a", "b", "c", "d"],
            "state": ["vic", "nsw", None, "vic"],
            "size": [1.5, np.nan, 2.5, 1.5],
        }
    )
    truth = {"a": ["1"], "b": ["2", "3"], "c": list("456789"), "d": []}
    return evaluate(
        {"a": ["1"], "b": ["2"]}, truth, entities=frame if entities is None else entities
    )


def test_slice_keys():
    ev = scored()
    assert ev.by("state")["state"].fillna("?").tolist() == ["nsw", "vic", "?"]
    assert ev.by("size")["size"].fillna(-1).tolist() == [1.5, 2.5, -1]
    assert ev.by("n_true")["n_true"].tolist() == ["0", "1", "2–3", "6+"]
    both = ev.by(["state", "n_true"])
    assert both["n_true"].tolist() == ["2–3", "0", "1", "6+"]
    keyed = ev.by({"a": "x", "b": "y", "c": "x"})
    assert keyed["slice"].fillna("?").tolist() == ["x", "y", "?"]
    named = ev.by(pd.Series({"d": 1, "a": 2, "zzz": 3}, name="rank"))
    assert named["rank"].fillna(0).tolist() == [1, 2, 0]
    assert ev.by("state")["loss_share"].sum() == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("county", "no slice 'county'.*'state', 'size', 'n_true'"),
        ([], "names no slice"),
        ({1: "x"}, "integer ids"),
        (3.5, "no slice 3.5"),
    ],
)
def test_slice_keys_that_are_refused(key, said):
    with pytest.raises(DataError, match=said):
        scored().by(key)


def test_a_slice_column_may_not_hide_a_result():
    frame = pd.DataFrame({"entity": ["a", "b", "c", "d"], "precision": 1})
    with pytest.raises(DataError, match="two columns called 'precision'"):
        scored(frame).by("precision")
    with pytest.raises(DataError, match="two columns called 'tp'"):
        assert evaluate([], [("a", "b")], entities=pd.DataFrame({"tp": ["a"]})).per_entity


def test_losses_name_every_outcome():
    truth = {"p": ["1"], "m": ["1", "2"], "x": ["1"], "b": ["1", "2"], "n": ["1"], "s": [], "q": []}
    pred = {"p": ["1"], "m": ["1"], "x": ["1", "9"], "b": ["1", "9"], "s": ["9"]}
    ev = evaluate(pred, truth, entities=list(truth))
    table = ev.losses().set_index("outcome")
    assert table["n_entities"].to_dict() == {
        "nothing predicted": 1,
        "misses only": 1,
        "extras only": 1,
        "both": 1,
        "singleton linked": 1,
        "perfect": 2,
    }
    assert table["loss"].sum() == pytest.approx(1 - ev.macro_fbeta, abs=1e-15)
    assert table["loss"].tolist()[:-1] == sorted(table["loss"][:-1], reverse=True)


def test_reconcile_separates_the_misreadings():
    ev = evaluate(
        {"A": ["a", "x"], "B": ["b1"]}, {"A": ["a"], "B": ["b1", "b2"]}, entities=["A", "B"]
    )
    table = ev.reconcile()
    assert table["macro F: the mean over all entities"] == pytest.approx(25 / 36)
    assert table["F of pooled precision and recall"] == pytest.approx(2 / 3)
    assert table["F of mean precision and mean recall"] == pytest.approx(0.75)
    assert table["β² passed as β"] != table["β used in place of β²"]


# -- options, results, and what a Truth keeps -------------------------------------------------


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"beta": 0}, "beta=0: give a number between"),
        ({"beta": 1e101}, "beta"),
        ({"beta": math.nan}, "beta"),
        ({"beta": "0.5"}, "beta='0.5' is not a number"),
        ({"beta": True}, "beta=True is not a number"),
        ({"threshold": math.nan}, "threshold"),
        ({"zero_division": "warn"}, "zero_division='warn' is not a number"),
        ({"nulls": "ignore"}, "nulls='ignore' is not an option; use one of 'error', 'drop'"),
        ({"unknown_entities": None}, "unknown_entities=None is not an option"),
        ({"ids": "loose"}, "ids='loose' is not an option"),
        ({"entities": None}, "entities= is missing"),
        ({"entities": []}, "entities is empty"),
        ({"entities": ["a", "b", "a"]}, "lists 'a' more than once"),
        ({"entities": ["a", None]}, "misses an id in 1 row, first at row 1"),
        ({"entities": {"a"}}, "no order"),
        ({"entities": "a"}, "no order"),
        ({"entity": "target"}, "as entity and as target"),
    ],
)
def test_options_that_are_refused(options, said):
    frame = pd.DataFrame({"entity": ["a"], "target": ["x"], "score": [1.0]})
    with pytest.raises(DataError, match=said):
        evaluate(frame, [("a", "x")], **{"entities": ["a"], **options})


def test_predictions_come_first():
    with pytest.raises(DataError, match="predictions first"):
        evaluate(Truth([], ["a"]), [("a", "x")])


def test_a_truth_keeps_its_own_way_of_comparing_ids():
    with pytest.raises(DataError, match="compares ids='exact'"):
        evaluate([], Truth([], ["a"]), ids="text")


def test_truth_is_encoded_once(monkeypatch):
    from berx_gpu.encoding import keys

    truth = Truth({"a": ["x"], "b": ["y"]}, ["a", "b"])
    seen = []
    real = keys.host_array
    monkeypatch.setattr(
        keys, "host_array", lambda v, where, ids: (seen.append(where), real(v, where, ids))[1]
    )
    for _ in range(2):
        seen.clear()
        assert evaluate({"a": ["x"]}, truth).tp == 1
        assert seen == ["predictions column 'entity'", "predictions column 'target'"]


def test_truth_does_not_change_with_its_frames():
    pairs = pd.DataFrame({"entity": [1, 2], "target": [10, 20]})
    ids = np.array([1, 2])
    entities = pd.DataFrame({"entity": ids, "side": ["n", "s"]})
    truth = Truth(pairs, entities)
    direct = Truth(pairs, ids)
    ids[:] = 9
    entities.loc[:, "entity"] = 9
    entities.loc[:, "side"] = "?"
    pairs.loc[:, ["entity", "target"]] = 0
    for one in (truth, direct):
        ev = evaluate([(1, 10)], one)
        assert (ev.tp, ev.n_true) == (1, 2)
        assert ev.per_entity["entity"].tolist() == [1, 2]
    assert evaluate([(1, 10)], truth).by("side")["side"].tolist() == ["n", "s"]


def test_truth_and_evaluation_can_be_pickled():
    truth = pickle.loads(
        pickle.dumps(Truth({"a": ["x"]}, pl.DataFrame({"entity": ["a"], "s": [1]})))
    )
    ev = pickle.loads(pickle.dumps(evaluate(pl.DataFrame({"e": ["a"], "t": ["x"]}), truth)))
    assert isinstance(ev.per_entity, pl.DataFrame)
    assert ev.by("s")["macro_fbeta"].to_list() == [1.0]


@pytest.mark.parametrize(
    ("make", "kind"),
    [
        (pd.DataFrame, pd.DataFrame),
        (pl.DataFrame, pl.DataFrame),
        (pa.table, pa.Table),
        (lambda d: duckdb.from_arrow(pa.table(d)), pa.Table),
        (lambda d: pa.RecordBatch.from_pydict(d), pa.Table),
        (lambda d: dict(zip(d["q"], [[t] for t in d["m"]], strict=True)), pd.DataFrame),
        (lambda d: list(zip(*d.values(), strict=True)), pd.DataFrame),
    ],
)
def test_results_follow_the_predictions(make, kind):
    data = {"q": ["b", "a"], "m": ["y", "x"]}
    ev = evaluate(make(data), pd.DataFrame(data), entities=["a", "b"])
    for frame in (ev.per_entity, ev.by("n_true"), ev.losses()):
        assert isinstance(frame, kind)
    assert rows_of(ev.per_entity) == [("a", 1, 1, 1, 1.0), ("b", 1, 1, 1, 1.0)]


def test_key_columns_keep_the_callers_names():
    frame = pd.DataFrame({"q": ["b", "a"], "m": ["y", "x"]})
    entities = pd.DataFrame({"q": ["a", "b"], "side": ["n", "s"]})
    ev = evaluate(frame, frame, entities=entities)
    assert ev.per_entity.columns.tolist() == ["q", "tp", "n_pred", "n_true", "fbeta"]


def test_to_dict_is_valid_json():
    import json

    ev = evaluate({}, {}, entities=["a"], zero_division=math.nan, name="x")
    told = json.loads(json.dumps(ev.to_dict(), allow_nan=False))
    assert told["precision"] is None
    assert told["dropped"]["truth_outside"] == 0
    json.dumps(ev.reconcile().to_dict(), allow_nan=False)


def test_reports():
    ev = scored()
    assert str(ev).splitlines() == [
        "predictions",
        "macro F0.5  0.7083  95 % [0.1827, 0.9718] · 2 imperfect entities",
        "            predicting nothing 0.2500",
        "entities    4       1 singleton (0 linked) · others 0.6111",
        "links       2       2 true · 0 false · 7 missed",
        "pooled      P 1.0000  R 0.2222  F0.5 0.5882",
        "",
        "loss 0.2917        entities    loss",
        "nothing predicted         1  0.2500",
        "misses only               1  0.0417",
    ]
    assert "| nothing predicted | 1 | 0.2500 |" in ev.to_markdown()
    assert "<td>nothing predicted</td><td>1</td>" in ev._repr_html_()
    assert "<script>" not in evaluate({}, {}, entities=[1], name="<script>")._repr_html_()


def test_a_score_just_under_one_does_not_print_as_perfect():
    from berx_gpu.printing.tables import share_text as score

    assert score(0.99999) == "0.99999"
    assert score(0.99994) == "0.9999"
    assert score(1.0) == "1.0000"
    assert score(math.nan) == "-"


@pytest.mark.parametrize("module", ["numba", "pandas", "pyarrow", "matplotlib", "scipy"])
def test_import_is_light(module):
    code = f"import sys, berx_gpu; sys.exit({module!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_a_misspelt_name_is_an_attribute_error():
    import berx_gpu

    with pytest.raises(AttributeError, match="no attribute 'evaluat'"):
        berx_gpu.evaluat  # noqa: B018
    assert set(berx_gpu.__all__) <= set(dir(berx_gpu))


# -- odd options and slices -------------------------------------------------------------------


def scores(values, dtype=None):
    column = pd.Series(values, dtype=dtype)
    return pd.DataFrame({"entity": 1, "target": range(len(values)), "score": column})


@pytest.mark.parametrize(
    ("values", "dtype", "threshold", "kept"),
    [
        ([2**53, 2**53 + 1], "int64", np.int64(2**53 + 1), 1),
        ([2**63, 2**64 - 1], "uint64", np.uint64(2**64 - 1), 1),
        ([1, 2], "int64", 10**400, 0),
        ([1.0, 2.0], "float64", 10**400, 0),
        ([1.0, np.inf], "float32", 1e300, 1),
        ([np.float32(0.7), None], object, 0.7, 1),
        ([1, 0.5], object, 0.75, 1),
        ([2**70, 5], object, 6, 1),
        ([2**64 - 1, 5], object, 2**64 - 1, 1),
    ],
)
def test_thresholds_keep_every_bit(values, dtype, threshold, kept):
    frame = scores(values, dtype)
    frame.loc[frame["score"].isna(), "target"] = None
    ev = evaluate(frame, [(1, 0)], entities=[1], threshold=threshold, nulls="drop")
    assert ev.n_pred == kept


def test_float32_scores_stay_so_in_lists():
    table = pa.table(
        {"entity": [1], "target": [[0]], "score": pa.array([[0.7]], pa.list_(pa.float32()))}
    )
    for frame in (table, table.to_pandas()):
        assert evaluate(frame, [(1, 0)], entities=[1], threshold=0.7).n_pred == 1


@pytest.mark.parametrize("values", [[None, None], [True, 0.5], [2 + 1j], ["1"], [[1.0]]])
def test_odd_scores_are_refused(values):
    with pytest.raises(DataError, match="column 'score'"):
        evaluate(scores(values, object), [(1, 0)], entities=[1], threshold=0.5)


@pytest.mark.parametrize("option", ["beta", "zero_division", "threshold"])
@pytest.mark.parametrize("value", [[0.5], "0.5", None, 1j, True, np.array([1.0, 2.0])])
def test_numbers_that_are_refused(option, value):
    if value is None and option == "threshold":
        return
    with pytest.raises(DataError, match=f"{option}="):
        evaluate(scores([1.0]), [], entities=[1], **{option: value})


@pytest.mark.parametrize(
    "counts", [("a", 1, 1), ([1], [1, 2], [1, 2, 3]), (1j, 1, 1), (None, 1, 1), (10**400, 1, 1)]
)
def test_break_even_refuses_what_is_no_count(counts):
    with pytest.raises(DataError):
        break_even_ratio(*counts)


@pytest.mark.parametrize("beta", [0.3, 1.1, 0.7])
@pytest.mark.parametrize("k", range(1, 12))
def test_pooled_f_of_equal_sets_is_one(beta, k):
    pairs = [(0, i) for i in range(k)]
    assert evaluate(pairs, pairs, entities=[0], beta=beta).pooled_fbeta == 1.0


def test_the_name_may_be_anything():
    assert str(evaluate([], [], entities=[1], name=5)).startswith("5\n")


def test_per_entity_is_the_callers_to_change():
    ev = evaluate([(1, 0)], [(1, 0)], entities=[1])
    frame = ev.per_entity
    frame.loc[0, "tp"] = 9
    assert ev.per_entity["tp"].tolist() == [1]
    assert ev.tp == 1


def test_a_slice_mapping_must_name_entities_once():
    ev = evaluate([(0, "x")], [(0, "x"), (1, "y")], entities=[0, 1])
    with pytest.raises(DataError, match="slice key column 'entity' misses an id in 1 row"):
        ev.by({0: "zero", 1: "one", None: "lost"})
    with pytest.raises(DataError, match="misses an id"):
        ev.by(pd.Series(["lost", "one"], index=[np.nan, 1.0]))
    with pytest.raises(DataError, match="slice lists 1 more than once"):
        ev.by(pd.Series(["x", "y", "z"], index=[1, 1, 0]))
    with pytest.raises(DataError, match="none of the 1 entities that the slice names"):
        ev.by({7: "A"})


def test_slice_values_keep_their_type():
    ev = evaluate([], [], entities=[1, 2, 3])
    wide = ev.by(pd.Series([2**53, 2**53 + 1], index=[1, 2]))
    assert wide["slice"].tolist()[:2] == [2**53, 2**53 + 1]
    assert len(ev.by({1: 1, 2: True, 3: "1"})) == 3
    assert len(ev.by({1: 0, 2: False})) == 3
    entities = pa.table({"entity": [1, 2, 3], "n": pa.array([2**53 + 1, 2**53, None], pa.int64())})
    assert evaluate({}, {}, entities=entities).by("n")["n"].tolist()[:2] == [2**53, 2**53 + 1]


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table])
def test_zero_and_missing_are_one_slice_each(library):
    values = pa.array([0.0, -0.0, float("nan"), None])
    entities = pa.table({"entity": [1, 2, 3, 4], "v": values})
    frame = {pd.DataFrame: pa.Table.to_pandas, pl.DataFrame: pl.from_arrow, pa.table: lambda t: t}
    ev = evaluate({}, {}, entities=frame[library](entities))
    assert ev.by("v")["n_entities"].tolist() == [2, 2]


@pytest.mark.parametrize(
    "values",
    [
        pa.array(["b", "a", None], pa.string_view()),
        pa.array([b"b", b"a", None], pa.binary_view()),
        pa.array(["b", "a", None]).dictionary_encode(),
        pa.array(np.array([2, 1, np.nan], np.float16), from_pandas=True),
        pa.array([2, 1, None], pa.decimal128(5, 1)),
        pa.array([True, False, None]),
        pl.Series(["b", "a", None], dtype=pl.Categorical).to_arrow(),
        pl.Series(["b", "a", None], dtype=pl.Enum(["a", "b"])).to_arrow(),
        pa.ExtensionArray.from_storage(
            pa.uuid(), pa.array([b"b" * 16, b"a" * 16, None], pa.binary(16))
        ),
    ],
)
def test_slices_of_any_type_in_any_library(values):
    entities = pa.table({"entity": ["p", "q", "r"], "side": values})
    pairs = pa.table({"entity": ["p"], "target": ["x"]})
    for library in (pa.Table.to_pandas, pl.from_arrow, lambda table: table):
        table = pa.table(evaluate(library(pairs), pairs, entities=entities).by("side"))
        assert table["n_entities"].to_pylist() == [1, 1, 1]
        assert table["fn"].to_pylist() == [0, 0, 0]
        assert table["tp"].to_pylist() == [0, 1, 0], "sorted by value, missing last"
    if not isinstance(values, pa.ExtensionArray):
        polars = pl.from_arrow(entities)
        ev = evaluate(pl.from_arrow(pairs), pairs, entities=polars)
        assert ev.by("side")["tp"].to_list() == [0, 1, 0]


@pytest.mark.parametrize("key", [np.array([1]), pd.DataFrame(), pl.Series([1]), pd.NA, {1}])
def test_odd_slice_keys_are_refused(key):
    with pytest.raises(DataError, match="no slice"):
        scored().by(key)


def test_slices_that_cannot_be_grouped():
    entities = pd.DataFrame({"entity": [1, 2], "v": [[1], [2]]})
    with pytest.raises(DataError, match="slice 'v' holds values that cannot be grouped"):
        evaluate([], [], entities=entities).by("v")


def test_several_mappings_are_numbered():
    table = scored().by([{"a": 1}, {"b": 2}])
    assert table.columns[:2].tolist() == ["slice 1", "slice 2"]


def test_a_key_column_is_a_slice_too():
    listed = pd.DataFrame({"src": ["u", "u", "v"], "id": [1, 2, 1]})
    pairs = pd.DataFrame({"src": ["u"], "id": [1], "target": ["x"]})
    ev = evaluate(pairs, pairs, entities=listed, entity=["src", "id"])
    assert ev.by("src")["n_entities"].tolist() == [2, 1]
    assert len(ev.by({("u", 1): "A"})) == 2


def test_a_slice_column_twice_is_refused():
    entities = pd.DataFrame([[1, "x", "y"]], columns=["entity", "s", "s"])
    with pytest.raises(DataError, match="entities has 2 columns called 's'"):
        evaluate({}, {}, entities=entities).by("s")
