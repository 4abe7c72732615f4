"""Where the score is lost: by slice, by outcome, and by a wrong reading of the metric."""

from __future__ import annotations

import itertools
import math
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from berx_gpu._columns import Column, build_frame, objects, same_name, take, to_series
from berx_gpu._sums import BITS, joined, mean_over, words
from berx_gpu.errors import DataError, some
from berx_gpu.reconciliation import Reconciliation
from berx_gpu.results import Evaluation
from berx_gpu.scoring import fbeta_of
from berx_gpu.truth import Truth


def outcomes(ev: Evaluation) -> list[tuple[str, int, float]]:
    """Return (outcome, entities, loss) of every outcome, worst loss first, perfect last."""
    g = ev._counts.groups
    fbeta = ev._counts.truth._backend().fbeta(g.tp, g.n_pred, g.n_true, ev.beta)
    table = [
        (name, g.count(mask), mean_over(g.exact_sum(1.0 - fbeta, mask), ev.n_entities))
        for name, mask in outcome_masks(*g.counts).items()
    ]
    return sorted(table, key=lambda row: (row[0] == "perfect", -row[2]))


def outcome_masks(tp: Any, n_pred: Any, n_true: Any) -> dict[str, Any]:
    """Return a mask of the counts of each outcome; every entity has one."""
    single, silent, clean, full = n_true == 0, n_pred == 0, tp == n_pred, tp == n_true
    return {
        "nothing predicted": ~single & silent,
        "misses only": ~silent & clean & ~full,
        "extras only": ~single & ~clean & full,
        "both": ~clean & ~full,
        "singleton linked": single & ~silent,
        "perfect": clean & full,
    }


def losses(ev: Evaluation) -> Any:
    """Return the frame behind `Evaluation.losses`."""
    names, counts, values = zip(*outcomes(ev), strict=True)
    columns = [
        ("outcome", pd.Series(names)),
        ("n_entities", np.array(counts, np.int64)),
        ("loss", np.array(values)),
    ]
    return build_frame(columns, ev._counts.library)


