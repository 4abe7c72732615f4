"""A million Beta posteriors against bayesian-precision-recall, one model at a time."""

import importlib.util
import json
import statistics
import time

import numpy as np
import pandas as pd

from berx_gpu import posteriors

ROWS = 1_000_000
FEW = 200
"""Models that the peer makes; its time is per model."""


def main(repeats: int = 3) -> None:
    """Print microseconds a model: mean, deviation and both limits of precision, recall and F1."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.integers(0, 500, (ROWS, 3)), columns=["tp", "fp", "fn"])
    posteriors(frame[:10])
    seconds: dict[str, list[float]] = {"berx-gpu": []}
    peer = importlib.util.find_spec("bayesian_pr") is not None
    if peer:
        seconds["bayesian-precision-recall"] = []
        _check(frame)
    for _ in range(repeats):
        start = time.perf_counter()
        posteriors(frame)
        seconds["berx-gpu"].append((time.perf_counter() - start) / ROWS)
        if peer:
            start = time.perf_counter()
            _peer(frame[:FEW])
            seconds["bayesian-precision-recall"].append((time.perf_counter() - start) / FEW)
    ours = statistics.median(seconds["berx-gpu"])
    for name, found in seconds.items():
        each = statistics.median(found)
        row = {"workload": "posterior", "contestant": name, "microseconds": round(1e6 * each, 2)}
        print(json.dumps({**row, "times_berx_gpu": round(each / ours, 1)}), flush=True)


def _peer(frame: pd.DataFrame) -> list[tuple[float, ...]]:
    from bayesian_pr import BayesianPRModel

    found = []
    for tp, fp, fn in frame.to_numpy().tolist():
        model = BayesianPRModel()
        model.update(tp=tp, fp=fp, fn=fn)
        stats = (model.precision_stats(), model.recall_stats(), model.f1_stats())
        found.append(tuple(x for s in stats for x in (s.mean, s.std, s.ci_low, s.ci_high)))
    return found


def _check(frame: pd.DataFrame) -> None:
    """Raise unless both agree on precision and recall."""
    ours = posteriors(frame[:20])
    names = [f"{m}_{n}" for m in ("precision", "recall") for n in ("mean", "std", "low", "high")]
    assert np.allclose(ours[names], [row[:8] for row in _peer(frame[:20])], atol=1e-9)


if __name__ == "__main__":
    main()
