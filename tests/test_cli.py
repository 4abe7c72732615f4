"""The command line: what it prints, what it refuses, and with which exit status."""

import contextlib
import gzip
import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from unittest import mock

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from berx_gpu import cli

ROOT = Path(__file__).parent.parent
FEBRL = ROOT / "examples" / "febrl3"
SPLINK = [
    str(FEBRL / "splink.parquet"),
    str(FEBRL / "truth.csv"),
    "--entities",
    str(FEBRL / "entities.csv"),
]


def apart(*args, **options):
    """Run a command in a process of its own, as users do."""
    command = [sys.executable, "-m", "berx_gpu", *map(str, args)]
    return subprocess.run(command, capture_output=True, text=True, **options)


def run(*args, cwd=None):
    """Run a command in this process, which takes no time to start."""
    streams = [io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2)]
    pipe = signal.getsignal(signal.SIGPIPE) if hasattr(signal, "SIGPIPE") else None
    with (
        contextlib.chdir(cwd or "."),
        mock.patch.object(sys, "argv", ["berx-gpu", *map(str, args)]),
        contextlib.redirect_stdout(streams[0]),
        contextlib.redirect_stderr(streams[1]),
        pytest.raises(SystemExit) as ended,
    ):
        cli.main()
    if pipe is not None:
        signal.signal(signal.SIGPIPE, pipe)
    for stream in streams:
        stream.flush()
    out, err = (stream.buffer.getvalue().decode() for stream in streams)
    return subprocess.CompletedProcess(args, ended.value.code, out, err)


@pytest.fixture
def files(tmp_path):
    """Return a folder with a small task as text files."""
    (tmp_path / "pred.csv").write_text("entity,target,score\na,x,0.9\na,z,0.2\nb,y,0.8\n")
    (tmp_path / "truth.csv").write_text("entity,target\na,x\nb,y\nb,w\n")
    (tmp_path / "entities.csv").write_text("entity,side\na,n\nb,s\nc,\n")
    return tmp_path


def score(folder, *args, pred="pred.csv", truth="truth.csv", entities="entities.csv"):
    return run("score", pred, truth, "--entities", entities, *args, cwd=folder)


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


def test_the_example_is_quick_and_help_is_instant():
    apart("score", *SPLINK, "--threshold", "0.5")

    def seconds(*args):
        start = time.perf_counter()
        assert apart(*args).returncode == 0
        return time.perf_counter() - start

    assert min(seconds("--help") for _ in range(3)) < 1
    assert min(seconds("score", *SPLINK, "--threshold", "0.5") for _ in range(3)) < 2.5


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


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("out.txt", "pred\nmacro F0.5"),
        ("out.json", '{\n  "name": "pred"'),
        ("out.md", "|  | pred |"),
        ("out.csv", '"entity","tp","n_pred","n_true","fbeta"\n"a",1,2,1,0.5555555555555556\n'),
        ("out.tsv", '"entity"\t"tp"\t"n_pred"\t"n_true"\t"fbeta"\n"a"\t1'),
    ],
)
def test_output_goes_by_its_ending(files, name, start):
    assert score(files, "--output", name, "--quiet").stdout == ""
    assert (files / name).read_text().startswith(start)
    assert sorted(p.name for p in files.iterdir()) == sorted(
        ["pred.csv", "truth.csv", "entities.csv", name]
    )


def test_output_as_frames(files):
    for name in ("out.parquet", "out.csv.gz", "out.tsv.zst"):
        assert score(files, "--output", name, "--quiet").returncode == 0
    frame = pd.read_parquet(files / "out.parquet")
    assert frame["entity"].tolist() == ["a", "b", "c"]
    assert gzip.decompress((files / "out.csv.gz").read_bytes()).startswith(b'"entity","tp"')
    with pa.input_stream(str(files / "out.tsv.zst"), compression="zstd") as stream:
        assert stream.read(13) == b'"entity"\t"tp"'


def test_output_is_whole_or_not_at_all(files):
    (files / "out.csv").write_text("before")
    done = score(files, "--output", "none/out.csv")
    assert done.returncode == 2
    assert "none/out.csv cannot be written: No such file" in done.stderr
    assert score(files, "--output", "out.xlsx").returncode == 2
    assert (files / "out.csv").read_text() == "before"


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