def reconcile(ev: Evaluation) -> Reconciliation:
    """Return the table behind `Evaluation.reconcile`."""
    g = ev._counts.groups
    backend = ev._counts.truth._backend()
    beta2 = ev.beta * ev.beta

    def f(n_true: Any, beta: float) -> Any:
        return backend.fbeta(g.tp, g.n_pred, n_true, beta)

    right = f(g.n_true, ev.beta)
    p, r = ev.macro_precision, ev.macro_recall
    silent, single = g.n_pred == 0, g.n_true == 0
    readings = {
        "macro F: the mean over all entities": ev.macro_fbeta,
        "F of mean precision and mean recall": (1 + beta2) * p * r / (beta2 * p + r) if r else 0.0,
        "F of pooled precision and recall": ev.pooled_fbeta,
        "silent singletons left out": g.mean(right, ~(silent & single)),
        "entities without a prediction left out": g.mean(right, ~silent),
        "all singletons left out": ev.macro_fbeta_non_singleton,
        "singletons counted as 0": g.mean(backend.xp.where(single, 0.0, right)),
        "β² passed as β": g.mean(f(g.n_true, min(max(beta2, 1e-100), 1e100))),
        "β used in place of β²": g.mean(f(g.n_true, math.sqrt(ev.beta))),
        "truth counted from the predicted pairs": g.mean(f(g.tp, ev.beta)),
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
    shown, group = slices(ev._counts.truth, key)
    return build_frame([*shown, *measures(ev, group).items()], ev._counts.library)


def slices(truth: Truth, key: Any) -> tuple[list[Column], Any]:
    """Return the key columns of the observed slices, and the slice number of each entity."""
    keys = list(key) if isinstance(key, (list, tuple)) else [key]
    if not keys:
        raise DataError("by=[] names no slice; give a column, a mapping or a list of these")
    columns = [_slice_column(truth, one) for one in keys]
    if [name for name, _ in columns].count(_UNNAMED) > 1:
        numbered = (f"{_UNNAMED} {i}" for i in itertools.count(1))
        columns = [(next(numbered) if n == _UNNAMED else n, v) for n, v in columns]
    group, first = _groups([(name, to_series(values)) for name, values in columns])
    return [(name, take(values, first)) for name, values in columns], group


_UNNAMED = "slice"


def _slice_column(truth: Truth, key: Any) -> Column:
    """Return the name and the values of one slice key, one value per entity."""
    host = truth._backend().to_host
    if isinstance(key, Mapping):
        return _UNNAMED, _keyed(truth, list(key), pd.Series(list(key.values()), dtype=object))
    if isinstance(key, pd.Series):
        ids = key.index if isinstance(key.index, pd.MultiIndex) else pd.Series(key.index)
        return (_UNNAMED if key.name is None else key.name), _keyed(truth, ids, key)
    held = [c for c in (*truth._slice_columns, *truth._key_columns) if same_name(c[0], key)]
    if len(held) > 1:
        raise DataError(f"entities has {len(held)} columns called {key!r}; rename all but one")
    if held:
        return key, host(held[0][1])
    if isinstance(key, str) and key == _N_TRUE:
        edges = [low for _, low in _N_TRUE_BINS]
        bins = np.searchsorted(edges, host(truth._n_true), side="right") - 1
        labels = pd.Index([label for label, _ in _N_TRUE_BINS])
        return _N_TRUE, pd.Series(pd.Categorical.from_codes(bins, labels, ordered=True))
    known = some([*(name for name, _ in truth._slice_columns), _N_TRUE], 20)
    raise DataError(
        f"no slice {key!r}: the entities frame has {known}; name one of these, or give a mapping "
        "or a pandas Series keyed by entity"
    )


def _keyed(truth: Truth, ids: Any, values: pd.Series[Any]) -> pd.Series[Any]:
    """Return values keyed by entity in the order of the entity list, missing where not given."""
    codes = truth._codes_of(ids, "slice")
    listed = codes >= 0
    if len(codes) and not listed.any():
        raise DataError(
            f"none of the {len(codes):,} entities that the slice names is in the list; "
            "key it by entity id"
        )
    row = np.full(truth.n_entities, -1, np.int64)
    row[codes[listed]] = np.flatnonzero(listed)
    if values.dtype.kind in "iub" and (row < 0).any():
        values = values.convert_dtypes()  # integers and bools that can be missing
    return values.reset_index(drop=True).reindex(row).reset_index(drop=True)


def _groups(columns: Sequence[tuple[Hashable, pd.Series[Any]]]) -> tuple[Any, Any]:
    """Return the slice number of each entity, in the order of the keys, and a row of each slice.

    Columns are combined one at a time over the combinations that occur, never over the product of
    all values.
    """
    group = np.zeros(len(columns[0][1]), np.int64)
    first = group
    for name, values in columns:
        codes, seen = _numbered(name, values)
        rank = np.empty(len(seen) + 1, np.int64)
        rank[_order(seen)] = np.arange(len(seen))
        rank[-1] = len(seen)  # a missing value has the code -1 and stands last
        group = group * (len(seen) + 1) + rank[codes]
        _, first, group = np.unique(group, return_index=True, return_inverse=True)
    return group, first


def _numbered(name: Hashable, values: pd.Series[Any]) -> tuple[Any, Any]:
    """Return a number for each value, and the values; Python's 1 and True stay apart."""
    if values.dtype != object:
        return pd.factorize(values)
    plain, _ = objects(list(values))
    try:
        keys = [None if v is None else (isinstance(v, (bool, np.bool_)), v) for v in plain]
        number = {key: i for i, key in enumerate(dict.fromkeys(k for k in keys if k is not None))}
    except TypeError as error:
        raise DataError(f"slice {name!r} holds values that cannot be grouped: {error}") from error
    codes = np.array([-1 if key is None else number[key] for key in keys], np.int64)
    return codes, [value for _, value in number]


def _order(seen: Any) -> Any:
    """Return the order of the values; of several types, by how they are written."""
    try:
        if not isinstance(seen, list):
            return np.asarray(seen.argsort())
        return np.array(sorted(range(len(seen)), key=seen.__getitem__), np.int64)
    except TypeError:
        return np.array(sorted(range(len(seen)), key=lambda i: str(seen[i])), np.int64)


def measures(ev: Evaluation, group: Any) -> dict[str, Any]:
    """Return the scores of slices, given by the slice number of each entity."""
    counts = ev._counts
    host = counts.truth._backend().to_host
    order = np.argsort(group, kind="stable")
    starts = np.flatnonzero(np.diff(group[order], prepend=-1))

    def total(values: Any) -> Any:
        return np.add.reduceat(values[order], starts)

    columns_of = (counts.tp, counts.n_pred, counts.n_true, fbeta_of(ev))
    tp, n_pred, n_true, fbeta = (host(x) for x in columns_of)
    n = np.diff(starts, append=len(order))
    hits, made, real = total(tp), total(n_pred), total(n_true)
    f_sum = joined(*map(total, words(fbeta)))
    lost = [(int(m) << BITS) - f for m, f in zip(n, f_sum, strict=True)]
    all_lost = sum(lost)
    zero = counts.zero_division
    columns = (
        n,
        total((n_true == 0).astype(np.int64)),
        hits,
        made - hits,
        real - hits,
        np.array([mean_over(f, int(m)) for f, m in zip(f_sum, n, strict=True)]),
        _ratios(hits, made, zero),
        _ratios(hits, real, zero),
        made / n,
        np.array([part / all_lost if all_lost else 0.0 for part in lost]),
    )
    return dict(zip(_MEASURES, columns, strict=True))


def _ratios(part: Any, whole: Any, zero_division: float) -> Any:
    out = np.full(len(whole), zero_division)
    return np.divide(part, whole, out=out, where=whole > 0)
