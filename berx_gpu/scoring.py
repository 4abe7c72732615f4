"""`evaluate`: predictions against truth, per entity, over all entities and per slice."""

from __future__ import annotations

import math
import numbers
from collections.abc import Hashable, Mapping
from dataclasses import replace
from typing import Any, cast

import numpy as np
import pandas as pd
import pyarrow as pa

from berx_gpu import _pairs
from berx_gpu._backends import select
from berx_gpu.errors import DataError, one_of, rows, some
from berx_gpu.results import Counts, Dropped, Evaluation, Reconciliation
from berx_gpu.truth import Encoded, Truth, encode_pairs, ids_of


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
        Key columns; a frame of two columns needs no names.
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
    beta = _number("beta", beta, 1e-100, 1e100)
    zero_division = _number("zero_division", zero_division, nan=True)
    truth = _as_truth(truth, predictions, entities, entity, target, nulls, ids)
    backend = select.select(predictions, *(values for _, values in truth.key_columns))
    column = None if threshold is None else (score or "score")
    frame = _pairs.read_pairs(
        predictions, "predictions", entity=entity, target=target, score=column
    )
    above = None if threshold is None else _at_least(frame, threshold, backend)
    coded = encode_pairs(frame, truth, nulls, backend)
    if coded.strangers:
        _check_strangers(frame, coded, truth, unknown_entities, backend)
    kept = coded.codes >= 0
    below = 0
    if above is not None:
        above = above if coded.present is None else above[coded.present]
        below = int((kept & ~above).sum())
        kept = kept & above
    counts = truth.match(coded, kept, backend)
    return _evaluation(
        truth,
        counts.tp,
        counts.n_pred,
        Dropped(
            prediction_repeats=counts.repeats,
            truth_repeats=truth.repeats,
            prediction_nulls=coded.nulls,
            truth_nulls=truth.nulls,
            unknown_entities=coded.strangers,
            truth_outside=truth.outside,
            below_threshold=below,
        ),
        backend,
        beta=beta,
        zero_division=zero_division,
        name="predictions" if name is None else name,
        threshold=None if threshold is None else float(threshold),
        library=frame.library,
    )


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
    beta = _number("beta", beta, 1e-100, 1e100)
    hits, made, real = np.broadcast_arrays(*(np.asarray(x, np.float64) for x in (tp, n_pred, n_true)))
    sound = np.isfinite(hits + made + real) & (hits >= 0) & (hits <= made) & (hits <= real)
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
    names = ("tp", "n_pred", "n_true", "fbeta")
    columns = [(name, getattr(counts, name)) for name in names]
    return _pairs.build_frame([*counts.truth.key_columns, *columns], counts.library)


def part(ev: Evaluation, entities: Any) -> Evaluation:
    """Return the evaluation of some of the entities: their counts do not depend on the others."""
    counts = ev._counts
    truth, codes = counts.truth.part(entities)
    return _evaluation(
        truth,
        counts.tp[codes],
        counts.n_pred[codes],
        replace(ev.dropped, truth_outside=truth.outside),
        truth.backend(),
        beta=ev.beta,
        zero_division=counts.zero_division,
        name=ev.name,
        threshold=ev.threshold,
        library=counts.library,
    )


def outcomes(ev: Evaluation) -> list[tuple[str, int, float]]:
    """Return (outcome, entities, loss) of every outcome, worst loss first, perfect last."""
    c = ev._counts
    xp = c.truth.backend().xp
    single, silent, clean, full = c.n_true == 0, c.n_pred == 0, c.tp == c.n_pred, c.tp == c.n_true
    masks = {
        "nothing predicted": ~single & silent,
        "misses only": ~silent & clean & ~full,
        "extras only": ~single & ~clean & full,
        "both": ~clean & ~full,
        "singleton linked": single & ~silent,
        "perfect": clean & full,
    }
    table = [
        (name, int(mask.sum()), _mean_over(_exact_sum(xp, 1.0 - c.fbeta[mask]), ev.n_entities))
        for name, mask in masks.items()
    ]
    return sorted(table, key=lambda row: (row[0] == "perfect", -row[2]))


def losses(ev: Evaluation) -> Any:
    """Return the frame behind `Evaluation.losses`."""
    names, counts, values = zip(*outcomes(ev), strict=True)
    columns = [
        ("outcome", pd.Series(names)),
        ("n_entities", np.array(counts, np.int64)),
        ("loss", np.array(values)),
    ]
    return _pairs.build_frame(columns, ev._counts.library)


