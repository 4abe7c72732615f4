"""`Sweep` and `PolicySweep`: all that can be asked of every threshold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from typing import Any

from berx_gpu.deciding.policy import Policy
from berx_gpu.errors import DataError, some
from berx_gpu.evaluation.evaluation import Evaluation
from berx_gpu.printing.printed import Printed, Table
from berx_gpu.printing.tables import aligned
from berx_gpu.sweeping import bands, cross_fit, curve_limits, figures, points, slices
from berx_gpu.sweeping.cross_fit import CrossFitted
from berx_gpu.sweeping.curve import PolicyCurve, SweepCurves
from berx_gpu.sweeping.text import band_rows, curve_rows, policy_rows


class PolicySweep(Printed, PolicyCurve):
    """The curve of one score column under one policy.

    Attributes
    ----------
    score : str
    policy : Policy
        The rules before the threshold.
    threshold, macro_fbeta, tp, n_pred, n_linked : array
        The curve, the highest threshold first, after the point without any link.
    best : Best
    """

    @property
    def curve(self) -> Any:
        """The curve as a frame: threshold, macro_fbeta, precision, recall, tp, n_pred, n_linked."""
        return points.frame_of(self)

    def at(self, threshold: float) -> Evaluation:
        """Return the evaluation at one threshold."""
        return points.evaluation_at(self, threshold)

    def at_precision(self, precision: float) -> float | None:
        """Return the lowest threshold with at least this pooled precision, or None."""
        return points.at_precision(self, precision)

    def bands(self, edges: Sequence[float] | None = None) -> Any:
        """Return a frame of score bands; see `Sweep.bands`."""
        return bands.bands(self, edges)

    def by(self, key: Any) -> Any:
        """Return what a threshold of its own would gain each slice; see `Sweep.by`."""
        return slices.by(self, key)

    def cross_fitted(self, folds: Any = 5, **options: Any) -> CrossFitted:
        """Return what thresholds chosen elsewhere are worth; see `Sweep.cross_fitted`."""
        return cross_fit.cross_fitted([self], folds, **options)

    def thin(self, n: int) -> Any:
        """Return about n rows of the curve, the ends and the best point among them."""
        return points.thinned(self, n)

    def to_dict(self) -> dict[str, Any]:
        """Return the best point as valid JSON."""
        return self.best.to_dict()

    def _tables(self) -> list[Table]:
        return [policy_rows([self], self.data.beta)]


class Sweep(Printed, SweepCurves[PolicySweep]):
    """Every threshold of scored candidates, under one policy or many.

    Attributes
    ----------
    beta : float
    n_entities, n_true : int
    results : list of PolicySweep
        One for each score column and policy: the threshold alone, one entity per target, and
        whatever was asked for.
    """

    @property
    def curve(self) -> Any:
        """The curve that the best point is on."""
        return self.top.curve

    def __getitem__(self, policy: Policy) -> PolicySweep:
        """Return the first result of a policy, whatever its threshold."""
        rules = replace(policy, threshold=None) if isinstance(policy, Policy) else policy
        for result in self.results:
            if result.policy == rules:
                return result
        swept = some(list(dict.fromkeys(result.policy for result in self.results)), 9)
        raise DataError(f"{policy!r} was not swept; the policies are {swept}")

    @property
    def policies(self) -> list[dict[str, Any]]:
        """The best point of every score column and policy, as rows."""
        return [result.to_dict() for result in self.results]

    def at(self, threshold: float) -> Evaluation:
        """Return the evaluation of the best policy at one threshold."""
        return self.top.at(threshold)

    def at_precision(self, precision: float) -> float | None:
        """Return the lowest threshold of the best policy with at least this pooled precision."""
        return self.top.at_precision(precision)

    def bands(self, edges: Sequence[float] | None = None) -> Any:
        """Return what the candidates of each score band are worth, under the best policy.

        Parameters
        ----------
        edges : list of float, optional
            Where bands end; default: tenths of [0, 1], or of the scores, and the best threshold.

        Returns
        -------
        DataFrame
            From high to low: low (inside), high, pairs, true, false, share_true beside mean_score
            (equal where scores are calibrated probabilities), the true and false links from the
            best threshold down to here, the exact change of macro F from the best, and the
            break-even ratio at the best.
        """
        return self.top.bands(edges)

    def by(self, key: Any) -> Any:
        """Return what a threshold of its own would gain each slice, under the best policy.

        Parameters
        ----------
        key : str, mapping, Series or list of these
            As in `Evaluation.by`.

        Returns
        -------
        DataFrame
            One row per observed slice: the key, n_entities, its best_threshold (+inf to predict
            nothing), macro_fbeta at the best threshold of all, best_macro_fbeta at its own, the
            gain between them, and gain_overall, which adds up to what macro F of all entities would
            gain. Thresholds that are chosen and scored on the same entities flatter themselves, the
            more so the smaller the slice.

        Examples
        --------
        >>> from berx_gpu import sweep
        >>> sw = sweep(
        ...     [("a", "x", 0.9), ("a", "q", 0.4), ("b", "y", 0.3)],
        ...     {"a": ["x"], "b": ["y"]},
        ...     entities=["a", "b"],
        ... )
        >>> sw.best.threshold
        0.3
        >>> sw.by({"a": "north", "b": "south"})[["slice", "best_threshold", "gain"]].round(4)
           slice  best_threshold    gain
        0  north             0.9  0.4444
        1  south             0.3  0.0000
        """
        return self.top.by(key)

    def cross_fitted(
        self,
        folds: Any = 5,
        *,
        seed: int = 0,
        confidence_level: float = 0.95,
        cluster: Any = None,
    ) -> CrossFitted:
        """Return what a policy and a threshold are worth on entities they were not chosen on.

        Parameters
        ----------
        folds : int, str, mapping, Series or list of these, default 5
            How many folds, drawn by a hash of the entity's id; or the folds, as in
            `Evaluation.by`.
        seed : int, default 0
            Another seed draws other folds.
        confidence_level : float, default 0.95
        cluster : str, mapping or Series, optional
            Blocks of entities that share errors: a block is in one fold, and is the unit of the
            limits.

        Returns
        -------
        CrossFitted

        Raises
        ------
        DataError
            For fewer than two folds, or a fold of fewer than ten entities.

        Notes
        -----
        The best score of a sweep is read off the entities that it was chosen on, and too good: by
        0.014, 0.006 and 0.002 for 50, 200 and 1,000 entities in simulations. Here each fold is
        scored at what is best on all the others. The limits are the bounded ones.

        Examples
        --------
        >>> from berx_gpu import sweep
        >>> rows = [(i, i, 0.5 + i / 100) for i in range(90)] + [(i, -1, 0.4) for i in range(90)]
        >>> sw = sweep(rows, {i: [i] for i in range(90)}, entities=range(90))
        >>> made = sw.cross_fitted(4)
        >>> round(made.estimate, 4), [fold.threshold for fold in made.folds]
        (0.9889, [0.51, 0.5, 0.5, 0.5])
        """
        return cross_fit.cross_fitted(self.results, folds, seed, confidence_level, cluster)

    def thin(self, n: int) -> Any:
        """Return about n rows of the best curve, the ends and the best point among them."""
        return self.top.thin(n)

    def around(self, n: int = 3) -> str:
        """Return some thresholds around the best one as text: n rows on either side."""
        return "\n".join(aligned(curve_rows(points.rows_around(self.top, n)), left=0))

    def band_table(
        self,
        edges: Sequence[float] | None = None,
        form: Callable[[list[list[str]]], str] | None = None,
    ) -> str:
        """Return the bands as text, or as a function of `_tables` puts them."""
        rows = band_rows(bands.band_lines(self.top, edges))
        return form(rows) if form else "\n".join(aligned(rows, left=0))

    def curve_limits(self, n: int = 100, *, confidence_level: float = 0.95, rng: Any = None) -> Any:
        """Return limits of macro F that hold for the whole best curve at once.

        Parameters
        ----------
        n : int, default 100
            At most so many points, at even distances along the curve.
        confidence_level : float, default 0.95
        rng : int or numpy.random.Generator, optional
            Of the draws that say how far a curve strays.

        Returns
        -------
        DataFrame
            threshold, macro_fbeta, low, high: any of these thresholds may be read off, also one
            that was chosen after looking.

        Notes
        -----
        The bounded limits of each point, at the level at which a normal curve with the covariance
        of the entities' curves stays within its limits everywhere.
        """
        return curve_limits.limits_of(self.top, n, confidence_level, rng)

    def plot(self, *, oracle: float | None = None, band: bool = False) -> Any:
        """Return a figure of four: the curve, precision and recall, bands, calibration.

        Parameters
        ----------
        band : bool, default False
            Whether to draw the limits of the best curve, see `curve_limits`.
        oracle : float, optional
            Macro F of the best choice among the candidates, drawn as a ceiling.

        Returns
        -------
        matplotlib Figure

        Raises
        ------
        MissingDependencyError
            Without matplotlib (``pip install "berx-gpu[plot]"``).
        """
        return figures.page(self, oracle=oracle, band=band)

    def to_dict(self) -> dict[str, Any]:
        """Return the best points as valid JSON."""
        return {
            "beta": self.beta,
            "n_entities": self.n_entities,
            "n_true": self.n_true,
            "best": self.best.to_dict(),
            "policies": self.policies,
            "dropped": asdict(self.dropped),
        }

    def _tables(self) -> list[Table]:
        return [policy_rows(self.results, self.beta)]
