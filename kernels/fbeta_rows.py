"""F_beta of one entity: the formula that every device runs."""

from berx_gpu.kernels._jit import jit


@jit
def fbeta(tp: int, n_pred: int, n_true: int, beta: float) -> float:
    """Return F_beta from the three counts of one entity.

    (1 + β²)·tp / (β²·n_true + n_pred), and 1 when prediction and truth are the same set, both
    empty included. Rounding is kept out of the two ends: equal sets give exactly 1 for any β, and
    no result exceeds 1.
    """
    beta2 = beta * beta
    whole = beta2 * n_true + n_pred if tp else 1.0
    f = min(1.0, (1.0 + beta2) * tp / whole)
    return 1.0 if tp == n_pred and tp == n_true else f