def reconcile(ev: Evaluation) -> Reconciliation:
    """Return the table behind `Evaluation.reconcile`."""
    c = ev._counts
    backend = c.truth.backend()
    xp, beta2 = backend.xp, ev.beta * ev.beta

    def mean(values: Any) -> float:
        return _mean_over(_exact_sum(xp, values), len(values))

    def with_beta(beta: float) -> float:
        return mean(backend.fbeta(c.tp, c.n_pred, c.n_true, beta))

    p, r = ev.macro_precision, ev.macro_recall
    silent, single = c.n_pred == 0, c.n_true == 0
    readings = {
        "macro F: the mean over all entities": ev.macro_fbeta,
        "F of mean precision and mean recall": (1 + beta2) * p * r / (beta2 * p + r) if r else 0.0,
        "F of pooled precision and recall": ev.pooled_fbeta,
        "silent singletons left out": mean(c.fbeta[~(silent & single)]),
        "entities without a prediction left out": mean(c.fbeta[~silent]),
        "all singletons left out": ev.macro_fbeta_non_singleton,
        "singletons counted as 0": mean(xp.where(single, 0.0, c.fbeta)),
        "β² passed as β": with_beta(min(max(beta2, 1e-100), 1e100)),
        "β used in place of β²": with_beta(math.sqrt(ev.beta)),
        "truth counted from the predicted pairs": mean(
            backend.fbeta(c.tp, c.n_pred, c.tp, ev.beta)
        ),
    }
    return Reconciliation(ev.beta, readings)


# -- slices -----------------------------------------------------------------------------------

_N_TRUE = "n_true"
_N_TRUE_BINS = (("0", 0), ("1", 1), ("2–3", 2), ("4–5", 4), ("6+", 6))
_MEASURES = (
    "n_entities",
    "n_singletons",
    "tp",
    "fp",
    "fn",
    "macro_fbeta",
    "precision",
    "recall",
    "links_per_entity",
    "loss_share",
)


def by(ev: Evaluation, key: Any) -> Any:
    """Return the frame behind `Evaluation.by`."""
    keys = list(key) if isinstance(key, (list, tuple)) else [key]
    if not keys:
        raise DataError("by=[] names no slice; give a column, a mapping or a list of these")
    columns = [_slice_column(ev, one) for one in keys]
    group, first = _groups([values for _, values in columns])
    shown = [(name, _pairs.take(values, first)) for name, values in columns]
    return _pairs.build_frame([*shown, *_measures(ev, group).items()], ev._counts.library)


def _slice_column(ev: Evaluation, key: Any) -> _pairs.Column:
    """Return the name and the values of one slice key, one value per entity."""
    counts = ev._counts
    extras = dict(counts.truth.slice_columns)
    if isinstance(key, Mapping):
        return "slice", _keyed(ev, list(key), list(key.values()))
    if isinstance(key, pd.Series):
        index = key.index
        ids: Any = index if isinstance(index, pd.MultiIndex) else pd.Series(index.to_numpy())
        return (key.name if key.name is not None else "slice"), _keyed(ev, ids, key)
    if isinstance(key, Hashable) and key in extras:
        return key, counts.truth.backend().to_host(extras[key])
    if key == _N_TRUE:
        n_true = counts.truth.backend().to_host(counts.n_true)
        edges = [low for _, low in _N_TRUE_BINS]
        bins = np.searchsorted(edges, n_true, side="right") - 1
        labels = [label for label, _ in _N_TRUE_BINS]
        return _N_TRUE, pd.Series(pd.Categorical.from_codes(bins, labels, ordered=True))
    known = some([*extras, _N_TRUE], 20)
    raise DataError(
        f"no slice {key!r}: the entities frame has {known}; name one of these, or give a mapping "
        "or Series keyed by entity"
    )


def _keyed(ev: Evaluation, ids: Any, values: Any) -> pd.Series[Any]:
    """Return values keyed by entity in the order of the entity list, missing where not given."""
    truth = ev._counts.truth
    codes = truth.codes_of(ids, "slice mapping")
    source = pd.Series(values).reset_index(drop=True)
    row = np.full(truth.n_entities, -1, np.int64)
    listed = codes >= 0
    row[codes[listed]] = np.flatnonzero(listed)
    return source.reindex(row).reset_index(drop=True)


