"""Ids at the edges of their types, and as text."""

import datetime as dt
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from id_kinds import DAYS, NAIVE, UUIDS, frame

from berx_gpu import DataError, Truth, evaluate

pytestmark = pytest.mark.usefixtures("backend")


@pytest.mark.parametrize(
    ("ids", "text"),
    [
        ([1, "2"], ["1", "2"]),
        ([7, 7.0, "007"], ["7", "007"]),
        (pd.Series([2**64 - 1], dtype="uint64"), [str(2**64 - 1)]),
        ([2**100], [str(2**100)]),
        (pd.Series([3.0, 4.0]), ["3", "4"]),
        (UUIDS, [str(u) for u in UUIDS]),
        (
            pa.ExtensionArray.from_storage(pa.uuid(), pa.array([UUIDS[1].bytes], pa.binary(16))),
            [str(UUIDS[1])],
        ),
        ([dt.date(2024, 1, 31), "x"], ["2024-01-31", "x"]),
        ([Decimal("5.00"), "x"], ["5", "x"]),
        (DAYS, ["0001-01-01", "1969-12-31", "1970-01-01", "9999-12-31"]),
        (pa.array(DAYS, pa.date64()), ["0001-01-01", "1969-12-31", "1970-01-01", "9999-12-31"]),
    ],
)
def test_ids_as_text(ids, text):
    if isinstance(ids, list):
        ids = pd.Series(ids, dtype=object)
    ev = evaluate(frame(ids), frame(pd.Series(text), entity="0"), entities=["0"], ids="text")
    assert ev.tp == ev.n_pred == ev.n_true == len(text)


@pytest.mark.parametrize("ids", [[True, "x"], [NAIVE[0], "x"], [1.5, "x"], [b"x", "x"]])
def test_ids_without_one_written_form(ids):
    with pytest.raises(DataError, match="predictions column 'target'"):
        evaluate(
            frame(pd.Series(ids, dtype=object)), frame(pd.Series(["x"])), entities=[0], ids="text"
        )
    with pytest.raises(DataError, match="has no one written form"):
        evaluate(frame(pd.Series([True])), frame(pd.Series(["x"])), entities=[0], ids="text")


def test_what_a_float_column_cannot_hold_beside_a_missing_id():
    mixed = [(0, 1.0), (0, pd.NA), (0, np.float32(2))]
    ev = evaluate(mixed, [(0, 1), (0, 2)], entities=[0], nulls="drop")
    assert (ev.tp, ev.dropped.prediction_nulls) == (2, 1)


@pytest.mark.parametrize("ids", [[2**100, 1], [Decimal(10**30)], [-(2**90)]])
def test_numbers_of_many_digits(ids):
    ids = pd.Series(ids, dtype=object)
    assert evaluate(frame(ids), frame(ids), entities=[0]).tp == len(ids)
    text = frame(pd.Series([str(int(i)) for i in ids]), entity="0")
    assert evaluate(frame(ids), text, entities=["0"], ids="text").tp == len(ids)


@pytest.mark.parametrize("value", [np.timedelta64(5, "ns"), np.timedelta64(5), dt.timedelta(5)])
def test_a_duration_is_no_number(value):
    with pytest.raises(DataError, match="Python timedelta, which is no id"):
        evaluate([(1, value)], [(1, 5)], entities=[1])


@pytest.mark.parametrize("unit", ["D", "h", "s", "ms", "us", "ns"])
def test_numpy_instants_of_any_unit(unit):
    ids = [np.datetime64("2024-01-01", unit), np.datetime64("NaT")]
    pred = pd.DataFrame({"entity": 0, "target": pd.Series(ids, dtype=object)})
    truth = [(0, dt.datetime(2024, 1, 1))]
    assert evaluate(pred, truth, entities=[0], nulls="drop").tp == 1
    mixed = pd.DataFrame({"entity": 0, "target": pd.Series([ids[0], truth[0][1]], dtype=object)})
    assert evaluate(mixed, truth, entities=[0]).dropped.prediction_repeats == 1


def test_enumerations_as_text():
    import enum

    class Colour(enum.IntEnum):
        RED = 3

        def __str__(self):
            return "red"

    assert evaluate([(0, Colour.RED), (0, "x")], [(0, "3")], entities=[0], ids="text").tp == 1


@pytest.mark.parametrize("value", [Decimal("Infinity"), Decimal("sNaN")])
def test_decimals_without_a_value(value):
    for ids in ("exact", "text"):
        with pytest.raises(DataError):
            evaluate([(0, value), (0, "x")], [(0, "3")], entities=[0], ids=ids)
        with pytest.raises(DataError):
            evaluate([(0, value)], [(0, 3)], entities=[0], ids=ids)


@pytest.mark.parametrize("form", [dict, list])
def test_text_that_is_no_unicode(form):
    pairs = {"a": ["\ud800"]} if form is dict else [("a", "\ud800")]
    with pytest.raises(DataError, match="predictions column 'target'.*surrogates"):
        evaluate(pairs, [], entities=["a"])
    with pytest.raises(DataError, match="surrogates"):
        Truth([], ["\ud800"])
    with pytest.raises(DataError, match="surrogates"):
        evaluate(frame(pd.Series(["\ud800"], dtype="string[python]")), [], entities=[0])


def test_bytes_that_are_no_text():
    broken = pa.Array.from_buffers(
        pa.string(), 1, [None, pa.py_buffer(np.array([0, 2], "i4")), pa.py_buffer(b"\xff ")]
    )
    with pytest.raises(DataError, match="truth column 'target'.*UTF8"):
        evaluate(frame(pd.Series(["x"])), frame(broken), entities=[0])


def test_days_and_instants_far_away():
    far = pa.array([7_000_000, 1], pa.date32())
    ev = evaluate(frame(far), [(0, dt.date(1970, 1, 2))], entities=[0])
    assert (ev.tp, ev.n_pred) == (1, 2)
    days = pa.table({"entity": far, "target": ["x", "y"]})
    table = evaluate([(dt.date(1970, 1, 2), "y")], days, entities=far)
    assert len(table.per_entity) == 2
    with pytest.raises(DataError, match="not in the list"):
        evaluate(days, [(dt.date(1970, 1, 2), "y")], entities=[dt.date(1970, 1, 2)])


def test_dates_off_midnight():
    off = pa.array([1], pa.int64()).cast(pa.timestamp("ms")).view(pa.date64())
    with pytest.raises(DataError, match="no exact id"):
        evaluate(frame(off), frame(off), entities=[0])


def test_memory_layouts_of_numbers():
    for ids in (pd.Series(np.array([5, 7], ">i8")), pd.Series([5, 7], dtype="Sparse[int64]")):
        assert evaluate(frame(ids), frame(pd.Series([5, 7])), entities=[0]).tp == 2
