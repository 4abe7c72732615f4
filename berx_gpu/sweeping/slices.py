"""What a threshold of its own would gain each slice of the entities."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from berx_gpu.backends.backend import Scored
from berx_gpu.evaluation.slices import slices
from berx_gpu.inputs.columns import build_frame
from berx_gpu.sweeping.curve import PolicyCurve
from berx_gpu.sweeping.points import row_at


def by(result: PolicyCurve, key: Any) -> Any:
    """Return the best threshold of each slice and its gain as a frame, see `Sweep.by`."""
    data, truth, shared = result.data, result.data.truth, result.best.threshold
    backend = truth.backend()
    xp = backend.xp
    shown, group = slices(truth, key)
    sizes = np.bincount(group)
    members = np.argsort(group, kind="stable")
    first = np.cumsum(sizes) - sizes
    place = np.empty(len(group), np.int32)
    place[members] = np.arange(len(group)) - np.repeat(first, sizes)
    rows = xp.flatnonzero(result.kept(xp))
    codes = data.links.codes[rows]
    slice_of = xp.asarray(group)[codes]
    order = xp.argsort(slice_of, kind="stable")
    rows, codes = rows[order], xp.asarray(place)[codes[order]]
    ends = np.cumsum(backend.to_host(xp.bincount(slice_of, minlength=len(sizes))))
    out: dict[str, list[float]] = {name: [] for name in _BY}
    for i, (size, end) in enumerate(zip(sizes, ends, strict=True)):
        mine = slice(ends[i - 1] if i else 0, end)
        n_true = truth.n_true_each[xp.asarray(members[first[i] : first[i] + size])]
        at = rows[mine]
        links = Scored(codes[mine], data.scores[at], data.scale, data.hit[at])
        made = backend.curve(n_true, links, xp.ones(len(at), bool), data.beta)
        drops, macro = backend.to_host(made.drops), backend.to_host(made.macro_f)
        own = data.scale.scores(drops)
        best = int(np.argmax(macro))
        here = float(macro[row_at(data.scale, own, shared)])
        gain = float(macro[best]) - here
        threshold = float(own[best]) if best else math.inf
        values = (int(size), threshold, here, float(macro[best]), gain, gain * size)
        for name, value in zip(_BY, values, strict=True):
            out[name].append(value)
    columns = {name: np.array(values) for name, values in out.items()}
    columns["gain_overall"] /= truth.n_entities
    return build_frame([*shown, *columns.items()], data.library)


_BY = (
    "n_entities",
    "best_threshold",
    "macro_fbeta",
    "best_macro_fbeta",
    "gain",
    "gain_overall",
)
