"""Figures of posteriors; `berx_gpu.visualization` offers them too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy import special

from berx_gpu.errors import DataError, one_of
from berx_gpu.options import number, whole_number
from berx_gpu.posterior import distribution
from berx_gpu.posterior.model import BayesianPRModel, check_models
from berx_gpu.posterior.options import MOST, Metric, metric_of, prior_counts, share_of_one
from berx_gpu.printing.drawing import STYLES, on_axes, plain, pyplot, side_by_side

_PRIORS = ((1.0, 1.0), (0.5, 0.5), (2.0, 2.0), (5.0, 5.0), (8.0, 2.0))


def plot_posteriors(
    model: BayesianPRModel, ci: float = 0.95, n_points: int = 500, figsize: Any = (12, 4)
) -> Any:
    """Draw the posterior density of every metric that the model has observations for.

    Parameters
    ----------
    model : BayesianPRModel
    ci : float, default 0.95
        The probability of the shaded part.
    n_points : int, default 500
    figsize : tuple of float, default (12, 4)

    Returns
    -------
    matplotlib Figure
    """
    level = share_of_one("ci", ci)
    check_models(model)
    n_points = whole_number("n_points", n_points, 2, 100_000)
    there = {Metric.PRECISION: model.has_precision, Metric.RECALL: model.has_recall}
    shown = [metric for metric, has in there.items() if has] + [Metric.F1] * model.has_f1
    if not shown:
        raise DataError("the model has no observations; call update(tp=..., fp=..., fn=...)")
    figure, axes = side_by_side(len(shown), figsize)
    for ax, metric, style in zip(axes, shown, STYLES, strict=False):
        posterior = model.posterior_of(metric, joint=False)
        low, high = posterior.interval(level)
        x, y = _density(posterior, n_points)
        on_axes(ax, f"{model.name}: {metric.value}", metric.value, "density")
        ax.plot(x, y, lw=1.5, color=style["color"])
        inside = (x >= low) & (x <= high)
        ax.fill_between(x[inside], y[inside], color=style["color"], alpha=0.2,
                        label=f"{100 * level:g} % [{low:.4f}, {high:.4f}]")  # fmt: skip
        ax.axvline(posterior.mean, color="black", lw=1, ls="--", label=f"mean {posterior.mean:.4f}")
        ax.set_ylim(0, 1.35 * y.max() or 1)
        ax.legend(frameon=False, fontsize=8, loc="upper left")
    return figure


def plot_sequential_update(
    prior_alpha: float,
    prior_beta: float,
    observations: Sequence[Mapping[str, float]],
    metric: Metric | str = "precision",
    ci: float = 0.95,
    figsize: Any = (10, 5),
) -> Any:
    """Draw how a posterior narrows as batches of observations arrive.

    Parameters
    ----------
    prior_alpha, prior_beta : float
    observations : list of mapping
        One batch each, with tp and fp or fn.
    metric : {"precision", "recall"}
    ci : float, default 0.95
    figsize : tuple of float, default (10, 5)

    Returns
    -------
    matplotlib Figure
        The densities, and mean and limits after each batch.
    """
    metric, level = metric_of(metric), share_of_one("ci", ci)
    one_of("metric", metric.value, ("precision", "recall"))
    errors = "fp" if metric is Metric.PRECISION else "fn"
    if not isinstance(observations, Sequence):
        raise DataError(f"observations={observations!r}: give a list of dicts of counts")
    model = BayesianPRModel(prior_alpha=prior_alpha, prior_beta=prior_beta).update(0, 0, 0)
    seen = [model.posterior_of(metric)]
    for i, batch in enumerate(observations):
        if not isinstance(batch, Mapping):
            raise DataError(f"observations[{i}] is a {type(batch).__name__}; give a dict of counts")
        if "tp" not in batch or errors not in batch:
            raise DataError(f"observations[{i}] needs 'tp' and {errors!r}; it has {list(batch)}")
        model.update(batch["tp"], **{errors: batch[errors]})
        seen.append(model.posterior_of(metric))
    figure, (left, right) = side_by_side(2, figsize)
    on_axes(left, f"{metric.value} as observations arrive", metric.value, "density")
    colors = pyplot().get_cmap("viridis")(np.linspace(0.9, 0.1, len(seen)))
    for i, (posterior, color) in enumerate(zip(seen, colors, strict=True)):
        label = "prior" if not i else f"batch {i}" if i in (1, len(seen) - 1) else None
        left.plot(*_density(posterior, 500), color=color, lw=1.5, label=label)
    left.legend(frameon=False, fontsize=8)
    on_axes(right, f"mean and {100 * level:g} % limits", "batch", metric.value)
    limits = np.array([posterior.interval(level) for posterior in seen]).T
    right.fill_between(range(len(seen)), *limits, color="#0072B2", alpha=0.2)
    right.plot([posterior.mean for posterior in seen], "o-", color="#0072B2", ms=4)
    right.set_xticks(range(len(seen)))
    right.set_ylim(-0.02, 1.02)
    return figure


def plot_comparison(
    models: Sequence[BayesianPRModel],
    metric: Metric | str = "f1",
    ci: float = 0.95,
    figsize: Any = (10, 5),
) -> Any:
    """Draw the posteriors of any number of models: densities, and mean with limits of each.

    Parameters
    ----------
    models : list of BayesianPRModel
    metric : {"precision", "recall", "f1"}
    ci : float, default 0.95
    figsize : tuple of float, default (10, 5)

    Returns
    -------
    matplotlib Figure
    """
    metric, level = metric_of(metric), share_of_one("ci", ci)
    if not isinstance(models, Sequence) or not models:
        raise DataError(f"models={models!r}: give a list of one or more models")
    check_models(*models)
    figure, (left, right) = side_by_side(2, figsize)
    on_axes(left, f"posteriors of {metric.value}", metric.value, "density")
    on_axes(right, f"mean and {100 * level:g} % limits", metric.value, "")
    places = range(len(models))[::-1]
    for i, (place, model) in enumerate(zip(places, models, strict=True)):
        style = STYLES[i % len(STYLES)]
        posterior = model.posterior_of(metric, joint=False)
        left.plot(*_density(posterior, 500), lw=1.5, label=plain(model.name), **style)
        right.hlines(place, *posterior.interval(level), lw=1.8, **style)
        right.plot(posterior.mean, place, "o", ms=6, color=style["color"])
    right.set_yticks(places, [plain(model.name) for model in models], fontsize=8)
    right.set_ylim(-0.6, len(models) - 0.4)
    left.legend(frameon=False, fontsize=8)
    return figure


def plot_prior_sensitivity(
    tp: float,
    fp: float,
    fn: float,
    prior_strengths: Sequence[tuple[float, float]] | None = None,
    metric: Metric | str = "precision",
    figsize: Any = (9, 5),
) -> Any:
    """Draw what several priors make of the same observations, and of ten times as many.

    Parameters
    ----------
    tp, fp, fn : float
    prior_strengths : list of (alpha, beta), optional
    metric : {"precision", "recall"}
    figsize : tuple of float, default (9, 5)

    Returns
    -------
    matplotlib Figure
    """
    metric = metric_of(metric)
    one_of("metric", metric.value, ("precision", "recall"))
    if prior_strengths is None:
        prior_strengths = _PRIORS
    try:
        priors = [prior_counts(None, alpha, beta) for alpha, beta in prior_strengths]
    except (TypeError, ValueError):
        priors = []
    if not priors:
        raise DataError(f"prior_strengths={prior_strengths!r}: give pairs such as [(1, 1), (5, 5)]")
    given = {"tp": tp, "fp": fp, "fn": fn}
    given = {name: number(name, value, 0, MOST / 10) for name, value in given.items()}
    figure, axes = side_by_side(2, figsize)
    for ax, times in zip(axes, (1, 10), strict=True):
        counts = {name: times * value for name, value in given.items()}
        seen = ", ".join(f"{name.upper()}={value:g}" for name, value in counts.items())
        on_axes(ax, seen, metric.value, "density")
        for i, (alpha, beta) in enumerate(priors):
            model = BayesianPRModel(prior_alpha=alpha, prior_beta=beta).update(**counts)
            x, y = _density(model.posterior_of(metric), 500)
            ax.plot(x, y, lw=1.5, label=f"Beta({alpha:g}, {beta:g})", **STYLES[i % len(STYLES)])
        ax.legend(frameon=False, fontsize=8)
    return figure


def _density(posterior: distribution.Posterior, n_points: int) -> tuple[Any, Any]:
    """Return points of a density."""
    low, high = posterior.ppf(3e-7), posterior.isf(3e-7)
    low = max(min(low, high - 1e-9), 0.0)  # one that is all at one end has some width in a figure
    high = max(high, low + 1e-9)
    edges = np.linspace(low, high, n_points + 1)
    x = (edges[1:] + edges[:-1]) / 2
    return x, np.exp(posterior.ready().log_density(special.logit(x))) / (x * (1 - x))
