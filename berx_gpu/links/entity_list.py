"""The list that every average runs over, encoded once and ready for look-ups."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from berx_gpu.backends.backend import Backend
from berx_gpu.encoding.keys import Key, aligned, all_parts, same_kind
from berx_gpu.errors import DataError, rows, some, warn
from berx_gpu.inputs.columns import Column, to_list
from berx_gpu.inputs.entities import Entities, as_entities


@dataclass(frozen=True, eq=False)
class EntityList:
    """The entities to score, in their order.

    Attributes
    ----------
    entities : Entities
        The caller's own columns.
    key : tuple of Key
    index : the backend's index of the key
    ids : {"exact", "text"}
        How ids compare.
    """

    entities: Entities
    key: tuple[Key, ...]
    index: Any
    ids: str

    @classmethod
    def of(cls, entities: Entities, ids: str, backend: Backend) -> EntityList:
        """Return a list encoded, after refusing one that is empty, repeats or misses an id."""
        key = _encoded(entities, ids, "entities", backend)
        return cls(entities, key, _index(key, entities, "entities", backend), ids)

    def __len__(self) -> int:
        return len(self.entities)

    @property
    def key_columns(self) -> list[Column]:
        """The caller's own id columns."""
        return self.entities.key

    @property
    def slice_columns(self) -> list[Column]:
        """The other columns of the caller's `entities` frame."""
        return self.entities.extras

    @property
    def names(self) -> list[Any]:
        """The names of the id columns."""
        return [name for name, _ in self.entities.key]

    def positions(self, key: tuple[Key, ...], backend: Backend) -> tuple[Any, int]:
        """Return the position in the list of each encoded id or -1, and how many have none."""
        same_kind(key, self.key)
        xp = backend.xp
        if any(k.kind == "empty" for k in key):
            return xp.full(0, -1, xp.int32), 0
        parts, listed = aligned(xp, key, self.key)
        own = len(listed) == len(all_parts(self.key))
        codes, strangers = backend.lookup(self.index if own else backend.index(listed), parts)
        if strangers:
            warn_look_alikes(key, self.key, codes < 0, backend)
        return codes, strangers

    def codes_of(self, ids: Any, what: str, backend: Backend) -> Any:
        """Return the position in the list of each entity id given in host form, or -1."""
        listed = as_entities(ids, self.names)
        key = _encoded(listed, self.ids, f"{what} key", backend)
        if len(listed):
            _index(key, listed, what, backend)
        return backend.to_host(self.positions(key, backend)[0])

    def part(self, entities: Any, backend: Backend) -> tuple[EntityList, Any]:
        """Return some of the listed entities in their own order, and where they stand in the list.

        A frame with further columns replaces the slice keys; otherwise those of this list stay.
        """
        listed = as_entities(entities, self.names)
        key = _encoded(listed, self.ids, "entities", backend, "the part's entities")
        index = _index(key, listed, "entities", backend)
        codes, _ = self.positions(key, backend)
        if (codes < 0).any():
            strange = listed.rows(backend.to_host((codes < 0).nonzero()[0]))
            raise DataError(
                f"entities holds {len(strange):,} that the truth's own list does not, such as "
                f"{some(ids_of(strange))}; pass a subset of that list"
            )
        own = self.entities.rows(backend.to_host(codes))
        extras = listed.extras or own.extras
        return EntityList(Entities(own.key, extras), key, index, self.ids), codes


def recoded(codes: Any, kept: Any, n: int, xp: Any) -> Any:
    """Return codes of a list of n as codes of the part of it at `kept`, -1 for the rest."""
    position = xp.full(n, -1, xp.int32)
    position[kept] = xp.arange(len(kept), dtype=xp.int32)
    return xp.where(codes >= 0, position[codes], xp.int32(-1))


def ids_of(entities: Entities) -> list[Any]:
    """Return entity ids as Python values: tuples where the key is several columns."""
    columns = [to_list(values, str(name)) for name, values in entities.key]
    return columns[0] if len(columns) == 1 else list(zip(*columns, strict=True))


def warn_look_alikes(
    a: tuple[Key, ...], b: tuple[Key, ...], some_rows: Any, backend: Backend
) -> None:
    """Warn when some rows of a key would meet another only after stripping or NFC."""
    for x, y in zip(a, b, strict=True):
        if x.kind == y.kind == "text":
            count = backend.look_alikes(backend.take(x.parts[0], some_rows), y.parts[0])
            if count:
                ids = "1 id matches" if count == 1 else f"{count:,} ids match"
                warn(
                    f"{ids} between {x.where} and {y.where} only after stripping blanks or "
                    "Unicode NFC, and so not here: ids are compared byte for byte; clean both "
                    "sides the same way"
                )


def _encoded(
    listed: Entities, ids: str, what: str, backend: Backend, where: str | None = None
) -> tuple[Key, ...]:
    """Return an encoded list of entities, after refusing one that is too long or misses an id."""
    if len(listed) > np.iinfo(np.int32).max:
        raise DataError(f"{what} has {rows(len(listed))}; at most 2,147,483,647 can be scored")
    keys = tuple(backend.encode(v, f"{where or what} column {n!r}", ids) for n, v in listed.key)
    for key in keys:
        if key.missing is not None:
            raise DataError(
                f"{key.where} misses an id in {rows(int(key.missing.sum()))}, first at row "
                f"{int(key.missing.argmax())}; every entity needs its id"
            )
    return keys


def _index(keys: tuple[Key, ...], listed: Entities, what: str, backend: Backend) -> Any:
    """Return the backend's index of a list, after refusing an empty or repeating one."""
    if not len(listed):
        raise DataError(f"{what} is empty; give the list of all entities that the score is over")
    index = backend.index(all_parts(keys))
    if index.twice:
        repeated = backend.repeats(all_parts(keys))
        again = listed.rows(backend.to_host(repeated.nonzero()[0]))
        raise DataError(
            f"{what} lists {some(ids_of(again))} more than once ({rows(len(again))} too many); "
            "list each entity once, such as frame.drop_duplicates()"
        )
    return index
