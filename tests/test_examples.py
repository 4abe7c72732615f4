"""The scripts of examples/ run."""

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = {
    "basics": "F0.5, true links shared: mean=0.7579",
    "floors": "  500  0.991",
    "comparison": "precision  P(candidate better) 0.9",
    "transfer": "shifted   0.794 against 0.381  S 0.0000 (inconsistent)  p 0.0002 (inconsistent)",
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_examples_run(name, tmp_path):
    script = Path(__file__).parent.parent / "examples" / f"posterior_{name}.py"
    figure = [tmp_path / "figure.png"] if name == "basics" else []
    done = subprocess.run([sys.executable, script, *figure], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert EXAMPLES[name] in done.stdout
    assert not figure or figure[0].stat().st_size > 10_000


def test_the_figures_of_the_documents_can_be_drawn(tmp_path):
    script = Path(__file__).parent.parent / "examples" / "figures.py"
    done = subprocess.run([sys.executable, script, tmp_path])
    assert done.returncode == 0
    assert {path.name for path in tmp_path.iterdir()} == {"sweep.png", "slices.png", "compare.png"}
