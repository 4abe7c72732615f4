"""pandas, NumPy and kernels compiled for the CPU."""

from functools import cache, partial
from typing import Any

import numpy as np
import pandas as pd

from berx_gpu import _encode
from berx_gpu._backends import frames
from berx_gpu._backends.select import Backend
from berx_gpu.kernels import fbeta_cpu


@cache
def backend() -> Backend:
    """Return the backend of host inputs."""
    libs = frames.Libraries(pd, np, _take, piece_rows=2**28)
    return Backend(
        name="cpu",
        frames=pd,
        xp=np,
        encode=_encode.encode,
        take=_take,
        lookup=partial(frames.lookup, libs),
        repeats=partial(frames.repeats, libs),
        match=partial(frames.match, libs),
        scores=_encode.scores,
        look_alikes=_encode.look_alikes,
        fbeta=_fbeta,
        to_host=lambda values: values,
    )


def _take(part: Any, kept: Any) -> Any:
    return part[kept]


def _fbeta(tp: Any, n_pred: Any, n_true: Any, beta: float) -> Any:
    out = np.empty(len(tp))
    fbeta_cpu.fbeta(tp, n_pred, n_true, beta, out)
    return out
