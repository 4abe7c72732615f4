"""F_beta over a range of entities on the CPU."""

from typing import Any

from berx_gpu.kernels._jit import jit
from berx_gpu.kernels.fbeta_rows import fbeta as _fbeta_row


@jit
def fbeta(tp: Any, n_pred: Any, n_true: Any, beta: float, out: Any) -> None:
    """Write F_beta of every entity: int64 counts in, float64 `out`, all of one length."""
    for i in range(out.size):
        out[i] = _fbeta_row(tp[i], n_pred[i], n_true[i], beta)
