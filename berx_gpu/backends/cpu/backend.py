"""pandas, NumPy and kernels compiled for the CPU."""

from __future__ import annotations

from functools import cache, partial
from typing import Any

import numpy as np
import pandas as pd
from scipy import special

from berx_gpu.backends import draws
from berx_gpu.backends.backend import Backend
from berx_gpu.backends.cpu import curves, keys, lookup, matching, rules
from berx_gpu.backends.cpu.machine import Machine
from berx_gpu.backends.frames import matching as joins
from berx_gpu.backends.frames.libraries import Libraries
from berx_gpu.encoding import scores
from berx_gpu.encoding.keys import encode
from berx_gpu.kernels import fbeta_cpu, fbeta_rows, resample_cpu
from berx_gpu.runtime import threads

_FREE = 1 << 35
"""Bytes that the joins may plan with: the host has swap, and large inputs go through kernels."""
_BATCHES = 64
"""Of replicates: between two of them Ctrl-C acts and progress is told."""
_FEW = 1 << 13
"""Entities up to which the row runs as plain Python: sooner done than a kernel is loaded."""


@cache
def backend(n_threads: int) -> Backend:
    """Return the backend of host inputs."""
    libs = Libraries(pd, np, _take, _same, _same, _hashed, free=lambda: _FREE)
    return on(Machine(libs, n_threads))


def on(machine: Machine) -> Backend:
    """Return the backend that matches on a machine."""
    return Backend(
        name="cpu",
        frames=pd,
        xp=np,
        encode=encode,
        take=_take,
        here=_same,
        repeats=partial(joins.repeats, machine.libs),
        index=partial(lookup.index, machine),
        lookup=partial(lookup.lookup, machine),
        prepare=partial(matching.prepare, machine),
        match=partial(matching.match, machine),
        label=partial(matching.label, machine),
        group=partial(matching.group, machine),
        ranks=partial(rules.ranks, machine),
        owned=partial(rules.owned, machine),
        near_best=partial(rules.near_best, machine),
        curve=partial(curves.curve, machine, _fbeta),
        scores=scores.column,
        look_alikes=partial(keys.look_alikes, machine),
        fbeta=_fbeta,
        special=special,
        resample=partial(_resample, machine.n_threads),
        to_host=_same,
    )


def _take(part: Any, kept: Any) -> Any:
    return part[kept]


def _same(values: Any) -> Any:
    return values


def _resample(
    n_threads: int, how: str, count: Any, num: Any, den: Any, n_resamples: int, seed: int
) -> Any:
    sums = np.empty((n_resamples, 2), np.int64)
    spans = threads.spans(n_resamples, min(n_resamples, _BATCHES))
    given = (*draws.TABLES[how](count), num, den, *draws.key_words(seed))
    calls = [(*given, begin, sums[begin:end]) for begin, end in spans]
    threads.run(resample_cpu.resample, calls, n_threads)
    return sums


def _hashed(part: Any) -> Any:
    return pd.util.hash_array(part)


def _fbeta(tp: Any, n_pred: Any, n_true: Any, beta: float) -> Any:
    if len(tp) <= _FEW:
        row = fbeta_rows.fbeta.py_func  # type: ignore[attr-defined]  # Numba keeps it there
        counts = zip(tp.tolist(), n_pred.tolist(), n_true.tolist(), strict=True)
        return np.array([row(*count, beta) for count in counts])
    out = np.empty(len(tp))
    fbeta_cpu.fbeta(tp, n_pred, n_true, beta, out)
    return out
