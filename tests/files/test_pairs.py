"""Files of pairs: lists and rows, read exactly as written."""

import gzip

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from berx_gpu import DataError, evaluate, read_pairs, write_pairs

HEADS = {"entity", "target", "targets", "match", "matches", "id", "ids"}
IDS = st.text(st.characters(exclude_characters="\t\r\n\0", exclude_categories=["Cs"]), min_size=1)
BARE = IDS.filter(
    lambda text: "|" not in text and not text.startswith("\ufeff") and text.lower() not in HEADS
)


def lists(path, **options):
    return read_pairs(path, "lists", **options).to_pylist()


def write(tmp_path, data, name="links.tsv"):
    path = tmp_path / name
    path.write_bytes(data)
    return path


WRITTEN = {
    "plain": (b"a\tx,y\nb\t\n", [("a", ["x", "y"]), ("b", [])]),
    "no line break at the end, CR LF": (b"a\tx\r\nb\ty", [("a", ["x"]), ("b", ["y"])]),
    "no tab for no target": (b"a\nb\tx\n", [("a", []), ("b", ["x"])]),
    "a name for each column": (b"entity\ttargets\na\tx\n", [("a", ["x"])]),
    "BOM": (b"\xef\xbb\xbfa\tx\n", [("a", ["x"])]),
    "as written": (b'007\tNA,nan,"q",1e3\n', [("007", ["NA", "nan", '"q"', "1e3"])]),
    "a separator in the entity too": (b"a;b c\tx,y\n", [("a;b c", ["x", "y"])]),
    "a separator in the entity": (b"a,b\tx,y\n", [("a,b", ["x", "y"])]),
    "empty": (b"", []),
    "blank lines at the end": (b"a\tx\n\n\r\n", [("a", ["x"])]),
    "a lone CR belongs to the id": (b"a\rb\tx\n", [("a\rb", ["x"])]),
}


@pytest.mark.parametrize("case", WRITTEN)
def test_lists_are_read_as_written(tmp_path, case):
    data, expected = WRITTEN[case]
    rows = [{"entity": e, "target": t} for e, t in expected]
    assert lists(write(tmp_path, data)) == rows
    packed = write(tmp_path, gzip.compress(data), "links.tsv.gz")
    assert lists(packed) == rows


DAMAGED = {
    "no entity": (b"a\tx\n\ty\n", "line 2 has no entity"),
    "blank line": (b"a\tx\n\nb\ty\n", "line 2 has no entity"),
    "an id too few": (b"a\tx,,y\nb\tz,\n", "2 targets without an id, first in line 1"),
    "three columns": (b"a\tx\nb\tx\ty\n", "line 2 has 3 columns"),
    "commas only": (b"a,x\nb,y\n", "no tab in any line"),
    "two separators": (b"a\tx,y;z\n", r"','.*';'.*say what"),
    "another separator": (b"a\tx y\nb\tz\n", "' '; say what"),
    "not text": (b"\xff\xfea\tx\n", "not UTF-8"),
    "zero byte": (b"a\0\tx\n", "zero byte"),
}


@pytest.mark.parametrize("case", DAMAGED)
def test_damage_is_named(tmp_path, case):
    data, said = DAMAGED[case]
    with pytest.raises(DataError, match=said):
        lists(write(tmp_path, data))


def test_options_of_lists(tmp_path):
    path = write(tmp_path, b"entity\tmatches\nid\tx;y\n")
    assert lists(path, header=False, separator=";") == [
        {"entity": "entity", "target": ["matches"]},
        {"entity": "id", "target": ["x", "y"]},
    ]
    assert lists(path, header=True, separator=",") == [{"entity": "id", "target": ["x;y"]}]
    for wrong in ("", ",,", "\t", "é"):
        with pytest.raises(DataError, match="one ASCII character"):
            lists(path, separator=wrong)
    with pytest.raises(DataError, match="separator= is of lists"):
        read_pairs(path, separator=";")
    with pytest.raises(DataError, match="no such file"):
        lists(tmp_path / "nothing.tsv")


@given(st.dictionaries(BARE, st.lists(BARE, unique=True, max_size=4), max_size=5))
def test_lists_survive_a_round_trip(tmp_path_factory, links):
    path = tmp_path_factory.mktemp("lists") / "links.txt"
    write_pairs(links, path, "lists", entities=[*links] or ["a"], separator="|")
    expected = [{"entity": e, "target": t} for e, t in (links or {"a": []}).items()]
    assert lists(path, header=False, separator="|") == expected


