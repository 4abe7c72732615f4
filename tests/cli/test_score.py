"""The command score."""

import json

import pandas as pd
import pytest
from commands import apart, run, score
from febrl import SPLINK


def test_the_example_prints_its_report():
    done = apart("score", *SPLINK, "--threshold", "0.5", "--by", "state")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "splink ≥ 0.5",
        "macro F0.5  0.9836  95 % [0.9778, 0.9878] · 126 imperfect entities",
        "            predicting nothing 0.4175 · oracle 0.9937",
        "entities    2,000   835 singletons (6 linked) · others 0.9769",
        "links       2,907   2,883 true · 24 false · 117 missed (75 not candidates)",
        "pooled      P 0.9917  R 0.9610  F0.5 0.9854",
        "",
        "loss 0.0164        entities    loss",
        "nothing predicted        15  0.0075",
        "misses only              96  0.0043",
        "singleton linked          6  0.0030",
        "extras only               9  0.0016",
        "",
        "if fixed alone                   links     F0.5",
        "false links on singletons            8  +0.0030",
        "other false links                   16  +0.0016",
        "false, target of another entity     16  +0.0016",
        "false, target of nobody              0  +0.0000",
        "missed candidates                   42  +0.0055",
        "missed, given to another entity      0  +0.0000",
        "missed, given to nobody             42  +0.0055",
        "not in the candidates               75  +0.0067",
        "oracle 0.9937 · lost by blocking 0.0063 · by decision 0.0101",
        "",
        "state (worst loss first)  entities    loss    F0.5       P       R",
        "vic                            522  0.0069  0.9737  0.9926  0.9441",
        "nsw                            637  0.0029  0.9910  0.9937  0.9635",
        "sa                             177  0.0019  0.9786  0.9894  0.9690",
        "wa                             190  0.0018  0.9805  0.9936  0.9810",
        "qld                            353  0.0015  0.9912  0.9855  0.9695",
        "tas                             51  0.0005  0.9786  0.9853  0.9853",
        "?                               22  0.0005  0.9524  1.0000  0.9200",
        "act                             33  0.0002  0.9853  1.0000  0.9242",
        "nt                              15  0.0001  0.9876  1.0000  0.9302",
    ]


def test_json_is_the_whole_report(files):
    done = score(files, "--json", "--by", "side", "--by", "side,n_true", "--threshold", "0.5")
    told = json.loads(done.stdout)
    assert (told["name"], told["threshold"], told["tp"], told["n_pred"]) == ("pred", 0.5, 2, 2)
    assert told["dropped"]["below_threshold"] == 1
    assert told["losses"][0]["outcome"] == "misses only"
    assert [row["side"] for row in told["slices"]["side"]] == ["n", "s", None]
    assert told["slices"]["side,n_true"][0]["n_true"] == "1"


def test_markdown(files):
    done = score(files, "--markdown", "--by", "side")
    assert "| macro F0.5 | 0.7963 · 95 % [0.2262, 0.9742] · 2 imperfect entities |" in done.stdout
    assert "| side (worst loss first) | entities | loss | F0.5 | P | R |" in done.stdout


def test_where_and_only_score_a_part_against_the_whole(files):
    (files / "ids.txt").write_text("c\r\nb")
    done = score(files, "--where", "side=s")
    assert "entities    1       0 singletons" in done.stdout
    assert done.stderr.splitlines() == [
        "note: every row is a prediction: 'score' only counts with --threshold",
        "note: 1 truth row of entities that are not scored ignored",
        "note: scored 1 of 3 entities",
    ]
    assert "entities    2       1 singleton" in score(files, "--only", "ids.txt").stdout
    assert "entities    1       1 singleton" in score(files, "--where", "side=").stdout
    both = score(files, "--only", "ids.txt", "--where", "side=s", "--by", "side")
    assert both.stdout.splitlines()[-1].split()[:2] == ["s", "1"]


def test_the_gate(files):
    assert score(files, "--fail-under", "0.79").returncode == 0
    failed = score(files, "--fail-under", "0.8", "--quiet")
    assert (failed.returncode, failed.stdout) == (1, "")
    assert failed.stderr == "macro F 0.7962962962962963 is below 0.8\n"


def test_what_is_left_out_is_told(files):
    (files / "pred.csv").write_text("entity,target\na,x\na,x\n?,x\n,x\n")
    done = score(files, "--unknown-entities", "drop", "--nulls", "drop")
    assert done.stderr.splitlines() == [
        "note: 1 repeated prediction row counted once",
        "note: 1 prediction row without an id dropped",
        "note: 1 prediction row of unlisted entities dropped",
    ]
    (files / "pred.csv").write_text("entity,target\na,x \n")
    told = "warning: 1 id matches between predictions column"
    assert score(files).stderr.startswith(told)
    assert score(files, "--quiet").stderr.startswith(told)


def test_what_is_seldom_meant_is_told(files):
    (files / "none.csv").write_text("entity,target\n")
    assert "the truth holds no pair" in score(files, truth="none.csv").stderr
    (files / "lower.csv").write_text("entity,target\nA,x\n")
    done = score(files, truth="lower.csv")
    assert "none of the 1 row of the truth is of a listed entity" in done.stderr
    assert "the list holds 'a', 'b', 'c', the truth 'A'" in done.stderr
    (files / "wrong.csv").write_text("entity,target\na,X\n")
    assert "none of the 1 predicted pairs is true" in score(files, pred="wrong.csv").stderr
    assert "no pair reaches the threshold 2" in score(files, "--threshold", "2").stderr
    (files / "upper.csv").write_text("entity,target\nA,x\n")
    done = score(files, "--unknown-entities", "drop", pred="upper.csv")
    assert "all 1 row of the predictions are of entities that are not listed" in done.stderr
    assert "compare how the ids are written" in score(files, pred="upper.csv").stderr


