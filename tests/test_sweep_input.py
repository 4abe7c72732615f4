"""What `sweep`, `Policy` and `decide` take and refuse, and what their results can be asked."""

import itertools
import json
import math

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from test_cli import run

from berx_gpu import DataError, DataWarning, Policy, decide, evaluate, sweep

pytestmark = pytest.mark.usefixtures("backend")

ROWS = [("a", "x", 0.9), ("a", "q", 0.4), ("b", "y", 0.6)]
TRUE = {"a": ["x"], "b": ["y"], "c": []}
LISTED = ["a", "b", "c"]


def scored(values, dtype, targets="xywz"):
    return pd.DataFrame(
        {
            "entity": list("abc")[: len(values)],
            "target": list(targets)[: len(values)],
            "score": np.array(values, dtype),
        }
    )


# -- score columns ----------------------------------------------------------------------------

TWO = pa.table({"entity": ["a", "b"], "target": ["x", "y"], "s": [0.5, 0.4], "u": [0.6, 0.7]})


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


def test_a_tuple_may_be_the_label_of_a_column():
    frame = TWO.to_pandas().drop(columns="u").rename(columns={"s": ("s", 1)})
    assert sweep(frame, TRUE, entities=LISTED, score=("s", 1)).best.n_pred == 2


def test_tuples_hold_one_score():
    with pytest.raises(DataError, match="need a frame"):
        sweep(ROWS, TRUE, entities=LISTED, score=["s", "u"])


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


# -- predicting nothing -----------------------------------------------------------------------


def test_nothing_is_best_though_a_score_is_infinite():
    frame = scored([math.inf, 0.5], "float64", "zw")
    sw = sweep(frame, {"a": [], "b": ["y"], "c": []}, entities=LISTED)
    best = sw.best
    assert (best.macro_fbeta, best.n_pred) == (pytest.approx(2 / 3), 0)
    assert math.isnan(best.threshold)
    assert len(decide(frame, best.policy)) == 0
    assert sw.at(best.threshold).macro_fbeta == best.macro_fbeta
    assert sw.bands()["change"].tolist() == pytest.approx([-1 / 3, -1 / 3])
    assert "nothing  0.6667" in sw.around()
    assert sw.by({"a": 1, "b": 1, "c": 1})["best_threshold"].tolist() == [math.inf]
    assert sw.by({"a": 1, "b": 1, "c": 1})["gain"].tolist() == [0.0]
    assert json.loads(json.dumps(sw.to_dict(), allow_nan=False))["best"]["threshold"] is None


# -- grids ------------------------------------------------------------------------------------


@pytest.mark.parametrize("grid", [[0.2, 0.5, 0.9], [0.9, 0.5, 0.2]])
def test_a_grid_is_asked_like_the_whole_curve(grid):
    swept = sweep(ROWS, TRUE, entities=LISTED, thresholds=grid)
    whole = sweep(ROWS, TRUE, entities=LISTED)
    assert swept.at_precision(0.9) == 0.5
    assert swept.best.threshold == 0.5
    assert swept.best.down_to == 0.4
    edges = [0.2, 0.5, 0.9]
    columns = ["low", "pairs", "true", "true_below_best", "false_below_best"]
    assert swept.bands(edges)[columns].equals(whole.bands(edges)[columns])
    assert swept.bands(edges)["change"].round(4).tolist() == [-0.3333, 0.0, -0.1481]
    assert "0.6  1.0000  1.0000  1.0000      2       2  best" in swept.around()
    assert 0.5 in swept.thin(2)["threshold"].tolist()


@pytest.mark.parametrize("grid", [[], 0.5, "0.5", [math.nan], [True], ["x"], [None]])
def test_grids_that_are_refused(grid):
    with pytest.raises(DataError, match="thresholds"):
        sweep(ROWS, TRUE, entities=LISTED, thresholds=grid)


def test_a_grid_beyond_every_float():
    assert sweep(ROWS, TRUE, entities=LISTED, thresholds=[10**400]).best.n_pred == 0


# -- scores of other types --------------------------------------------------------------------


def test_thresholds_and_edges_are_rounded_as_scores_are():
    frame = scored([0.7, 0.7, 0.6], "float32")
    sw = sweep(frame, TRUE, entities=LISTED)
    bands = sw.bands([0.7])
    assert bands[["low", "pairs"]].to_numpy().tolist() == [[0.7, 2], [-math.inf, 1]]
    assert sw.best.round_threshold == 0.7
    grid = sweep(frame[:2], TRUE, entities=LISTED, thresholds=[0.7])
    assert grid.by({"a": 1, "b": 1})["gain"].tolist() == [0.0, 0.0]
    assert (
        len(decide(frame, Policy(min_best=0.7))) == len(decide(frame, Policy(threshold=0.7))) == 2
    )


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


