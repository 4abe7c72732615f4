"""The command sweep."""

import json

import pandas as pd
import pytest
from commands import run
from conftest import on_every_backend
from febrl import FEBRL, SPLINK


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--grid", "0.1,x"], "--grid '0.1,x': give numbers"),
        (["--top-k", "0"], "--top-k=0: give a whole number from 1"),
        (["--ratio", "2"], "ratio=2.0: give a number above 0 and at most 1"),
        (["--plot", "sweep.gif"], "use .png, .svg or .pdf"),
        (["--output", "curve.txt"], "cannot tell what to write"),
    ],
)
def test_a_sweep_refuses(files, args, said):
    args = ["pred.csv", "truth.csv", "--entities", "entities.csv", *args]
    done = run("sweep", *args, cwd=files)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr


def test_a_sweep_is_drawn_and_told_as_json(files):
    args = ["pred.csv", "truth.csv", "--entities", "entities.csv", "--grid", "0.5,0.1"]
    done = run("sweep", *args, "--plot", "s.svg", "--json", cwd=files)
    assert done.returncode == 0
    assert json.loads(done.stdout)["best"]["n_pred"] == 2
    assert (files / "s.svg").read_text().startswith("<?xml")


SWEEP = ("sweep", "c.csv", "t.csv", "--entities", "e.csv")


@on_every_backend
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
def test_no_file_of_the_command_is_written_over(sweep_files, args):
    before = {path: path.read_bytes() for path in sweep_files.iterdir()}
    done = run(*args, cwd=sweep_files)
    assert (done.returncode, done.stdout) == (2, "")
    assert "name another" in done.stderr
    assert {path: path.read_bytes() for path in sweep_files.iterdir()} == before


@on_every_backend
def test_slices_bands_and_what_was_left_out_in_every_form(sweep_files):
    args = (*SWEEP, "--bands", "--by", "region")
    plain, markdown, as_json = (run(*args, *form, cwd=sweep_files) for form in
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


@on_every_backend
def test_a_part_does_not_hide_unknown_entities(sweep_files):
    (sweep_files / "c.csv").write_text("entity,target,score\nTYPO,q,0.4\na,x,0.9\nb,y,0.6\n")
    done = run(*SWEEP, "--where", "region=s", cwd=sweep_files)
    assert (done.returncode, done.stdout) == (2, "")
    assert "'TYPO'" in done.stderr
    done = run(*SWEEP, "--where", "region=s", "--unknown-entities", "drop", cwd=sweep_files)
    assert "2 candidate rows of entities that are not scored count only" in done.stderr
    done = run(*SWEEP, "--where", "region=zz", "--unknown-entities", "drop", cwd=sweep_files)
    assert "the column has 'n', 's'" in done.stderr


@on_every_backend
def test_text_in_the_column_of_scores_names_the_option(sweep_files):
    (sweep_files / "c.csv").write_text("entity,target,score\na,x,high\n")
    assert "--candidate-columns ENTITY,TARGET,SCORE" in run(*SWEEP, cwd=sweep_files).stderr


@on_every_backend
def test_a_figure_of_a_perfect_sweep_says_nothing(sweep_files):
    (sweep_files / "c.csv").write_text("entity,target,score\na,x,0.9\nb,y,0.9\n")
    done = run(*SWEEP, "--plot", "sweep.png", "--quiet", cwd=sweep_files)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


COMMAND = ("sweep", *SPLINK)


def test_the_command_prints_the_cross_fitted_score(tmp_path):
    done = run(*COMMAND)
    assert "cross-fitted F0.5 0.9924, 95 % [0.9884, 0.9949]" in done.stdout
    assert "cross-fitted" in run(*COMMAND, "--markdown").stdout
    told = json.loads(run(*COMMAND, "--json", "--folds", "3", "--level", "0.9").stdout)
    assert len(told["cross_fitted"]["folds"]) == 3
    assert told["cross_fitted"]["confidence_level"] == 0.9
    assert "not cross-fitted: --folds 0" in run(*COMMAND, "--folds", "0").stdout
    few = tmp_path / "few.csv"
    listed = pd.read_csv(FEBRL / "entities.csv")["entity"]
    few.write_text("entity\n" + "".join(f"{e}\n" for e in listed[:20]))
    small = (*COMMAND[:-1], str(few), "--unknown-entities", "drop")
    done = run(*small)
    assert done.returncode == 0
    assert "not cross-fitted" in done.stdout
    done = run(*small, "--folds", "5")
    assert done.returncode == 2
    assert "folds=5: give a whole number from 2 to 2" in done.stderr
    assert run(*small, "--level", "7").returncode == 2
    assert run(*COMMAND, "--folds", "0", "--level", "2").returncode == 2
