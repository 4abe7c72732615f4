"""`check`: what can be said of predictions without any truth."""

from __future__ import annotations

from typing import Any

import numpy as np

from berx_gpu.backends import select
from berx_gpu.backends.backend import Backend
from berx_gpu.deciding.check_result import SHOWN, Check
from berx_gpu.encoding.keys import aligned, all_parts, same_kind
from berx_gpu.errors import one_of
from berx_gpu.inputs.columns import Column, build_frame, take, to_series
from berx_gpu.inputs.entities import Entities, as_entities
from berx_gpu.inputs.pairs import Names, as_pairs
from berx_gpu.links.encoded import encode_pairs, own_entities
from berx_gpu.links.entity_list import EntityList, ids_of
from berx_gpu.links.links import Links
from berx_gpu.links.sets_of_links import labelled


def check(
    predictions: Any,
    *,
    entities: Any = None,
    candidates: Any = None,
    targets: Any = None,
    entity: Names = "entity",
    target: Names = "target",
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
    one_of("ids", ids, ("exact", "text"))
    frame = as_pairs(predictions, "predictions", entity=entity, target=target)
    backend = select.select(predictions, entities, n_threads=n_threads)
    names = [[name for name, _ in side] for side in (frame.entity, frame.target)]
    own = own_entities(frame, ids, backend)
    if entities is not None:
        own = as_entities(entities, entity, names[0]).copied()
    listed = EntityList.of(own, ids, backend)
    links, left_out = encode_pairs(frame, listed, "drop", backend)
    parts = all_parts(links.targets)
    held = backend.prepare(len(listed), links.codes, parts)
    new, *_ = backend.label(held, links.codes, parts)
    findings = {"repeats": held.repeats, "nulls": left_out.nulls}
    if entities is not None:
        findings["unknown_entities"] = left_out.strangers
    kinds = {}
    if targets is not None:
        kinds["unknown_targets"] = new & ~_among(links, targets, target, ids, backend)
    if candidates is not None:
        pool = as_pairs(
            candidates, "candidates", entity=entity, target=target, other=(names[0], names[1])
        )
        theirs, _ = encode_pairs(pool, listed, "drop", backend)
        kinds["outside_candidates"] = new & ~labelled(links, theirs, len(listed), backend)[1]
    kinds["shared_targets"] = _shared(new, parts, backend)
    findings |= {name: int(mask.sum()) for name, mask in kinds.items()}
    kinds["repeats"] = (links.codes >= 0) & ~new
    examples = {name: _some_ids(frame.target, links, mask, backend) for name, mask in kinds.items()}
    examples["unknown_entities"] = _some_ids(frame.entity, links, left_out.strange, backend)
    n_links = backend.to_host(held.n_true)
    if entities is not None or frame.owners is not None:
        silent = np.flatnonzero(n_links == 0)
        findings["empty_entities"] = len(silent)
        examples["empty_entities"] = ids_of(listed.entities.rows(silent[:SHOWN]))
    return Check(
        n_rows=len(frame),
        n_pairs=int(n_links.sum()),
        n_entities=len(listed),
        findings=findings,
        examples={name: shown for name, shown in examples.items() if shown},
        slices={
            str(column[0]): _slice(column, n_links, frame.library, backend)
            for column in listed.slice_columns
        },
    )


def _among(links: Links, targets: Any, target: Names, ids: str, backend: Backend) -> Any:
    """Mark the rows whose target is in a list of all targets."""
    listed = as_entities(targets, target, [name for name, _ in links.frame.target])
    keys = tuple(backend.encode(v, f"targets column {n!r}", ids) for n, v in listed.key)
    same_kind(links.targets, keys)
    mine, others = aligned(backend.xp, links.targets, keys)
    xp = backend.xp
    prepared = backend.prepare(1, xp.zeros(len(listed), xp.int32), others)
    return backend.label(prepared, xp.zeros(len(links.codes), xp.int32), mine)[1]


def _shared(new: Any, parts: list[Any], backend: Backend) -> Any:
    """Mark one row of each target that several entities have."""
    xp = backend.xp
    rows = xp.flatnonzero(new)
    again = rows[backend.repeats([backend.take(part, rows) for part in parts])]
    once = again[~backend.repeats([backend.take(part, again) for part in parts])]
    mask = xp.zeros(len(new), bool)
    mask[once] = True
    return mask


def _some_ids(columns: list[Column], links: Links, mask: Any, backend: Backend) -> list[Any]:
    """Return the first few distinct ids of the present rows of a mask."""
    where = backend.to_host(mask).nonzero()[0][:1000]
    if links.present is not None:
        where = np.flatnonzero(backend.to_host(links.present))[where]
    return list(dict.fromkeys(ids_of(Entities(columns).rows(where))))[:SHOWN]


def _slice(column: Column, links: Any, library: str, backend: Backend) -> Any:
    """Return entities, share of empty ones and links per entity of each value of a column."""
    name, values = column
    numbers, seen = to_series(backend.to_host(values)).factorize(use_na_sentinel=False)
    n = np.bincount(numbers, minlength=len(seen))
    empty = np.bincount(numbers, weights=links == 0, minlength=len(seen))
    made = np.bincount(numbers, weights=links, minlength=len(seen))
    first = np.zeros(len(seen), np.int64)
    first[numbers[::-1]] = np.arange(len(numbers))[::-1]
    columns = [
        (name, take(values, first)),
        ("n_entities", n),
        ("empty_share", empty / n),
        ("links_per_entity", made / n),
    ]
    return build_frame(columns, library)
