"""Pairs of any form -> links beside an entity list."""

from __future__ import annotations

from typing import Any

from berx_gpu.backends.backend import Backend
from berx_gpu.encoding.keys import Key, aligned, all_parts, same_kind
from berx_gpu.errors import DataError, rows, some, warn
from berx_gpu.inputs.entities import Entities
from berx_gpu.inputs.pairs import Pairs
from berx_gpu.links.entity_list import EntityList, ids_of
from berx_gpu.links.links import LeftOut, Links


def encode_pairs(
    frame: Pairs, listed: EntityList, nulls: str, backend: Backend
) -> tuple[Links, LeftOut]:
    """Return the rows of a frame as entity codes and target keys, without missing ids.

    Rows of entities that are not listed keep the code -1 and are counted as strangers.
    """
    columns = [*frame.entity, *frame.target]
    keys = [backend.encode(v, frame.where(n), listed.ids) for n, v in columns]
    present = _present(keys, frame, nulls)
    dropped = 0
    if present is not None:
        dropped = frame.count(~present)
        keys = [key.rows(backend.take, present) for key in keys]
    entity, target = tuple(keys[: len(frame.entity)]), tuple(keys[len(frame.entity) :])
    codes, strangers = listed.positions(entity, backend)
    if not frame.mirrored:
        return Links(frame, codes, target, present), LeftOut(dropped, strangers, 0, codes < 0)
    xp = backend.xp
    own = _same(entity, target, backend)
    self_pairs = int(own.sum()) // 2
    if self_pairs:
        codes, target = codes[~own], tuple(key.rows(backend.take, ~own) for key in target)
        if present is None:
            present = ~own
        else:
            present[xp.flatnonzero(present)[own]] = False
    half = len(codes) // 2
    strange = codes < 0
    strange[:half] &= codes[half:] < 0
    strange[half:] = False
    left_out = LeftOut(dropped, int(strange.sum()), self_pairs, strange)
    return Links(frame, codes, target, present), left_out


def _same(a: tuple[Key, ...], b: tuple[Key, ...], backend: Backend) -> Any:
    """Mark the rows whose two keys are equal."""
    same_kind(a, b)
    series = backend.frames.Series
    sides = zip(*aligned(backend.xp, a, b), strict=True)
    same = [(series(backend.here(x)) == series(backend.here(y))).values for x, y in sides]
    if not same:  # no id on either side
        return backend.xp.zeros(0, bool)
    mask = backend.xp.ones(len(same[0]), bool)
    for part in same:
        mask &= backend.xp.asarray(part, dtype=bool)
    return mask


def _present(keys: list[Key], frame: Pairs, nulls: str) -> Any:
    """Return a mask of the rows that miss no id, or None when none does."""
    missing = None
    for key in keys:
        if key.missing is None:
            continue
        missing = key.missing if missing is None else missing | key.missing
        if nulls == "error":
            raise DataError(
                f"{key.where} misses an id in {rows(int(key.missing.sum()))}, first at row "
                f"{frame.row(key.missing.argmax())}; fix the rows or leave them out with "
                'nulls="drop" (--nulls drop)'
            )
    return None if missing is None else ~missing


def own_entities(frame: Pairs, ids: str, backend: Backend) -> Entities:
    """Return the entities of some pairs, each once, in the order of their first row."""
    columns = frame.entity if frame.owners is None else frame.owners
    keys = [backend.encode(values, frame.where(name), ids) for name, values in columns]
    again = backend.repeats(all_parts(keys))
    for key in keys:
        if key.missing is not None:
            again = again | key.missing
    first = backend.to_host((~again).nonzero()[0])
    return Entities(columns).rows(first)


def check_strangers(
    links: Links, left_out: LeftOut, listed: EntityList, unknown_entities: str, backend: Backend
) -> None:
    """Raise or warn when pairs are of entities that are not listed."""
    none_known = not (links.codes >= 0).any()
    if not left_out.strangers or (unknown_entities == "drop" and not none_known):
        return
    frame, present, xp = links.frame, links.present, backend.xp
    where = xp.arange(len(frame)) if present is None else xp.flatnonzero(present)
    where = backend.to_host(where[left_out.strange])
    first = list(dict.fromkeys(ids_of(Entities(frame.entity).rows(where[:1000]))))
    known = some(ids_of(listed.entities.head()))
    if unknown_entities == "drop":
        warn(
            f"all {rows(left_out.strangers)} of the {frame.what} are of entities that are not "
            f"listed, such as {some(first)}, and dropped; the list holds {known}"
        )
        return
    cure = (
        "compare how the ids are written"
        if none_known
        else (
            "add them to entities, or leave such rows out with "
            'unknown_entities="drop" (--unknown-entities drop)'
        )
    )
    raise DataError(
        f"{frame.what} have {rows(left_out.strangers)} of entities that are not in the list of "
        f"{len(listed):,}, first at row {frame.row(where[0])}: {some(first)}; the list holds "
        f"{known}; {cure}"
    )
