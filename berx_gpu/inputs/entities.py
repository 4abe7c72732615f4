"""An entity list in any form -> its key columns, and slice keys."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any

import numpy as np
import pandas as pd

from berx_gpu.errors import DataError, some
from berx_gpu.inputs import plain
from berx_gpu.inputs.columns import ARROW, Column, take
from berx_gpu.inputs.device import unwrapped
from berx_gpu.inputs.frames import arrow_list, frame_columns, holds, is_device_list, pick_all
from berx_gpu.inputs.pairs import Names, key_names


@dataclass(frozen=True, eq=False)
class Entities:
    """The entity list: its key columns, and the other columns of its frame as slice keys."""

    key: list[Column]
    extras: list[Column] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.key[0][1])

    def rows(self, codes: Any) -> Entities:
        """Return the entities at some positions, in that order."""
        return self._with(lambda values: take(values, codes))

    def head(self) -> Entities:
        """Return the first few entities, for messages."""
        return self.rows(np.arange(min(len(self), 4)))

    def copied(self) -> Entities:
        """Return the list over memory of its own; Arrow data never changes."""
        return self._with(lambda values: values if isinstance(values, ARROW) else values.copy())

    def _with(self, change: Callable[[Any], Any]) -> Entities:
        return Entities(*([(n, change(v)) for n, v in c] for c in (self.key, self.extras)))


def as_entities(obj: Any, entity: Names, other: Sequence[Hashable] = ()) -> Entities:
    """Return the entity list from a list, array, Index, Series or frame.

    Parameters
    ----------
    obj : list, array, Index, Series or frame
    entity : str or list of str
        Key columns of a frame, and the names that a list gets.
    other : list of str
        The truth's own names: those of a list, and of a frame that lacks `entity`.
    """
    if isinstance(obj, Entities):
        return obj
    names = key_names(entity, "entity")
    if isinstance(obj, (Mapping, AbstractSet, str, bytes, bytearray, PurePath)):
        raise DataError(
            f"entities is a {type(obj).__name__}, which has no order to report in; "
            "give a list, an array, a Series or a frame"
        )
    found = frame_columns(obj, "entities")
    if found is not None:
        columns = found[1]
        if len(columns) == len(names) == 1:
            return Entities(columns)
        if not holds(columns, names) and holds(columns, other):
            names = tuple(other) or names
        key = pick_all(columns, names, "entities", "entity", obj)
        chosen = [name for name, _ in key]
        return Entities(key, [c for c in columns if c[0] not in chosen])
    names = tuple(other) or names
    if isinstance(obj, pd.MultiIndex) and obj.nlevels == len(names):
        return as_entities(obj.to_frame(index=False, name=list(names)), names)
    obj = unwrapped(obj)
    if isinstance(obj, (pd.Series, pd.Index)) or is_device_list(obj):
        name = names[0] if obj.name is None else obj.name
        values = obj.to_series() if hasattr(obj, "to_series") else obj
        return Entities(_listed([(name, values.reset_index(drop=True))], names))
    if isinstance(obj, np.ndarray):
        if obj.ndim != 1 or obj.dtype.names:
            raise DataError(f"entities is an array of {obj.ndim} dimensions; give a plain one of 1")
        return Entities(_listed([(names[0], pd.Series(obj, copy=True))], names))
    if (arrow := arrow_list(obj)) is not None:
        return Entities(_listed([(names[0], arrow)], names))
    if not isinstance(obj, Iterable):
        raise DataError(f"entities is a {type(obj).__name__}; give a list, array, Series or frame")
    return Entities(plain.id_columns(list(obj), names, "entities"))


def _listed(columns: list[Column], names: tuple[Hashable, ...]) -> list[Column]:
    if len(names) != 1:
        raise DataError(
            f"entities is one column, but the entity key has {len(names)} ({some(names, 9)}); give "
            "a frame with these columns or a list of tuples"
        )
    return columns
