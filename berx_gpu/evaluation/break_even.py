"""When a batch of links raises F: `break_even_ratio`."""

from __future__ import annotations

from typing import Any

import numpy as np

from berx_gpu.errors import DataError, rows
from berx_gpu.options import beta_of


def break_even_ratio(tp: Any, n_pred: Any, n_true: Any, *, beta: float = 0.5) -> Any:
    """Return how many true pairs must come with each false one to raise F_β.

    Parameters
    ----------
    tp, n_pred, n_true : float or array
        True predicted, predicted and true pairs: of one entity, in total, or means per entity.
    beta : float, default 0.5
        β in [1e-100, 1e100].

    Returns
    -------
    float or float64 array
        tp / (D - tp) with D = β²·n_true + n_pred; NaN where D = tp.

    Raises
    ------
    DataError
        For counts that are negative, not finite, or with tp above n_pred or n_true.

    Notes
    -----
    A batch of pairs added to one entity, or to pooled F, raises F_β exactly when it holds more
    than this many true pairs for each false one. For macro F it is a rule of thumb: what a batch
    does to macro F depends on the entities that it falls on.

    Examples
    --------
    >>> from berx_gpu import break_even_ratio
    >>> break_even_ratio(3, 3, 4)
    3.0
    >>> round(break_even_ratio(66_009, 66_324, 68_983), 2)
    3.76
    """
    beta = beta_of(beta)
    try:
        counts = [np.asarray(x, np.float64) for x in (tp, n_pred, n_true)]
        hits, made, real = np.broadcast_arrays(*counts)
    except (TypeError, ValueError, OverflowError) as error:
        raise DataError(f"tp, n_pred and n_true must be numbers of one shape: {error}") from error
    finite = np.isfinite(hits) & np.isfinite(made) & np.isfinite(real)
    sound = finite & (hits >= 0) & (hits <= made) & (hits <= real)
    if not sound.all():
        row = int((~sound).argmax())
        raise DataError(
            f"counts must be finite and 0 <= tp <= n_pred and n_true; {rows(int((~sound).sum()))} "
            f"fail, first tp={hits.flat[row]:g}, n_pred={made.flat[row]:g}, "
            f"n_true={real.flat[row]:g}"
        )
    over = (made - hits) + beta * beta * real
    ratio = np.divide(hits, over, out=np.full(over.shape, np.nan), where=over > 0)
    return float(ratio) if ratio.ndim == 0 else ratio
