"""The command decide."""

import json

import pandas as pd
from commands import run
from conftest import on_every_backend


def test_a_sweep_saves_a_policy_that_decide_applies(files):
    (files / "pool.csv").write_text(
        "entity,target,score\na,x,0.9\na,z,0.4\nb,y,0.8\nb,w,0.6\nc,x,0.7\n"
    )
    args = ["--entities", "entities.csv", "--top-k", "1", "--save", "p.json", "--bands"]
    done = run("sweep", "pool.csv", "truth.csv", *args, "--output", "curve.csv", cwd=files)
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0].startswith("policy ")
    assert lines[2].split() == [
        "one",
        "entity",
        "per",
        "target",
        "0.6",
        "0.4",
        "0.6",
        "1.0000",
        "1.0000",
        "1.0000",
        "3",
    ]
    assert any(line.endswith("best") for line in lines)
    assert lines[-1].split()[-1] == "4.00:1"
    assert json.loads((files / "p.json").read_text())["one_entity_per_target"] is True
    assert pd.read_csv(files / "curve.csv")["n_pred"].tolist() == [0, 1, 2, 3, 4]
    done = run("decide", "pool.csv", "p.json", "links.csv", cwd=files)
    assert (done.returncode, done.stderr) == (0, "3 links written to links.csv\n")
    links = pd.read_csv(files / "links.csv").to_numpy().tolist()
    assert links == [["a", "x", 0.9], ["b", "y", 0.8], ["b", "w", 0.6]]
    args = ["--entities", "entities.csv", "--as-lists"]
    run("decide", "pool.csv", "p.json", "links.tsv", *args, cwd=files)
    assert (files / "links.tsv").read_text() == "a\tx\nb\ty,w\nc\t\n"


@on_every_backend
def test_decide_says_what_it_left_out(sweep_files):
    (sweep_files / "c.csv").write_text("entity,target,score\nz,q,0.9\na,,0.9\nb,y,0.6\n")
    args = ("decide", "c.csv", "p.json", "l.csv", "--entities", "e.csv", "--nulls", "drop")
    done = run(*args, "--unknown-entities", "drop", cwd=sweep_files)
    assert done.stderr.splitlines() == [
        "note: 1 candidate row without an id dropped",
        "note: 1 candidate row of entities that are not scored count only against others",
        "1 link written to l.csv",
    ]