def _groups(columns: list[Any]) -> tuple[Any, Any]:
    """Return the slice number of each entity, in the order of the keys, and a row of each slice.

    Columns are combined one at a time over the combinations that occur, never over the product of
    all values.
    """
    group = np.zeros(len(columns[0]), np.int64)
    for values in columns:
        series = values if isinstance(values, pd.Series) else _series(values)
        codes, seen = pd.factorize(series)
        rank = np.empty(len(seen) + 1, np.int64)
        rank[_order(seen)] = np.arange(len(seen))
        rank[-1] = len(seen)  # factorize marks a missing value with -1
        group = group * (len(seen) + 1) + rank[codes]
        _, first, group = np.unique(group, return_index=True, return_inverse=True)
    return group, first


def _series(values: Any) -> pd.Series[Any]:
    table = pa.table({"key": values})
    return cast("pd.Series[Any]", table.to_pandas(types_mapper=pd.ArrowDtype)["key"])


def _order(seen: Any) -> Any:
    try:
        return np.asarray(seen.argsort())
    except TypeError:  # values of several types: by how they are written
        return np.array(sorted(range(len(seen)), key=lambda i: str(seen[i])), np.int64)


def _measures(ev: Evaluation, group: Any) -> dict[str, Any]:
    counts = ev._counts
    host = counts.truth.backend().to_host
    order = np.argsort(group, kind="stable")
    starts = np.flatnonzero(np.diff(group[order], prepend=-1))

    def total(values: Any) -> Any:
        return np.add.reduceat(values[order], starts)

    tp, n_pred, n_true, fbeta = (
        host(x) for x in (counts.tp, counts.n_pred, counts.n_true, counts.fbeta)
    )
    n = np.diff(starts, append=len(order))
    hits, made, real = total(tp), total(n_pred), total(n_true)
    f_sum = _joined(*map(total, _words(np, fbeta)))
    lost = [(int(m) << _BITS) - f for m, f in zip(n, f_sum, strict=True)]
    all_lost = sum(lost)
    zero = counts.zero_division
    columns = (
        n,
        total((n_true == 0).astype(np.int64)),
        hits,
        made - hits,
        real - hits,
        np.array([_mean_over(f, int(m)) for f, m in zip(f_sum, n, strict=True)]),
        _ratios(hits, made, zero),
        _ratios(hits, real, zero),
        made / n,
        np.array([part / all_lost if all_lost else 0.0 for part in lost]),
    )
    return dict(zip(_MEASURES, columns, strict=True))


def _ratios(part: Any, whole: Any, zero_division: float) -> Any:
    out = np.full(len(whole), zero_division)
    return np.divide(part, whole, out=out, where=whole > 0)


# -- sums that do not depend on the order ------------------------------------------------------

_WORD = 30
_BITS = 2 * _WORD


def _words(xp: Any, values: Any) -> tuple[Any, Any]:
    """Return numbers in [0, 1] as two int64 words of 30 bits behind the point.

    Their sums are exact for up to 2**32 numbers, whatever the order, the threads or the device;
    what is cut off is under 2**-60 a number.
    """
    scaled = values * float(1 << _WORD)
    high = xp.floor(scaled)
    low = xp.floor((scaled - high) * float(1 << _WORD))
    return high.astype(xp.int64), low.astype(xp.int64)


def _joined(high: Any, low: Any) -> list[int]:
    return [(int(h) << _WORD) + int(w) for h, w in zip(high, low, strict=True)]


def _exact_sum(xp: Any, values: Any) -> int:
    high, low = _words(xp, values)
    return (int(high.sum()) << _WORD) + int(low.sum())


def _mean_over(exact_sum: int, n: int) -> float:
    """Return an exact sum over n as the nearest float; NaN for no numbers."""
    return exact_sum / (n << _BITS) if n else math.nan


# -- one evaluation ---------------------------------------------------------------------------