@pytest.mark.parametrize(
    "text",
    [
        'entity,target\na,007\nb,NA\nb,nan\nc,"x,y"\n',
        'entity,target\r\na,007\r\nb,NA\r\nb,nan\r\nc,"x,y"',
        '\ufeffentity,target\na,007\nb,NA\nb,nan\nc,"x,y"\n',
        'left,right\na,007\nb,NA\nb,nan\nc,"x,y"\n',
        '"entity","target"\n"a","007"\n"b","NA"\n"b","nan"\n"c","x,y"\n',
        '\n\nentity,target\na,007\nb,NA\n\nb,nan\nc,"x,y"\n\n',
        'target,note,entity\n007,,a\nNA,,b\nnan,"line\nbreak",b\n"x,y",,c\n',
    ],
)
def test_ids_are_read_as_written(files, text):
    (files / "pred.csv").write_bytes(text.encode())
    (files / "truth.csv").write_text('entity,target\na,7\na,007\nb,NA\nb,nan\nb,null\nc,"x,y"\n')
    told = json.loads(score(files, "--json").stdout)
    assert (told["tp"], told["n_pred"], told["n_true"]) == (4, 4, 6)


def test_files_without_header(files):
    """https://github.com/apache/arrow/issues/46853"""
    (files / "pred.csv").write_text("007,1\n")
    (files / "truth.csv").write_text('"007","1"\n')
    (files / "entities.csv").write_text("007\n")
    told = json.loads(score(files, "--json", "--no-header").stdout)
    assert (told["tp"], told["n_pred"], told["n_entities"]) == (1, 1, 1)
    (files / "entities.csv").write_text("id\n007\n")
    done = score(files)
    assert done.returncode == 2
    assert "holds the id '007'; if no file has a line of names, say --no-header" in done.stderr


def test_a_missing_header_of_the_entities_is_noticed(files):
    (files / "entities.csv").write_text("b\na\nc\n")
    done = score(files)
    assert (done.returncode, "say --no-header" in done.stderr) == (2, True)


@pytest.mark.parametrize("ending", [".tsv", ".csv.gz", ".tsv.zst", ".parquet", ".pq"])
def test_kinds_of_files(files, ending):
    table = pa.table({"entity": ["a", "b"], "target": ["x", "y"]})
    from berx_gpu.files.tables import write_table

    write_table(table, str(files / f"p{ending}"))
    told = json.loads(score(files, "--json", pred=f"p{ending}").stdout)
    assert (told["tp"], told["n_pred"], told["name"]) == (2, 2, "p")


def test_a_pandas_index_in_parquet_is_no_column(files):
    frame = pd.DataFrame({"q": ["a"], "m": ["x"]}, index=[7])
    frame.to_parquet(files / "p.parquet")
    assert json.loads(score(files, "--json", pred="p.parquet").stdout)["tp"] == 1


def test_column_options(files):
    (files / "pred.csv").write_text("p,note,to,of\n0.9,,x,a\n0.1,,z,a\n")
    (files / "truth.csv").write_text("n,q,m\n1,a,x\n")
    (files / "entities.csv").write_text("side,id\nn,a\ns,b\n")
    done = score(
        files, "--pred-columns", "of,to,p", "--truth-columns", "q,m", "--entity-column", "id",
        "--threshold", "0.5", "--json", "--by", "side",
    )  # fmt: skip
    told = json.loads(done.stdout)
    assert (told["tp"], told["n_pred"], told["n_entities"]) == (1, 1, 2)


def test_numbers_here_and_text_there(files):
    table = pa.table({"entity": [1, 2], "target": [10, 20]})
    pq.write_table(table, files / "p.parquet")
    (files / "truth.csv").write_text("entity,target\n1,10\n2,21\n")
    (files / "entities.csv").write_text("entity\n1\n2\n")
    done = score(files, pred="p.parquet")
    assert done.returncode == 2
    assert "integer ids (int64)" in done.stderr
    assert "--ids text" in done.stderr
    told = json.loads(score(files, "--ids", "text", "--json", pred="p.parquet").stdout)
    assert (told["tp"], told["n_pred"]) == (1, 2)


