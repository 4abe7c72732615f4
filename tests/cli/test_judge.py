"""The command judge."""

import json

from commands import run
from judged import EXPANSION, JUDGED, MODEL


def test_the_command_scores_models(tmp_path):
    rows = EXPANSION.explode("leaves").rename(columns={"leaves": "leaf"})
    tables = {"judged": JUDGED, "expansion": rows, "one": MODEL, "two": MODEL.assign(root=9)}
    for name, frame in tables.items():
        frame.to_csv(tmp_path / f"{name}.csv", index=False)
    lists = tmp_path / "expansion.parquet"
    EXPANSION.to_parquet(lists)
    for name in ("judged", "one", "two"):
        tables[name].to_parquet(tmp_path / f"{name}.parquet")

    def judge(end, *options, expansion=None):
        return run("judge", tmp_path / f"one.{end}", tmp_path / f"two.{end}", "--judgements",
                   tmp_path / f"judged.{end}", "--expansion",
                   expansion or tmp_path / "expansion.csv", *options)  # fmt: skip

    done = judge("csv")
    assert done.stdout.splitlines()[1:] == [
        "one.csv     1.0000  1.0000",
        "two.csv     0.3333  1.0000",
    ]
    done = judge("parquet", "--json", expansion=lists)
    assert json.loads(done.stdout)[1] == {"model": "two.parquet", "precision": 1 / 3, "recall": 1.0}
    assert judge("csv", "--markdown").stdout.startswith("| model | precision |")
    assert judge("csv", "--quiet").stdout == ""
    done = judge("csv", expansion=lists)
    assert (done.returncode, done.stdout) == (2, "")
    assert "so no id could ever match" in done.stderr
    done = run("judge", tmp_path / "one.csv", "--expansion", lists)
    assert (done.returncode, done.stderr) == (2, "berx-gpu: error: --judgements FILE is missing\n")
