"""Bootstrap replicates and bounded limits against NumPy's loop, SciPy and arch."""

import importlib.util
import json
import statistics
import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from benchmarks.populations import brief
from berx_gpu import Evaluation, Truth, evaluate
from berx_gpu.backends.cpu import backend
from berx_gpu.evaluation import bootstrap

N_RESAMPLES = 10_000
FEW = 100
"""Replicates that the slow ones make; their time is scaled up."""
SIZES = {"small": 100_000, "full": 1_000_000}


def main(size: str, repeats: int = 3) -> None:
    """Print one JSON line for each contestant: seconds of 10,000 replicates of macro F."""
    n = SIZES[size]
    rng = np.random.default_rng(0)
    ev = _evaluation(*brief(rng, n))
    values = np.asarray(ev.per_entity["fbeta"], np.float64)
    seen, count = np.unique(values, return_counts=True)
    ones = np.ones(len(seen))

    def ours(n_threads: int) -> Any:
        return bootstrap.replicates(
            "with replacement", seen, ones, count.astype(float), bootstrap.Draws(N_RESAMPLES, 1),
            backend.backend(n_threads),
        )  # fmt: skip

    def numpy_loop() -> Any:
        return np.array([values[rng.integers(0, n, n)].mean() for _ in range(FEW)])

    def scipy_bootstrap() -> Any:
        return stats.bootstrap(
            (values,), np.mean, n_resamples=FEW, batch=10, method="percentile", rng=rng
        ).bootstrap_distribution

    runs: dict[str, tuple[Callable[[], Any], float]] = {
        "berx-gpu": (lambda: ours(2), 1),
        "berx-gpu, one thread": (lambda: ours(1), 1),
        "NumPy's loop": (numpy_loop, N_RESAMPLES / FEW),
        "SciPy": (scipy_bootstrap, N_RESAMPLES / FEW),
    }
    if importlib.util.find_spec("arch"):
        from arch.bootstrap import IIDBootstrap

        def arch_bootstrap() -> Any:
            return IIDBootstrap(values, seed=0).apply(np.mean, FEW)

        runs["arch"] = (arch_bootstrap, N_RESAMPLES / FEW)
    error = values.std() / np.sqrt(n)
    seconds: dict[str, list[float]] = {name: [] for name in runs}
    for name, (run, _) in runs.items():
        spread = float(np.std(run()))
        assert abs(spread / error - 1) < 0.3, (name, spread, error)
    for _ in range(repeats):
        for name, (run, times) in runs.items():
            start = time.perf_counter()
            run()
            seconds[name].append(times * (time.perf_counter() - start))
    medians = {name: statistics.median(found) for name, found in seconds.items()}
    for name, median in medians.items():
        _tell(size, name, median, medians["berx-gpu"])
    _others(size, ev)


def _others(size: str, ev: Evaluation) -> None:
    """Time what has no peer: bounded limits, slices, a comparison, and the memory of replicates."""
    parts = {e: e % 30 for e in range(ev.n_entities)}
    half = _evaluation(*brief(np.random.default_rng(0), ev.n_entities), kept=0.9)
    key = pd.Series(parts, name="part")
    for name, run in {
        "bounded limits": ev.interval,
        "30 slices, both limits": lambda: ev.by(key, interval=True),
        "30 slices without": lambda: ev.by(key),
        "compare": lambda: _compare(ev, half),
    }.items():
        run()
        found = []
        for _ in range(3):
            start = time.perf_counter()
            run()
            found.append(time.perf_counter() - start)
        _tell(size, name, statistics.median(found), None)
    tracemalloc.start()
    ev.interval(method="percentile", n_resamples=N_RESAMPLES)
    _tell(size, "peak bytes of 10,000 replicates", tracemalloc.get_traced_memory()[1], None)
    tracemalloc.stop()


def _compare(a: Evaluation, b: Evaluation) -> object:
    from berx_gpu import compare

    return compare(a, b, rng=0)


def _tell(size: str, name: str, value: float, ours: float | None) -> None:
    row = {"workload": "intervals", "size": size, "contestant": name, "value": round(value, 5)}
    if ours is not None:
        row["times_berx_gpu"] = round(value / ours, 2)
    print(json.dumps(row), flush=True)


def _evaluation(tp: Any, n_pred: Any, n_true: Any, kept: float = 1.0) -> Evaluation:
    """Return the evaluation of entities with these counts; with less than all of the hits kept."""
    n = len(tp)
    hits = np.random.default_rng(1).binomial(tp, kept)
    starts = np.cumsum(n_true) - n_true
    truth = pd.DataFrame(
        {"entity": np.repeat(np.arange(n), n_true), "target": np.arange(n_true.sum())}
    )

    def some(count: Any, first: Any) -> pd.DataFrame:
        entity = np.repeat(np.arange(n), count)
        within = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
        return pd.DataFrame({"entity": entity, "target": first[entity] + within})

    false = some(n_pred - tp, np.full(n, n_true.sum()))
    pred = pd.concat([some(hits, starts), false], ignore_index=True)
    return evaluate(pred, Truth(truth, pd.DataFrame({"entity": np.arange(n)})))
