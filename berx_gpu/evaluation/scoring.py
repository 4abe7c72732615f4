"""`evaluate`: predictions against truth, per entity and over all entities."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from typing import Any

from berx_gpu.backends.backend import Backend
from berx_gpu.encoding.scores import reaches, score_limit
from berx_gpu.errors import DataError
from berx_gpu.evaluation.break_even import break_even_ratio
from berx_gpu.evaluation.evaluation import Evaluation
from berx_gpu.evaluation.scores import Counts, Groups, share
from berx_gpu.inputs.pairs import Names
from berx_gpu.links.dropped import Dropped
from berx_gpu.links.entity_list import recoded
from berx_gpu.links.how import Reading
from berx_gpu.links.links import Links
from berx_gpu.links.ranks import present_scores
from berx_gpu.links.reading import read
from berx_gpu.links.sets_of_links import totals
from berx_gpu.links.true_pairs import TruePairs
from berx_gpu.options import beta_of, number


def evaluate(
    predictions: Any,
    truth: Any,
    *,
    entities: Any = None,
    beta: float = 0.5,
    entity: Names = "entity",
    target: Names = "target",
    score: Hashable | None = None,
    threshold: float | None = None,
    unknown_entities: str = "error",
    nulls: str = "error",
    ids: str | None = None,
    zero_division: float = 0.0,
    name: str | None = None,
    device: str | None = None,
    n_threads: int | None = None,
) -> Evaluation:
    """Score predicted (entity, target) pairs against the true ones.

    Parameters
    ----------
    predictions : DataFrame, Arrow stream, mapping or list of tuples
        The predicted pairs, or scored candidates when `threshold` is given. Repeated pairs count
        once. Results are frames of this library.
    truth : Truth, or pairs in any of these forms
        Raw pairs need `entities` and share the column names of the predictions; build a `Truth`
        to name them otherwise or to score more than once.
    entities : list, array, Index, Series or frame, optional
        The entities that every average runs over; see `Truth`. With a `Truth`: a subset of its
        list, to score a part against the whole.
    beta : float, default 0.5
        β in [1e-100, 1e100]; 0.5 makes a false link cost more than a missed one.
    entity, target : str or list of str, default "entity", "target"
        Key columns. A frame of two columns needs no names, nor does one with those of the truth.
    score : str, default "score"
        Column of scores, used with `threshold`.
    threshold : float, optional
        Keep the pairs with a score of at least this. It is rounded once to the float type of the
        scores, and up to a whole number for integer scores.
    unknown_entities : {"error", "drop"}, default "error"
        What to do with prediction rows of entities that are not listed.
    nulls : {"error", "drop"}, default "error"
        What to do with rows that miss an id, in the predictions and in raw truth pairs.
    ids : {"exact", "text"}, optional
        With raw truth pairs: whether to compare the written text of ids, default ``"exact"``.
    zero_division : float, default 0.0
        Pooled precision, recall and F where their denominator is 0; may be NaN.
    name : str, default "predictions"
        What reports call the predictions.
    device : {"cpu", "cuda"}, optional
        Where to work, for raw truth pairs; a `Truth` says it itself.
    n_threads : int, optional
        Threads on the CPU; default: those of the `Truth`, or the CPUs that this process may use.

    Returns
    -------
    Evaluation
        F_β per entity is (1 + β²)·tp / (β²·n_true + n_pred), and 1 where both sets are empty.

    Raises
    ------
    DataError
        For missing columns, missing or unlisted ids, ids of different kinds, scores that are not
        numbers, or options out of range.

    Warns
    -----
    DataWarning
        When predicted ids would match only after stripping blanks or Unicode normalisation.

    References
    ----------
    C. J. van Rijsbergen, Information Retrieval, 2nd ed., Butterworths, 1979, chapter 7.

    Examples
    --------
    >>> from berx_gpu import evaluate
    >>> ev = evaluate(
    ...     predictions=[("acme", "p1"), ("acme", "p9"), ("zeta", "p2")],
    ...     truth=[("acme", "p1"), ("zeta", "p2"), ("zeta", "p3")],
    ...     entities=["acme", "zeta", "solo"],
    ... )
    >>> round(ev.macro_fbeta, 4)
    0.7963
    >>> ev.per_entity
      entity  tp  n_pred  n_true     fbeta
    0   acme   1       2       1  0.555556
    1   zeta   1       1       2  0.833333
    2   solo   0       0       0  1.000000
    """
    how = Reading(entity, target, score, unknown_entities, nulls, ids, device, n_threads)
    return scored(
        predictions, truth, entities, how, beta=beta, threshold=threshold,
        zero_division=zero_division, name=name,
    )  # fmt: skip


def scored(
    predictions: Any,
    truth: Any,
    entities: Any,
    how: Reading,
    *,
    beta: float = 0.5,
    threshold: float | None = None,
    zero_division: float = 0.0,
    name: str | None = None,
) -> Evaluation:
    """Return what `evaluate` does, given how to read the pairs."""
    beta = beta_of(beta)
    zero_division = number("zero_division", zero_division, nan=True)
    if threshold is None:
        if how.score is not None:
            raise DataError(
                f"score={how.score!r} without threshold=; give the score from which a pair is "
                "predicted"
            )
    else:
        threshold = score_limit("threshold", threshold)
        how = replace(how, score="score" if how.score is None else how.score)
    true, links, left_out, backend = read(predictions, "predictions", truth, entities, how)
    below = 0
    if threshold is not None:
        above = reaches(present_scores(links, backend), threshold, backend.xp)
        below = links.frame.count((links.codes >= 0) & ~above)
        links = links.only(above, backend)
    counts = true.match(links, backend)
    _, distinct = totals(true, links, counts.tp, counts.n_pred, backend)
    return evaluated(
        true,
        links,
        counts.tp,
        counts.n_pred,
        Dropped.of(true, left_out, links.count() - distinct, below),
        backend,
        beta=beta,
        zero_division=zero_division,
        name="predictions" if name is None else str(name),
        threshold=threshold,
    )


def part(ev: Evaluation, entities: Any) -> Evaluation:
    """Return the evaluation of some of the entities: their counts do not depend on the others."""
    counts = ev._counts
    truth, kept = counts.truth.part(entities)
    backend = truth.backend()
    codes = recoded(counts.links.codes, kept, counts.truth.n_entities, backend.xp)
    return evaluated(
        truth,
        replace(counts.links, codes=codes),
        counts.tp[kept],
        counts.n_pred[kept],
        replace(ev.dropped, truth_repeats=truth.repeats, truth_outside=truth.outside),
        backend,
        beta=ev.beta,
        zero_division=counts.zero_division,
        name=ev.name,
        threshold=ev.threshold,
    )


def evaluated(
    truth: TruePairs,
    links: Links,
    tp: Any,
    n_pred: Any,
    dropped: Dropped,
    backend: Backend,
    *,
    beta: float,
    zero_division: float,
    name: str,
    threshold: float | None,
) -> Evaluation:
    """Return an evaluation from what was counted per entity."""
    n, n_true = len(tp), truth.n_true_each
    groups = Groups(*backend.group(tp, n_pred, n_true))
    fbeta = backend.fbeta(*groups.counts, beta)
    single = groups.n_true == 0
    n_singletons = groups.count(single)
    hits, made = totals(truth, links, tp, n_pred, backend)
    real = truth.n_true

    def pooled(part: int, whole: int) -> float:
        return part / whole if whole else zero_division

    sums = (backend.xp.array([count]) for count in (hits, made, real))
    pooled_fbeta = backend.fbeta(*sums, beta) if made or real else [zero_division]
    return Evaluation(
        name=name,
        threshold=threshold,
        beta=beta,
        n_entities=n,
        n_singletons=n_singletons,
        singletons_linked=groups.count(single & (groups.n_pred > 0)),
        tp=hits,
        n_pred=made,
        n_true=real,
        macro_fbeta=groups.mean(fbeta),
        macro_precision=groups.mean(share(backend.xp, *groups.counts, groups.n_pred)),
        macro_recall=groups.mean(share(backend.xp, *groups.counts, groups.n_true)),
        macro_fbeta_non_singleton=groups.mean(fbeta, ~single),
        precision=pooled(hits, made),
        recall=pooled(hits, real),
        pooled_fbeta=float(pooled_fbeta[0]),
        empty_baseline=n_singletons / n,
        break_even=break_even_ratio(hits, made, real, beta=beta),
        dropped=dropped,
        _counts=Counts(truth, links, tp, n_pred, n_true, groups, zero_division),
    )
