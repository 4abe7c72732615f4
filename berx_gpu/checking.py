"""`check`: what can be said of predictions without any truth."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from berx_gpu import _columns, _encode, _pairs
from berx_gpu._backends import select
from berx_gpu._encoded import encode_pairs, own_entities
from berx_gpu._tables import aligned, as_html, as_json, markdown
from berx_gpu.errors import some
from berx_gpu.truth import Truth, ids_of

_SHOWN = 3


@dataclass(frozen=True, eq=False)
class Check:
    """What can be said of predictions without any truth.

    Attributes
    ----------
    n_rows, n_pairs, n_entities : int
        Rows of the predictions, distinct pairs of listed entities, listed entities.
    findings : dict of str to int
        How many rows, pairs, entities or targets each kind of fault has: ``repeats``, ``nulls``,
        ``unknown_entities``, ``unknown_targets``, ``outside_candidates``, ``shared_targets`` (given
        to several entities), ``empty_entities``. What could not be checked, for want of a list, is
        not there.
    examples : dict of str to list
        The first few ids of each kind of fault.
    slices : dict of str to DataFrame
        For each further column of the entities: entities, the share of empty ones, and links per
        entity.
    """

    n_rows: int
    n_pairs: int
    n_entities: int
    findings: dict[str, int]
    examples: dict[str, list[Any]] = field(repr=False)
    slices: dict[str, Any] = field(repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Return the counts, examples and slices as valid JSON."""
        slices = {
            name: [as_json(row) for row in _columns.to_rows(frame)]
            for name, frame in self.slices.items()
        }
        shown = {name: [str(value) for value in ids] for name, ids in self.examples.items()}
        counts = {name: getattr(self, name) for name in ("n_rows", "n_pairs", "n_entities")}
        return {**counts, "findings": dict(self.findings), "examples": shown, "slices": slices}

    def _rows(self) -> list[list[str]]:
        rows = [["check", "count", "such as"]]
        for name, count in self.findings.items():
            shown = some(self.examples.get(name, ()), _SHOWN)
            rows.append([name.replace("_", " "), f"{count:,}", shown])
        return rows

    def __str__(self) -> str:
        title = (
            f"{self.n_rows:,} rows · {self.n_pairs:,} pairs · {self.n_entities:,} entities · "
            f"{self.n_pairs / self.n_entities:.2f} links per entity"
        )
        checks = [[name, count, f"  {shown}"] for name, count, shown in self._rows()]
        lines = [f"{a:<20}{b:>10}{c}".rstrip() for a, b, c in checks]
        parts = ["\n".join([title, "", *lines])]
        parts += ["\n".join(aligned(_slice_cells(n, f))) for n, f in self.slices.items()]
        return "\n\n".join(parts)

    __repr__ = __str__

    def to_markdown(self) -> str:
        """Return the counts, and each slice, as Markdown tables."""
        tables = [self._rows(), *(_slice_cells(n, f) for n, f in self.slices.items())]
        return "\n\n".join(map(markdown, tables))

    def _repr_html_(self) -> str:
        return as_html(self._rows())