@pytest.mark.parametrize(
    ("top", "below", "short"),
    [(0.562, 0.541, 0.56), (0.0329, 0.0129, 0.03), (1234.5, 900.0, 1000.0), (0.3, 0.1, 0.3),
     (-0.25, -0.31, -0.3), (0.0, -1.0, 0.0), (1.2345678901234567e-300, 1.23456789012e-300,
      1.234567890123e-300), (1.5e308, 1e-300, 1e308), (5e-324, 0.0, 5e-324)],
)  # fmt: skip
def test_a_short_threshold_gives_the_same_links(top, below, short):
    sw = sweep([("a", "x", top), ("b", "q", below)], {"a": ["x"]}, entities=LISTED)
    assert sw.best.round_threshold == short


def test_the_best_score_is_that_of_evaluate_to_the_last_bit():
    rng = np.random.default_rng(0)
    for n in (3, 7, 50, 1000):
        rows = pd.DataFrame(rng.integers(0, [n, 9], (4 * n, 2)), columns=["entity", "target"])
        true = rows.sample(n, random_state=1).drop_duplicates()
        frame = rows.assign(score=rng.random(len(rows)))
        best = sweep(frame, true, entities=range(n)).results[0].best
        ev = evaluate(frame, true, entities=range(n), threshold=best.threshold)
        assert ev.macro_fbeta == best.macro_fbeta


# -- what results refuse ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "ask",
    [
        lambda sw: sw.at("x"),
        lambda sw: sw.bands(["x"]),
        lambda sw: sw.bands([math.nan]),
        lambda sw: sw.bands(0.5),
        lambda sw: sw.thin("x"),
        lambda sw: sw.thin(0),
        lambda sw: sw.around(1.5),
        lambda sw: sw.around(-1),
        lambda sw: sw.at_precision("x"),
        lambda sw: sw[Policy(top_k=4)],
        lambda sw: sw[0],
        lambda sw: sw.plot(oracle="x"),
    ],
)
def test_questions_without_an_answer(ask):
    with pytest.raises(DataError):
        ask(sweep(ROWS, TRUE, entities=LISTED))


def test_grids_of_rules_come_in_any_list():
    sw = sweep(ROWS, TRUE, entities=LISTED, top_k=range(1, 3))
    assert [r.policy.top_k for r in sw.results] == [None, None, 1, 2]
    same = sweep(ROWS, TRUE, entities=LISTED, top_k=pd.Series([1, 2]))
    assert [r.policy for r in same.results] == [r.policy for r in sw.results]
    owned = sweep(
        ROWS, TRUE, entities=LISTED, one_entity_per_target=[True, False], owner_margin=0.1
    )
    assert len(owned.results) == 3


# -- policies ---------------------------------------------------------------------------------


def test_a_policy_holds_plain_numbers(tmp_path):
    policy = Policy(threshold=np.float32(0.5), top_k=np.int64(3), min_best=np.float16(0.25))
    policy.save(tmp_path / "p.json")
    assert Policy.load(tmp_path / "p.json") == policy == Policy(0.5, top_k=3, min_best=0.25)
    nothing = Policy(threshold=math.nan)
    nothing.save(tmp_path / "p.json")
    assert len(decide(ROWS, Policy.load(tmp_path / "p.json"))) == 0


def test_a_margin_is_a_rule_of_owners():
    assert Policy(owner_margin=0.1) == Policy(one_entity_per_target=True, owner_margin=0.1)
    assert Policy(best_margin=0.1).rules() != Policy(best_margin=0.10000001).rules()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"threshold": true}', "p.json: threshold=True"),
        ('{"threshold": "x"}', "p.json: threshold='x'"),
        ('{"top_k": 2.0}', "p.json: top_k=2.0"),
        ('{"threshold": 0.5, "threshold": 0.6}', "'threshold' twice"),
        ("[" * 100_000, "p.json is no JSON"),
    ],
)
def test_files_that_hold_no_policy(tmp_path, text, said):
    (tmp_path / "p.json").write_text(text)
    with pytest.raises(DataError, match=said):
        Policy.load(tmp_path / "p.json")


def test_a_best_score_that_no_float_reaches():
    assert len(decide(ROWS, Policy(min_best=10**400))) == 0


# -- the command line -------------------------------------------------------------------------