def test_many_slices_are_cut_and_counted(files):
    ids = [f"e{i}" for i in range(50)]
    (files / "entities.csv").write_text("entity,k\n" + "".join(f"{i},{i}\n" for i in ids))
    (files / "pred.csv").write_text("entity,target\ne0,x\n")
    (files / "truth.csv").write_text("entity,target\ne0,x\n")
    done = score(files, "--by", "k")
    assert done.stdout.splitlines()[-1].startswith("... 20 more (--json has all)")
    assert len(json.loads(score(files, "--by", "k", "--json").stdout)["slices"]["k"]) == 50


def test_candidates_add_the_oracle_and_the_budget(files):
    (files / "pool.csv").write_text("entity,target\na,x\na,z\nb,w\nb,y\n")
    told = json.loads(score(files, "--candidates", "pool.csv", "--json").stdout)
    budget = told["error_budget"]
    assert budget["oracle"] == 1.0
    assert budget["lines"]["missed candidates"]["links"] == 1
    assert "oracle 1.0000" in score(files, "--candidates", "pool.csv", "--markdown").stdout
    assert "oracle" not in score(files).stdout
    part = score(files, "--candidates", "pool.csv", "--where", "side=n", "--json")
    assert json.loads(part.stdout)["error_budget"]["lines"]["missed candidates"]["links"] == 0


def test_the_links_are_written_with_their_records(files):
    (files / "names.csv").write_text("id,name\na,Ann\nz,Zoe\nw,Wim\n")
    args = ["--false-links", "f.csv", "--missed-links", "m.parquet", "--records", "names.csv"]
    assert score(files, *args).returncode == 0
    false = pd.read_csv(files / "f.csv")
    assert false[["entity", "target", "entity_name", "target_name"]].to_numpy().tolist() == [
        ["a", "z", "Ann", "Zoe"]
    ]
    missed = pd.read_parquet(files / "m.parquet")
    assert missed[["entity", "target", "target_name"]].to_numpy().tolist() == [["b", "w", "Wim"]]
    done = score(files, "--false-links", "f.txt")
    assert (done.returncode, done.stdout) == (2, "")
    assert "--false-links 'f.txt': cannot tell what to write" in done.stderr


def test_lists_score_as_rows_do(files):
    (files / "pred.tsv").write_text("a\tx,z\nb\ty\nc\t\n")
    (files / "truth.txt").write_text("a\tx\nb\ty,w\n")
    rows = score(files, "--json", "--name", "p").stdout
    lists = score(
        files, "--json", "--name", "p", "--lists", "all", pred="pred.tsv", truth="truth.txt"
    )
    assert lists.stdout == rows
    wrong = score(files, "--lists", "pred", pred="pred.csv")
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert "no tab in any line" in wrong.stderr


def test_undirected_pairs_on_the_command_line(files):
    (files / "pred.csv").write_text("entity,target\nb,a\na,b\nc,c\n")
    (files / "truth.csv").write_text("entity,target\na,b\n")
    done = score(files, "--undirected")
    assert "links       1       1 true · 0 false · 0 missed" in done.stdout
    assert "1 prediction row of a record with itself dropped" in done.stderr


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["--records", "pred.csv"], "--records FILE stands beside links"),
        (["--candidate-columns", "a,b"], "--candidate-columns without candidates"),
        (["--lists", "candidates"], "--lists candidates without candidates"),
        (["--list-separator", ";"], "--list-separator is of lists"),
        (["--false-links", "f.csv", "--missed-links", "f.csv"], "name another"),
    ],
)
def test_options_without_an_effect_are_refused(files, args, said):
    done = score(files, *args)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert done.stderr.count("\n") == 1


def test_scored_text_candidates_rank_the_missed_links(files):
    (files / "pool.csv").write_text("entity,target,score\na,z,0.5\nb,w,0.25\nb,w,0.25\nq,z,1\n")
    args = ["--candidates", "pool.csv", "--missed-links", "m.csv"]
    done = score(files, *args, "--unknown-entities", "drop")
    assert done.returncode == 0
    assert "1 candidate row of unlisted entities dropped" in done.stderr
    assert pd.read_csv(files / "m.csv")[["score", "rank"]].to_numpy().tolist() == [[0.25, 1]]


def test_the_score_command_prints_limits():
    arguments = ("score", *SPLINK, "--threshold", "0.5")
    done = run(*arguments, "--interval", "--level", "0.9", "--by", "n_true")
    assert (done.returncode, done.stderr) == (0, "")
    assert "90 % [0.9788, 0.9872] · 126 imperfect" in done.stdout
    assert "macro F0.5 non singleton" in done.stdout
    assert "bounded, all slices" in done.stdout
    done = run(*arguments, "--method", "bca", "--seed", "5", "--json", "--interval")
    told = json.loads(done.stdout)
    assert told["interval"]["method"] == "bca"
    assert told["interval"]["seed"] == 5
    assert set(told["intervals"]) >= {"precision", "macro_recall"}
    assert "--seed 5" in done.stderr