def write(text, name="pred.csv"):
    return lambda folder: (folder / name).write_bytes(text)


HOSTILE = {
    "wrong column": (
        write(b"who,what,why\na,x,1\n"),
        [],
        "no column 'entity'; its columns are 'who'",
    ),
    "missing file": (lambda f: (f / "pred.csv").unlink(), [], "pred.csv: no such file"),
    "empty entity list": (write(b"entity,side\n", "entities.csv"), [], "entities is empty"),
    "empty file": (write(b""), [], "pred.csv is empty"),
    "text scores": (
        write(b"entity,target,score\na,x,0.9\na,z,high\n"),
        ["--threshold", "0.5"],
        "column 'score' holds 1 row of text where a score must stand, first at row 1 ('high')",
    ),
    "missing scores": (
        write(b"entity,target,score\na,x,0.9\na,z,\n"),
        ["--threshold", "0.5"],
        "misses a score in 1 row, first at row 1",
    ),
    "no scores": (write(b"entity,target\na,x\n"), ["--threshold", "0.5"], "no column 'score'"),
    "folder": (lambda f: ((f / "pred.csv").unlink(), (f / "pred.csv").mkdir()), [], "is a folder"),
    "binary": (write(bytes(range(256)) * 40), [], "pred.csv"),
    "not UTF-8": (write("entity,target\na,é\n".encode("latin-1")), [], "pred.csv"),
    "ragged": (write(b"entity,target\na,x\na\n"), [], "Expected 2 columns, got 1"),
    "missing id": (write(b"entity,target\na,\n"), [], "misses an id in 1 row, first at row 0"),
    "unknown entity": (write(b"entity,target\nq,x\n"), [], "first at row 0: 'q'"),
    "repeated entity": (
        write(b"entity\na\nb\na\n", "entities.csv"),
        [],
        "lists 'a' more than once",
    ),
    "bad where": (lambda f: None, ["--where", "state=vic"], "the entities have 'side'"),
    "bad where form": (lambda f: None, ["--where", "side"], "give COLUMN=VALUE"),
    "nobody left": (
        lambda f: None,
        ["--where", "side=w"],
        "for no entity; the column has",
    ),
    "nobody left by both": (
        lambda f: None,
        ["--where", "side=n", "--where", "side=s"],
        "no entity meets all",
    ),
    "gate out of range": (
        lambda f: None,
        ["--fail-under", "95"],
        "--fail-under 95.0: give a score",
    ),
    "gate of nothing": (lambda f: None, ["--fail-under", "nan"], "--fail-under nan"),
    "only of nothing": (lambda f: None, ["--only", ""], "no such file"),
    "open quote": (write(b'entity,target\na,"x\nb,y\nb,w\n'), [], "a quote is open"),
    "two open quotes": (write(b'entity,target\na,"x\nb,y\nb,"w\n'), [], "a quote is open"),
    "open quote in the list": (
        write(b'entity,side\na,n\nb,"s\nc,\n', "entities.csv"),
        [],
        "entities.csv: near line 4",
    ),
    "zero byte": (write(b"entity,target\na,x\n\0,y\n"), [], "pred.csv"),
    "zero byte first": (write(b"\0entity\na\nb\nc\n", "entities.csv"), [], "entities.csv"),
    "UTF-16": (write("entity,target\na,x\n".encode("utf-16")), [], "pred.csv"),
    "odd scores": (
        write(b"entity,target,score\na,x,1_0\n"),
        ["--threshold", "1"],
        "1 row of text where a score must stand, first at row 0 ('1_0')",
    ),
    "column twice": (
        write(b"entity,side,side\na,n,p\nb,s,p\nc,,q\n", "entities.csv"),
        ["--where", "side=p"],
        "--where 'side=p': give COLUMN=VALUE",
    ),
    "no header and a stranger": (write(b"q,x\na,x\nb,y\n"), [], "holds the id 'x'"),
    "no header, swapped": (write(b"x,a\ny,b\n", "truth.csv"), [], "holds the id 'a'"),
    "long name": (lambda f: None, ["--only", "x" * 300], "cannot be read: "),
    "address": (lambda f: None, ["--only", "file:///etc/passwd"], "no such file"),
    "parquet in gzip": (lambda f: None, ["--output", "o.parquet.gz"], "cannot tell what to write"),
    "two forms": (lambda f: None, ["--json", "--markdown"], "exclude each other"),
    "no output": (lambda f: None, ["--output", ""], "cannot tell what to write"),
    "output over input": (lambda f: None, ["--output", "./pred.csv"], "is a file that is read"),
    "semicolons": (write(b"entity;target\na;x\n"), [], "its columns stand apart by ';', not ','"),
    "no header, but one": (lambda f: None, ["--no-header"], "its first line is 'entity,side'"),
    "score left out": (
        lambda f: None,
        ["--pred-columns", "entity,target", "--threshold", "nan"],
        "threshold=nan",
    ),
    "unknown slice": (lambda f: None, ["--by", "state"], "no slice 'state'"),
    "unknown only": (write(b"a\nq\n", "ids"), ["--only", "ids"], "first 'q' in line 2"),
    "hole in only": (write(b"a\n\nb\n", "ids"), ["--only", "ids"], "line 2 is empty"),
    "missing only": (lambda f: None, ["--only", "ids"], "ids: no such file"),
    "beta": (lambda f: None, ["--beta", "0"], "beta=0.0: give a number between"),
    "not a number": (lambda f: None, ["--beta", "half"], "'half' is not a valid float"),
    "no such option": (lambda f: None, ["--treshold", "1"], "No such option"),
    "column option": (
        lambda f: None,
        ["--pred-columns", "a"],
        "give ENTITY,TARGET or ENTITY,TARGET,SCORE",
    ),
    "entity column": (lambda f: None, ["--entity-column", "id"], "entities has no column 'id'"),
    "nan threshold": (lambda f: None, ["--threshold", "nan"], "threshold=nan"),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_bad_input_gets_one_line_and_exit_2(files, case):
    spoil, options, said = HOSTILE[case]
    spoil(files)
    done = score(files, *options)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("berx-gpu: error: ")
    assert done.stderr.count("\n") == 1
    assert said in done.stderr


def test_the_entity_list_is_asked_for(files):
    assert run(cwd=files).stdout.startswith("Usage: ")
    assert run("score", cwd=files).stderr == "berx-gpu: error: Missing argument 'PREDICTIONS'.\n"
    done = run("score", "pred.csv", "truth.csv", cwd=files)
    assert done.returncode == 2
    assert "--entities FILE is missing: the list of all entities" in done.stderr


@pytest.mark.parametrize("cut", [0, 4, 100, -8, -1])
def test_a_damaged_parquet_file(files, cut):
    whole = (FEBRL / "splink.parquet").read_bytes()
    (files / "p.parquet").write_bytes(whole[:cut])
    done = score(files, pred="p.parquet")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "p.parquet cannot be read" in done.stderr


def test_a_damaged_gzip_file(files):
    (files / "p.csv.gz").write_bytes(gzip.compress(b"entity,target\n" + b"a,x\n" * 9999)[:-20])
    done = score(files, pred="p.csv.gz")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "p.csv.gz cannot be read" in done.stderr


def test_an_unknown_kind_of_file(files):
    (files / "p.xlsx").write_bytes(b"PK")
    assert "unknown kind of file; use .parquet, .csv or .tsv" in score(files, pred="p.xlsx").stderr


def test_a_reader_that_leaves_early():
    command = f"{sys.executable} -m berx_gpu score --help | true; echo ${{PIPESTATUS[0]}}"
    for _ in range(3):
        done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
        assert done.stderr == ""
        assert done.stdout.strip() in ("0", "141"), "done before the reader left, or SIGPIPE"


def test_ctrl_c_ends_it_quietly(files):
    os.mkfifo(files / "slow.csv")
    options = ["score", "slow.csv", "truth.csv", "--entities", "entities.csv"]
    command = [sys.executable, "-m", "berx_gpu", *options]
    process = subprocess.Popen(command, cwd=files, stderr=subprocess.PIPE, text=True)
    time.sleep(2)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=20)
    assert process.returncode == 130
    assert "Traceback" not in err