@pytest.fixture
def files(tmp_path):
    (tmp_path / "c.csv").write_text("entity,target,score\na,x,0.9\na,x,0.8\na,q,0.4\nb,y,0.6\n")
    (tmp_path / "t.csv").write_text("entity,target\na,x\nb,y\n")
    (tmp_path / "e.csv").write_text("entity,region\na,n\nb,s\nc,s\n")
    (tmp_path / "p.json").write_text('{"threshold": 0.5}')
    return tmp_path


SWEEP = ("sweep", "c.csv", "t.csv", "--entities", "e.csv")


@pytest.mark.parametrize(
    "args",
    [
        (*SWEEP, "--save", "c.csv"),
        (*SWEEP, "--save", "e.csv"),
        (*SWEEP, "--output", "o.csv", "--save", "o.csv"),
        ("decide", "c.csv", "p.json", "e.csv", "--entities", "e.csv"),
        ("decide", "c.csv", "p.json", "c.csv", "--as-lists"),
        ("decide", "c.csv", "p.json", "p.json", "--as-lists"),
    ],
)
def test_no_file_of_the_command_is_written_over(files, args):
    before = {path: path.read_bytes() for path in files.iterdir()}
    done = run(*args, cwd=files)
    assert (done.returncode, done.stdout) == (2, "")
    assert "name another" in done.stderr
    assert {path: path.read_bytes() for path in files.iterdir()} == before


def test_slices_bands_and_what_was_left_out_in_every_form(files):
    args = (*SWEEP, "--bands", "--by", "region")
    plain, markdown, as_json = (run(*args, *form, cwd=files) for form in
                                ((), ("--markdown",), ("--json",)))  # fmt: skip
    for done in (plain, markdown, as_json):
        assert done.returncode == 0
        assert done.stderr == "note: 1 repeated candidate row counted once\n"
    assert "region (largest gain first)" in plain.stdout
    assert "| from | to |" in markdown.stdout
    assert "| region (largest gain first) |" in markdown.stdout

    def refuse(constant):
        raise AssertionError(constant)

    told = json.loads(as_json.stdout, parse_constant=refuse)
    assert told["dropped"]["prediction_repeats"] == 1
    assert [row["region"] for row in told["slices"]["region"]] == ["n", "s"]
    assert told["bands"][0]["pairs"] == 1


def test_a_part_does_not_hide_unknown_entities(files):
    (files / "c.csv").write_text("entity,target,score\nTYPO,q,0.4\na,x,0.9\nb,y,0.6\n")
    done = run(*SWEEP, "--where", "region=s", cwd=files)
    assert (done.returncode, done.stdout) == (2, "")
    assert "'TYPO'" in done.stderr
    done = run(*SWEEP, "--where", "region=s", "--unknown-entities", "drop", cwd=files)
    assert "2 candidate rows of entities that are not scored count only" in done.stderr
    done = run(*SWEEP, "--where", "region=zz", "--unknown-entities", "drop", cwd=files)
    assert "the column has 'n', 's'" in done.stderr


def test_decide_says_what_it_left_out(files):
    (files / "c.csv").write_text("entity,target,score\nz,q,0.9\na,,0.9\nb,y,0.6\n")
    args = ("decide", "c.csv", "p.json", "l.csv", "--entities", "e.csv", "--nulls", "drop")
    done = run(*args, "--unknown-entities", "drop", cwd=files)
    assert done.stderr.splitlines() == [
        "note: 1 candidate row without an id dropped",
        "note: 1 candidate row of entities that are not scored count only against others",
        "1 link written to l.csv",
    ]


def test_text_in_the_column_of_scores_names_the_option(files):
    (files / "c.csv").write_text("entity,target,score\na,x,high\n")
    assert "--candidate-columns ENTITY,TARGET,SCORE" in run(*SWEEP, cwd=files).stderr


def test_a_figure_of_a_perfect_sweep_says_nothing(files):
    (files / "c.csv").write_text("entity,target,score\na,x,0.9\nb,y,0.9\n")
    done = run(*SWEEP, "--plot", "sweep.png", "--quiet", cwd=files)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_targets_of_another_kind_are_an_error_and_near_ones_a_warning():
    rows = [("a", 1, 0.5), ("b", 2, 0.4)]
    with pytest.raises(DataError, match="so no id could ever match"):
        sweep(rows, {"a": ["1"]}, entities=["a", "b"])
    with pytest.warns(DataWarning, match="1 id matches .* only after stripping"):
        sweep([("a", "x ", 0.5)], {"a": ["x"]}, entities=["a"])
