"""`Truth`: the entities to score and their true pairs, checked and encoded once."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

from berx_gpu import _clusters, _columns, _encode, _pairs
from berx_gpu._backends import select
from berx_gpu._encoded import both_listed, encode_pairs
from berx_gpu.errors import DataError, counted, one_of, rows, some, warn


class Truth:
    """The entity list and the true pairs, encoded once and reused by every call.

    Parameters
    ----------
    pairs : DataFrame, Arrow stream, mapping or list of tuples
        The true (entity, target) pairs: a pandas or cuDF frame, anything with
        ``__arrow_c_stream__`` (polars, pyarrow, DuckDB), a mapping entity -> targets, or tuples.
        A target column may hold lists. Repeated pairs count once.
    entities : list, array, Index, Series or frame
        The entities that every average runs over, in the order of every per-entity result.
        Entities without a true pair are singletons. Further columns of a frame are slice keys.
    entity, target : str or list of str, default "entity", "target"
        Key columns of `pairs` (and, for `entity`, of an `entities` frame). A frame of two columns
        needs no names; a list names a key of several columns.
    undirected : bool, default False
        Whether a pair has no direction, as in deduplication: (b, a) is then (a, b), here and in
        the predictions. Pairs of a record with itself are left out. A pair counts for each of its
        listed records in per-entity results, and once in totals.
    nulls : {"error", "drop"}, default "error"
        What to do with rows of `pairs` that miss an id.
    device : {"cpu", "cuda"}, optional
        Where to work: on the GPU whatever library the frames are of; default: where they are.
    n_threads : int, optional
        Threads on the CPU, here and in calls with this truth; default: the CPUs that this process
        may use. The results do not depend on it.
    ids : {"exact", "text"}, default "exact"
        ``"text"`` compares the written text of ids, here and in the predictions scored against
        this truth: the number 7 then equals the text ``"7"`` (but not ``"007"``).

    Attributes
    ----------
    n_entities, n_singletons, n_true : int
        Listed entities, those without a true target, distinct true pairs of listed entities.
    repeats, nulls, outside, self_pairs : int
        Rows of `pairs` left out: repeated, with a missing id, of entities that are not listed, of
        a record with itself.

    Raises
    ------
    DataError
        For an empty or repeating entity list, missing ids, ids of different kinds, or a column
        that is not there.

    Notes
    -----
    Ids compare by value and never across kinds: numbers against text is an error. A `Truth` can
    be pickled, and does not change when the frames it was made from do.

    Examples
    --------
    >>> from berx_gpu import Truth
    >>> Truth({"a": ["x", "y"], "b": []}, entities=["a", "b"])
    Truth(2 entities, 2 true pairs, 1 singleton)
    """

    def __init__(
        self,
        pairs: Any,
        entities: Any,
        *,
        entity: _pairs.Names = "entity",
        target: _pairs.Names = "target",
        undirected: bool = False,
        nulls: str = "error",
        ids: str = "exact",
        device: str | None = None,
        n_threads: int | None = None,
    ) -> None:
        one_of("ids", ids, ("exact", "text"))
        one_of("nulls", nulls, ("error", "drop"))
        self._n_threads, self._device = n_threads, device
        sources = [*_sources(pairs), *_sources(entities)]
        backend = select.select(*sources, n_threads=n_threads, device=device)
        self.undirected = undirected
        frame = _pairs.read_pairs(
            pairs, "truth", entity=entity, target=target, undirected=undirected
        )
        named = [name for name, _ in frame.entity]
        listed = _pairs.read_entities(entities, entity, named).copied()
        self.ids = ids
        self._names: tuple[_pairs.Names, _pairs.Names] = (
            [name for name, _ in frame.entity],
            [name for name, _ in frame.target],
        )
        self._entities = listed
        self._key = _encoded_list(listed, ids, "entities", backend)
        self._index = _index(self._key, listed, "entities", backend)
        coded = encode_pairs(frame, self, nulls, backend)
        self.nulls, self.outside = coded.nulls, coded.strangers
        self.self_pairs = coded.self_pairs
        present = None if coded.present is None else backend.to_host(coded.present)
        self._target_columns = frame.targets(present)
        self._set_pairs(coded.codes, tuple(key.owned() for key in coded.target), backend)
        if self.outside and not self.n_true and frame.what == "truth":
            warn(
                f"none of the {rows(self.outside)} of the truth is of a listed entity, so every "
                f"entity counts as a singleton; the list holds {some(ids_of(listed.head()))}, the "
                f"truth {some(ids_of(_pairs.Entities(frame.entity).head()))}"
            )

    def _set_pairs(
        self, codes: Any, targets: tuple[_encode.Key, ...], backend: select.Backend
    ) -> None:
        self._codes, self._targets = codes, targets
        self._pairs = backend.prepare(self.n_entities, codes, _parts(targets))
        self._n_true = self._pairs.n_true
        self.repeats = self._pairs.repeats
        self._doubled = 0
        if self.undirected:
            new, *_ = backend.label(self._pairs, codes, _parts(targets))
            self._doubled = int((new & both_listed(codes, backend.xp)).sum()) // 2
            half = len(codes) // 2
            listed = int(((codes[:half] >= 0) | (codes[half:] >= 0)).sum())
            self.repeats = listed - self.n_true
            self.outside = half - listed

    def __repr__(self) -> str:
        entities = counted(self.n_entities, "entity", "entities")
        singletons = counted(self.n_singletons, "singleton", "singletons")
        return f"Truth({entities}, {counted(self.n_true, 'true pair', 'true pairs')}, {singletons})"

    @classmethod
    def from_clusters(
        cls,
        frame: Any,
        *,
        id: Hashable,  # noqa: A002 - the name that the column has
        cluster: Hashable,
        entities: Any = None,
        nulls: str = "error",
        ids: str = "exact",
        device: str | None = None,
        n_threads: int | None = None,
    ) -> Truth:
        """Return the undirected truth in which the records of a cluster are pairs.

        Parameters
        ----------
        frame : DataFrame or Arrow stream
            One row per record.
        id, cluster : str
            Its columns: of record ids, each once, and of clusters. A record without a cluster is
            alone.
        entities : list, array, Index, Series or frame, optional
            The records to score; default: all of the frame, its other columns as slice keys.
        nulls, ids, device, n_threads
            As in `Truth`.

        Raises
        ------
        DataError
            For a repeated or missing id, or clusters with over 2**31 pairs in all.

        Examples
        --------
        >>> import pandas as pd
        >>> from berx_gpu import Truth
        >>> frame = pd.DataFrame({"id": [1, 2, 3, 4], "cluster": ["a", "a", "a", None]})
        >>> Truth.from_clusters(frame, id="id", cluster="cluster")
        Truth(4 entities, 3 true pairs, 1 singleton)
        """
        pairs, listed = _clusters.pairs_of(frame, id, cluster)
        entities = listed if entities is None else entities
        return cls(
            pairs,
            entities,
            entity=id,
            undirected=True,
            nulls=nulls,
            ids=ids,
            device=device,
            n_threads=n_threads,
        )

    @property
    def n_entities(self) -> int:
        """Number of listed entities."""
        return len(self._entities)

    @property
    def n_singletons(self) -> int:
        """Number of listed entities without a true target."""
        return int((self._n_true == 0).sum())

    @property
    def n_true(self) -> int:
        """Number of distinct true pairs of listed entities."""
        return int(self._n_true.sum()) - self._doubled

    @property
    def _key_columns(self) -> list[_columns.Column]:
        """The caller's own entity columns, in the list's order."""
        return self._entities.key

    @property
    def _slice_columns(self) -> list[_columns.Column]:
        """The other columns of the caller's `entities` frame."""
        return self._entities.extras

    def _backend(self) -> select.Backend:
        """Return the backend that this truth lives on."""
        columns = (values for _, values in self._entities.key)
        return select.select(*columns, n_threads=self._n_threads, device=self._device)

    def _part(self, entities: Any) -> tuple[Truth, Any]:
        """Return the truth of some of the listed entities in their order, and where they stand.

        A frame with further columns replaces the slice keys; otherwise those of this truth stay.
        """
        backend = self._backend()
        listed = _pairs.read_entities(entities, [name for name, _ in self._entities.key])
        key = _encoded_list(listed, self.ids, "entities", backend, "the part's entities")
        index = _index(key, listed, "entities", backend)
        codes, _ = self._positions(key, backend)
        if (codes < 0).any():
            strange = listed.rows(backend.to_host((codes < 0).nonzero()[0]))
            raise DataError(
                f"entities holds {len(strange):,} that the truth's own list does not, such as "
                f"{some(ids_of(strange))}; pass a subset of that list"
            )
        own = self._entities.rows(backend.to_host(codes))
        extras = listed.extras or own.extras
        return self._at(codes, _pairs.Entities(own.key, extras), key, index, backend), codes

    def _at(
        self,
        codes: Any,
        entities: _pairs.Entities,
        key: tuple[_encode.Key, ...],
        index: Any,
        backend: select.Backend,
    ) -> Truth:
        """Return the truth of the entities at some positions of the list."""
        moved = recoded(self._codes, codes, self.n_entities, backend.xp)
        new = object.__new__(Truth)
        new.ids, new.nulls, new._names = self.ids, self.nulls, self._names
        new._n_threads, new._device = self._n_threads, self._device
        new._target_columns = self._target_columns
        new.undirected, new.self_pairs = self.undirected, self.self_pairs
        new.outside = int((moved < 0).sum())
        new._entities, new._key, new._index = entities, key, index
        new._set_pairs(moved, self._targets, backend)
        return new

    def _positions(self, key: tuple[_encode.Key, ...], backend: select.Backend) -> tuple[Any, int]:
        """Return the position in the list of each encoded id or -1, and how many have none."""
        _encode.same_kind(key, self._key)
        xp = backend.xp
        if any(k.kind == "empty" for k in key):
            return xp.full(0, -1, xp.int32), 0
        parts, listed = _encode.aligned(xp, key, self._key)
        index = self._index if len(listed) == len(_parts(self._key)) else backend.index(listed)
        codes, strangers = backend.lookup(index, parts)
        if strangers:
            _warn_look_alikes(key, self._key, codes < 0, backend)
        return codes, strangers

    def _codes_of(self, ids: Any, what: str) -> Any:
        """Return the position in the list of each entity id given in host form, or -1."""
        listed = _pairs.read_entities(ids, [name for name, _ in self._entities.key])
        backend = self._backend()
        key = _encoded_list(listed, self.ids, f"{what} key", backend)
        if len(listed):
            _index(key, listed, what, backend)
        return backend.to_host(self._positions(key, backend)[0])

    def _check_targets(self, targets: tuple[_encode.Key, ...], backend: select.Backend) -> None:
        """Raise when target ids could never match, and warn when some only nearly do."""
        _encode.same_kind(targets, self._targets)
        if len(targets[0].parts) and len(targets[0].parts[0]):
            _warn_look_alikes(targets, self._targets, slice(None), backend)

    def _match(self, codes: Any, targets: tuple[_encode.Key, ...], backend: select.Backend) -> Any:
        """Return tp and n_pred per entity, and the repeats, of encoded pairs."""
        pairs, parts = self._in_step(targets, backend)
        return backend.match(pairs, codes, parts)

    def _label(self, codes: Any, targets: tuple[_encode.Key, ...], backend: select.Backend) -> Any:
        """Mark rows of encoded pairs: one of each, those of true pairs, those of repeated ones."""
        pairs, parts = self._in_step(targets, backend)
        return backend.label(pairs, codes, parts)

    def _in_step(
        self, targets: tuple[_encode.Key, ...], backend: select.Backend
    ) -> tuple[Any, list[Any]]:
        """Return the true pairs ready to be matched, and the parts of other targets, in step."""
        parts, true = _encode.aligned(backend.xp, targets, self._targets)
        if len(true) == len(_parts(self._targets)):
            return self._pairs, parts
        return backend.prepare(self.n_entities, self._codes, true), parts


