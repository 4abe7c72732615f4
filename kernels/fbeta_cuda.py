"""F_beta over a range of entities on a CUDA device."""

from typing import Any

from numba import cuda
from numba.cuda import libdevice
from numba.extending import overload

from berx_gpu.kernels.fbeta_rows import fbeta as _fbeta_row
from berx_gpu.kernels.fbeta_rows import product

overload(product, target="cuda")(lambda a, b: lambda a, b: libdevice.dmul_rn(a, b))


@cuda.jit
def fbeta(tp: Any, n_pred: Any, n_true: Any, beta: float, out: Any) -> None:
    """Write F_beta of every entity: int64 counts in, float64 `out`, all of one length.

    A thread takes entities a grid's width apart, so any launch shape covers any length.
    """
    for i in range(cuda.grid(1), out.size, cuda.gridsize(1)):
        out[i] = _fbeta_row(tp[i], n_pred[i], n_true[i], beta)
