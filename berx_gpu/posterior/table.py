"""`posteriors`: the posterior of every row of counts, a million at once."""

from __future__ import annotations

import math
import numbers
from collections.abc import Hashable
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd

from berx_gpu.backends import select
from berx_gpu.backends.backend import Backend
from berx_gpu.errors import DataError, rows
from berx_gpu.inputs.columns import build_frame, on_host, to_series
from berx_gpu.inputs.frames import pick, read_frame
from berx_gpu.options import as_float, beta_of, number
from berx_gpu.posterior import batches
from berx_gpu.posterior.f import joint
from berx_gpu.posterior.options import MOST, prior_counts, share_of_one


def posteriors(
    frame: Any,
    *,
    tp: str = "tp",
    fp: str = "fp",
    fn: str = "fn",
    ci: float = 0.95,
    beta: float = 1.0,
    floor: float | None = None,
    prior: str | None = None,
    prior_alpha: float = 1.0,
    prior_beta: float = 1.0,
) -> Any:
    """Return the posterior of every row of counts: a model, a slice, a class.

    Parameters
    ----------
    frame : DataFrame
        With columns of true, false and missed links, such as `Evaluation.by` returns.
    tp, fp, fn : str
        Names of these columns.
    ci : float, default 0.95
    beta : float, default 1.0
        Of F, whose precision and recall share their true links. Any other than 1 takes
        twenty to thirty milliseconds a row; 1 takes microseconds.
    floor : float, optional
        Adds the probabilities that precision, recall and F are above it.
    prior, prior_alpha, prior_beta
        As in `BayesianPRModel`.

    Returns
    -------
    DataFrame
        The frame, and after its own columns mean, std, low and high of precision, recall and f,
        such as ``precision_mean``, and ``precision_above`` and its like where there is a floor.
        Rows and library are the frame's; the index of a pandas frame counts up.

    Raises
    ------
    DataError
        For counts that are missing, negative or not finite.

    Examples
    --------
    >>> import pandas as pd
    >>> from berx_gpu import posteriors
    >>> counts = pd.DataFrame({"model": ["a", "b"], "tp": [80, 5], "fp": [26, 6], "fn": [20, 2]})
    >>> posteriors(counts, floor=0.65)[["model", "precision_mean", "precision_above"]].round(4)
      model  precision_mean  precision_above
    0     a          0.7500           0.9884
    1     b          0.4615           0.0846
    """
    for option, name in (("tp", tp), ("fp", fp), ("fn", fn)):
        if name is None or not isinstance(name, Hashable):
            raise DataError(f"{option}={name!r} is not the name of a column")
    if len({tp, fp, fn}) < 3:
        raise DataError(f"tp={tp!r}, fp={fp!r}, fn={fn!r}: name three columns")
    library, columns = read_frame(frame, "counts")
    backend = select.select(frame)
    counts = [
        _counts(pick(columns, name, "counts", option, frame)[0][1], name, backend)
        for option, name in (("tp", tp), ("fp", fp), ("fn", fn))
    ]
    pseudo = prior_counts(prior, prior_alpha, prior_beta)
    beta = beta_of(beta)
    level = share_of_one("ci", ci)
    floor = None if floor is None else number("floor", floor, 0, 1)
    found = _columns_of(counts, pseudo, beta, level, floor, backend)
    taken = [name for name, _ in columns if name in found]
    if taken:
        raise DataError(f"the frame has a column {taken[0]!r} already; rename it")
    return build_frame([*columns, *found.items()], library)


def _counts(values: Any, name: str, backend: Backend) -> Any:
    """Return a column of counts as float64, or raise for what is none."""
    host = to_series(on_host(values))
    if host.dtype.kind in "bcmM":
        raise DataError(f"counts column {name!r} holds {host.dtype} values; give numbers from 0 up")
    if pd.api.types.is_numeric_dtype(host.dtype):
        found = host.to_numpy("float64", na_value=np.nan)
    else:
        found = np.array([_as_count(value) for value in host], np.float64)
    wrong = ~((found >= 0) & (found <= MOST))
    if wrong.any():
        row = int(wrong.argmax())
        value = host.iloc[row]
        value = value.item() if isinstance(value, np.generic) else value
        raise DataError(
            f"counts column {name!r} has no count in {rows(int(wrong.sum()))}, first at row {row}: "
            f"{value!r}; give numbers from 0 to 1e12"
        )
    return backend.xp.asarray(found)


def _as_count(value: Any) -> float:
    """Return a Python number as a float, NaN for anything else."""
    is_number = isinstance(value, (numbers.Real, Decimal)) and not isinstance(value, bool)
    return as_float(value) if is_number else math.nan


def _columns_of(
    counts: list[Any],
    prior: tuple[float, float],
    beta: float,
    level: float,
    floor: float | None,
    backend: Backend,
) -> dict[str, Any]:
    tp, fp, fn = counts
    a, b = prior
    made = {
        "precision": batches.columns(a + tp, b + fp, level, floor, backend.xp, backend.special),
        "recall": batches.columns(a + tp, b + fn, level, floor, backend.xp, backend.special),
    }
    if beta == 1:
        share = (a + tp, 2 * b + fp + fn)
        made["f"] = batches.f1_columns(*share, level, floor, backend.xp, backend.special)
    else:
        host = (backend.to_host(part) for part in (a + tp, b + fp, b + fn))
        each = [joint(t, f, m, beta) for t, f, m in zip(*host, strict=True)]
        names = batches.NAMES if floor is not None else batches.NAMES[:-1]
        lines = np.array([batches.line(one, level, floor) for one in each]).reshape(-1, len(names))
        made["f"] = dict(zip(names, backend.xp.asarray(lines.T), strict=True))
    return {f"{metric}_{name}": v for metric, part in made.items() for name, v in part.items()}
