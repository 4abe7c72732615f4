"""The command candidates."""

import json

from commands import run
from febrl import SPLINK


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
