"""Ids of several columns -> one number for every distinct id."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from berx_gpu.encoding import keys
from berx_gpu.errors import DataError, counted
from berx_gpu.inputs.columns import take, to_list


@dataclass(frozen=True, eq=False)
class Ids:
    """One number for each of n distinct ids of several columns."""

    columns: list[Any]
    n: int
    _named: Callable[[], Any]

    @cached_property
    def names(self) -> Any:
        """The distinct ids, as their callers wrote them."""
        return self._named()


class IdColumn(NamedTuple):
    """A column of ids, ready to be compared, and as its caller holds it."""

    key: keys.Key
    values: Any


def numbered(columns: Sequence[IdColumn]) -> Ids:
    """Return the columns as numbers of their distinct ids."""
    for key, _ in columns:
        if key.missing is not None:
            row = int(key.missing.argmax())
            raise DataError(
                f"{key.where} misses an id in {counted(int(key.missing.sum()), 'row', 'rows')}, "
                f"first at row {row}; fix the rows"
            )
    there = [column for column in columns if column.key.kind != "empty"]
    if not there:
        return Ids([np.zeros(0, np.int64) for _ in columns], 0, lambda: np.zeros(0, object))
    for other in there[1:]:
        keys.same_kind((there[0].key,), (other.key,))
    number: Any = None
    for i in range(max(len(column.key.parts) for column in there)):
        parts = [pd.Series(_part(column.key, i)) for column in there]
        codes, seen = pd.factorize(pd.concat(parts, ignore_index=True))
        if number is None:
            number = codes.astype(np.int64)
        else:
            number = pd.factorize(number * len(seen) + codes)[0].astype(np.int64)
    sizes = [len(column.key.parts[0]) for column in there]
    ends = np.cumsum(sizes)

    def named() -> Any:
        first = np.unique(number, return_index=True)[1]
        names = np.empty(len(first), object)
        for column, end, size in zip(there, ends, sizes, strict=True):
            mine = np.flatnonzero((first < end) & (first >= end - size))
            names[mine] = to_list(take(column.values, first[mine] - (end - size)), column.key.where)
        return names

    cut = iter(np.split(number, ends[:-1]))
    empty = np.zeros(0, np.int64)
    numbers = [empty if c.key.kind == "empty" else next(cut) for c in columns]
    return Ids(numbers, int(number.max()) + 1, named)


def _part(key: keys.Key, i: int) -> Any:
    return key.parts[i] if i < len(key.parts) else np.zeros(len(key.parts[0]), np.int64)