def _sources(side: Any) -> list[Any]:
    """Return what says where a side is: itself, or its columns when it was read before."""
    if isinstance(side, _pairs.Pairs):
        return [values for _, values in side.entity]
    return [values for _, values in side.key] if isinstance(side, _pairs.Entities) else [side]


def recoded(codes: Any, kept: Any, n: int, xp: Any) -> Any:
    """Return codes of a list of n as codes of the part of it at `kept`, -1 for the rest."""
    position = xp.full(n, -1, xp.int32)
    position[kept] = xp.arange(len(kept), dtype=xp.int32)
    return xp.where(codes >= 0, position[codes], xp.int32(-1))


def ids_of(entities: _pairs.Entities) -> list[Any]:
    """Return entity ids as Python values: tuples where the key is several columns."""
    columns = [_columns.to_list(values, str(name)) for name, values in entities.key]
    return columns[0] if len(columns) == 1 else list(zip(*columns, strict=True))


def _warn_look_alikes(
    a: tuple[_encode.Key, ...], b: tuple[_encode.Key, ...], some_rows: Any, backend: select.Backend
) -> None:
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


def _parts(keys: tuple[_encode.Key, ...]) -> list[Any]:
    return [part for key in keys for part in key.parts]


def _encoded_list(
    listed: _pairs.Entities, ids: str, what: str, backend: select.Backend, where: str | None = None
) -> tuple[_encode.Key, ...]:
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


def _index(
    keys: tuple[_encode.Key, ...], listed: _pairs.Entities, what: str, backend: select.Backend
) -> Any:
    """Return the backend's index of a list, after refusing an empty or repeating one."""
    if not len(listed):
        raise DataError(f"{what} is empty; give the list of all entities that the score is over")
    index = backend.index(_parts(keys))
    if index.twice:
        repeated = backend.repeats(_parts(keys))
        twice = listed.rows(backend.to_host(repeated.nonzero()[0]))
        raise DataError(
            f"{what} lists {some(ids_of(twice))} more than once ({rows(len(twice))} too many); "
            "list each entity once, such as frame.drop_duplicates()"
        )
    return index
