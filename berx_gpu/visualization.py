"""Figures: the curve of a sweep, precision and recall, bands, calibration, slices, posteriors.

Every function draws into the given axes, or new ones, and returns them.
"""

from __future__ import annotations

from typing import Any

from berx_gpu.comparing.results import Comparison, Comparisons
from berx_gpu.errors import DataError
from berx_gpu.evaluation.figures import plot_slice_posteriors as plot_slice_posteriors
from berx_gpu.evaluation.figures import plot_slices as plot_slices
from berx_gpu.posterior.figures import plot_comparison as plot_comparison
from berx_gpu.posterior.figures import plot_posteriors as plot_posteriors
from berx_gpu.posterior.figures import plot_prior_sensitivity as plot_prior_sensitivity
from berx_gpu.posterior.figures import plot_sequential_update as plot_sequential_update
from berx_gpu.sweeping.figures import page as page
from berx_gpu.sweeping.figures import plot_bands as plot_bands
from berx_gpu.sweeping.figures import plot_precision_recall as plot_precision_recall
from berx_gpu.sweeping.figures import plot_reliability as plot_reliability
from berx_gpu.sweeping.figures import plot_sweep as plot_sweep


def plot_forest(made: Comparison | Comparisons, key: Any = None, *, ax: Any = None) -> Any:
    """Draw differences with their limits: of a comparison and its slices, or of many pairs.

    Parameters
    ----------
    made : Comparison or Comparisons
    key : str, mapping, Series or list of these, optional
        Slices of a comparison, as in `Comparison.by`; their limits hold for all slices at once.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes
    """
    if isinstance(made, Comparison):
        return made.plot(key, ax=ax)
    if key is not None:
        raise DataError("slices are of one comparison; plot one of the pairs")
    return made.plot(ax=ax)
