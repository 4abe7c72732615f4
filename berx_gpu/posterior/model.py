"""`BayesianPRModel`: the Beta posteriors of precision, recall and F of one model."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np

from berx_gpu.errors import DataError
from berx_gpu.options import beta_of, number, seed_of, whole_number
from berx_gpu.posterior import distribution, f
from berx_gpu.posterior.beta import Beta
from berx_gpu.posterior.options import MOST, Metric, metric_of, prior_counts, share_of_one
from berx_gpu.printing.tables import percent


@dataclass(frozen=True)
class PosteriorStats:
    """A posterior in numbers.

    Attributes
    ----------
    mean, std : float
    ci_low, ci_high : float
        Limits that leave equal tails.
    ci_level : float
        The probability between them.
    """

    mean: float
    std: float
    ci_low: float
    ci_high: float
    ci_level: float = 0.95

    def to_dict(self) -> dict[str, float]:
        """Return the attributes as valid JSON."""
        return asdict(self)

    def __str__(self) -> str:
        limits = (
            f"{percent(self.ci_level).replace(' ', '')} CI=[{self.ci_low:.4f}, {self.ci_high:.4f}]"
        )
        return f"mean={self.mean:.4f}, std={self.std:.4f}, {limits}"


class _Seen(NamedTuple):
    """Successes and failures behind one metric."""

    tp: float
    errors: float


class BayesianPRModel:
    """The Beta posteriors of precision and recall of one model on one sample.

    Parameters
    ----------
    model_name : str, default "model"
    sample_dist_name : str, optional
        The data that the counts come from; `compare_models` and `transfer_test` look at it.
    prior_alpha, prior_beta : float, default 1.0
        Pseudo-counts of successes and failures, from 1e-9 up, the same for both metrics.
    n_samples : int, default 100_000
        How many draws `f1_samples` returns.
    prior : {"uniform", "jeffreys", "haldane"}, optional
        A named prior in place of the two numbers.
    rng : int or numpy.random.Generator, optional
        Of these draws, and of nothing else: all other results are exact.

    Raises
    ------
    DataError
        For a prior out of its range, or both a named one and numbers.

    Attributes
    ----------
    design_effects : dict of str to float
        Of a model made by `Evaluation.posterior`: how many pairs count as one, for each metric.

    Notes
    -----
    P | tp, fp ~ Beta(alpha + tp, beta + fp), and R likewise with fn (Goutte and Gaussier 2005).
    Every pair counts as an independent trial; for pairs that belong to entities see
    `Evaluation.posterior`.

    Precision and recall of one sample share their true links, and F is wider for it. `f_stats`,
    `f_samples`, `highest_density`, `compare_models` and `posteriors` say so, unless told
    ``joint=False``; `f1_stats`, `f1_samples`, `prob_above_threshold`, `summary` and the figures
    take the two as independent, as the package bayesian-precision-recall does.

    Examples
    --------
    >>> from berx_gpu import BayesianPRModel
    >>> model = BayesianPRModel("classifier_v2", "test_set").update(tp=80, fp=26, fn=20)
    >>> print(model.summary())
    BayesianPRModel: classifier_v2 [test_set]
      Prior       : Beta(1.0, 1.0)
      Observations: TP=80, FP=26, FN=20
      Precision   : mean=0.7500, std=0.0415, 95% CI=[0.6646, 0.8267]
      Recall      : mean=0.7941, std=0.0398, 95% CI=[0.7109, 0.8664]
      F1          : mean=0.7703, std=0.0292, 95% CI=[0.7108, 0.8249]
    >>> round(model.prob_above_threshold(0.65, "precision"), 4)
    0.9884
    """

    def __init__(
        self,
        model_name: str = "model",
        sample_dist_name: str | None = None,
        prior_alpha: float = 1.0,
        prior_beta: float = 1.0,
        n_samples: int = 100_000,
        *,
        prior: str | None = None,
        rng: Any = None,
    ) -> None:
        self.model_name, self.sample_dist_name = str(model_name), sample_dist_name
        self.prior_alpha, self.prior_beta = prior_counts(prior, prior_alpha, prior_beta)
        self.n_samples = whole_number("n_samples", n_samples, 1, 10**9)
        self._rng = rng
        self._precision: _Seen | None = None
        self._recall: _Seen | None = None
        self._joint: tuple[float, float, float] | None = None
        self.design_effects: dict[str, float] = {}

    def update(
        self, tp: float, fp: float | None = None, fn: float | None = None
    ) -> BayesianPRModel:
        """Add observations, and return the model.

        Parameters
        ----------
        tp : float
            True links. No count may grow beyond 1e12.
        fp, fn : float, optional
            False links, and missed ones. A metric takes the true links of those updates that name
            its errors, so that an update of precision and another of recall count none twice.

        Notes
        -----
        Where precision and recall saw other true links, F of one sample is undefined: `f_stats`
        raises, and `f1_stats` takes the two as independent. To a model of `Evaluation.posterior`,
        whose counts are divided, new ones are added as they are.
        """
        if fp is None and fn is None:
            raise DataError(
                "update() needs fp or fn beside tp: a share needs what it is a share of"
            )
        counts = {"tp": tp, "fp": fp, "fn": fn}
        for name, value in counts.items():
            if value is not None or name == "tp":
                number(name, value, 0, MOST)
        precision, recall = self._precision, self._recall
        if fp is not None:
            precision = _added("fp", precision, tp, fp)
        if fn is not None:
            recall = _added("fn", recall, tp, fn)
        if self._joint is not None:
            both = fp is not None and fn is not None
            self._joint = _summed(self._joint, (tp, fp, fn)) if both else None
        self._precision, self._recall = precision, recall
        return self

    def reset(self) -> BayesianPRModel:
        """Forget the observations, keep the prior, and return the model."""
        self._precision = self._recall = self._joint = None
        self.design_effects = {}
        return self

    @property
    def observations(self) -> dict[str, float | None]:
        """The counts so far: tp, fp and fn, None where there are none.

        Where precision and recall saw other true links, those of recall are ``recall_tp``.
        """
        p, r = self._precision, self._recall
        seen = p or r
        counts = {
            "tp": 0 if seen is None else seen.tp,
            "fp": None if p is None else p.errors,
            "fn": None if r is None else r.errors,
        }
        return counts if p is None or r is None or p.tp == r.tp else {**counts, "recall_tp": r.tp}

    @property
    def has_precision(self) -> bool:
        """Whether fp was given."""
        return self._precision is not None

    @property
    def has_recall(self) -> bool:
        """Whether fn was given."""
        return self._recall is not None

    @property
    def has_f1(self) -> bool:
        """Whether fp and fn were given."""
        return self.has_precision and self.has_recall

    @property
    def precision_posterior(self) -> Any:
        """The posterior of precision as a frozen `scipy.stats.beta`."""
        return self._beta(Metric.PRECISION).frozen()

    @property
    def recall_posterior(self) -> Any:
        """The posterior of recall as a frozen `scipy.stats.beta`."""
        return self._beta(Metric.RECALL).frozen()

    def precision_stats(self, ci: float = 0.95) -> PosteriorStats:
        """Return mean, standard deviation and limits of precision."""
        return _stats(self._beta(Metric.PRECISION), ci)

    def recall_stats(self, ci: float = 0.95) -> PosteriorStats:
        """Return mean, standard deviation and limits of recall."""
        return _stats(self._beta(Metric.RECALL), ci)

    def f1_stats(self, ci: float = 0.95) -> PosteriorStats:
        """Return mean, standard deviation and limits of F1 from independent precision and recall.

        Both share their true links; `f_stats` takes that into account, and is wider.
        """
        return _stats(self.f_posterior(1.0, joint=False), ci)

    def f_stats(self, ci: float = 0.95, *, beta: float = 1.0, joint: bool = True) -> PosteriorStats:
        """Return mean, standard deviation and limits of F_beta.

        F1 of one sample has a closed form: P(F1 <= f) is the Beta distribution of its share of
        true links, 2X / (1 + X) with X ~ Beta(tp, fp + fn), prior counts included; any other beta
        is an integral over it.

        Parameters
        ----------
        ci : float, default 0.95
        beta : float, default 1.0
        joint : bool, default True
            Whether precision and recall share their true links, as they do in one sample.
        """
        return _stats(self.f_posterior(beta, joint), ci)

    def f1_samples(self) -> Any:
        """Return `n_samples` draws of F1 from independent precision and recall."""
        return self.f_posterior(1.0, joint=False).sample(self.n_samples, self._generator())

    def f_samples(self, *, beta: float = 1.0, joint: bool = True) -> Any:
        """Return `n_samples` draws of F_beta; see `f_stats`."""
        return self.f_posterior(beta, joint).sample(self.n_samples, self._generator())

    def prob_above_threshold(
        self, threshold: float, metric: Metric | str = Metric.PRECISION, *, joint: bool = False
    ) -> float:
        """Return P(metric > threshold), exact also where it is tiny.

        Parameters
        ----------
        threshold : float
        metric : Metric or str
        joint : bool, default False
            For F1: see `f_stats`.
        """
        return self.posterior_of(metric, joint=joint).above(number("threshold", threshold, 0, 1))

    def highest_density(
        self, metric: Metric | str = Metric.PRECISION, ci: float = 0.95, *, joint: bool = True
    ) -> tuple[float, float]:
        """Return the shortest interval that holds the metric with probability `ci`."""
        return self.posterior_of(metric, joint=joint).highest(share_of_one("ci", ci))

    def posterior_of(self, metric: Metric | str, *, joint: bool = True) -> distribution.Posterior:
        """Return the distribution of a metric, with `cdf`, `sf`, `ppf`, `mean` and `std`."""
        metric = metric_of(metric)
        return self.f_posterior(1.0, joint) if metric is Metric.F1 else self._beta(metric)

    def f_posterior(self, beta: float = 1.0, joint: bool = True) -> Any:
        """Return the distribution of F_beta; see `f_stats`."""
        beta = beta_of(beta)
        if not isinstance(joint, (bool, np.bool_)):
            raise DataError(f"joint={joint!r} is not True or False")
        p, r = self._observed(Metric.PRECISION), self._observed(Metric.RECALL)
        if not joint:
            sides = self._beta(Metric.PRECISION), self._beta(Metric.RECALL)
            return f.IndependentF(*sides, beta)
        prior = self.prior_beta
        if self._joint is not None:
            tp, fp, fn = self._joint
            return f.joint(self.prior_alpha + tp, prior + fp, prior + fn, beta)
        if not math.isclose(p.tp, r.tp, rel_tol=1e-12):
            raise DataError(
                f"precision saw {p.tp:g} true links and recall {r.tp:g}: F of one sample needs tp, "
                "fp and fn of the same links; for two samples say joint=False"
            )
        return f.joint(self.prior_alpha + p.tp, prior + p.errors, prior + r.errors, beta)

    def summary(self, ci: float = 0.95) -> str:
        """Return the metrics that there are observations for, as text."""
        seen = {
            "TP": self._true(),
            "FP": self._errors(self._precision),
            "FN": self._errors(self._recall),
        }
        lines = [
            f"BayesianPRModel: {self.name}",
            f"  Prior       : Beta({self.prior_alpha}, {self.prior_beta})",
            f"  Observations: {', '.join(f'{k}={v}' for k, v in seen.items() if v is not None)}",
        ]
        if self.design_effects:
            shown = ", ".join(f"{k} {v:.2f}" for k, v in self.design_effects.items())
            lines.append(f"  Pairs per independent one: {shown}")
        if self.has_precision:
            lines.append(f"  Precision   : {self.precision_stats(ci)}")
        if self.has_recall:
            lines.append(f"  Recall      : {self.recall_stats(ci)}")
        if self.has_f1:
            lines.append(f"  F1          : {self.f1_stats(ci)}")
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.summary()

    __repr__ = __str__

    @property
    def name(self) -> str:
        """The model's name, and its sample's where it has one."""
        sample = "" if self.sample_dist_name is None else f" [{self.sample_dist_name}]"
        return f"{self.model_name}{sample}"

    def _true(self) -> str:
        """Return the true links as text: of both metrics where they differ."""
        found = [f"{seen.tp:g}" for seen in (self._precision, self._recall) if seen is not None]
        return " and ".join(dict.fromkeys(found)) or "0"

    @staticmethod
    def _errors(seen: _Seen | None) -> str | None:
        return None if seen is None else f"{seen.errors:g}"

    def _generator(self) -> np.random.Generator:
        if isinstance(self._rng, np.random.Generator):
            return self._rng
        return np.random.default_rng(seed_of(self._rng))

    def _observed(self, metric: Metric) -> _Seen:
        seen = self._precision if metric is Metric.PRECISION else self._recall
        if seen is None:
            name = "fp" if metric is Metric.PRECISION else "fn"
            raise DataError(f"no {name} observations provided; call update(tp=..., {name}=...)")
        return seen

    def _beta(self, metric: Metric) -> Beta:
        seen = self._observed(metric)
        return Beta(self.prior_alpha + seen.tp, self.prior_beta + seen.errors)


def _added(name: str, seen: _Seen | None, tp: float, errors: float) -> _Seen:
    before = _Seen(0, 0) if seen is None else seen
    return _Seen(
        number("tp", before.tp + float(tp), 0, MOST),
        number(name, before.errors + float(errors), 0, MOST),
    )


def _summed(a: tuple[float, ...], b: tuple[Any, ...]) -> Any:
    return tuple(x + float(y) for x, y in zip(a, b, strict=True))


def check_models(*models: Any) -> None:
    """Raise for what is no model."""
    for model in models:
        if not isinstance(model, BayesianPRModel):
            raise DataError(f"{type(model).__name__} is no model; give a BayesianPRModel")


def _stats(posterior: distribution.Posterior, ci: float) -> PosteriorStats:
    level = share_of_one("ci", ci)
    low, high = posterior.interval(level)
    return PosteriorStats(posterior.mean, posterior.std, low, high, level)
