"""Ids of every kind and library: equal exactly where their values are."""

import datetime as dt
import uuid
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from berx_gpu import DataError, DataWarning, Truth, evaluate

pytestmark = pytest.mark.usefixtures("backend")

UUIDS = [uuid.UUID(int=i) for i in (0, 1, 2**127, 2**128 - 1)]
DAYS = [dt.date(1, 1, 1), dt.date(1969, 12, 31), dt.date(1970, 1, 1), dt.date(9999, 12, 31)]
NAIVE = [
    dt.datetime(1969, 12, 31, 23, 59, 59, 999999),
    dt.datetime(1970, 1, 1),
    dt.datetime(2024, 5, 6, 7),
]
AWARE = [t.replace(tzinfo=dt.UTC) for t in NAIVE]
TEXT = ["", " ", "007", "7", "NA", "nan", "None", "null", "é", "a\0b", "a\0c", "x" * 300]
WIDE = [-(2**63), -1, 0, 2**53, 2**53 + 1, 2**63 - 1]
UNSIGNED = [0, 1, 2**63 - 1, 2**63, 2**64 - 1]

#: The same ids in many types. Every pair of columns in a group must match one to one.
SAME = {
    "integer": (
        [0, 1, 7, 100],
        [
            *(
                lambda v, t=t: pd.Series(v, dtype=t)
                for t in (
                    "int8",
                    "uint8",
                    "int16",
                    "uint32",
                    "int64",
                    "uint64",
                    "Int64",
                    "UInt16",
                    "float32",
                    "float64",
                    "Float64",
                    "category",
                    object,
                    "int64[pyarrow]",
                )
            ),
            lambda v: pd.Series([Decimal(x) for x in v], dtype=object),
            lambda v: pd.Series([float(x) if x else x for x in v], dtype=object),
            lambda v: pa.array([Decimal(x) for x in v], pa.decimal128(20, 3)),
            lambda v: pa.chunked_array([v[:1], v[1:]]),
            lambda v: pa.array(v, pa.uint64()).dictionary_encode(),
            lambda v: pl.Series(v, dtype=pl.Int16).to_arrow(),
        ],
    ),
    "signed extremes": (
        WIDE,
        [
            lambda v: pd.Series(v, dtype="int64"),
            lambda v: pd.Series(v, dtype=object),
            lambda v: pd.Series(v, dtype="Int64"),
            lambda v: pa.array([Decimal(x) for x in v], pa.decimal128(38, 0)),
        ],
    ),
    "unsigned extremes": (
        UNSIGNED,
        [
            lambda v: pd.Series(v, dtype="uint64"),
            lambda v: pd.Series(v, dtype=object),
            lambda v: pl.Series(v, dtype=pl.UInt64).to_arrow(),
            lambda v: pa.array([Decimal(x) for x in v], pa.decimal256(40, 1)),
        ],
    ),
    "beyond 64 bits": (
        [-(2**64), -(2**63) - 1, -1, 2**63, 2**64, 2**64 + 1, 2**100, 2**126 - 1],
        [
            lambda v: pd.Series(v, dtype=object),
            lambda v: pa.array([Decimal(x) for x in v], pa.decimal128(38, 0)),
        ],
    ),
    "text": (
        TEXT,
        [
            lambda v: pd.Series(v, dtype="str"),
            lambda v: pd.Series(v, dtype=object),
            lambda v: pd.Series(v, dtype="string"),
            lambda v: pd.Series(v, dtype="category"),
            lambda v: pd.Series(v, dtype=pd.ArrowDtype(pa.string())),
            lambda v: pa.array(v, pa.large_string()),
            lambda v: pa.array(v, pa.string_view()),
            lambda v: pa.array(v).dictionary_encode(),
            lambda v: pl.Series(v, dtype=pl.Categorical).to_arrow(),
            lambda v: pl.Series(v).to_arrow(),
        ],
    ),
    "uuid": (
        UUIDS,
        [
            lambda v: pd.Series(v, dtype=object),
            lambda v: pa.ExtensionArray.from_storage(
                pa.uuid(), pa.array([x.bytes for x in v], pa.binary(16))
            ),
        ],
    ),
    "date": (
        DAYS,
        [
            lambda v: pd.Series(v, dtype=object),
            lambda v: pa.array(v, pa.date32()),
            lambda v: pa.array(v, pa.date64()),
        ],
    ),
    "timestamp": (
        NAIVE,
        [
            lambda v: pd.Series(v, dtype="datetime64[us]"),
            lambda v: pd.Series(v, dtype="datetime64[ns]"),
            lambda v: pd.Series(v, dtype=object),
            lambda v: pd.Series([pd.Timestamp(x) for x in v], dtype=object),
            lambda v: pl.Series(v, dtype=pl.Datetime("us")).to_arrow(),
            lambda v: pa.array(v, pa.timestamp("ns")),
        ],
    ),
    "instant": (
        AWARE,
        [
            lambda v: pd.Series(v).dt.tz_convert("Asia/Tokyo"),
            lambda v: pd.Series(v).dt.tz_convert("UTC").astype("datetime64[ns, UTC]"),
            lambda v: pd.Series(
                [t.astimezone(dt.timezone(dt.timedelta(hours=5))) for t in v], dtype=object
            ),
            lambda v: pa.array(v, pa.timestamp("us", "America/New_York")),
        ],
    ),
    "binary": (
        [b"", b"\0", b"\0\0", b"abc", bytes(range(256))],
        [
            lambda v: pd.Series(v, dtype=object),
            lambda v: pa.array(v, pa.large_binary()),
            lambda v: pa.array(v).dictionary_encode(),
            lambda v: pl.Series(v).to_arrow(),
        ],
    ),
    "bool": (
        [True, False],
        [
            lambda v: pd.Series(v, dtype=bool),
            lambda v: pd.Series(v, dtype="boolean"),
            lambda v: pd.Series(v, dtype=object),
            lambda v: pa.array(v),
        ],
    ),
}
PAIRS = [
    pytest.param(values, a, b, id=f"{kind}-{i}-{j}")
    for kind, (values, makers) in SAME.items()
    for i, a in enumerate(makers)
    for j, b in enumerate(makers)
    if i == 0 or j == 0
]


