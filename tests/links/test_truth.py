"""What a Truth keeps, copies and compares."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from conftest import on_every_backend
from hypothesis import given
from hypothesis import strategies as st
from shapes import int_pairs

from berx_gpu import DataError, Truth, evaluate


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


@on_every_backend
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


@on_every_backend
def test_the_entity_column_may_have_the_name_of_the_truths():
    frame = pd.DataFrame({"q": ["a"], "m": ["x"]})
    truth = Truth(frame, pd.DataFrame({"q": ["a", "b"], "side": [1, 2]}), entity="q", target="m")
    assert truth.n_singletons == 1
    assert Truth(frame, pd.DataFrame({"side": [1, 2], "q": ["a", "b"]})).n_entities == 2


@on_every_backend
def test_names_of_truth_and_predictions_may_differ():
    truth = Truth(pd.DataFrame({"q": ["a"], "m": ["x"], "z": 0}), ["a"], entity="q", target="m")
    pred = pl.DataFrame({"note": ["n"], "to": ["x"], "of": ["a"]})
    ev = evaluate(pred, truth, entity="of", target="to")
    assert ev.tp == 1
    assert ev.per_entity.columns[0] == "q"


@on_every_backend
def test_a_part_must_lie_in_the_list():
    truth = Truth([("a", "x")], ["a", "b"])
    with pytest.raises(
        DataError, match="holds 2 that the truth's own list does not, such as 'y', 'z'"
    ):
        evaluate([], truth, entities=["a", "y", "z"])
    with pytest.raises(DataError, match="lists 'a' more than once"):
        evaluate([], truth, entities=["a", "a"])


@on_every_backend
def test_a_part_may_bring_its_own_slices():
    truth = Truth([("a", "x")], pd.DataFrame({"entity": ["a", "b"], "side": ["n", "s"]}))
    assert evaluate([], truth, entities=["b"]).by("side")["side"].tolist() == ["s"]
    part = pd.DataFrame({"entity": ["b"], "fold": [3]})
    assert evaluate([], truth, entities=part).by("fold")["fold"].tolist() == [3]


def test_a_truth_copies_what_may_change_and_nothing_else():
    ids = np.arange(4)
    frozen = pa.table({"entity": ids.copy(), "target": ids.copy()})
    assert np.shares_memory(
        Truth(frozen, frozen["entity"])._prepared.targets[0].parts[0],
        frozen["target"].chunk(0).to_numpy(),
    )
    for frame in (int_pairs(ids, ids), int_pairs(ids, ids).convert_dtypes(dtype_backend="pyarrow")):
        truth = Truth(frame, np.arange(4))
        held = truth._prepared.targets[0].parts[0]
        given = pa.array(frame["target"])
        assert not np.shares_memory(
            held, (given.chunk(0) if hasattr(given, "chunk") else given).to_numpy()
        )
