"""Where a difference comes from: by slices, and by what became of the entities."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from berx_gpu.arithmetic.exact_sums import mean_of, sums_by
from berx_gpu.comparing.pairing import Paired, differences
from berx_gpu.evaluation.limits import limits_by
from berx_gpu.evaluation.losses import outcome_masks
from berx_gpu.evaluation.slices import slices
from berx_gpu.inputs.columns import build_frame


def by(both: Paired, key: Any, level: float, n: int) -> Any:
    """Return the difference in slices of the entities as a frame, with limits at a level.

    `n` is how many entities the metric is over.
    """
    counts = both.a._counts
    shown, group = slices(counts.truth, key)
    n_slices = int(group.max()) + 1
    over = both.counted
    group, difference = group[over], differences(both)[over]
    sizes = np.bincount(group, minlength=n_slices)

    def mean(values: Any, whole: Any = sizes) -> Any:
        return mean_of(*sums_by(values, group, n_slices), whole)

    with np.errstate(invalid="ignore"):
        first, second = (mean(x[over]) for x in (both.first, both.second))
    limits = 2 * limits_by((difference + 1) / 2, group, n_slices, level) - 1
    columns = {
        "n_entities": sizes,
        "estimate_a": first,
        "estimate_b": second,
        "delta": second - first,
        **dict(zip(("low", "high", "low_all", "high_all"), limits, strict=True)),
        "better": np.bincount(group[difference > 0], minlength=n_slices),
        "worse": np.bincount(group[difference < 0], minlength=n_slices),
        "delta_overall": mean(difference, n),
    }
    return build_frame([*shown, *columns.items()], counts.library)


def outcomes(both: Paired, n: int) -> Any:
    """Return what became of the n entities of each outcome as a frame, the largest gain first."""
    kinds = []
    for ev, order in ((both.a, slice(None)), (both.b, both.codes)):
        counts, to_host = ev._counts, ev._counts.truth.backend().to_host
        masks = outcome_masks(*map(to_host, counts.each))
        kind = np.zeros(ev.n_entities, np.int64)
        for i, mask in enumerate(masks.values()):
            kind[mask] = i
        kinds.append(kind[order])
    names = np.array(list(masks), object)
    over = both.counted
    pair, group = np.unique((kinds[0] * len(names) + kinds[1])[over], return_inverse=True)
    part = mean_of(*sums_by(differences(both)[over], group, len(pair)), n)
    order = np.lexsort((pair, -part))
    columns = [
        ("outcome_a", pd.Series(names[pair // len(names)][order])),
        ("outcome_b", pd.Series(names[pair % len(names)][order])),
        ("n_entities", np.bincount(group)[order]),
        ("delta_overall", part[order]),
    ]
    return build_frame(columns, both.a._counts.library)
