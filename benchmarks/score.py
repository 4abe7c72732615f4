"""`evaluate` against the best that other tools can do, in turn in one process."""

import gc
import json
import random
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import polars as pl

from benchmarks import peers, shape
from berx_gpu import Truth, evaluate


def peak_growth(call: Callable[[], object]) -> int:
    """Return by how many bytes the process grew at most during a call (Linux)."""
    gc.collect()
    Path("/proc/self/clear_refs").write_text("5")  # the peak starts again from here
    before = _kilobytes("VmRSS")
    call()
    return 1024 * (_kilobytes("VmHWM") - before)


def _kilobytes(field: str) -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith(field)).split()[1])


def main(ids: str, size: str, repeats: int = 15) -> None:
    """Print one JSON line for each contestant: median seconds and the ratio to berx-gpu."""
    task = shape.task(ids, size)
    arrow = (task.predictions, task.truth, task.entities)
    frames = peers.polars_frames(task)
    prepared = Truth(arrow[1], arrow[2])

    def from_arrow() -> float:
        return evaluate(arrow[0], arrow[1], entities=arrow[2]).macro_fbeta

    def from_polars() -> float:
        return evaluate(frames[0], frames[1], entities=frames[2]).macro_fbeta

    ours = {
        "berx-gpu": from_arrow,
        "berx-gpu, polars frames": from_polars,
        "berx-gpu, prepared truth": lambda: evaluate(arrow[0], prepared).macro_fbeta,
        "berx-gpu, one thread": lambda: (
            evaluate(arrow[0], arrow[1], entities=arrow[2], n_threads=1).macro_fbeta
        ),
    }
    theirs = {
        name: make(task)
        for name, make in peers.SCORERS.items()
        if ids == "dense" or name not in peers.ONLY_DENSE
    }
    runs = {**ours, **theirs}
    expected = from_arrow()
    growth = peak_growth(from_arrow)  # before the peers leave memory that could be used again
    for name, run in runs.items():  # also compiles, and fills every cache
        if name not in peers.SLOW:
            assert abs(run() - expected) < 1e-12, name
    seconds: dict[str, list[float]] = {name: [] for name in runs}
    shuffled = random.Random(0)
    for turn in range(repeats):
        # Whoever comes after a contestant that gave much memory back pays for getting it again.
        for name, run in shuffled.sample(sorted(runs.items()), len(runs)):
            if name in peers.SLOW and turn:
                continue
            gc.collect()
            start = time.perf_counter()
            value = run()
            seconds[name].append(time.perf_counter() - start)
            assert abs(value - expected) < 1e-12, name
    medians = {name: statistics.median(times) for name, times in seconds.items()}
    for name, median in medians.items():
        row = {
            "workload": "score",
            "ids": ids,
            "size": size,
            "contestant": name,
            "median_s": round(median, 3),
            "runs": len(seconds[name]),
            "times_berx_gpu": round(median / medians["berx-gpu"], 2),
        }
        if name == "berx-gpu":
            row["peak_growth_over_input"] = round(growth / task.input_bytes, 2)
            best = min(theirs, key=medians.__getitem__)
            row["best_peer"], row["polars"] = best, pl.__version__
            row["best_peer_ratio"] = round(medians[best] / median, 2)
        print(json.dumps(row), flush=True)
