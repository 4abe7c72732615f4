"""The memory plan of the GPU, a pure function, and the table that the README has of it."""

import importlib.util
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from conftest import device_backend, loose_backend
from hypothesis import given
from hypothesis import strategies as st

from berx_gpu import DataError, Truth, evaluate, sweep
from berx_gpu.backends import cuda, select
from berx_gpu.backends import plan as limits
from berx_gpu.backends.plan import USED_SHARE, plan, row_bytes

steps = st.sampled_from(["lookup", "match", "label", "curve", "owned"])


@given(steps, st.integers(0, 2**40), st.sampled_from([8, 16, 40]), st.integers(1, 2**40))
def test_parts_fit_the_free_memory(step, rows, id_bytes, free):
    made = plan(step, rows, id_bytes, free)
    each = row_bytes(step, id_bytes)
    assert made.parts * made.rows >= rows
    assert made.peak == made.rows * each
    assert made.peak <= free * USED_SHARE or made.rows <= 1
    if made.parts > 1:  # one part fewer would not fit
        fitting = min(max(int(free * USED_SHARE) // each, 1), limits.MAX_ROWS)
        assert -(-rows // (made.parts - 1)) > fitting


def test_more_memory_is_never_more_parts():
    sizes = [plan("match", 10**9, 8, free).parts for free in range(10**8, 10**11, 10**9)]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] == 2


def test_more_rows_than_a_column_holds(monkeypatch):
    """https://github.com/NVIDIA/cudf/issues/8182"""
    assert plan("match", 10**10, 8, 2**50).parts == 5
    assert plan("match", 10**10, 8, 2**50).rows <= 2**31 - 1
    monkeypatch.setattr(limits, "MAX_ROWS", 2)
    monkeypatch.setattr(cuda, "backend", device_backend)
    rows = [("a", 1), ("a", 2), ("b", 1)]
    with pytest.raises(DataError, match=r"predictions column .* has 3 rows, more than the 2 of"):
        evaluate(rows, Truth(rows[:1], ["a", "b"], device="cuda"))


def test_the_readme_has_the_table():
    root = Path(__file__).parents[2]
    spec = importlib.util.spec_from_file_location("benchmarks_plan", root / "benchmarks/plan.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.table() in (root / "README.md").read_text()


@pytest.mark.parametrize("free", [300, 3000, 10**5, 10**9])
def test_any_number_of_parts_gives_the_same(monkeypatch, free):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.integers(0, 60, (1000, 2)), columns=["entity", "target"])
    frame["score"] = rng.integers(0, 20, 1000) / 20
    truth = frame[["entity", "target"]].sample(200, random_state=1)
    results = []
    for backend in (loose_backend(free), loose_backend(10**12)):
        monkeypatch.setattr(select, "select", lambda *_, chosen=backend, **__: chosen)
        ev = evaluate(frame, truth, entities=range(60), threshold=0.5)
        curve = sweep(
            frame, truth, entities=range(60), top_k=[None, 3], owner_margin=[None, 0.1]
        ).results
        results.append((ev.to_dict(), [[*r.macro_fbeta, *r.tp, *r.n_pred] for r in curve]))
    assert results[0] == results[1]
