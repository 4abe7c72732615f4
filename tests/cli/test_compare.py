"""The command compare."""

import json

import pandas as pd
import pytest
from commands import run as in_a_process
from febrl import FEBRL, SPLINK


def run(*arguments):
    """Return exit status, output and messages of a command."""
    done = in_a_process(*arguments)
    return done.returncode, done.stdout, done.stderr


SYSTEMS = (SPLINK[0], str(FEBRL / "jaro_winkler.parquet"))
REST = SPLINK[1:]
EACH = ("--threshold", "0.5", "--threshold", "0.8")


def test_the_command_compares_the_example(tmp_path):
    code, out, err = run("compare", *SYSTEMS, *REST, *EACH, "--by", "n_true", "--seed", "1")
    assert (code, err) == (0, "")
    assert "macro F0.5  0.9836 → 0.9278         -0.0558, 95 % [-0.0661, -0.0461]" in out
    assert "19 better · 342 worse" in out
    assert "jaro_winkler is worse than splink" in out
    assert "n_true (largest gain first)" in out
    code, out, _ = run("compare", *SYSTEMS, *REST, *EACH, "--json", "--by", "n_true")
    told = json.loads(out)
    assert told["links"]["removed_true"] == 461
    assert len(told["slices"]["n_true"]) == 4
    figure = tmp_path / "forest.png"
    code, out, _ = run("compare", *SYSTEMS, *REST, *EACH, "--markdown", "--plot", str(figure),
                       "--by", "n_true")  # fmt: skip
    assert out.startswith("|  | splink → jaro_winkler |")
    assert figure.stat().st_size > 10_000


def test_the_command_compares_many():
    code, out, _ = run("compare", SYSTEMS[0], *SYSTEMS, *REST, *EACH[:2], "--threshold", "0.9",
                       "--threshold", "0.8", "--seed", "1")  # fmt: skip
    assert code == 0
    assert "splink ≥ 0.9" in out
    assert "95 % for all 3" in out
    code, out, _ = run("compare", *SYSTEMS, *REST, *EACH, "--baseline", "splink", "--json")
    assert [p["b"] for p in json.loads(out)["pairs"]] == ["jaro_winkler"]


def test_the_command_says_that_scores_do_not_count_without_a_threshold():
    _, _, err = run("compare", *SYSTEMS, *REST)
    assert "splink: every row is a link: 'score' only counts with --threshold" in err


def test_the_command_is_a_gate():
    code, out, err = run("compare", *SYSTEMS, *REST, *EACH, "--quiet", "--fail-if-worse")
    assert (code, out, err) == (1, "", "jaro_winkler is worse than splink\n")
    code, *_ = run("compare", *SYSTEMS[::-1], *REST, "--threshold", "0.8", "--threshold", "0.5",
                   "--fail-if-worse")  # fmt: skip
    assert code == 0


def test_the_command_compares_a_part(tmp_path):
    ids = tmp_path / "ids"
    listed = pd.read_csv(FEBRL / "entities.csv")["entity"]
    ids.write_text("\n".join(listed[:700]) + "\n")
    code, out, _ = run("compare", *SYSTEMS, *REST, *EACH, "--only", str(ids), "--json")
    assert code == 0
    assert json.loads(out)["n_entities"] == 700


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((SYSTEMS[0], *REST), "give two files of predictions or more, and the truth last"),
        ((*SYSTEMS, *REST, *EACH, "--threshold", "1"), "is given 3 times for 2 systems"),
        ((*SYSTEMS, *REST, "--name", "a"), "--name is given 1 time for 2 systems"),
        ((*SYSTEMS, *REST, "--name", "a", "--name", "a"), "two systems have one name"),
        ((SYSTEMS[0], SYSTEMS[0], *REST), "two systems have one name"),
        ((*SYSTEMS, *REST, "--baseline", "x"), "baseline='x' is no system"),
        ((*SYSTEMS, *REST, "--baseline", "splink", "--by", "n_true"), "--by is for two systems"),
        ((*SYSTEMS, *REST, "--plot", "x.bmp"), "cannot tell what to draw"),
        ((*SYSTEMS, *REST, "--name", "a", "--name", ""), "--name is empty"),
        ((*SYSTEMS, *REST, "--level", "95"), "between 0 and 1"),
        ((*SYSTEMS, *REST, "--json", "--markdown"), "exclude each other"),
        ((*SYSTEMS, *REST, "--seed", "-1"), "--seed=-1"),
    ],
)  # fmt: skip
def test_calls_that_the_command_refuses(arguments, said):
    code, out, err = run("compare", *arguments)
    assert (code, out) == (2, "")
    assert said in err
