"""`decide`: the links that a policy makes of scored candidates."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

from berx_gpu.backends import select
from berx_gpu.deciding.policy import Policy
from berx_gpu.deciding.rules import Rules
from berx_gpu.encoding.scores import reaches
from berx_gpu.errors import DataError
from berx_gpu.inputs.columns import build_frame, take
from berx_gpu.inputs.entities import as_entities
from berx_gpu.inputs.pairs import Names, as_pairs
from berx_gpu.links.dropped import Dropped
from berx_gpu.links.encoded import check_strangers, encode_pairs, own_entities
from berx_gpu.links.entity_list import EntityList
from berx_gpu.links.how import Reading
from berx_gpu.links.ranks import present_scores, ranks


def decide(
    candidates: Any,
    policy: Policy,
    *,
    entities: Any = None,
    entity: Names = "entity",
    target: Names = "target",
    score: Hashable = "score",
    unknown_entities: str = "error",
    nulls: str = "error",
    ids: str = "exact",
    device: str | None = None,
    n_threads: int | None = None,
) -> Any:
    """Return the links that a policy makes of scored candidates; no truth is needed.

    Parameters
    ----------
    candidates : DataFrame, Arrow stream or list of tuples
        Scored (entity, target) pairs.
    policy : Policy
    entities : list, array, Index, Series or frame, optional
        Only links of these entities; the candidates of others still compete for targets. Default:
        all.
    entity, target, score : str
        Columns of the candidates; the keys may be several columns.
    unknown_entities : {"error", "drop"}, default "error"
        What to do with candidates of entities that are not in `entities`.
    nulls, ids, device, n_threads
        As in `evaluate`.

    Returns
    -------
    DataFrame
        Entity, target and score, one row per link in the order of the candidates, in their
        library. A repeated pair keeps its highest score.

    Raises
    ------
    DataError
        As in `evaluate`, and for negative scores with ``ratio``.

    Examples
    --------
    >>> from berx_gpu import Policy, decide
    >>> decide(
    ...     [("a", "x", 0.9), ("b", "x", 0.7), ("b", "y", 0.2)],
    ...     Policy(threshold=0.5, one_entity_per_target=True),
    ... )
      entity target  score
    0      a      x    0.9
    """
    how = Reading(entity, target, score, unknown_entities, nulls, ids, device, n_threads)
    return decided(candidates, policy, entities, how)[0]


def decided(candidates: Any, policy: Policy, entities: Any, how: Reading) -> tuple[Any, Dropped]:
    """Return what `decide` does, and what was left out of the candidates."""
    ids = how.ids or "exact"
    if not isinstance(policy, Policy):
        raise DataError(f"policy is a {type(policy).__name__}; give a Policy")
    backend = select.select(candidates, entities, n_threads=how.n_threads, device=how.device)
    frame = as_pairs(
        candidates, "candidates", entity=how.entity, target=how.target, score=how.score
    )
    columns = [*frame.entity, *frame.target, frame.scored]
    if not len(frame):
        return build_frame(columns, frame.library), Dropped()
    names = [name for name, _ in frame.entity]
    own = own_entities(frame, ids, backend) if entities is None else as_entities(entities, names)
    listed = EntityList.of(own, ids, backend)
    links, left_out = encode_pairs(frame, listed, how.nulls, backend)
    check_strangers(links, left_out, listed, how.unknown_entities, backend)
    scores = present_scores(links, backend)
    keep = Rules(links, scores, ids, backend).kept(policy)
    if policy.threshold is not None:
        keep &= reaches(scores, policy.threshold, backend.xp)
    place = ranks(links.only(keep, backend), backend, scores)
    chosen = backend.to_host((place > 0).nonzero()[0])
    if links.present is not None:
        chosen = np.flatnonzero(backend.to_host(links.present))[chosen]
    made = build_frame([(n, take(values, chosen)) for n, values in columns], frame.library)
    return made, Dropped(prediction_nulls=left_out.nulls, unknown_entities=left_out.strangers)
