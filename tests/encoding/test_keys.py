"""Ids of every kind and library: equal exactly where their values are."""

import datetime as dt
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from id_kinds import AWARE, DAYS, NAIVE, SAME, frame

from berx_gpu import DataError, DataWarning, Truth, evaluate

pytestmark = pytest.mark.usefixtures("backend")


PAIRS = [
    pytest.param(values, a, b, id=f"{kind}-{i}-{j}")
    for kind, (values, makers) in SAME.items()
    for i, a in enumerate(makers)
    for j, b in enumerate(makers)
    if i == 0 or j == 0
]


@pytest.mark.parametrize(("values", "make", "other"), PAIRS)
def test_the_same_ids_in_two_types_match_one_to_one(values, make, other):
    ev = evaluate(frame(make(values)), frame(other(values[:-1])), entities=[0])
    assert (ev.n_pred, ev.n_true, ev.tp) == (len(values), len(values) - 1, len(values) - 1)
    assert ev.dropped.prediction_repeats == ev.dropped.truth_repeats == 0


@pytest.mark.parametrize(("values", "make"), [(v, m) for v, ms in SAME.values() for m in ms])
def test_ids_of_any_kind_can_name_entities(values, make):
    ids = make(values)
    pairs = (
        pa.table({"target": [1] * len(values)}).append_column(
            "entity", ids if isinstance(ids, pa.Array) else pa.array(values)
        )
        if isinstance(ids, pa.Array)
        else pd.DataFrame({"entity": ids, "target": 1})
    )
    if isinstance(ids, pa.ChunkedArray):
        pairs = pa.table({"entity": ids, "target": [1] * len(values)})
    ev = evaluate(pairs, Truth(pairs, ids))
    assert (ev.tp, ev.n_entities, ev.macro_fbeta) == (len(values), len(values), 1.0)
    assert len(ev.per_entity) == len(values)


KINDS = {
    kind: makers[0](values)
    for kind, (values, makers) in SAME.items()
    if kind not in ("signed extremes", "unsigned extremes", "beyond 64 bits")
}


@pytest.mark.parametrize("a", KINDS)
@pytest.mark.parametrize("b", KINDS)
def test_kinds_never_meet(a, b):
    if a == b:
        return
    with pytest.raises(
        DataError, match=r"predictions column 'target' holds .* ids .*no id could ever match"
    ):
        evaluate(frame(KINDS[a]), frame(KINDS[b]), entities=[0])


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA, pd.NaT])
@pytest.mark.parametrize("column", ["entity", "target"])
def test_missing_ids(missing, column):
    bad = pd.DataFrame({"entity": ["a", "a"], "target": ["x", "y"]}, dtype=object)
    bad.loc[1, column] = missing
    good = pd.DataFrame({"entity": ["a"], "target": ["x"]})
    with pytest.raises(DataError, match=f"column '{column}' misses an id in 1 row, first at row 1"):
        evaluate(bad, good, entities=["a"])
    ev = evaluate(bad, bad, entities=["a"], nulls="drop")
    assert (ev.tp, ev.dropped.prediction_nulls, ev.dropped.truth_nulls) == (1, 1, 1)


@pytest.mark.parametrize(
    "ids",
    [
        pd.Series([1, None], dtype="Int64"),
        pd.Series([1.0, np.nan]),
        pd.Series(pd.Categorical([1, None])),
        pa.array([1.0, float("nan")]),
        pa.array([1, None]),
        pa.array([1, None]).dictionary_encode(),
        pd.Series([Decimal(1), None], dtype=object),
    ],
)
def test_missing_numbers(ids):
    ev = evaluate(frame(ids), frame(pd.Series([1])), entities=[0], nulls="drop")
    assert (ev.tp, ev.n_pred, ev.dropped.prediction_nulls) == (1, 1, 1)


@pytest.mark.parametrize(
    ("ids", "said"),
    [
        (pd.Series([0.5, 1.0]), "float64.*1 row that a float cannot hold.*row 0 .0.5"),
        (pd.Series([1.0, np.inf]), "first at row 1 .inf"),
        (pd.Series([2.0**53]), "9007199254740992.0"),
        (pd.Series([1, 2.0**53], dtype=object), "mixes whole numbers with the float 9007199"),
        (pd.Series([1, 2.5], dtype=object), "mixes whole numbers with the float 2.5"),
        (pd.Series([1, "a"], dtype=object), "mixes int .first at row 0. and str .first at row 1."),
        (pd.Series([True, 1], dtype=object), "mixes bool .* and int"),
        (pd.Series([NAIVE[0], AWARE[0]], dtype=object), "some timestamps have a time zone"),
        (pd.Series([Decimal("1.5")], dtype=object), "not whole or beyond 126 bits, first at row 0"),
        (pd.Series([2**126], dtype=object), "beyond 126 bits"),
        (pd.Series([10**90], dtype=object), "no exact id"),
        (pd.Series([1 + 2j]), "complex128, which is no id"),
        (pd.Series([object()], dtype=object), "Python object, which is no id"),
        (pd.Series(pd.to_timedelta([1, 2])), "timedelta64.*, which is no id"),
        (pd.Series(pd.period_range("2024", periods=2)), "period.*, which is no id"),
        (pd.Series(["\ud800"], dtype=object), "surrogates not allowed"),
        (pa.array([{"a": 1}]), "struct.*, which is no id"),
        (pa.array([dt.time(1)]), "time64.*, which is no id"),
    ],
)
def test_ids_that_are_refused(ids, said):
    with pytest.raises(DataError, match=f"predictions column 'target'.*{said}"):
        evaluate(frame(ids), frame(pd.Series([1])), entities=[0])


def test_ids_are_compared_byte_for_byte():
    alike = ["x", "X", "x ", " x", "x\t", "\ufeffx", "x\u00a0", "\u00c5", "\u212b", "A\u030a"]
    with pytest.warns(DataWarning):
        ev = evaluate({"a": alike}, {"a": ["x"]}, entities=["a"])
    assert (ev.n_pred, ev.tp) == (len(alike), 1)


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame, pa.table])
def test_empty_frames_have_any_type(kind):
    nothing = kind(
        {
            "entity": pa.array([], pa.null()) if kind is pa.table else [],
            "target": pa.array([], pa.null()) if kind is pa.table else [],
        }
    )
    for entities in ([1, 2], ["a"]):
        ev = evaluate(nothing, nothing, entities=entities)
        assert (ev.macro_fbeta, ev.n_pred, ev.n_true) == (1.0, 0, 0)
    assert evaluate(nothing, [("a", "x")], entities=["a"]).macro_fbeta == 0.0
    assert evaluate([("a", "x")], nothing, entities=["a"]).macro_fbeta == 0.0


@pytest.mark.parametrize(
    ("a", "b"), [(DAYS, NAIVE), (NAIVE, AWARE), ([True], [1]), ([b"x"], ["x"])]
)
def test_the_cure_is_one_that_works(a, b):
    with pytest.raises(DataError, match="convert them to one type") as told:
        evaluate(frame(pd.Series(a, dtype=object)), frame(pd.Series(b, dtype=object)), entities=[0])
    assert "text" not in str(told.value).split("match;")[1]
