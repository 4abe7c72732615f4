"""What all figures share.

Lines differ in colour and in style, and points in shape, so that figures can be read in grey and
by colour-blind people.
"""

from __future__ import annotations

import math
from typing import Any

from berx_gpu.errors import DataError, MissingDependencyError
from berx_gpu.printing.tables import one_line

STYLES: tuple[dict[str, Any], ...] = (
    {"color": "#0072B2", "linestyle": "-"},
    {"color": "#D55E00", "linestyle": "--"},
    {"color": "#009E73", "linestyle": "-."},
    {"color": "#CC79A7", "linestyle": ":"},
    {"color": "#000000", "linestyle": (0, (5, 1, 1, 1, 1, 1))},
)

GREY = "#767676"


def pyplot() -> Any:
    """Return matplotlib's pyplot, which is loaded with the first figure."""
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise MissingDependencyError(
            'figures need matplotlib; install it with: pip install "berx-gpu[plot]"'
        ) from error
    return pyplot


def plain(text: str) -> str:
    """Return a text that matplotlib does not take for a formula, on one line."""
    text = one_line(text).replace("$", r"\$")
    return f" {text}" if text.startswith("_") else text  # or the legend would leave it out


def side_by_side(n: int, figsize: Any) -> tuple[Any, Any]:
    """Return a figure and its n axes in a row."""
    try:
        width, height = (float(side) for side in figsize)
    except (TypeError, ValueError):
        width = height = math.nan
    if not (0 < width < math.inf and 0 < height < math.inf):
        raise DataError(f"figsize={figsize!r}: give width and height in inches, such as (12, 4)")
    figure, axes = pyplot().subplots(
        1, n, figsize=(width, height), layout="constrained", squeeze=False
    )
    return figure, axes[0]


def on_axes(ax: Any, title: str, x: str, y: str) -> Any:
    """Return axes with their words, new ones if there are none."""
    if ax is None:
        _, ax = pyplot().subplots(figsize=(5.2, 3.8), layout="constrained")
    if not hasattr(ax, "set_title"):
        raise DataError(f"ax is a {type(ax).__name__}; give Axes of matplotlib, or nothing")
    ax.set_title(plain(title), fontsize=10, loc="left")
    ax.set_xlabel(plain(x))
    ax.set_ylabel(plain(y))
    ax.spines[["top", "right"]].set_visible(False)
    return ax
