"""`evaluate` against plain sets, and the numbers that the metric is defined by."""

import math

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import reference
from frames import rows_of, scores
from hypothesis import example, given
from hypothesis import strategies as st
from strategies import strangers_allowed, tables

from berx_gpu import DataError, Truth, evaluate
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


@pytest.mark.parametrize("option", ["beta", "zero_division", "threshold"])
@pytest.mark.parametrize("value", [[0.5], "0.5", None, 1j, True, np.array([1.0, 2.0])])
def test_numbers_that_are_refused(option, value):
    if value is None and option == "threshold":
        return
    with pytest.raises(DataError, match=f"{option}="):
        evaluate(scores([1.0]), [], entities=[1], **{option: value})


@pytest.mark.parametrize("beta", [0.3, 1.1, 0.7])
@pytest.mark.parametrize("k", range(1, 12))
def test_pooled_f_of_equal_sets_is_one(beta, k):
    pairs = [(0, i) for i in range(k)]
    assert evaluate(pairs, pairs, entities=[0], beta=beta).pooled_fbeta == 1.0
