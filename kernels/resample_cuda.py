"""Replicates of a bootstrap on a CUDA device."""

from typing import Any

import numpy as np
from numba import cuda

from berx_gpu.kernels.resample_rows import replicate_sums


@cuda.jit
def resample(
    kinds: Any, low: Any, starts: Any, limits: Any, guide: Any, thresholds: Any, alias: Any,
    least: int, most: int, purpose: Any, num: Any, den: Any, key0: Any, key1: Any,
    first: int, out: Any,
) -> None:  # fmt: skip
    """Write the sums of the replicates from `first` on: `out` is int64 of shape (replicates, 2).

    A thread takes replicates a grid's width apart.
    """
    for i in range(cuda.grid(1), out.shape[0], cuda.gridsize(1)):
        out[i, 0], out[i, 1] = replicate_sums(
            kinds, low, starts, limits, guide, thresholds, alias, least, most, num, den,
            np.uint64(first + i), purpose, key0, key1,
        )  # fmt: skip
