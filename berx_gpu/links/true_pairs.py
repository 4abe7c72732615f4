"""The entities and the true pairs as every call uses them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from berx_gpu.backends import select
from berx_gpu.backends.backend import Backend, Counts, Labels
from berx_gpu.encoding.keys import Key, aligned, all_parts, same_kind
from berx_gpu.errors import counted, rows, some, warn
from berx_gpu.inputs.columns import Column
from berx_gpu.inputs.entities import Entities, as_entities
from berx_gpu.inputs.pairs import Pairs, as_pairs
from berx_gpu.links.encoded import encode_pairs
from berx_gpu.links.entity_list import EntityList, ids_of, recoded, warn_look_alikes
from berx_gpu.links.how import Reading
from berx_gpu.links.links import Links
from berx_gpu.links.undirected import either_way, twice


@dataclass(frozen=True, eq=False)
class TruePairs:
    """What a `Truth` holds; every function below the public ones takes this.

    Attributes
    ----------
    listed : EntityList
    codes, targets : int32 array, tuple of Key
        The true pairs, those of unlisted entities with the code -1.
    columns : list of (name, values)
        The caller's own target columns, row by row as `codes`.
    entity_names : list of str
        The caller's own names of the entity columns.
    undirected : bool
    nulls, self_pairs, outside : int
        Rows left out, see `Truth`.
    device : {"cpu", "cuda"} or None
    n_threads : int or None
    ready : what the backend prepared of the pairs
    repeats : int
        Rows of pairs that stood before.
    doubled : int
        Pairs without a direction that count for two listed records.
    """

    listed: EntityList
    codes: Any
    targets: tuple[Key, ...]
    columns: list[Column]
    entity_names: list[Any]
    undirected: bool
    nulls: int
    self_pairs: int
    outside: int
    device: str | None
    n_threads: int | None
    ready: Any = None
    repeats: int = 0
    doubled: int = 0

    @classmethod
    def read(cls, pairs: Any, entities: Any, how: Reading, undirected: bool = False) -> TruePairs:
        """Return what `Truth` makes of its arguments."""
        device, n_threads = how.device, how.n_threads
        sources = [*_sources(pairs), *_sources(entities)]
        backend = select.select(*sources, n_threads=n_threads, device=device)
        frame = as_pairs(
            pairs, "truth", entity=how.entity, target=how.target, undirected=undirected
        )
        names = [name for name, _ in frame.entity]
        own = as_entities(entities, how.entity, names).copied()
        listed = EntityList.of(own, how.ids or "exact", backend)
        links, left_out = encode_pairs(frame, listed, how.nulls, backend)
        present = None if links.present is None else backend.to_host(links.present)
        given = cls(
            listed=listed,
            codes=links.codes,
            targets=tuple(key.owned() for key in links.targets),
            columns=frame.targets(present),
            entity_names=names,
            undirected=undirected,
            nulls=left_out.nulls,
            self_pairs=left_out.self_pairs,
            outside=left_out.strangers,
            device=device,
            n_threads=n_threads,
        )
        made = _counted(given, backend)
        if made.outside and not made.n_true:
            warn(
                f"none of the {rows(made.outside)} of the truth is of a listed entity, so every "
                "entity counts as a singleton; the list holds "
                f"{some(ids_of(listed.entities.head()))}, the truth "
                f"{some(ids_of(Entities(frame.entity).head()))}"
            )
        return made

    def __repr__(self) -> str:
        entities = counted(self.n_entities, "entity", "entities")
        singletons = counted(self.n_singletons, "singleton", "singletons")
        return f"Truth({entities}, {counted(self.n_true, 'true pair', 'true pairs')}, {singletons})"

    @property
    def ids(self) -> str:
        """How ids compare."""
        return self.listed.ids

    @property
    def n_entities(self) -> int:
        """Number of listed entities."""
        return len(self.listed)

    @property
    def n_true_each(self) -> Any:
        """Number of distinct true targets of each listed entity, an int64 array."""
        return self.ready.n_true

    @property
    def n_singletons(self) -> int:
        """Number of listed entities without a true target."""
        return int((self.n_true_each == 0).sum())

    @property
    def n_true(self) -> int:
        """Number of distinct true pairs of listed entities."""
        return int(self.n_true_each.sum()) - self.doubled

    @property
    def names(self) -> tuple[list[Any], list[Any]]:
        """The names of the entity and of the target columns of the true pairs."""
        return self.entity_names, [name for name, _ in self.columns]

    def backend(self) -> Backend:
        """Return the backend that this truth lives on."""
        columns = (values for _, values in self.listed.key_columns)
        return select.select(*columns, n_threads=self.n_threads, device=self.device)

    def part(self, entities: Any) -> tuple[TruePairs, Any]:
        """Return the truth of some of the listed entities, and where they stand in the list."""
        backend = self.backend()
        listed, at = self.listed.part(entities, backend)
        codes = recoded(self.codes, at, self.n_entities, backend.xp)
        outside = int((codes < 0).sum())
        return _counted(replace(self, listed=listed, codes=codes, outside=outside), backend), at

    def check_targets(self, targets: tuple[Key, ...], backend: Backend) -> None:
        """Raise when target ids could never match, and warn when some only nearly do."""
        same_kind(targets, self.targets)
        if len(targets[0].parts) and len(targets[0].parts[0]):
            warn_look_alikes(targets, self.targets, slice(None), backend)

    def match(self, links: Links, backend: Backend) -> Counts:
        """Return tp and n_pred per entity, and the repeats, of some links."""
        ready, parts = self._in_step(links.targets, backend)
        counts: Counts = backend.match(ready, links.codes, parts)
        return counts

    def label(self, links: Links, backend: Backend) -> Labels:
        """Mark rows of some links: one of each pair, those of true ones, those of repeated ones."""
        ready, parts = self._in_step(links.targets, backend)
        labels: Labels = backend.label(ready, links.codes, parts)
        return labels

    def _in_step(self, targets: tuple[Key, ...], backend: Backend) -> tuple[Any, list[Any]]:
        """Return the true pairs ready to be matched, and the parts of other targets, in step."""
        parts, true = aligned(backend.xp, targets, self.targets)
        if len(true) == len(all_parts(self.targets)):
            return self.ready, parts
        return backend.prepare(self.n_entities, self.codes, true), parts


def _sources(side: Any) -> list[Any]:
    """Return what says where a side is: itself, or its columns when it was read before."""
    if isinstance(side, Pairs):
        return [values for _, values in side.entity]
    return [values for _, values in side.key] if isinstance(side, Entities) else [side]


def _counted(made: TruePairs, backend: Backend) -> TruePairs:
    """Return true pairs prepared for matching, with what was counted on the way."""
    codes, parts = made.codes, all_parts(made.targets)
    ready = backend.prepare(made.n_entities, codes, parts)
    if not made.undirected:
        return replace(made, ready=ready, repeats=ready.repeats)
    new, *_ = backend.label(ready, codes, parts)
    doubled = twice(new, codes, True, backend.xp)
    half = len(codes) // 2
    known = int(either_way(codes >= 0, backend.xp).sum()) // 2
    repeats = known - (int(ready.n_true.sum()) - doubled)
    return replace(made, ready=ready, repeats=repeats, outside=half - known, doubled=doubled)