def test_the_installed_command():
    done = subprocess.run(["berx-gpu", "--version"], capture_output=True, text=True)
    assert done.stdout.startswith("berx-gpu, version ")


def test_many_slices_are_cut_and_counted(files):
    ids = [f"e{i}" for i in range(50)]
    (files / "entities.csv").write_text("entity,k\n" + "".join(f"{i},{i}\n" for i in ids))
    (files / "pred.csv").write_text("entity,target\ne0,x\n")
    (files / "truth.csv").write_text("entity,target\ne0,x\n")
    done = score(files, "--by", "k")
    assert done.stdout.splitlines()[-1].startswith("... 20 more (--json has all)")
    assert len(json.loads(score(files, "--by", "k", "--json").stdout)["slices"]["k"]) == 50


def test_a_header_without_a_line_end(files):
    (files / "pred.csv").write_text("entity,target")
    assert json.loads(score(files, "--json").stdout)["n_pred"] == 0
    (files / "entities.csv").write_text("entity")
    assert "entities is empty" in score(files).stderr


def test_fields_of_some_megabytes(files):
    (files / "truth.csv").write_text("entity,target,note\na,x," + "n" * 3_000_000 + "\nb,y,\n")
    assert json.loads(score(files, "--json").stdout)["n_true"] == 2


