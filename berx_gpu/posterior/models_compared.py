"""Two models: which is better, and whether one holds on other data."""

from __future__ import annotations

from typing import Any

import numpy as np

from berx_gpu.errors import DataError, warn
from berx_gpu.posterior import beta, differences
from berx_gpu.posterior.model import BayesianPRModel, check_models
from berx_gpu.posterior.options import Metric, metric_of, share_of_one


def compare_models(
    model_a: BayesianPRModel,
    model_b: BayesianPRModel,
    metric: Metric | str = Metric.PRECISION,
    *,
    ci: float = 0.95,
    joint: bool = True,
) -> dict[str, Any]:
    """Return how likely one model is better than another on independent samples of one kind.

    Parameters
    ----------
    model_a, model_b : BayesianPRModel
    metric : Metric or str, default "precision"
    ci : float, default 0.95
    joint : bool, default True
        For F1: whether precision and recall share their true links.

    Returns
    -------
    dict
        prob_a_better, mean_diff, ci_low, ci_high (of a - b), model_a, model_b, metric.

    Warns
    -----
    DataWarning
        When both have one name, or samples of different names.

    Notes
    -----
    An integral over the narrower posterior, no sampling. The two samples count as
    independent; systems on the same entities are compared in pairs by `compare`, which sees more.

    Examples
    --------
    >>> from berx_gpu import BayesianPRModel, compare_models
    >>> new, old = BayesianPRModel("new"), BayesianPRModel("old")
    >>> found = compare_models(new.update(tp=90, fp=10), old.update(tp=80, fp=20))
    >>> round(found["prob_a_better"], 4), round(found["ci_low"], 4)
    (0.9752, 0.0002)
    """
    metric = metric_of(metric)
    check_models(model_a, model_b)
    if model_a.model_name == model_b.model_name:
        warn(f"both models are called {model_a.model_name!r}; for one model on two samples there "
             "is transfer_test")  # fmt: skip
    if model_a.sample_dist_name != model_b.sample_dist_name:
        warn(
            f"the samples differ ({model_a.sample_dist_name!r} and {model_b.sample_dist_name!r}), "
            "so the difference may be theirs"
        )
    a, b = (model.posterior_of(metric, joint=joint) for model in (model_a, model_b))
    low, high = differences.difference_interval(a, b, share_of_one("ci", ci))
    return {
        "prob_a_better": differences.prob_greater(a, b),
        "mean_diff": min(max(a.mean - b.mean, -1.0), 1.0),
        "ci_low": low,
        "ci_high": high,
        "model_a": model_a.name,
        "model_b": model_b.name,
        "metric": metric.value,
    }


def transfer_test(
    model_ref: BayesianPRModel,
    model_eval: BayesianPRModel,
    metric: Metric | str = Metric.PRECISION,
    alpha: float = 0.05,
) -> dict[str, Any]:
    """Return whether a model's mean on one sample lies in a tail of its posterior on another.

    Parameters
    ----------
    model_ref, model_eval : BayesianPRModel
    metric : {"precision", "recall"}
    alpha : float, default 0.05

    Returns
    -------
    dict
        mu_ref, mu_eval, delta, S = min(F_eval(mu_ref), 1 - F_eval(mu_ref)), inconsistent
        (S <= alpha), model_ref, model_eval, metric.

    Warns
    -----
    DataWarning
        When the names of the models differ, or both samples have one.

    Notes
    -----
    The reference mean counts as known. It is not, and so a model that is the same on both is
    called inconsistent in 24 % of cases with 100 links each, and in 61 % with 100 in the reference
    and 1,000 in the evaluation; S <= 0.05 is a test at 10 % even with a known mean.
    `consistency_test` takes the uncertainty of both into account.

    Examples
    --------
    >>> from berx_gpu import BayesianPRModel, transfer_test
    >>> ref, new = BayesianPRModel("m", "A"), BayesianPRModel("m", "B")
    >>> found = transfer_test(ref.update(tp=80, fp=20), new.update(tp=7, fp=12))
    >>> round(found["delta"], 3), found["inconsistent"]
    (0.413, True)
    """
    ref, new, told = _transferred(model_ref, model_eval, metric)
    below, above = (float(tail(np.array([ref.mean]))[0]) for tail in (new.cdf, new.sf))
    tail = min(below, above)
    return {**told, "S": tail, "inconsistent": tail <= share_of_one("alpha", alpha)}


def consistency_test(
    model_ref: BayesianPRModel,
    model_eval: BayesianPRModel,
    metric: Metric | str = Metric.PRECISION,
    alpha: float = 0.05,
) -> dict[str, Any]:
    """Return whether two samples of one model can have the same truth, both being uncertain.

    Parameters
    ----------
    model_ref, model_eval, metric, alpha
        As in `transfer_test`.

    Returns
    -------
    dict
        prob_ref_better, p_value = 2 min(P(ref > eval), P(eval > ref)), inconsistent (p_value <=
        alpha), and the means and names as in `transfer_test`.

    Examples
    --------
    >>> from berx_gpu import BayesianPRModel, consistency_test
    >>> ref, new = BayesianPRModel("m", "A"), BayesianPRModel("m", "B")
    >>> found = consistency_test(ref.update(tp=80, fp=20), new.update(tp=70, fp=30))
    >>> round(found["p_value"], 3), found["inconsistent"]
    (0.105, False)
    """
    ref, new, told = _transferred(model_ref, model_eval, metric)
    better = differences.prob_greater(ref, new)
    p_value = min(1.0, 2 * min(better, differences.prob_greater(new, ref)))
    apart = p_value <= share_of_one("alpha", alpha)
    return {**told, "prob_ref_better": better, "p_value": p_value, "inconsistent": apart}


def _transferred(
    model_ref: BayesianPRModel, model_eval: BayesianPRModel, metric: Any
) -> tuple[beta.Beta, beta.Beta, dict[str, Any]]:
    """Return both posteriors, and what either test says of them."""
    metric = metric_of(metric)
    check_models(model_ref, model_eval)
    if metric is Metric.F1:
        raise DataError("transfer tests are of precision or recall, not of f1")
    if model_ref.model_name != model_eval.model_name:
        warn(
            f"the models differ ({model_ref.model_name!r} and {model_eval.model_name!r}); to "
            "compare two models there is compare_models"
        )
    if model_ref.sample_dist_name == model_eval.sample_dist_name:
        warn(f"both samples are called {model_ref.sample_dist_name!r}, so nothing was transferred")
    ref, new = model_ref._beta(metric), model_eval._beta(metric)
    told = {
        "mu_ref": ref.mean,
        "mu_eval": new.mean,
        "delta": ref.mean - new.mean,
        "model_ref": model_ref.name,
        "model_eval": model_eval.name,
        "metric": metric.value,
    }
    return ref, new, told
