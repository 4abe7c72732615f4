"""What `sweep` takes and refuses, and the best points that it finds."""

import itertools
import json
import math

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from conftest import on_every_backend
from febrl import FEBRL, febrl_truth
from small_sweep import LISTED, ROWS, TRUE, scored

from berx_gpu import DataError, DataWarning, Policy, Truth, decide, evaluate, sweep

# -- score columns ----------------------------------------------------------------------------


TWO = pa.table({"entity": ["a", "b"], "target": ["x", "y"], "s": [0.5, 0.4], "u": [0.6, 0.7]})


@on_every_backend
@pytest.mark.parametrize(
    "make",
    [
        lambda: TWO,
        lambda: TWO.to_reader(),
        lambda: TWO.to_batches()[0],
        lambda: TWO.to_pandas(),
        lambda: pl.from_arrow(TWO),
        lambda: duckdb.arrow(TWO),
    ],
)
@pytest.mark.parametrize("names", [["s", "u"], ("s", "u"), np.array(["s", "u"])])
def test_every_column_of_scores_is_swept_over_all_rows(make, names):
    sw = sweep(make(), TRUE, entities=LISTED, score=names)
    assert [(str(r.score), r.best.n_pred) for r in sw.results] == [("s", 2)] * 2 + [("u", 2)] * 2


@on_every_backend
@pytest.mark.parametrize(
    ("names", "said"),
    [
        (["s", "nope"], "no column 'nope'"),
        (["s", "s"], "'s' twice"),
        ([], "names no column"),
        (None, "names no column"),
        ({"s"}, "names no column"),
    ],
)
def test_columns_of_scores_must_be_there_once(names, said):
    for frame in (TWO, TWO.to_pandas(), pl.from_arrow(TWO)):
        with pytest.raises(DataError, match=said):
            sweep(frame, TRUE, entities=LISTED, score=names)


@on_every_backend
def test_a_tuple_may_be_the_label_of_a_column():
    frame = TWO.to_pandas().drop(columns="u").rename(columns={"s": ("s", 1)})
    assert sweep(frame, TRUE, entities=LISTED, score=("s", 1)).best.n_pred == 2


@on_every_backend
def test_tuples_hold_one_score():
    with pytest.raises(DataError, match="need a frame"):
        sweep(ROWS, TRUE, entities=LISTED, score=["s", "u"])


@on_every_backend
def test_chunks_change_nothing():
    rng = np.random.default_rng(2)
    table = pa.table(
        {
            "entity": rng.integers(0, 40, 900),
            "target": rng.integers(0, 60, 900),
            "score": rng.integers(0, 30, 900) / 30,
        }
    )
    true = table.select(["entity", "target"]).slice(0, 200)
    cut = [0, 1, 1, 300, 899, 900]
    pieces = [table.slice(a, b - a) for a, b in itertools.pairwise(cut)]
    whole, chunked = (
        sweep(t, true, entities=range(40), owner_margin=[None, 0.1], top_k=[None, 2]).results
        for t in (table, pa.concat_tables(pieces))
    )
    for a, b in zip(whole, chunked, strict=True):
        assert a.best.to_dict() == b.best.to_dict()
        assert a.macro_fbeta.tolist() == b.macro_fbeta.tolist()


# -- grids ------------------------------------------------------------------------------------


@on_every_backend
@pytest.mark.parametrize("grid", [[], 0.5, "0.5", [math.nan], [True], ["x"], [None]])
def test_grids_that_are_refused(grid):
    with pytest.raises(DataError, match="thresholds"):
        sweep(ROWS, TRUE, entities=LISTED, thresholds=grid)


@on_every_backend
def test_a_grid_beyond_every_float():
    assert sweep(ROWS, TRUE, entities=LISTED, thresholds=[10**400]).best.n_pred == 0


# -- scores of other types --------------------------------------------------------------------


@on_every_backend
@pytest.mark.parametrize(
    ("values", "dtype"),
    [([2**53 + 3, 2**53 + 1], "int64"), ([2**53 + 1, 2**53], "int64"), ([2**64 - 1, 5], "uint64")],
)
def test_integer_scores_beyond_floats_are_exact(values, dtype):
    frame = scored(values, dtype, "xq")
    sw = sweep(frame, {"a": ["x"]}, entities=LISTED)
    assert (sw.best.threshold, sw.best.down_to, sw.best.n_pred) == (*values, 1)
    assert len(decide(frame, sw.best.policy)) == 1
    assert sw.at(sw.best.threshold).n_pred == 1


@on_every_backend
@pytest.mark.parametrize(
    ("top", "below", "short"),
    [(0.562, 0.541, 0.56), (0.0329, 0.0129, 0.03), (1234.5, 900.0, 1000.0), (0.3, 0.1, 0.3),
     (-0.25, -0.31, -0.3), (0.0, -1.0, 0.0), (1.2345678901234567e-300, 1.23456789012e-300,
      1.234567890123e-300), (1.5e308, 1e-300, 1e308), (5e-324, 0.0, 5e-324)],
)  # fmt: skip
def test_a_short_threshold_gives_the_same_links(top, below, short):
    sw = sweep([("a", "x", top), ("b", "q", below)], {"a": ["x"]}, entities=LISTED)
    assert sw.best.round_threshold == short


