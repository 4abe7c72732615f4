"""Judged pairs against the published implementation of matchbox-db, loaded by its file.

`python -m benchmarks judgements FILE` takes the path of its `matchbox/common/eval.py`.
"""

import importlib.util
import json
import statistics
import time
from typing import Any

import numpy as np
import pandas as pd
import polars as pl

from berx_gpu import precision_recall

SHAPES = {"one cluster of 2,000": [2000], "10,500 clusters of 20": [20] * 10_500}
"""About two million judged pairs each."""


def _task(sizes: list[int]) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Return judgements that halve every cluster, its expansion, and a model of pairs of ten."""
    shown, endorsed, roots, leaves = [], [], [], []
    start, name = 0, 10**9
    for size in sizes:
        whole = list(range(start, start + size))
        start += size
        cluster, name = name, name + 1
        roots.append(cluster)
        leaves.append(whole)
        for part in (whole[: size // 2], whole[size // 2 :]):
            roots.append(name)
            leaves.append(part)
            shown.append(cluster)
            endorsed.append(name)
            name += 1
    judged = pd.DataFrame({"user_name": "u", "shown": shown, "endorsed": endorsed})
    model = pd.DataFrame({"root": np.arange(start) // 10 + 2 * 10**9, "leaf": np.arange(start)})
    return judged, pd.DataFrame({"root": roots, "leaves": leaves}), model


def _published(path: str) -> Any:
    """Return the published function; its module asks for polars and pydantic only."""
    spec = importlib.util.spec_from_file_location("published_eval", path)
    if spec is None or spec.loader is None:
        raise SystemExit(f"{path} is no module")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.precision_recall


def main(path: str | None, repeats: int = 3) -> None:
    """Print one JSON line for each shape and contestant."""
    published = None if path is None else _published(path)
    for shape, sizes in SHAPES.items():
        judged, expansion, model = map(pl.from_pandas, _task(sizes))
        seconds: dict[str, list[float]] = {"berx-gpu": []}
        ours: Any = precision_recall([model], judged, expansion)
        for _ in range(repeats):
            start = time.perf_counter()
            precision_recall([model], judged, expansion)
            seconds["berx-gpu"].append(time.perf_counter() - start)
        if published is not None:
            start = time.perf_counter()
            theirs = published([model], judged, expansion)
            seconds["matchbox-db"] = [time.perf_counter() - start]
            assert np.allclose(theirs, ours), (theirs, ours)
        fast = statistics.median(seconds["berx-gpu"])
        for name, found in seconds.items():
            slow = statistics.median(found)
            row = {"workload": "judgements", "shape": shape, "contestant": name}
            print(
                json.dumps(
                    {**row, "seconds": round(slow, 3), "times_berx_gpu": round(slow / fast, 1)}
                ),
                flush=True,
            )
