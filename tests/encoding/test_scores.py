"""Scores and thresholds: compared in the type of the scores, to the last bit."""

import math

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from frames import scores

from berx_gpu import DataError, evaluate


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
