"""`sweep` against the exact curve of polars, its loop over thresholds, and policy grids."""

import gc
import json
import random
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl

from benchmarks import shape
from benchmarks.score import peak_growth
from berx_gpu import Sweep, Truth, sweep
from berx_gpu.sweeping.results import PolicySweep

LOOP = 1001
GRID: dict[str, Any] = {
    "top_k": [None, 1, 2, 5, 10],
    "best_margin": [None, 0.05, 0.2, 0.5],
}


def main(size: str, repeats: int = 3) -> None:
    """Print one JSON line for each contestant; the large size is too much for the peers."""
    task = shape.candidates(size)
    truth = Truth(task.truth, task.entities)
    kept: list[Sweep] = []

    def ours() -> None:
        kept[:] = [sweep(task.candidates, truth)]

    growth = peak_growth(ours)  # before the peers leave memory that could be used again
    curves = sum(_curve_bytes(result) for result in kept[0].results)
    expected = kept.pop().results[0].best.macro_fbeta
    runs: dict[str, Callable[[], object]] = {
        "berx-gpu": lambda: sweep(task.candidates, truth),
        "berx-gpu, one thread": lambda: sweep(task.candidates, truth, n_threads=1),
        "berx-gpu, 20 policies": lambda: sweep(task.candidates, truth, **GRID),
    }
    if size != "large":
        runs |= _peers(task, expected)
    seconds: dict[str, list[float]] = {name: [] for name in runs}
    shuffled = random.Random(0)
    for _ in range(repeats):
        for name, run in shuffled.sample(sorted(runs.items()), len(runs)):
            gc.collect()
            start = time.perf_counter()
            run()
            seconds[name].append(time.perf_counter() - start)
    medians = {name: statistics.median(times) for name, times in seconds.items()}
    if one := medians.pop("polars one threshold", None):
        medians["polars loop"] = medians["polars label"] + LOOP * one
    for name, median in medians.items():
        row = {
            "workload": "sweep",
            "size": size,
            "contestant": name,
            "candidates": task.candidates.num_rows,
            "median_s": round(median, 2),
            "times_berx_gpu": round(median / medians["berx-gpu"], 2),
        }
        if name == "berx-gpu":
            row["peak_growth_over_input"] = round((growth - curves) / task.candidates.nbytes, 2)
            row["curves_over_input"] = round(curves / task.candidates.nbytes, 2)
        print(json.dumps(row), flush=True)


def _curve_bytes(result: PolicySweep) -> int:
    columns = ("threshold", "macro_fbeta", "tp", "n_pred", "n_linked")
    return sum(int(getattr(result, name).nbytes) for name in columns)


def _peers(task: shape.Pool, expected: float) -> dict[str, Callable[[], object]]:
    """Return the ways of polars, after a look at whether they find the same best score."""
    frame, true = (pl.DataFrame(side) for side in (task.candidates, task.truth))
    labelled = label(frame, true)
    assert abs(exact(labelled, true, task.n_entities) - expected) < 1e-9
    return {
        "polars label": lambda: label(frame, true),
        "polars exact": lambda: exact(label(frame, true), true, task.n_entities),
        "polars one threshold": lambda: at(labelled, true, task.n_entities, 0.5),
    }


def label(frame: pl.DataFrame, true: pl.DataFrame) -> pl.DataFrame:
    """Return the candidates, each once, with their truth."""
    once = frame.lazy().group_by("entity", "target").agg(pl.col("score").max())
    marked = true.lazy().unique().with_columns(hit=pl.lit(1, dtype=pl.Int32))
    joined = once.join(marked, on=["entity", "target"], how="left")
    return joined.with_columns(pl.col("hit").fill_null(0)).collect()


def exact(labelled: pl.DataFrame, true: pl.DataFrame, n: int) -> float:
    """Return the best macro F over every distinct score, by window functions."""
    sizes = true.lazy().unique().group_by("entity").len("t")
    change = pl.col("f") - pl.col("f").shift(1).over("entity").fill_null(
        pl.when(pl.col("t") == 0).then(1.0).otherwise(0.0)
    )
    curve = (
        labelled.lazy()
        .join(sizes, on="entity", how="left")
        .with_columns(pl.col("t").fill_null(0))
        .sort("entity", "score", descending=[False, True])
        .with_columns(
            k=pl.col("hit").cum_count().over("entity"), tp=pl.col("hit").cum_sum().over("entity")
        )
        .group_by("entity", "score", maintain_order=True)
        .agg(pl.col("k").last(), pl.col("tp").last(), pl.col("t").last())
        .with_columns(f=1.25 * pl.col("tp") / (0.25 * pl.col("t") + pl.col("k")))
        .with_columns(change=change)
        .group_by("score")
        .agg(pl.col("change").sum())
        .sort("score", descending=True)
        .select(pl.col("change").cum_sum())
        .collect()
    )
    start = n - true.select(pl.col("entity").n_unique()).item()
    return float((curve["change"].max() + start) / n)  # type: ignore[operator]  # None of no rows only


def at(labelled: pl.DataFrame, true: pl.DataFrame, n: int, threshold: float) -> float:
    """Return macro F at one threshold."""
    kept = labelled.lazy().filter(pl.col("score") >= threshold)
    made = kept.group_by("entity").agg(k=pl.len(), tp=pl.col("hit").sum())
    sizes = true.lazy().unique().group_by("entity").len("t")
    listed = pl.LazyFrame({"entity": np.arange(n)})
    rows = listed.join(sizes, on="entity", how="left").join(made, on="entity", how="left")
    whole = 0.25 * pl.col("t") + pl.col("k")
    f = pl.when(whole == 0).then(1.0).otherwise(1.25 * pl.col("tp") / whole)
    return float(rows.fill_null(0).select(f.mean()).collect().item())
