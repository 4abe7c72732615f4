"""`evaluate`: predictions against truth, per entity, over all entities and per slice."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from typing import Any

import numpy as np

from berx_gpu import _pairs
from berx_gpu._backends import select
from berx_gpu._columns import build_frame
from berx_gpu._links import Links, as_truth, backend_of, doubled, encoded_links
from berx_gpu._options import at_least, number, score_limit
from berx_gpu._sums import Groups
from berx_gpu.errors import DataError, one_of, rows
from berx_gpu.results import Counts, Dropped, Evaluation
from berx_gpu.truth import Truth, recoded


def evaluate(
    predictions: Any,
    truth: Any,
    *,
    entities: Any = None,
    beta: float = 0.5,
    entity: _pairs.Names = "entity",
    target: _pairs.Names = "target",
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
    one_of("unknown_entities", unknown_entities, ("error", "drop"))
    one_of("nulls", nulls, ("error", "drop"))
    beta = number("beta", beta, 1e-100, 1e100)
    zero_division = number("zero_division", zero_division, nan=True)
    if score is not None and threshold is None:
        raise DataError(
            f"score={score!r} without threshold=; give the score from which a pair is predicted"
        )
    if threshold is not None:
        threshold = score_limit("threshold", threshold)
    truth = as_truth(truth, predictions, entities, entity, target, nulls, ids, n_threads, device)
    backend = backend_of(predictions, truth, n_threads)
    frame = _pairs.read_pairs(
        predictions,
        "predictions",
        entity=entity,
        target=target,
        score=_score_column(score, threshold),
        other=truth._names,
        undirected=truth.undirected,
    )
    coded = encoded_links(frame, truth, unknown_entities, nulls, backend)
    codes, below = coded.codes, 0
    if threshold is not None:
        above = at_least(frame, threshold, coded.present, backend)
        below = frame.count((codes >= 0) & ~above)
        codes = backend.xp.where(above, codes, backend.xp.int32(-1))
    counts = truth._match(codes, coded.target, backend)
    links = Links(frame, codes, coded.target, coded.present)
    distinct = int(counts.n_pred.sum()) - doubled(truth, links, backend)[1]
    return evaluation(
        truth,
        links,
        counts.tp,
        counts.n_pred,
        Dropped(
            prediction_repeats=frame.count(codes >= 0) - distinct,
            truth_repeats=truth.repeats,
            prediction_nulls=coded.nulls,
            truth_nulls=truth.nulls,
            unknown_entities=coded.strangers,
            truth_outside=truth.outside,
            prediction_self_pairs=coded.self_pairs,
            truth_self_pairs=truth.self_pairs,
            below_threshold=below,
        ),
        backend,
        beta=beta,
        zero_division=zero_division,
        name="predictions" if name is None else str(name),
        threshold=threshold,
        library=frame.library,
    )


def _score_column(score: Hashable | None, threshold: float | None) -> Hashable | None:
    return None if threshold is None else ("score" if score is None else score)


def break_even_ratio(tp: Any, n_pred: Any, n_true: Any, *, beta: float = 0.5) -> Any:
    """Return how many true pairs must come with each false one to raise F_β.

    Parameters
    ----------
    tp, n_pred, n_true : float or array
        True predicted, predicted and true pairs: of one entity, in total, or means per entity.
    beta : float, default 0.5
        β in [1e-100, 1e100].

    Returns
    -------
    float or float64 array
        tp / (D - tp) with D = β²·n_true + n_pred; NaN where D = tp.

    Raises
    ------
    DataError
        For counts that are negative, not finite, or with tp above n_pred or n_true.

    Notes
    -----
    A batch of pairs added to one entity, or to pooled F, raises F_β exactly when it holds more
    than this many true pairs for each false one. For macro F it is a rule of thumb: what a batch
    does to macro F depends on the entities that it falls on.

    Examples
    --------
    >>> from berx_gpu import break_even_ratio
    >>> break_even_ratio(3, 3, 4)
    3.0
    >>> round(break_even_ratio(66_009, 66_324, 68_983), 2)
    3.76
    """
    beta = number("beta", beta, 1e-100, 1e100)
    try:
        counts = [np.asarray(x, np.float64) for x in (tp, n_pred, n_true)]
        hits, made, real = np.broadcast_arrays(*counts)
    except (TypeError, ValueError, OverflowError) as error:
        raise DataError(f"tp, n_pred and n_true must be numbers of one shape: {error}") from error
    finite = np.isfinite(hits) & np.isfinite(made) & np.isfinite(real)
    sound = finite & (hits >= 0) & (hits <= made) & (hits <= real)
    if not sound.all():
        row = int((~sound).argmax())
        raise DataError(
            f"counts must be finite and 0 <= tp <= n_pred and n_true; {rows(int((~sound).sum()))} "
            f"fail, first tp={hits.flat[row]:g}, n_pred={made.flat[row]:g}, "
            f"n_true={real.flat[row]:g}"
        )
    over = (made - hits) + beta * beta * real
    ratio = np.divide(hits, over, out=np.full(over.shape, np.nan), where=over > 0)
    return float(ratio) if ratio.ndim == 0 else ratio


def per_entity(ev: Evaluation) -> Any:
    """Return the frame behind `Evaluation.per_entity`."""
    counts = ev._counts
    columns = [(name, getattr(counts, name)) for name in ("tp", "n_pred", "n_true")]
    fbeta = ("fbeta", fbeta_of(ev))
    return build_frame([*counts.truth._key_columns, *columns, fbeta], counts.library)


def fbeta_of(ev: Evaluation) -> Any:
    """Return F_β of every entity."""
    counts = ev._counts
    backend = counts.truth._backend()
    return backend.fbeta(counts.tp, counts.n_pred, counts.n_true, ev.beta)


def part(ev: Evaluation, entities: Any) -> Evaluation:
    """Return the evaluation of some of the entities: their counts do not depend on the others."""
    counts = ev._counts
    truth, codes = counts.truth._part(entities)
    return evaluation(
        truth,
        replace(counts.links, codes=_in_part(counts, codes)),
        counts.tp[codes],
        counts.n_pred[codes],
        replace(ev.dropped, truth_repeats=truth.repeats, truth_outside=truth.outside),
        truth._backend(),
        beta=ev.beta,
        zero_division=counts.zero_division,
        name=ev.name,
        threshold=ev.threshold,
        library=counts.library,
    )


def _in_part(counts: Counts, kept: Any) -> Any:
    xp = counts.truth._backend().xp
    return recoded(counts.links.codes, kept, counts.truth.n_entities, xp)


# -- one evaluation ---------------------------------------------------------------------------


def evaluation(
    truth: Truth,
    links: Links,
    tp: Any,
    n_pred: Any,
    dropped: Dropped,
    backend: select.Backend,
    *,
    beta: float,
    zero_division: float,
    name: str,
    threshold: float | None,
    library: str,
) -> Evaluation:
    """Return an evaluation from what was counted per entity."""
    n, n_true = len(tp), truth._n_true
    groups = Groups(*backend.group(tp, n_pred, n_true))
    fbeta = backend.fbeta(groups.tp, groups.n_pred, groups.n_true, beta)
    single = groups.n_true == 0
    n_singletons = groups.count(single)
    twice_hit, twice_made = doubled(truth, links, backend)
    hits = groups.total(groups.tp) - twice_hit
    made = groups.total(groups.n_pred) - twice_made
    real = truth.n_true

    def pooled(part: int, whole: int) -> float:
        return part / whole if whole else zero_division

    totals = (backend.xp.array([count]) for count in (hits, made, real))
    pooled_fbeta = backend.fbeta(*totals, beta) if made or real else [zero_division]
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
        _counts=Counts(truth, links, tp, n_pred, n_true, groups, library, zero_division),
    )


def share(xp: Any, tp: Any, n_pred: Any, n_true: Any, whole: Any) -> Any:
    """Return tp / whole, 1 where both sets are empty and 0 where only the denominator is."""
    both_empty = (n_true == 0) & (n_pred == 0)
    return xp.where(whole > 0, tp / xp.maximum(whole, 1), both_empty.astype(xp.float64))
