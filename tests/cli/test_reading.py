"""The files and options of commands: read as written, or refused in one line."""

import gzip
import json

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from commands import score
from febrl import FEBRL


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
