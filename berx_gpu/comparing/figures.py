"""Figures of comparisons."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from berx_gpu.printing.drawing import GREY, on_axes, plain

Line = tuple[str, int, float, float, float]
"""A name, a number of entities, a difference, and its limits."""


def forest(lines: Sequence[Line], title: str, metric: str, level: float, ax: Any) -> Any:
    """Draw differences with their limits, the first at the top."""
    ax = on_axes(ax, title, f"difference of {metric}, {100 * level:g} % limits", "")
    places = range(len(lines))[::-1]
    for place, (_, _, delta, low, high) in zip(places, lines, strict=True):
        sure = low > 0 or high < 0
        ax.hlines(place, low, high, color="#0072B2" if sure else GREY, lw=1.8)
        ax.plot(delta, place, "o", ms=6, color="#0072B2" if sure else "white",
                mec="#0072B2" if sure else GREY)  # fmt: skip
    ax.axvline(0, color="black", lw=1, ls="--")
    ax.locator_params(axis="x", nbins=6)
    names = [plain(f"{name} ({n:,})") for name, n, *_ in lines]
    ax.set_yticks(places, names, fontsize=8)
    ax.set_ylim(-0.6, len(lines) - 0.4)
    return ax