def frame(ids, entity=0):
    """Return ids as a target column beside one entity."""
    column = ids.combine_chunks() if isinstance(ids, pa.ChunkedArray) else ids
    if isinstance(column, pa.Array):
        return pa.table({"entity": [entity] * len(column), "target": column})
    return pd.DataFrame({"entity": entity, "target": column})


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


def test_ids_are_compared_byte_for_byte():
    alike = ["x", "X", "x ", " x", "x\t", "\ufeffx", "x\u00a0", "\u00c5", "\u212b", "A\u030a"]
    with pytest.warns(DataWarning):
        ev = evaluate({"a": alike}, {"a": ["x"]}, entities=["a"])
    assert (ev.n_pred, ev.tp) == (len(alike), 1)


@given(st.data())
def test_look_alikes_are_counted(data):
    pool = ["x", "x ", "\tx", "\u00e9", "e\u0301", " \u00e9", "y", "\u00df", "\ufeffy"]

    def plain(text):
        import unicodedata

        return unicodedata.normalize("NFC", text).strip().strip("\ufeff")

    draw = st.lists(st.sampled_from(pool), unique=True, max_size=6)
    pred, true = data.draw(draw), data.draw(draw)
    expected = sum(p not in true and plain(p) in map(plain, true) for p in pred)
    from berx_gpu.encoding.look_alikes import count_look_alikes as look_alikes

    dtype = pd.StringDtype("pyarrow", na_value=np.nan)
    assert look_alikes(pd.array(pred, dtype), pd.array(true, dtype)) == expected


def test_look_alike_entities_are_told():
    with pytest.warns(DataWarning, match="1 id matches between truth column 'entity' and entities"):
        truth = Truth([("a ", "x"), ("a", "x")], ["a"])
    assert truth.outside == 1
    with pytest.warns(DataWarning, match="1 id matches"), pytest.raises(DataError, match="'a '"):
        evaluate([("a ", "x")], truth)


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


@pytest.mark.parametrize(
    ("a", "b"), [(DAYS, NAIVE), (NAIVE, AWARE), ([True], [1]), ([b"x"], ["x"])]
)
def test_the_cure_is_one_that_works(a, b):
    with pytest.raises(DataError, match="convert them to one type") as told:
        evaluate(frame(pd.Series(a, dtype=object)), frame(pd.Series(b, dtype=object)), entities=[0])
    assert "text" not in str(told.value).split("match;")[1]


def test_the_warning_points_at_the_caller():
    with pytest.warns(DataWarning) as told:
        Truth([("a ", "x"), ("a", "x")], ["a"])
    assert told[0].filename == __file__
    with pytest.warns(DataWarning) as told:
        evaluate({"a": ["x "]}, {"a": ["x"]}, entities=["a"])
    assert told[0].filename == __file__