@given(st.lists(st.tuples(IDS, IDS), min_size=1, max_size=5))
def test_rows_survive_a_round_trip(tmp_path_factory, rows):
    folder = tmp_path_factory.mktemp("rows")
    for name in ("links.csv", "links.tsv", "links.parquet", "links.csv.zst"):
        write_pairs(pl.DataFrame(rows, ["entity", "target"], orient="row"), folder / name)
        table = read_pairs(folder / name)
        assert list(zip(*table.to_pydict().values(), strict=True)) == rows


def test_lines_come_in_the_order_of_the_entities(tmp_path):
    path = tmp_path / "links.tsv"
    frame = pd.DataFrame({"company": [2, 1, 2], "match": [7, 8, 9]})
    write_pairs(frame, path, "lists", entities=[3, 2, 1], entity="company", target="match")
    assert path.read_text() == "3\t\n2\t7,9\n1\t8\n"
    write_pairs(frame, path, "lists", entity="company", target="match", separator=" ")
    assert path.read_text() == "2\t7 9\n1\t8\n"


def test_what_a_list_cannot_hold_is_refused(tmp_path):
    path = tmp_path / "links.tsv"
    bad = [("a", "x,y")], [("a", "x\ty")], [("a\nb", "x")], [("\ufeffa", "x")]
    for pairs in (*bad, [("a", "")], [("", "x")], [("a\0", "x")]):
        with pytest.raises(DataError, match="cannot hold the"):
            write_pairs(pairs, path, "lists")
    with pytest.raises(DataError, match=r"not in entities, such as 'b'"):
        write_pairs([("a", "x"), ("b", "y")], path, "lists", entities=["a"])
    with pytest.raises(DataError, match="without an id, first at row 1"):
        write_pairs([("a", "x"), ("b", None)], path, "lists")
    with pytest.raises(DataError, match="entities= is of lists"):
        write_pairs([("a", "x")], path, entities=["a"])
    with pytest.raises(DataError, match="would read as the names"):
        write_pairs([("id", "target")], path, "lists")
    with pytest.raises(DataError, match="lists an entity twice"):
        write_pairs([("a", "x")], path, "lists", entities=pa.array(["a", "a"]))
    with pytest.raises(DataError, match="unknown kind of file"):
        write_pairs([("a", "x")], tmp_path / "links.txt")
    with pytest.raises(DataError, match="zero byte"):
        write_pairs([("a\0", "x")], tmp_path / "links.csv")
    with pytest.raises(DataError, match="two columns called '1'"):
        write_pairs(pd.DataFrame([["a", "x"]], columns=[1, "1"]), tmp_path / "links.csv")
    with pytest.raises(DataError, match="separator= is of lists"):
        write_pairs([("a", "x")], tmp_path / "links.csv", separator=",")
    assert not path.exists()


def test_entities_without_a_target_keep_their_line(tmp_path):
    path = tmp_path / "links.tsv"
    write_pairs({"a": [], "b": ["x"]}, path, "lists")
    assert path.read_text() == "a\t\nb\tx\n"
    again = tmp_path / "again.tsv"
    write_pairs(read_pairs(path, "lists"), again, "lists")
    assert again.read_bytes() == path.read_bytes()


def test_leading_zeros_match_on_both_sides(tmp_path):
    """https://github.com/apache/arrow/issues/46853"""
    pred = write(tmp_path, b"entity,target\n007,1\n", "pred.csv")
    truth = write(tmp_path, b'"entity","target"\n"007","1"\n', "truth.csv")
    ev = evaluate(read_pairs(pred), read_pairs(truth), entities=["007", "7"])
    assert (ev.tp, ev.n_pred, ev.n_true) == (1, 1, 1)


def test_list_tables_score_as_rows_do(tmp_path):
    table = read_pairs(write(tmp_path, b"a\tx,y\nb\t\nc\tz\n"), "lists")
    assert isinstance(table, pa.Table)
    ev = evaluate(table, {"a": ["x"], "c": ["q"]}, entities=table["entity"])
    assert (ev.tp, ev.n_pred, ev.n_entities) == (1, 3, 3)