def test_scores_with_blanks_beside_them(files):
    (files / "pred.csv").write_text("entity,target,score\na,x, 0.9\na,z,0.2 \nb,y,-Inf\n")
    assert json.loads(score(files, "--json", "--threshold", "0.5").stdout)["n_pred"] == 1


def test_an_entity_may_be_called_entity(files):
    (files / "entities.csv").write_text("entity\nentity\na\nb\n")
    (files / "truth.csv").write_text("kind,entity,target\nentity,a,x\nq,entity,y\n")
    told = json.loads(score(files, "--json").stdout)
    assert (told["n_entities"], told["n_true"], told["tp"]) == (3, 2, 1)


def test_the_entity_column_keeps_its_name(files):
    (files / "entities.csv").write_text("side,id\nn,a\ns,b\n,c\n")
    done = score(files, "--entity-column", "id", "--output", "o.csv", "--by", "id", "--quiet")
    assert done.returncode == 0
    assert (files / "o.csv").read_text().startswith('"id","tp"')


def test_where_takes_values_as_they_are_printed(files):
    frame = pd.DataFrame(
        {
            "entity": ["a", "b", "c"],
            "day": pd.to_datetime(["2024-01-31", "2024-02-01", None]),
            "size": [1.5, 2.0, float("nan")],
            "big": [True, False, True],
        }
    )
    frame.to_parquet(files / "e.parquet")
    for condition in ("day=2024-01-31 00:00:00", "size=1.5", "big=True", "entity=a", "size="):
        done = score(files, "--where", condition, "--json", entities="e.parquet")
        expected = 2 if condition == "big=True" else 1
        assert json.loads(done.stdout)["n_entities"] == expected, condition


def test_where_on_lists(files):
    pq.write_table(pa.table({"entity": ["a", "b"], "k": [["n"], None]}), files / "e.parquet")
    done = score(files, "--where", "k=n", entities="e.parquet")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "holds lists" in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs Linux")
@pytest.mark.parametrize("sink", ["> /dev/full", "> /dev/full 2> /dev/full", ">&-", "2>&-"])
def test_streams_that_cannot_be_written(files, sink):
    line = f"{sys.executable} -m berx_gpu score pred.csv truth.csv --entities entities.csv {sink}"
    done = subprocess.run(["bash", "-c", line], cwd=files, capture_output=True, text=True)
    assert done.returncode in (0, 2)
    assert "Traceback" not in done.stderr


def test_arguments_that_are_no_text(files):
    command = [sys.executable, "-m", "berx_gpu", "score", b"\xff.csv", "truth.csv"]
    done = subprocess.run([*command, "--entities", "entities.csv"], cwd=files, capture_output=True)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.count(b"\n") == 1
    os.rename(files / "pred.csv", os.fsencode(files) + b"/\xff.csv")
    done = subprocess.run([*command, "--entities", "entities.csv"], cwd=files, capture_output=True)
    assert done.returncode == 0


