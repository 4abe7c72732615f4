"""All that the frame code does, as a backend holds it."""

from __future__ import annotations

from functools import partial
from typing import Any

from berx_gpu.backends.frames import curves, matching, rules
from berx_gpu.backends.frames.libraries import Libraries


def paths(libs: Libraries, fbeta: Any) -> dict[str, Any]:
    """Return the functions of these rooms on some libraries; `fbeta` is the backend's own."""
    return {
        "repeats": partial(matching.repeats, libs),
        "index": partial(matching.index, libs),
        "lookup": lambda listed, parts: matching.lookup(libs, listed.parts, parts),
        "prepare": partial(matching.prepare, libs),
        "match": partial(matching.match, libs),
        "label": partial(matching.label, libs),
        "group": partial(matching.group, libs),
        "curve": partial(curves.curve, libs, fbeta),
        "ranks": partial(rules.ranks, libs),
        "owned": partial(rules.owned, libs),
        "near_best": partial(rules.near_best, libs),
    }
