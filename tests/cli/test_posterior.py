"""The command posterior."""

import json

import pandas as pd
import pytest
from commands import run


def test_the_command_says_how_sure_the_counts_are(tmp_path):
    done = run("posterior", "--tp", "80", "--fp", "26", "--fn", "20", "--floor", "0.65")
    assert done.returncode == 0
    assert done.stdout.splitlines()[1] == ("precision  0.7500  0.0415  0.6646  0.8267     0.9884")
    assert done.stdout.splitlines()[3].startswith("F1         0.7706  0.0322  0.7039  0.8297")
    assert "recall" not in run("posterior", "--tp", "8", "--fp", "2").stdout
    table, out = tmp_path / "counts.csv", tmp_path / "out.csv"
    table.write_text("model,tp,fp,fn\na,80,26,20\nb,5,6,2\n")
    done = run("posterior", table, "--json", "--output", out, "--beta", "0.5")
    assert [row["model"] for row in json.loads(done.stdout)] == ["a", "b"]
    assert len(pd.read_csv(out)) == 2
    assert run("posterior", table, "--markdown").stdout.startswith("| model | tp |")
    assert run("posterior", table, "--quiet").stdout == ""


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "give --tp and --fp or --fn"),
        (("--tp", "8"), "give --tp and --fp or --fn"),
        (("--tp", "-8", "--fp", "1"), "tp=-8.0"),
        (("--tp", "8", "--fp", "1", "--output", "x.csv"), "--output is of a table"),
        (("x.csv", "--tp", "8"), "a file of counts and --tp"),
        (("missing.csv",), "missing.csv"),
        (("--tp", "8", "--fp", "1", "--level", "95"), "--level=95.0: give"),
        (("--tp", "8", "--fp", "1", "--floor", "nan"), "--floor=nan: give"),
        (("--tp", "8", "--fp", "1", "--beta", "0"), "--beta=0.0: give"),
        (("--columns", "tp,tp,fn", "x.csv"), "three names with commas between"),
        (("--tp", "8", "--fp", "1", "--json", "--markdown"), "exclude each other"),
    ],
)
def test_calls_that_the_command_refuses(arguments, said):
    done = run("posterior", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