@on_every_backend
def test_the_best_score_is_that_of_evaluate_to_the_last_bit():
    rng = np.random.default_rng(0)
    for n in (3, 7, 50, 1000):
        rows = pd.DataFrame(rng.integers(0, [n, 9], (4 * n, 2)), columns=["entity", "target"])
        true = rows.sample(n, random_state=1).drop_duplicates()
        frame = rows.assign(score=rng.random(len(rows)))
        best = sweep(frame, true, entities=range(n)).results[0].best
        ev = evaluate(frame, true, entities=range(n), threshold=best.threshold)
        assert ev.macro_fbeta == best.macro_fbeta


@on_every_backend
def test_grids_of_rules_come_in_any_list():
    sw = sweep(ROWS, TRUE, entities=LISTED, top_k=range(1, 3))
    assert [r.policy.top_k for r in sw.results] == [None, None, 1, 2]
    same = sweep(ROWS, TRUE, entities=LISTED, top_k=pd.Series([1, 2]))
    assert [r.policy for r in same.results] == [r.policy for r in sw.results]
    owned = sweep(
        ROWS, TRUE, entities=LISTED, one_entity_per_target=[True, False], owner_margin=0.1
    )
    assert len(owned.results) == 3


@on_every_backend
def test_targets_of_another_kind_are_an_error_and_near_ones_a_warning():
    rows = [("a", 1, 0.5), ("b", 2, 0.4)]
    with pytest.raises(DataError, match="so no id could ever match"):
        sweep(rows, {"a": ["1"]}, entities=["a", "b"])
    with pytest.warns(DataWarning, match="1 id matches .* only after stripping"):
        sweep([("a", "x ", 0.5)], {"a": ["x"]}, entities=["a"])


@on_every_backend
def test_several_score_columns_and_a_grid_of_policies():
    frame = pl.DataFrame(
        {"entity": ["a", "b"], "target": [1, 1], "one": [0.9, 0.4], "two": [0.2, 0.6]}
    )
    sw = sweep(frame, [("a", 1)], entities=["a", "b"], score=["one", "two"], top_k=[None, 1])
    assert len(sw.results) == 6
    assert {r.score for r in sw.results} == {"one", "two"}
    assert isinstance(sw.curve, pl.DataFrame)
    assert sw.best.threshold == 0.9
    assert json.loads(json.dumps(sw.to_dict()))["policies"][1]["policy"]["one_entity_per_target"]
    assert "one: threshold only" in str(sw)
    assert "| one: top 1 |" in sw.to_markdown()


# -- the example ------------------------------------------------------------------------------


@pytest.fixture
def febrl(backend):
    return febrl_truth()


@on_every_backend
@pytest.mark.parametrize(
    ("name", "plain", "owned", "margin"),
    [("splink", 0.9850, 0.9925, 0.9926), ("jaro_winkler", 0.9588, 0.9807, 0.9855)],
)
@pytest.mark.parametrize("free_bytes", [10**5])
def test_the_best_of_each_policy_on_the_example(febrl, name, plain, owned, margin):
    frame = pd.read_parquet(FEBRL / f"{name}.parquet")
    sw = sweep(frame, febrl, owner_margin=0.05)
    assert [round(r.best.macro_fbeta, 4) for r in sw.results] == [plain, owned, margin]
    if name == "splink":
        best = sw[Policy()].best
        assert best.threshold == pytest.approx(0.562192683, abs=1e-9)
        assert best.down_to == pytest.approx(0.541409061, abs=1e-9)
        assert best.round_threshold == 0.56
        assert (round(best.precision, 4), round(best.recall, 4)) == (0.9959, 0.9603)
        assert sw[Policy(one_entity_per_target=True)].best.threshold == pytest.approx(
            0.0329, abs=1e-4
        )
        typed = evaluate(frame, febrl, threshold=best.threshold)
        assert typed.macro_fbeta == pytest.approx(best.macro_fbeta, abs=1e-12)


@on_every_backend
@pytest.mark.parametrize("free_bytes", [10**5])
def test_others_compete_for_the_targets_of_a_part(febrl):
    import zlib

    frame = pd.read_parquet(FEBRL / "jaro_winkler.parquet")
    listed = pd.read_csv(FEBRL / "entities.csv")["entity"]
    fold = [e for e in listed if zlib.crc32(e.encode()) % 5 == 0]
    assert len(fold) == 394
    sw = sweep(
        frame, febrl, entities=fold, one_entity_per_target=True, thresholds=[0.7],
        unknown_entities="drop",
    )  # fmt: skip
    owned = sw[Policy(one_entity_per_target=True)]
    assert round(float(owned.macro_fbeta[0]), 4) == 0.9778
    alone = sweep(frame[frame["entity"].isin(fold)], febrl, entities=fold, thresholds=[0.7])[
        Policy(one_entity_per_target=True)
    ]
    assert round(float(alone.macro_fbeta[0]), 4) == 0.8046


@on_every_backend
def test_undirected_pairs_have_no_rules_of_an_entity():
    truth = Truth([("a", "b")], ["a", "b"], undirected=True)
    with pytest.raises(DataError, match="by the threshold alone"):
        sweep([("a", "b", 0.5)], truth, top_k=1)
