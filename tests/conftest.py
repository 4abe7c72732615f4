"""The backends that every door is tested on, and a pandas that takes cuDF's liberties."""

import dataclasses
import os
import sys
from importlib import metadata
from types import SimpleNamespace

import device_twin
import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, settings

from berx_gpu.backends import cuda, select
from berx_gpu.backends.cpu import backend as cpu
from berx_gpu.backends.cpu.machine import Machine
from berx_gpu.backends.frames.libraries import Libraries
from berx_gpu.backends.frames.paths import paths
from berx_gpu.kernels import fbeta_rows

os.environ["MPLBACKEND"] = "Agg"  # figures need no screen
collect_ignore = []
for package, test in (
    ("numba-cuda", "kernels/test_cuda_kernels.py"),
    ("cudf-cu13", "twins/test_device_signatures.py"),
):
    try:
        metadata.version(package)
    except metadata.PackageNotFoundError:
        collect_ignore.append(test)

pytest.register_assert_rewrite("plain_sweep")
settings.register_profile(
    "default",
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    max_examples=int(os.environ.get("BERX_TEST_EXAMPLES", "50")),
)
settings.load_profile("default")

_rng = np.random.default_rng(20)


def _any_order(rows):
    return rows.iloc[_rng.permutation(len(rows))].reset_index(drop=True)


class LooseSeries(pd.Series):
    """A Series that keeps no order where cuDF promises none."""

    @property
    def _constructor(self):
        return LooseSeries

    def drop_duplicates(self):
        return _any_order(super().drop_duplicates())


class LooseFrame(pd.DataFrame):
    """A DataFrame that keeps no order where cuDF promises none, and takes only its arguments."""

    @property
    def _constructor(self):
        return LooseFrame

    @property
    def _constructor_sliced(self):
        return LooseSeries

    def merge(self, right, *, on, how):
        assert how in ("inner", "leftsemi", "leftanti"), "outer joins turn integers into floats"
        assert not self[on].isna().any(axis=None), "nulls would match nulls"
        return _any_order(super().merge(right, on=on, how=how))

    def drop_duplicates(self, subset):
        return _any_order(_any_order(self).pipe(pd.DataFrame.drop_duplicates, subset=subset))


def loose_factorize(values):
    """Number the distinct values in no particular order."""
    codes, seen = pd.factorize(values)
    shuffled = _rng.permutation(len(seen))
    return shuffled[codes], seen


#: What `backends/frames` may use of a frame library; anything else is an AttributeError.
LOOSE_PANDAS = SimpleNamespace(
    DataFrame=LooseFrame, Series=LooseSeries, concat=pd.concat, factorize=loose_factorize
)


def kernel_backend(n_threads=2, **options):
    """Return the CPU backend with kernels for everything that they can do, however small."""
    libs = Libraries(pd, np, cpu._take, cpu._same, cpu._same, cpu._hashed, free=lambda: 2**35)
    return cpu.on(Machine(libs, n_threads, small_rows=0, **options))


def loose_backend(free=1000):
    """Return the frame path on the loose pandas, in pieces of as few rows as free bytes allow."""
    plain = cpu.backend(1)
    libs = Libraries(
        LOOSE_PANDAS, np, plain.take, plain.to_host, plain.here, cpu._hashed, lambda: free
    )
    return dataclasses.replace(
        plain,
        name="frames",
        frames=LOOSE_PANDAS,
        **paths(libs, plain.fbeta),
    )


def device_backend(free=10**9):
    """Return the GPU's backend on stand-ins for cuDF and CuPy that refuse what those refuse."""
    cudf, cupy = device_twin.modules(LOOSE_PANDAS)
    return cuda.on(
        cudf,
        cupy,
        lambda: free,
        fbeta=device_fbeta,
        resample=cpu.backend(1).resample,
        special=device_twin.special,
    )


def device_fbeta(tp, n_pred, n_true, beta):
    """Run the row function in place of the kernel."""
    counts = zip(*(values.get().tolist() for values in (tp, n_pred, n_true)), strict=True)
    return device_twin.asarray([fbeta_rows.fbeta.py_func(*count, beta) for count in counts], float)


BACKENDS = {
    "kernels": lambda _: kernel_backend(),
    "frames": loose_backend,
    "device": lambda _: device_backend(),
}


@pytest.fixture
def free_bytes():
    """Memory that the frame path may plan with: parts of a few rows."""
    return 3000


@pytest.fixture(params=BACKENDS)
def backend(request, monkeypatch, free_bytes):
    """Run a test on the CPU's kernels and on the code that cuDF runs."""
    chosen = BACKENDS[request.param](free_bytes)
    monkeypatch.setattr(select, "select", lambda *_, **__: chosen)
    return request.param


on_every_backend = pytest.mark.usefixtures("backend")


@pytest.fixture
def stand_in(monkeypatch):
    """Let the card be the stand-ins of cuDF and CuPy."""
    monkeypatch.setattr(cuda, "backend", device_backend)


@pytest.fixture(autouse=True)
def no_figure_stays_open():
    """Close the figures of a test, of which matplotlib allows twenty."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
