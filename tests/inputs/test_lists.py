"""Lists of targets, and of their scores."""

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from frames import count

from berx_gpu import DataError, Truth, evaluate

pytestmark = pytest.mark.usefixtures("backend")


def test_lists_of_targets_with_lists_of_scores():
    rows = {"entity": ["a", "b"], "target": [["x", "z"], ["y"]], "score": [[0.9, 0.1], [0.8]]}
    for frame in (pd.DataFrame(rows), pl.DataFrame(rows), pa.table(rows)):
        assert count(frame, threshold=0.5) == (2, 2)
    for scores in ([[0.9], [0.8]], [0.9, 0.8]):
        with pytest.raises(DataError, match="must hold one score per target"):
            count(pd.DataFrame({**rows, "score": scores}), threshold=0.5)
    with pytest.raises(DataError, match="must hold one score per target"):
        count(pa.table({**rows, "score": [0.9, 0.8]}), threshold=0.5)


def hidden_lists():
    """Return lists that are null but have items below."""
    items = pa.array([7, 8])
    return [
        pl.Series([None, None], dtype=pl.Array(pl.Int64, 2)).to_arrow(),
        pa.ListArray.from_arrays(
            pa.array([0, 1, 2], pa.int32()), items, mask=pa.array([True, True])
        ),
        pa.LargeListArray.from_arrays(
            pa.array([0, 1, 2], pa.int64()), items, mask=pa.array([True, True])
        ),
    ]


@pytest.mark.parametrize("lists", hidden_lists())
def test_a_null_list_holds_no_target(lists):
    pairs = pa.table({"entity": [1, 2], "target": lists})
    assert Truth(pairs, [1, 2]).n_true == 0
    assert evaluate(pairs, [(1, 7)], entities=[1, 2]).n_pred == 0
    mixed = pl.DataFrame(
        {"entity": [1, 2], "target": [None, [5, 6]]},
        schema_overrides={"target": pl.Array(pl.Int64, 2)},
    )
    assert evaluate(mixed, [(2, 5)], entities=[1, 2]).tp == 1


@pytest.mark.parametrize("kind", [pa.list_view, pa.large_list_view])
def test_views_of_lists_lose_nothing(kind):
    lists = pa.array([["a", "c"], None, [], ["b"]], kind(pa.string()))
    truth = Truth(pa.table({"entity": [1, 2, 3, 4], "target": lists}), [1, 2, 3, 4])
    assert truth.n_true == 3


def test_sets_have_no_order_for_scores():
    frame = pd.DataFrame({"entity": ["a"], "target": [{"x", "y"}], "score": [[0.9, 0.1]]})
    with pytest.raises(DataError, match="holds a set at row 0"):
        count(frame, threshold=0.5)


def test_lists_of_mixed_ids_as_text():
    assert count(pd.DataFrame({"entity": ["a"], "target": [["x", 1]]}), ids="text") == (1, 2)
