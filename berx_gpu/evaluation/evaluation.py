"""`Evaluation`: how good the predictions are, and all that can be asked of it."""

from __future__ import annotations

from typing import Any

from berx_gpu.evaluation import (
    entity_posterior,
    losses,
    reconciliation,
    report,
    scores,
    slices,
    wrong_links,
)
from berx_gpu.evaluation import interval as intervals
from berx_gpu.evaluation.bootstrap import Draws
from berx_gpu.evaluation.interval import Interval
from berx_gpu.evaluation.reconciliation import Reconciliation
from berx_gpu.evaluation.scores import Scores
from berx_gpu.printing.printed import Printed, Table


class Evaluation(Printed, Scores):
    """How good the predictions are, per entity and over all entities.

    Attributes
    ----------
    name : str
        What the report calls the predictions.
    threshold : float or None
        The score from which pairs were predicted.
    beta : float
        The β of every F here.
    n_entities, n_singletons, singletons_linked : int
        Listed entities; those without a true target; those of them that got a prediction.
    tp, n_pred, n_true : int
        True predicted pairs, predicted pairs, true pairs.
    macro_fbeta : float
        The mean over all entities of F_β; an entity with nothing to find and nothing predicted
        scores 1.
    macro_precision, macro_recall : float
        Means over all entities of tp/n_pred and tp/n_true, with 1 where both sets are empty and 0
        where only the denominator is.
    macro_fbeta_non_singleton : float
        The mean of F_β over entities with a true target; NaN when there is none.
    precision, recall, pooled_fbeta : float
        From the totals over all pairs; `zero_division` where a denominator is 0.
    empty_baseline : float
        The macro F_β of predicting nothing: the share of singletons.
    break_even : float
        How many true pairs must come with each false one for a batch to raise pooled F_β; see
        `break_even_ratio`.
    dropped : Dropped
        Rows that were not counted.
    per_entity : DataFrame
        Entity, tp, n_pred, n_true and fbeta, one row per listed entity in the list's order, in
        the library of the predictions.
    """

    @property
    def per_entity(self) -> Any:
        """Entity, tp, n_pred, n_true and fbeta, in the order of the entity list."""
        return scores.per_entity(self)

    def by(self, key: Any, *, interval: bool = False, confidence_level: float = 0.95) -> Any:
        """Return the scores of slices of the entities.

        Parameters
        ----------
        key : str, mapping, Series or list of these
            A column of the `entities` frame, values keyed by entity, or ``"n_true"``: the number
            of true targets as 0, 1, 2–3, 4–5, 6+. Several keys make one slice per combination.
        interval : bool, default False
            Whether to add limits of macro F: ``low`` and ``high`` of each slice by itself, and
            ``low_all`` and ``high_all`` that hold for all slices at once; NaN for a slice of one.
        confidence_level : float, default 0.95
            Of the limits.

        Returns
        -------
        DataFrame
            One row per observed slice, sorted by key, a missing value last: the key, n_entities,
            n_singletons, tp, fp, fn, macro_fbeta, precision and recall (pooled in the slice),
            links_per_entity, and loss_share, the slice's part of the total loss.

        Raises
        ------
        DataError
            For an unknown column, or a mapping keyed by another kind of id.

        Examples
        --------
        >>> from berx_gpu import evaluate
        >>> ev = evaluate({"a": ["x"]}, {"a": ["x"], "b": ["y"]}, entities=["a", "b"])
        >>> ev.by({"a": "north", "b": "south"})[["slice", "n_entities", "macro_fbeta"]]
           slice  n_entities  macro_fbeta
        0  north           1          1.0
        1  south           1          0.0
        """
        return slices.by(self, key, interval, confidence_level)

    def interval(
        self,
        metric: str = "macro_fbeta",
        *,
        confidence_level: float = 0.95,
        method: str = "auto",
        n_resamples: int = 10_000,
        rng: Any = None,
        cluster: Any = None,
    ) -> Interval:
        """Return a metric with limits that hold over entities like these.

        Parameters
        ----------
        metric : str, default "macro_fbeta"
            ``"macro_fbeta"``, ``"macro_fbeta_non_singleton"``, ``"macro_precision"``,
            ``"macro_recall"``, or pooled: ``"precision"``, ``"recall"``, ``"pooled_fbeta"``.
        confidence_level : float, default 0.95
        method : {"auto", "bounded", "normal", "bca", "percentile", "poisson"}, default "auto"
            ``"auto"`` is ``"bounded"``: deterministic, and honest about what was not seen, also
            where nearly every entity is perfect. ``"normal"`` is the Student interval, the others
            are bootstraps.
        n_resamples : int, default 10_000
            Replicates of a bootstrap, from 100 up.
        rng : int or numpy.random.Generator, optional
            Its seed, reported in the result; the same seed gives the same limits.
        cluster : str, mapping or Series, optional
            Blocks of entities that share errors, as in `by`; the unit is then the block.

        Returns
        -------
        Interval

        Raises
        ------
        DataError
            For fewer than two entities, nothing to divide by, or fewer than ten blocks.

        Notes
        -----
        An entity with all its pairs is the unit. The bounded limits are those of a Bayesian
        bootstrap to which one more entity, at the far end of the range, was added (Gaffke 2005);
        for values of 0 and 1 they are Clopper and Pearson's.

        Examples
        --------
        >>> from berx_gpu import evaluate
        >>> truth = {i: ["x"] for i in range(100)}
        >>> sure = evaluate(truth, truth, entities=range(100)).interval()
        >>> round(sure.low, 4), sure.high
        (0.9638, 1.0)
        >>> sure.note
        'all 100 are perfect; a lower limit of 0.99 needs 368, of 0.999 needs 3,688'
        """
        draws = Draws.of(n_resamples, rng)
        return intervals.interval(self, metric, confidence_level, method, cluster, draws)

    def posterior(self, by: Any = None, **options: Any) -> Any:
        """Return Beta posteriors of precision and recall; see `entity_posterior.of_entities`."""
        return entity_posterior.of_entities(self, by, **options)

    def losses(self) -> Any:
        """Return where the score is lost, by the outcome of each entity.

        Returns
        -------
        DataFrame
            outcome, n_entities and loss for "nothing predicted", "misses only", "extras only",
            "both", "singleton linked" and "perfect", worst first. The losses sum to
            1 - macro_fbeta.

        Examples
        --------
        >>> from berx_gpu import evaluate
        >>> ev = evaluate({"a": ["x"]}, {"a": ["x"], "b": ["y"]}, entities=["a", "b"])
        >>> ev.losses().head(1)
                     outcome  n_entities  loss
        0  nothing predicted           1   0.5
        """
        return losses.losses(self)

    def false_links(self, candidates: Any = None, records: Any = None, n: int | None = None) -> Any:
        """Return the predicted pairs that are not true, the costliest first.

        Parameters
        ----------
        candidates : pairs, optional
            What the predictions were chosen from, to tell which links were not among them.
        records : DataFrame, or tuple of two, optional
            What to show of each record: ids in the first column, texts in the others. Two frames
            are of entities and of targets.
        n : int, optional
            Only the first n.

        Returns
        -------
        DataFrame
            Entity; target; score and rank within the entity, when scores were used; candidate;
            owner, the entity that the target truly belongs to, missing if no listed one; gain, by
            how much F of the entity would rise without this link; and the records. Where pairs
            have no direction, a row for each listed record of a pair.

        Examples
        --------
        >>> from berx_gpu import evaluate
        >>> ev = evaluate({"a": ["x", "y"]}, {"a": ["x"], "b": ["y"]}, entities=["a", "b"])
        >>> ev.false_links()
          entity target owner      gain
        0      a      y     b  0.444444
        """
        return wrong_links.false_links(self, candidates, records, n)

    def missed_links(
        self, candidates: Any = None, records: Any = None, n: int | None = None
    ) -> Any:
        """Return the true pairs that were not predicted, the costliest first.

        Parameters
        ----------
        candidates, records, n
            As in `false_links`; candidates with a score column also give score and rank.

        Returns
        -------
        DataFrame
            Entity; target; candidate, score and rank, with `candidates`; given_to, the entity for
            which the target was predicted instead; gain, by how much F of the entity would rise
            with this link; and the records.

        Examples
        --------
        >>> from berx_gpu import evaluate
        >>> ev = evaluate({"a": ["x", "y"]}, {"a": ["x"], "b": ["y"]}, entities=["a", "b"])
        >>> ev.missed_links()
          entity target given_to  gain
        0      b      y        a   1.0
        """
        return wrong_links.missed_links(self, candidates, records, n)

    def reconcile(self) -> Reconciliation:
        """Return what common misreadings of the metric make of the same predictions.

        Returns
        -------
        Reconciliation
            The right macro F_β and, beside it, each wrong reading with its value, so that a
            script that prints another number can be found out.

        Examples
        --------
        >>> from berx_gpu import evaluate
        >>> ev = evaluate({"a": ["x"]}, {"a": ["x", "y"]}, entities=["a", "b"])
        >>> round(ev.reconcile()["singletons counted as 0"], 4)
        0.4167
        """
        return reconciliation.reconcile(self)

    def __str__(self) -> str:
        return report.as_text(self)

    def _tables(self) -> list[Table]:
        return report.tables(self)
