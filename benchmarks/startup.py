"""How long a user waits for the first answer, in fresh processes on the FEBRL example."""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

FEBRL = Path(__file__).parent.parent / "examples" / "febrl3"
CLI = [sys.executable, "-m", "berx_gpu.cli"]
SCORE = [
    *CLI,
    "score",
    str(FEBRL / "splink.parquet"),
    str(FEBRL / "truth.csv"),
    "--entities",
    str(FEBRL / "entities.csv"),
    "--threshold=0.5",
    "--by=state",
]


def seconds(command: list[str], cache: str) -> float:
    start = time.perf_counter()
    env = {**os.environ, "NUMBA_CACHE_DIR": cache}
    subprocess.run(command, check=True, capture_output=True, env=env)
    return time.perf_counter() - start


def main(repeats: int = 7) -> None:
    """Print the median seconds of each step; an empty Python process is the floor."""
    with tempfile.TemporaryDirectory() as warm:
        cold = []
        for _ in range(repeats):
            with tempfile.TemporaryDirectory() as empty:
                cold.append(seconds(SCORE, empty))
        seconds(SCORE, warm)
        steps = {
            "python": [sys.executable, "-c", ""],
            "import berx_gpu": [sys.executable, "-c", "import berx_gpu"],
            "berx-gpu --help": [*CLI, "--help"],
            "berx-gpu score, warm": SCORE,
        }
        times: dict[str, list[float]] = {name: [] for name in steps}
        for _ in range(repeats):  # in turn, so that a busy moment hits all of them
            for name, command in steps.items():
                times[name].append(seconds(command, warm))
    times["berx-gpu score, cold kernel cache"] = cold
    for name, values in times.items():
        row = {"workload": "startup", "step": name, "median_s": round(statistics.median(values), 3)}
        print(json.dumps({**row, "max_s": round(max(values), 3)}))
