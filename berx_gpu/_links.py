"""The pairs of a call, encoded beside a truth, after a look at what is wrong with them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from berx_gpu import _encode, _pairs
from berx_gpu._backends import select
from berx_gpu._encoded import Encoded, both_listed, encode_pairs
from berx_gpu.errors import DataError, rows, some, warn
from berx_gpu.truth import Truth, ids_of


@dataclass(frozen=True, eq=False)
class Links:
    """Encoded pairs beside the caller's own columns of them.

    Attributes
    ----------
    frame : _pairs.Pairs
        The caller's columns, of all rows.
    codes : int32 array
        Entity of each present row, -1 where it does not count.
    targets : tuple of Key
        Target ids of the present rows.
    present : bool array or None
        Which rows of the frame are here; None when all are.
    """

    frame: _pairs.Pairs
    codes: Any
    targets: tuple[_encode.Key, ...]
    present: Any


def backend_of(links: Any, truth: Truth, n_threads: int | None) -> select.Backend:
    """Return the backend of a call with links of the caller's and a truth."""
    columns = (values for _, values in truth._key_columns)
    n_threads = truth._n_threads if n_threads is None else n_threads
    return select.select(links, *columns, n_threads=n_threads, device=truth._device)


def encoded_links(
    frame: _pairs.Pairs,
    truth: Truth,
    unknown_entities: str,
    nulls: str,
    backend: select.Backend,
) -> Encoded:
    """Return the rows of a frame encoded, after a look at those of unlisted entities."""
    coded = encode_pairs(frame, truth, nulls, backend)
    truth._check_targets(coded.target, backend)
    if coded.strangers:
        _check_strangers(frame, coded, truth, unknown_entities, backend)
    return coded


def doubled(truth: Truth, links: Links, backend: select.Backend) -> tuple[int, int]:
    """Return how many true and how many predicted pairs count for two listed records."""
    if not truth.undirected:
        return 0, 0
    new, hit, _ = truth._label(links.codes, links.targets, backend)
    both = new & both_listed(links.codes, backend.xp)
    return int((both & hit).sum()) // 2, int(both.sum()) // 2


def as_truth(
    truth: Any,
    predictions: Any,
    entities: Any,
    entity: _pairs.Names,
    target: _pairs.Names,
    nulls: str,
    ids: str | None,
    n_threads: int | None,
    device: str | None = None,
) -> Truth:
    """Return the truth of a call: as given, of a part of its list, or made from raw pairs."""
    if isinstance(truth, Truth):
        if ids not in (None, truth.ids):
            raise DataError(f"this Truth compares ids={truth.ids!r}; build it with ids={ids!r}")
        if device not in (None, truth._device):
            raise DataError(f"this Truth is not on {device!r}; build it with device={device!r}")
        return truth if entities is None else truth._part(entities)[0]
    if isinstance(predictions, Truth):
        raise DataError("this takes the predictions first and the truth second")
    if entities is None:
        raise DataError(
            "entities= is missing: give the list of all entities that the score is over, "
            "singletons and silent ones included"
        )
    exact = "exact" if ids is None else ids
    return Truth(
        truth,
        entities,
        entity=entity,
        target=target,
        nulls=nulls,
        ids=exact,
        device=device,
        n_threads=n_threads,
    )


def _check_strangers(
    frame: _pairs.Pairs,
    coded: Encoded,
    truth: Truth,
    unknown_entities: str,
    backend: select.Backend,
) -> None:
    """Raise or warn when predictions are of entities that are not listed."""
    none_known = not (coded.codes >= 0).any()
    if unknown_entities == "drop" and not none_known:
        return
    xp = backend.xp
    where = xp.arange(len(frame)) if coded.present is None else xp.flatnonzero(coded.present)
    where = backend.to_host(where[coded.strange])
    first = list(dict.fromkeys(ids_of(_pairs.Entities(frame.entity).rows(where[:1000]))))
    listed = some(ids_of(truth._entities.head()))
    if unknown_entities == "drop":
        warn(
            f"all {rows(coded.strangers)} of the {frame.what} are of entities that are not listed, "
            f"such as {some(first)}, and dropped; the list holds {listed}"
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
        f"{frame.what} have {rows(coded.strangers)} of entities that are not in the list of "
        f"{truth.n_entities:,}, first at row {frame.row(where[0])}: {some(first)}; the list holds "
        f"{listed}; {cure}"
    )
