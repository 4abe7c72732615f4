"""The scores of parts of the entities: by a column, by values of the caller's, by size."""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from berx_gpu.arithmetic.exact_sums import BITS, joined, mean_over, words
from berx_gpu.errors import DataError, some
from berx_gpu.evaluation.limits import limits_by
from berx_gpu.evaluation.scores import Scores, fbeta_of
from berx_gpu.inputs.columns import Column, build_frame, same_name, take, to_series
from berx_gpu.inputs.objects import objects
from berx_gpu.links.true_pairs import TruePairs
from berx_gpu.options import confidence

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


def by(ev: Scores, key: Any, interval: bool = False, confidence_level: float = 0.95) -> Any:
    """Return the scores of slices as a frame, with limits of macro F where these are asked for."""
    level = confidence(confidence_level) if interval else 0.0
    shown, group = slices(ev._counts.truth, key)
    columns = measures(ev, group)
    if interval:
        fbeta = ev._counts.truth.backend().to_host(fbeta_of(ev))
        found = limits_by(fbeta, group, int(group.max()) + 1, level)
        columns |= dict(zip(("low", "high", "low_all", "high_all"), found, strict=True))
    return build_frame([*shown, *columns.items()], ev._counts.library)


def slices(truth: TruePairs, key: Any) -> tuple[list[Column], Any]:
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


def _slice_column(truth: TruePairs, key: Any) -> Column:
    """Return the name and the values of one slice key, one value per entity."""
    host = truth.backend().to_host
    if isinstance(key, Mapping):
        return _UNNAMED, _keyed(truth, list(key), pd.Series(list(key.values()), dtype=object))
    if isinstance(key, pd.Series):
        ids = key.index if isinstance(key.index, pd.MultiIndex) else pd.Series(key.index)
        return (_UNNAMED if key.name is None else key.name), _keyed(truth, ids, key)
    held = [
        c for c in (*truth.listed.slice_columns, *truth.listed.key_columns) if same_name(c[0], key)
    ]
    if len(held) > 1:
        raise DataError(f"entities has {len(held)} columns called {key!r}; rename all but one")
    if held:
        return key, host(held[0][1])
    if isinstance(key, str) and key == _N_TRUE:
        edges = [low for _, low in _N_TRUE_BINS]
        bins = np.searchsorted(edges, host(truth.n_true_each), side="right") - 1
        labels = pd.Index([label for label, _ in _N_TRUE_BINS])
        return _N_TRUE, pd.Series(pd.Categorical.from_codes(bins, labels, ordered=True))
    known = some([*(name for name, _ in truth.listed.slice_columns), _N_TRUE], 20)
    raise DataError(
        f"no slice {key!r}: the entities frame has {known}; name one of these, or give a mapping "
        "or a pandas Series keyed by entity"
    )


def _keyed(truth: TruePairs, ids: Any, values: pd.Series[Any]) -> pd.Series[Any]:
    """Return values keyed by entity in the order of the entity list, missing where not given."""
    codes = truth.listed.codes_of(ids, "slice", truth.backend())
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


def measures(ev: Scores, group: Any) -> dict[str, Any]:
    """Return the scores of slices, given by the slice number of each entity."""
    counts = ev._counts
    host = counts.truth.backend().to_host
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