def check(
    predictions: Any,
    *,
    entities: Any = None,
    candidates: Any = None,
    targets: Any = None,
    entity: _pairs.Names = "entity",
    target: _pairs.Names = "target",
    ids: str = "exact",
    n_threads: int | None = None,
) -> Check:
    """Look at predictions without any truth: what is missing, repeated, unknown or shared.

    Parameters
    ----------
    predictions : DataFrame, Arrow stream, mapping or list of tuples
        The predicted (entity, target) pairs.
    entities : list, array, Index, Series or frame, optional
        The entities that should be linked; default: those of the predictions. Further columns of
        a frame are slices.
    candidates : pairs, optional
        What the predictions had to be chosen from.
    targets : list, array, Index, Series or frame, optional
        All targets that exist.
    entity, target, ids, n_threads
        As in `Truth`.

    Returns
    -------
    Check

    Raises
    ------
    DataError
        For columns that are not there, and ids of different kinds.

    Examples
    --------
    >>> from berx_gpu import check
    >>> found = check({"a": ["x", "x"], "b": ["x"], "q": ["y"]}, entities=["a", "b", "c"])
    >>> found.findings["repeats"], found.findings["unknown_entities"]
    (1, 1)
    >>> found.examples["shared_targets"], found.examples["empty_entities"]
    (['x'], ['c'])
    """
    frame = _pairs.read_pairs(predictions, "predictions", entity=entity, target=target)
    backend = select.select(predictions, n_threads=n_threads)
    listed = own_entities(frame, ids, backend) if entities is None else entities
    held = Truth(
        frame, listed, entity=entity, target=target, nulls="drop", ids=ids, n_threads=n_threads
    )
    coded = encode_pairs(frame, held, "drop", backend)
    parts = [part for key in held._targets for part in key.parts]
    new, *_ = backend.label(held._pairs, held._codes, parts)
    examples = {
        "unknown_entities": _some_ids(frame.entity, frame, coded.present, coded.strange, backend)
    }
    findings = {"repeats": held.repeats, "nulls": held.nulls}
    if entities is not None:
        findings["unknown_entities"] = held.outside

    again = (held._codes >= 0) & ~new
    examples["repeats"] = _some_ids(frame.target, frame, coded.present, again, backend)

    def found(name: str, mask: Any, columns: list[_columns.Column]) -> None:
        findings[name] = int(mask.sum())
        examples[name] = _some_ids(columns, frame, coded.present, mask, backend)

    if targets is not None:
        found("unknown_targets", new & ~_among(held, targets, target, backend), frame.target)
    if candidates is not None:
        own = _pairs.read_pairs(
            candidates, "candidates", entity=entity, target=target, other=held._names
        )
        theirs = encode_pairs(own, held, "drop", backend)
        _encode.same_kind(held._targets, theirs.target)
        mine, others = _encode.aligned(backend.xp, held._targets, theirs.target)
        prepared = backend.prepare(held.n_entities, theirs.codes, others)
        _, inside, _ = backend.label(prepared, held._codes, mine)
        found("outside_candidates", new & ~inside, frame.target)
    shared = _shared(new, parts, backend)
    found("shared_targets", shared, frame.target)
    if entities is not None or frame.owners is not None:
        empty = backend.to_host(held._n_true == 0)
        findings["empty_entities"] = int(empty.sum())
        silent = held._entities.rows(np.flatnonzero(empty)[:_SHOWN])
        examples["empty_entities"] = ids_of(silent)
    return Check(
        n_rows=len(frame),
        n_pairs=held.n_true,
        n_entities=held.n_entities,
        findings=findings,
        examples={name: ids for name, ids in examples.items() if ids},
        slices={str(name): _slice(held, name, frame, backend) for name, _ in held._slice_columns},
    )


def _among(held: Truth, targets: Any, target: _pairs.Names, backend: select.Backend) -> Any:
    """Mark the pairs whose target is in a list of all targets."""
    listed = _pairs.read_entities(targets, target, [name for name, _ in held._target_columns])
    keys = tuple(backend.encode(v, f"targets column {n!r}", held.ids) for n, v in listed.key)
    _encode.same_kind(held._targets, keys)
    mine, others = _encode.aligned(backend.xp, held._targets, keys)
    xp = backend.xp
    prepared = backend.prepare(1, xp.zeros(len(listed), xp.int32), others)
    return backend.label(prepared, xp.zeros(len(held._codes), xp.int32), mine)[1]


def _shared(new: Any, parts: list[Any], backend: select.Backend) -> Any:
    """Mark one row of each target that several entities have."""
    xp = backend.xp
    rows = xp.flatnonzero(new)
    again = rows[backend.repeats([backend.take(part, rows) for part in parts])]
    once = again[~backend.repeats([backend.take(part, again) for part in parts])]
    mask = xp.zeros(len(new), bool)
    mask[once] = True
    return mask


def _some_ids(
    columns: list[_columns.Column],
    frame: _pairs.Pairs,
    present: Any,
    mask: Any,
    backend: select.Backend,
) -> list[Any]:
    """Return the first few distinct ids of the present rows of a mask."""
    where = backend.to_host(mask).nonzero()[0][:1000]
    if present is not None:
        where = np.flatnonzero(backend.to_host(present))[where]
    return list(dict.fromkeys(ids_of(_pairs.Entities(columns).rows(where))))[:_SHOWN]


def _slice(held: Truth, name: Any, frame: _pairs.Pairs, backend: select.Backend) -> Any:
    """Return entities, share of empty ones and links per entity of each value of a column."""
    values = dict(held._slice_columns)[name]
    numbers, seen = _columns.to_series(backend.to_host(values)).factorize(use_na_sentinel=False)
    links = backend.to_host(held._n_true)
    n = np.bincount(numbers, minlength=len(seen))
    empty = np.bincount(numbers, weights=links == 0, minlength=len(seen))
    made = np.bincount(numbers, weights=links, minlength=len(seen))
    first = np.zeros(len(seen), np.int64)
    first[numbers[::-1]] = np.arange(len(numbers))[::-1]
    columns = [
        (name, _columns.take(values, first)),
        ("n_entities", n),
        ("empty_share", empty / n),
        ("links_per_entity", made / n),
    ]
    return _columns.build_frame(columns, frame.library)


def _slice_cells(name: str, frame: Any) -> list[list[str]]:
    rows = sorted(_columns.to_rows(frame), key=lambda row: -row["empty_share"])
    cells = [
        [
            "?" if row[name] is None or row[name] != row[name] else str(row[name]),
            f"{row['n_entities']:,}",
            f"{row['empty_share']:.4f}",
            f"{row['links_per_entity']:.2f}",
        ]
        for row in rows[:30]
    ]
    return [[name, "entities", "empty", "links each"], *cells]
