"""The command check."""

import json

from commands import run


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
