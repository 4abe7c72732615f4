"""The kernels of sweeps and policies beside the array operations, on more than a few rows."""

import tracemalloc

import numpy as np
import pandas as pd
import pytest
from conftest import kernel_backend, loose_backend

from berx_gpu import Truth, evaluate, sweep
from berx_gpu.backends import select

N = 200_000


def candidates(rng, dtype, n_entities, hot=0):
    entity = rng.integers(0, n_entities + 50, N)
    entity[:hot] = 3
    score = rng.integers(0, 500, N) if dtype == "int64" else rng.normal(size=N).astype(dtype)
    score[: N // 2] = score[N // 2 :][: N // 2]  # every score twice
    score[rng.random(N) < 0.1] = 1
    frame = pd.DataFrame({"entity": entity, "target": rng.integers(0, 40_000, N), "score": score})
    true = frame[["entity", "target"]][rng.random(N) < 0.2]
    return frame, true[true["entity"] < n_entities]


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64"])
@pytest.mark.parametrize(("n_entities", "hot"), [(7_000, 0), (50, 20_000)])
@pytest.mark.parametrize("text", [False, True])
def test_kernels_sweep_as_array_operations_do(monkeypatch, dtype, n_entities, hot, text):
    frame, truth = candidates(np.random.default_rng(2), dtype, n_entities, hot)
    listed = pd.Series(range(n_entities))
    if text:
        frame, truth = (
            side.assign(
                entity=side["entity"].astype("str"), target="target " + side["target"].astype("str")
            )
            for side in (frame, truth)
        )
        listed = listed.astype("str")
    made = []
    for backend in (kernel_backend(1), kernel_backend(3), loose_backend(10**7)):
        monkeypatch.setattr(select, "select", lambda *_, chosen=backend, **__: chosen)
        made.append(
            sweep(
                frame, truth, entities=listed, unknown_entities="drop", owner_margin=[None, 0.05],
                top_k=[None, 3], best_margin=[None, 0.5], min_best=[None, 0.1],
            ).results
        )  # fmt: skip
    for one, three, arrays in zip(*made, strict=True):
        for name in ("threshold", "macro_fbeta", "tp", "n_pred", "n_linked"):
            assert getattr(one, name).tolist() == getattr(three, name).tolist()
            assert getattr(one, name).tolist() == getattr(arrays, name).tolist(), (name, one.policy)


def test_memory_does_not_grow_with_the_thresholds():
    """https://github.com/Lightning-AI/torchmetrics/issues/1492"""
    n, rng = 4_200_000, np.random.default_rng(4)
    frame = pd.DataFrame(
        {
            "entity": rng.integers(0, 200_000, n),
            "target": rng.integers(0, 10**9, n),
            "score": rng.random(n, np.float32),
        }
    )
    truth = Truth(frame[["entity", "target"]][:700_000], range(200_000))
    grid = np.linspace(0, 1, 200)
    tracemalloc.start()
    sw = sweep(frame, truth, thresholds=grid)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 100 * n  # a byte for each pair and threshold would be twice that
    for i in (0, 77, 199):
        ev = evaluate(frame, truth, score="score", threshold=grid[i])
        assert (ev.tp, ev.n_pred) == (sw.results[0].tp[i], sw.results[0].n_pred[i])
        assert ev.macro_fbeta == pytest.approx(sw.results[0].macro_fbeta[i], abs=1e-12)
