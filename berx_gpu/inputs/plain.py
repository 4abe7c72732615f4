"""Plain Python -> columns: mappings, tuples and lists of ids."""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from berx_gpu.errors import DataError, some
from berx_gpu.inputs.columns import ARROW, Column
from berx_gpu.inputs.objects import INT64_MAX, INT64_MIN, is_missing


def from_mapping(obj: Mapping[Any, Any], what: str) -> tuple[list[Any], list[Any]]:
    """Return the entity and the target of each pair in a mapping of entity to targets."""
    keys: list[Any] = []
    targets: list[Any] = []
    for key, values in obj.items():
        if is_missing(values):
            continue
        if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
            raise DataError(
                f"{what} maps {key!r} to {values!r}, which is not a collection of targets; "
                "put a single target in a list"
            )
        before = len(targets)
        targets.extend(_items(values))
        keys += itertools.repeat(key, len(targets) - before)
    return keys, targets


def _items(values: Any) -> Iterable[Any]:
    if isinstance(values, np.ndarray):
        return list(values.ravel())
    return list(values.to_pylist()) if isinstance(values, ARROW) else values


def from_tuples(obj: Any, what: str, width: int) -> list[list[Any]]:
    """Return the first `width` columns of tuples (entity, target) or (entity, target, score)."""
    if isinstance(obj, np.ndarray) and obj.ndim == 2:
        obj = obj.tolist()
    if not isinstance(obj, Iterable) or isinstance(obj, np.ndarray):
        raise DataError(
            f"{what} is a {type(obj).__name__}; give a DataFrame (pandas, polars, pyarrow, DuckDB, "
            "cuDF), a mapping entity -> targets, or a list of (entity, target) tuples"
        )
    listed = list(obj)
    for row, item in enumerate(listed):
        if not isinstance(item, (tuple, list)) or len(item) not in (width, 3):
            form = "(entity, target)" if width == 2 else "(entity, target, score)"
            raise DataError(f"{what} row {row} is {item!r}; every row must be a tuple {form}")
    return [[item[i] for item in listed] for i in range(width)]


def id_columns(values: list[Any], names: tuple[Hashable, ...], what: str) -> list[Column]:
    """Return Python ids as columns: tuples are split when the key is several columns."""
    if len(names) == 1:
        return [(names[0], _series(values))]
    for row, value in enumerate(values):
        if not isinstance(value, (tuple, list)) or len(value) != len(names):
            raise DataError(
                f"{what} row {row} has the id {value!r}; a key of {len(names)} columns "
                f"({some(names, 9)}) needs tuples of {len(names)}"
            )
    return [(n, _series([value[i] for value in values])) for i, n in enumerate(names)]


def _series(values: list[Any]) -> pd.Series[Any]:
    """Return Python values as a Series whose type no library guessed, unless all are plain."""
    kinds = set(map(type, values))
    if kinds == {str} or (kinds == {int} and INT64_MIN <= min(values) <= max(values) <= INT64_MAX):
        try:
            return pd.Series(values)
        except UnicodeEncodeError:  # told by the encoding, which knows the column
            pass
    return pd.Series(values, dtype=object)
