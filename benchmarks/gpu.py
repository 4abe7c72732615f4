"""One table of what a card does: values, speed, memory against the plan, and the sanitizer.

Installs nothing and takes under eight minutes: sizes that the card's memory or the time left do not
allow are left out, and the table says so.
"""

import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from berx_gpu import MissingDependencyError, Truth, evaluate, sweep
from berx_gpu.backends import cuda
from berx_gpu.backends.plan import plan
from berx_gpu.versions import versions

_SECONDS = 8 * 60
_SIZES = (10_000_000, 100_000_000, 300_000_000)
_ID = 8
_KERNEL = """
from berx_gpu.backends import cuda
_, cupy = cuda.libraries()
counts = cupy.arange(100_003)
cuda.backend().fbeta(counts // 2, counts, counts // 3, 0.7).sum().get()
"""


def main() -> None:
    """Print the table, a row as soon as it is known."""
    start = time.monotonic()
    try:
        cudf, cupy = cuda.libraries()
    except MissingDependencyError as error:
        raise SystemExit(str(error)) from error
    for name, value in versions().items():
        _row(name, value)
    tests = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "-m", "gpu", "tests/gpu"]
    _row("tests on the card", _last_line([sys.executable, *tests]))
    copied = _bandwidth(cupy)
    _row("copy on the card", f"{copied / 1e9:,.0f} GB/s")
    for pairs in _SIZES:
        left = _SECONDS - (time.monotonic() - start)
        needed = 3 * pairs * (2 * _ID + 8)
        if left < 90 or needed > cupy.cuda.runtime.memGetInfo()[0]:
            _row(f"{pairs // 10**6} M pairs", "left out: not enough memory or time")
            continue
        _measure(cudf, cupy, pairs, copied)
    if shutil.which("compute-sanitizer"):
        for tool in ("memcheck", "racecheck"):
            command = ["compute-sanitizer", "--tool", tool, sys.executable, "-c", _KERNEL]
            _row(f"compute-sanitizer {tool}", _last_line(command))
    else:
        _row("compute-sanitizer", "not installed")
    _row("seconds in all", f"{time.monotonic() - start:.0f}")


def _row(name: str, value: str) -> None:
    print(f"{name:<32} {value}", flush=True)


def _last_line(command: list[str]) -> str:
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=Path(__file__).parent.parent, timeout=_SECONDS
    )
    lines = (done.stdout + done.stderr).strip().splitlines()
    return lines[-1] if lines else f"exit {done.returncode}"


def _bandwidth(cupy: Any) -> float:
    """Return the bytes a second, read and written, of the best of some copies of 1 GB."""
    source = cupy.zeros(10**9 // 8)
    best = 0.0
    for _ in range(5):
        cupy.cuda.Device().synchronize()
        start = time.perf_counter()
        source.copy()
        cupy.cuda.Device().synchronize()
        best = max(best, 2 * source.nbytes / (time.perf_counter() - start))
    return best


def _measure(cudf: Any, cupy: Any, pairs: int, copied: float) -> None:
    """Print the seconds of a score and a sweep beside the copy of their input, and the memory."""
    rng = cupy.random.default_rng(0)
    n, half = pairs // 20, pairs // 2
    entity = rng.integers(0, n, pairs)
    target = rng.integers(0, 3 * n, pairs)
    frame = cudf.DataFrame(
        {"entity": entity[:half], "target": target[:half],
         "score": rng.random(half, dtype=cupy.float32)}
    )  # fmt: skip
    true = cudf.DataFrame({"entity": entity[half:], "target": target[half:]})
    truth = Truth(true, cudf.DataFrame({"entity": cupy.arange(n)}))
    title = f"{pairs // 10**6} M pairs"
    free = int(cupy.cuda.runtime.memGetInfo()[0])
    steps: list[tuple[str, str, int, Callable[[], object]]] = [
        ("score", "match", pairs, lambda: evaluate(frame[["entity", "target"]], truth).macro_fbeta),
        ("sweep", "curve", half, lambda: sweep(frame, truth).best),
    ]
    for name, step, rows, call in steps:
        call()  # compiles, and fills the pools
        seconds, peak = _timed(cupy, call)
        made = plan(step, rows, _ID, free)
        least = rows * 2 * _ID * 2 / copied
        _row(
            f"{title}, {name}",
            f"{seconds:.2f} s, {seconds / least:.0f} × a copy of the ids, peak {peak / 1e9:.1f} GB "
            f"(plan {made.peak / 1e9:.1f} in {made.parts} parts)",
        )
    if pairs <= 100_000_000:
        _row(f"{title}, polars on the CPU", _polars(frame, true, n))


def _timed(cupy: Any, call: Callable[[], object]) -> tuple[float, int]:
    """Return the seconds of a call, and by how many bytes it made the used memory grow at most."""
    runtime = cupy.cuda.runtime
    before = int(runtime.memGetInfo()[0])
    lowest, done = before, threading.Event()

    def watch() -> None:
        nonlocal lowest
        while not done.wait(0.002):
            lowest = min(lowest, int(runtime.memGetInfo()[0]))

    watcher = threading.Thread(target=watch)
    watcher.start()
    start = time.perf_counter()
    call()
    cupy.cuda.Device().synchronize()
    seconds = time.perf_counter() - start
    done.set()
    watcher.join()
    return seconds, before - lowest


def _polars(frame: Any, true: Any, n: int) -> str:
    """Return the seconds of the union of both sides in polars, on this machine's cores."""
    try:
        import polars as pl
    except ImportError:
        return "not installed"
    pred, truth = (pl.DataFrame(side[["entity", "target"]].to_arrow()) for side in (frame, true))
    start = time.perf_counter()
    both = pl.concat(
        [pred.lazy().unique().with_columns(p=1, t=0), truth.lazy().unique().with_columns(p=0, t=1)]
    )
    pair = both.group_by("entity", "target").agg(pl.col("p").sum(), pl.col("t").sum())
    counts = pair.group_by("entity").agg(
        k=pl.col("p").sum(), real=pl.col("t").sum(), tp=(pl.col("p") * pl.col("t")).sum()
    )
    f = 1.25 * pl.col("tp") / (0.25 * pl.col("real") + pl.col("k"))
    rest = n - int(np.asarray(counts.select(pl.len()).collect())[0, 0])
    score = (counts.select(f.sum()).collect().item() + rest) / n
    return f"{time.perf_counter() - start:.2f} s (macro F {score:.4f})"
