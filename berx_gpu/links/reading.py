"""What a caller passes to a call, read into true pairs and links."""

from __future__ import annotations

from typing import Any, NamedTuple

from berx_gpu.backends import select
from berx_gpu.backends.backend import Backend
from berx_gpu.errors import DataError
from berx_gpu.inputs.pairs import as_pairs
from berx_gpu.links.encoded import check_strangers, encode_pairs
from berx_gpu.links.how import Reading
from berx_gpu.links.links import LeftOut, Links
from berx_gpu.links.true_pairs import TruePairs
from berx_gpu.links.truth import Truth


class Read(NamedTuple):
    """What a call works with."""

    truth: TruePairs
    links: Links
    left_out: LeftOut
    backend: Backend


def read(pairs: Any, what: str, truth: Any, entities: Any, how: Reading) -> Read:
    """Return the truth of a call, and its pairs encoded beside it.

    Parameters
    ----------
    pairs : pairs in any form
    what : str
        How messages call them: ``predictions``, ``candidates``.
    truth : Truth, or pairs in any form
    entities : list, array, Index, Series or frame, or None
        The entities of raw truth pairs, or a part of those of a `Truth`.
    how : Reading
    """
    true = as_truth(truth, pairs, entities, how)
    backend = backend_of(pairs, true, how.n_threads)
    return Read(true, *read_links(pairs, what, true, how, backend), backend)


def read_links(
    pairs: Any, what: str, truth: TruePairs, how: Reading, backend: Backend
) -> tuple[Links, LeftOut]:
    """Return pairs encoded beside a truth, after a look at those of unlisted entities."""
    frame = as_pairs(
        pairs,
        what,
        entity=how.entity,
        target=how.target,
        score=how.score,
        other=truth.names,
        undirected=truth.undirected,
    )
    links, left_out = encode_pairs(frame, truth.listed, how.nulls, backend)
    truth.check_targets(links.targets, backend)
    check_strangers(links, left_out, truth.listed, how.unknown_entities, backend)
    return links, left_out


def backend_of(pairs: Any, truth: TruePairs, n_threads: int | None) -> Backend:
    """Return the backend of a call with pairs of the caller's and a truth."""
    columns = (values for _, values in truth.listed.key_columns)
    n_threads = truth.n_threads if n_threads is None else n_threads
    return select.select(pairs, *columns, n_threads=n_threads, device=truth.device)


def as_truth(truth: Any, pairs: Any, entities: Any, how: Reading) -> TruePairs:
    """Return the truth of a call: as given, of a part of its list, or made from raw pairs."""
    if isinstance(truth, Truth):
        truth = truth._prepared
    if isinstance(truth, TruePairs):
        if how.ids not in (None, truth.ids):
            raise DataError(f"this Truth compares ids={truth.ids!r}; build it with ids={how.ids!r}")
        if how.device not in (None, truth.device):
            device = how.device
            raise DataError(f"this Truth is not on {device!r}; build it with device={device!r}")
        return truth if entities is None else truth.part(entities)[0]
    if isinstance(pairs, Truth):
        raise DataError("this takes the predictions first and the truth second")
    if entities is None:
        raise DataError(
            "entities= is missing: give the list of all entities that the score is over, "
            "singletons and silent ones included"
        )
    return TruePairs.read(truth, entities, how)
