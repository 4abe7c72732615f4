"""Columns whose cells hold lists -> one item a row."""

from __future__ import annotations

import itertools
from collections.abc import Set as AbstractSet
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from berx_gpu.errors import DataError
from berx_gpu.inputs.device import is_device
from berx_gpu.inputs.objects import is_missing


def as_lists(values: Any, where: str, ordered: bool) -> tuple[Any, Any] | None:
    """Return the lengths and the joined items of a list-valued column, or None for plain values."""
    if is_device(values):
        if str(values.dtype).startswith("list"):
            raise DataError(f"{where} holds lists on the GPU; explode it first: frame.explode(...)")
        return None
    if isinstance(values, pd.Series):
        if values.dtype == object:
            return _objects_as_lists(list(values), where, ordered)
        if not isinstance(values.dtype, pd.ArrowDtype):
            return None
        values = pa.array(values, from_pandas=True)
    t, kind = pa.types, values.type
    tests = (t.is_list, t.is_large_list, t.is_fixed_size_list, t.is_list_view, t.is_large_list_view)
    if not any(test(kind) for test in tests):
        return None
    # Both skip what hides below a null list; casting a list_view or asking for parents does not.
    return pc.fill_null(pc.list_value_length(values), 0).to_numpy(), pc.list_flatten(values)


def _objects_as_lists(values: list[Any], where: str, ordered: bool) -> tuple[Any, Any] | None:
    is_list = [_is_list(v) for v in values]
    if not any(is_list):
        return None
    for row, (value, listed) in enumerate(zip(values, is_list, strict=True)):
        if not listed and not is_missing(value):
            raise DataError(
                f"{where} holds lists of targets and single values, first at row {row} "
                f"({value!r}); put single targets in lists of one"
            )
        if ordered and isinstance(value, AbstractSet):
            raise DataError(
                f"{where} holds a set at row {row}, whose order cannot match a list of scores; "
                "give lists"
            )
    lists = [list(v) if listed else [] for v, listed in zip(values, is_list, strict=True)]
    flat = pd.Series(list(itertools.chain.from_iterable(lists)), dtype=object)
    return np.array([len(items) for items in lists], np.int64), flat


def _is_list(value: Any) -> bool:
    if isinstance(value, np.ndarray):
        return value.ndim > 0
    return isinstance(value, (list, tuple, set, frozenset))
