"""F_beta of one entity: the formula that every device runs."""

from numba.extending import overload

from berx_gpu.kernels._jit import jit


def product(a: float, b: float) -> float:
    """Return a·b, rounded before anything is added to it.

    A card's compiler makes one step of a·b + c, which rounds once where a CPU rounds twice;
    `fbeta_cuda` says how it must not.
    """
    return a * b


overload(product)(lambda a, b: lambda a, b: a * b)


@jit
def fbeta(tp: int, n_pred: int, n_true: int, beta: float) -> float:
    """Return F_beta from the three counts of one entity.

    (1 + β²)·tp / (β²·n_true + n_pred), and 1 when prediction and truth are the same set, both
    empty included. Rounding is kept out of the two ends: equal sets give exactly 1 for any β, and
    no result exceeds 1.
    """
    beta2 = product(beta, beta)
    whole = product(beta2, float(n_true)) + n_pred if tp else 1.0
    f = min(1.0, (1.0 + beta2) * tp / whole)
    return 1.0 if tp == n_pred and tp == n_true else f