def test_output_through_a_link_keeps_the_link_and_the_mode(files):
    (files / "real.txt").write_text("before")
    (files / "real.txt").chmod(0o600)
    (files / "link.txt").symlink_to("real.txt")
    assert score(files, "--output", "link.txt", "--quiet").returncode == 0
    assert (files / "link.txt").is_symlink()
    assert (files / "real.txt").read_text().startswith("pred")
    assert (files / "real.txt").stat().st_mode & 0o777 == 0o600


def test_ids_that_csv_cannot_hold(files):
    ids = pa.ExtensionArray.from_storage(pa.uuid(), pa.array([b"a" * 16], pa.binary(16)))
    pq.write_table(pa.table({"entity": ids, "target": ["x"]}), files / "p.parquet")
    done = score(
        files, "--output", "o.csv", pred="p.parquet", truth="p.parquet", entities="p.parquet"
    )
    assert done.returncode in (0, 2)
    assert "Traceback" not in done.stderr
    assert not list(files.glob(".berx*"))


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="there are no terminals here")
def test_a_terminal_shows_progress_and_keeps_none_of_it(tmp_path):
    n = 200_000
    pairs = pd.DataFrame({"entity": range(n), "target": range(n)})
    pairs.to_parquet(tmp_path / "pairs.parquet")
    pairs[["entity"]].to_parquet(tmp_path / "entities.parquet")
    terminal, screen = os.openpty()
    impatient = "from berx_gpu.cli import app; app._PATIENCE = 0; app.main()"
    args = ["score", "pairs.parquet", "pairs.parquet", "--entities", "entities.parquet"]
    done = subprocess.run(
        [sys.executable, "-c", impatient, *args],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=screen,
        text=True,
    )
    os.close(screen)
    told = os.read(terminal, 1 << 16).decode()
    os.close(terminal)
    assert done.returncode == 0
    assert done.stdout.startswith("pairs\nmacro F0.5  1.0000")
    assert "match pieces █" in told
    assert "%" in told
    assert told.endswith(f"\r{'':<60}\r")


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


def test_candidates_of_the_example():
    args = ["candidates", *SPLINK, "-k", "1", "--n-targets", "5000"]
    done = run(*args)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "candidates       pairs   true  pair recall  all found  no hit   mean  max",
        "all candidates  43,013  2,925       0.9750     0.9382       7  21.51  104",
        "best 1           1,966  1,157       0.3857     0.3090       8   0.98    1",
        "reduction ratio 0.995699",
        "oracle F0.5 0.9937",
    ]
    told = json.loads(run(*args, "--json", "--where", "state=vic").stdout)
    assert round(told["oracle"], 4) == 0.9906
    assert "| best 1 |" in run(*args, "--markdown").stdout


def test_a_check_fails_on_what_is_forbidden(files):
    (files / "pred.csv").write_text("entity,target\na,x\na,x\nb,x\nq,y\n")
    args = ["check", "pred.csv", "--entities", "entities.csv"]
    done = run(*args, cwd=files)
    assert (done.returncode, done.stderr) == (0, "")
    assert "shared targets               1  'x'" in done.stdout
    done = run(*args, "--forbid", "repeats", "--forbid", "unknown-entities", cwd=files)
    assert done.returncode == 1
    assert done.stderr == "forbidden: 1 repeats ('x')\nforbidden: 1 unknown-entities ('q')\n"
    assert run(*args, "--max-empty", "0.5", "--quiet", cwd=files).returncode == 0
    done = run(*args, "--max-empty", "0.3", "--quiet", cwd=files)
    assert (done.returncode, done.stdout) == (1, "")
    assert "0.3333 of the entities have no link" in done.stderr
    told = json.loads(run(*args, "--json", cwd=files).stdout)
    assert told["findings"]["empty_entities"] == 1
    done = run(*args, "--forbid", "unknown-targets", cwd=files)
    assert (done.returncode, done.stdout) == (2, "")
    assert "unknown-targets cannot be told without --targets FILE" in done.stderr
    done = run("check", "pred.csv", "--max-empty", "0", cwd=files)
    assert "empty-entities cannot be told without --entities FILE" in done.stderr
    (files / "targets.csv").write_text("name,target\nq,x\n")
    told = json.loads(run(*args, "--json", "--targets", "targets.csv", cwd=files).stdout)
    assert told["findings"]["unknown_targets"] == 0


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