def _evaluation(
    truth: Truth,
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
    xp = backend.xp
    n_true = truth.n_true_per_entity
    fbeta = backend.fbeta(tp, n_pred, n_true, beta)
    n, single = len(tp), n_true == 0
    sums = {key: int(values.sum()) for key, values in (("tp", tp), ("k", n_pred), ("t", n_true))}

    def mean(values: Any) -> float:
        return _mean_over(_exact_sum(xp, values), len(values))

    def per_entity_ratio(whole: Any) -> Any:
        both_empty = single & (n_pred == 0)
        return xp.where(whole > 0, tp / xp.maximum(whole, 1), both_empty.astype(xp.float64))

    def pooled(part: float, whole: float) -> float:
        return part / whole if whole else zero_division

    totals = (xp.array([count]) for count in sums.values())
    pooled_fbeta = backend.fbeta(*totals, beta) if sums["k"] or sums["t"] else [zero_division]
    return Evaluation(
        name=name,
        threshold=threshold,
        beta=beta,
        n_entities=n,
        n_singletons=int(single.sum()),
        singletons_linked=int((single & (n_pred > 0)).sum()),
        tp=sums["tp"],
        n_pred=sums["k"],
        n_true=sums["t"],
        macro_fbeta=mean(fbeta),
        macro_precision=mean(per_entity_ratio(n_pred)),
        macro_recall=mean(per_entity_ratio(n_true)),
        macro_fbeta_non_singleton=mean(fbeta[~single]),
        precision=pooled(sums["tp"], sums["k"]),
        recall=pooled(sums["tp"], sums["t"]),
        pooled_fbeta=float(pooled_fbeta[0]),
        empty_baseline=int(single.sum()) / n,
        break_even=break_even_ratio(sums["tp"], sums["k"], sums["t"], beta=beta),
        dropped=dropped,
        _counts=Counts(truth, tp, n_pred, n_true, fbeta, library, zero_division),
    )


def _as_truth(
    truth: Any,
    predictions: Any,
    entities: Any,
    entity: _pairs.Names,
    target: _pairs.Names,
    nulls: str,
    ids: str | None,
) -> Truth:
    if isinstance(truth, Truth):
        if ids not in (None, truth.ids):
            raise DataError(f"this Truth compares ids={truth.ids!r}; build it with ids={ids!r}")
        return truth if entities is None else truth.part(entities)[0]
    if isinstance(predictions, Truth):
        raise DataError("evaluate takes the predictions first and the truth second")
    if entities is None:
        raise DataError(
            "entities= is missing: give the list of all entities that the score is over, "
            "singletons and silent ones included"
        )
    return Truth(
        truth, entities, entity=entity, target=target, nulls=nulls, ids=ids or "exact"
    )


def _check_strangers(
    frame: _pairs.Pairs, coded: Encoded, truth: Truth, unknown_entities: str, backend: select.Backend
) -> None:
    if unknown_entities == "drop":
        return
    xp = backend.xp
    where = xp.arange(len(frame)) if coded.present is None else xp.flatnonzero(coded.present)
    where = backend.to_host(where[coded.codes < 0])
    first = list(dict.fromkeys(ids_of(_pairs.Entities(frame.entity).rows(where[:1000]))))
    raise DataError(
        f"predictions hold {rows(coded.strangers)} of entities that are not in the list of "
        f"{truth.n_entities:,}, first at row {int(where[0])}: {some(first)}; add them to entities, "
        'or leave such rows out with unknown_entities="drop" (--unknown-entities drop)'
    )


def _at_least(frame: _pairs.Pairs, threshold: float, backend: select.Backend) -> Any:
    """Return a mask of the rows whose score is at least the threshold."""
    limit = _number("threshold", threshold, nan=False)
    assert frame.score is not None
    scores = backend.scores(frame.score[1], f"predictions column {frame.score[0]!r}")
    if scores.dtype.kind == "f":
        return scores >= scores.dtype.type(limit)
    if math.isinf(limit):
        return backend.xp.full(len(scores), limit < 0)
    bounds = np.iinfo(scores.dtype)
    whole = math.ceil(threshold)
    if whole > bounds.max:
        return backend.xp.zeros(len(scores), bool)
    return scores >= max(whole, int(bounds.min))


def _number(
    option: str, value: Any, low: float = -math.inf, high: float = math.inf, nan: bool = False
) -> float:
    if not isinstance(value, numbers.Real) or isinstance(value, bool):
        raise DataError(f"{option}={value!r} is not a number")
    number = float(value)
    if not (low <= number <= high or (nan and math.isnan(number))):
        bounds = "" if math.isinf(low) else f" between {low:g} and {high:g}"
        raise DataError(f"{option}={value!r}: give a number{bounds}")
    return number
