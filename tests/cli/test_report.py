"""What commands write: text, tables and frames, whole or not at all."""

import gzip

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from commands import score


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


def test_the_entity_column_keeps_its_name(files):
    (files / "entities.csv").write_text("side,id\nn,a\ns,b\n,c\n")
    done = score(files, "--entity-column", "id", "--output", "o.csv", "--by", "id", "--quiet")
    assert done.returncode == 0
    assert (files / "o.csv").read_text().startswith('"id","tp"')


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
