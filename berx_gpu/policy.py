"""`Policy`: which candidates become links; and `decide`, which needs no truth."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Hashable
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

import numpy as np

from berx_gpu import _pairs
from berx_gpu._backends import select
from berx_gpu._columns import Column, build_frame, take
from berx_gpu._encoded import own_entities
from berx_gpu._links import Links, encoded_links
from berx_gpu._options import as_float, at_least, level, number, score_limit, whole
from berx_gpu._ranks import present_scores, ranks
from berx_gpu.errors import DataError, one_of, rows
from berx_gpu.results import Dropped
from berx_gpu.truth import Truth


def _share(name: str, value: Any) -> float:
    share = number(name, value)
    if not 0 < share <= 1:
        raise DataError(f"{name}={value!r}: give a number above 0 and at most 1")
    return share


_FOUND: dict[str, Callable[[str, Any], float]] = {
    "threshold": lambda name, value: score_limit(name, value, nan=True),
    "owner_margin": lambda name, value: number(name, value, 0.0),
    "top_k": lambda name, value: whole(name, value, 1),
    "ratio": _share,
    "best_margin": lambda name, value: number(name, value, 0.0),
    "min_best": score_limit,
}
"""How the value of each rule is read."""


@dataclass(frozen=True)
class Policy:
    """Which scored candidates become links. The rules act in this order, the threshold last.

    Attributes
    ----------
    threshold : float, optional
        Keep pairs with at least this score; NaN keeps none.
    one_entity_per_target : bool
        A target stays only with the entity that scores it highest; ties go to the smaller entity
        id.
    owner_margin : float, optional
        And only if its best score exceeds that of any other entity by at least this much. Sets the
        rule above.
    top_k : int, optional
        At most so many targets per entity; ties at the cut go to the smaller target id.
    ratio : float, optional
        In (0, 1]: keep scores of at least this share of the entity's best; for scores from 0 up.
    best_margin : float, optional
        Keep scores of at least the entity's best less this much.
    min_best : float, optional
        An entity whose best score is below this links nothing.

    Raises
    ------
    DataError
        For a rule out of its range.

    Examples
    --------
    >>> from berx_gpu import Policy
    >>> Policy(threshold=0.5, top_k=3)
    Policy(threshold=0.5, top_k=3)
    """

    threshold: float | None = None
    one_entity_per_target: bool = False
    owner_margin: float | None = None
    top_k: int | None = None
    ratio: float | None = None
    best_margin: float | None = None
    min_best: float | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.one_entity_per_target, (bool, np.bool_)):
            raise DataError(
                f"one_entity_per_target={self.one_entity_per_target!r}: give True or False"
            )
        owned = bool(self.one_entity_per_target) or self.owner_margin is not None
        object.__setattr__(self, "one_entity_per_target", owned)
        for name, found in _FOUND.items():
            if (value := getattr(self, name)) is not None:
                object.__setattr__(self, name, found(name, value))

    def __repr__(self) -> str:
        said = (
            f"{f.name}={getattr(self, f.name)!r}"
            for f in fields(self)
            if getattr(self, f.name) not in (None, False)
        )
        return f"Policy({', '.join(said)})"

    def rules(self) -> str:
        """Return the rules before the threshold in words."""
        words = {
            "owner_margin": "owner by {}",
            "top_k": "top {}",
            "ratio": "≥ {} × best",
            "best_margin": "≥ best − {}",
            "min_best": "best ≥ {}",
        }
        said = [
            text.format(f"{getattr(self, n):.12g}")
            for n, text in words.items()
            if getattr(self, n) is not None
        ]
        if self.one_entity_per_target and self.owner_margin is None:
            said.insert(0, "one entity per target")
        return ", ".join(said) or "threshold only"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the policy as JSON, whole or not at all."""
        from berx_gpu import files

        values = {
            name: str(value) if isinstance(value, float) and not math.isfinite(value) else value
            for name, value in asdict(self).items()
        }
        files.write_text(json.dumps(values, indent=2) + "\n", os.fspath(path))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Policy:
        """Read a policy that `save` wrote.

        Raises
        ------
        DataError
            When the file is missing, is no JSON object, or has a rule that does not exist.
        """
        from berx_gpu import files

        text = files.read_bytes(os.fspath(path))
        try:
            values = json.loads(text, object_pairs_hook=_no_name_twice)
        except (ValueError, RecursionError) as error:
            raise DataError(f"{path} is no JSON of a policy: {error}") from error
        if not isinstance(values, dict):
            raise DataError(f"{path} holds no policy, but {type(values).__name__}")
        known = {f.name for f in fields(cls)}
        if strange := sorted(set(values) - known):
            raise DataError(f"{path} has the rule {strange[0]!r}, which does not exist")
        for name, value in values.items():
            if value in ("inf", "-inf", "nan"):
                values[name] = float(value)
        try:
            return cls(**values)
        except DataError as error:
            raise DataError(f"{path}: {error}") from error


def _no_name_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    names = [name for name, _ in pairs]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"it says {name!r} twice")
    return dict(pairs)


class Rules:
    """The rules before the threshold over some candidates; what policies share is found once.

    Parameters
    ----------
    links : Links
        All candidates; those of unlisted entities have the code -1 and compete for targets too.
    scores : array
        Of the present rows.
    ids : {"exact", "text"}
        How ids compare.
    once : bool array, optional
        One row of each pair, its best; default: every row, repeats included.
    """

    def __init__(
        self, links: Links, scores: Any, ids: str, backend: select.Backend, once: Any = None
    ) -> None:
        self._links, self._scores, self._backend = links, scores, backend
        self._ids, self._once = ids, once
        self._owner: Any = None
        self._owned: Any = None
        self._places: Any = None

    def kept(self, policy: Policy) -> Any:
        """Mark the present rows that the rules of a policy keep."""
        xp, codes = self._backend.xp, self._links.codes
        keep = self._kept_by_owners(policy).copy()
        if policy.top_k is not None:
            if self._places is None:
                mine = replace(self._links, codes=xp.where(keep, codes, xp.int32(-1)))
                self._places = ranks(mine, self._backend, self._scores, self._once is not None)
            # Rows of a repeated pair have no place of their own, and are no loss: one row has it.
            keep &= (self._places >= 1) & (self._places <= policy.top_k)
        if (policy.ratio, policy.best_margin, policy.min_best) != (None, None, None):
            if policy.ratio is not None:
                self._check_signs(keep)
            least = policy.min_best
            least = None if least is None else as_float(level(least, self._scores.dtype))
            self._backend.near_best(
                codes, self._scores, keep, policy.ratio, policy.best_margin, least
            )
        return keep

    def _kept_by_owners(self, policy: Policy) -> Any:
        owner = (policy.one_entity_per_target, policy.owner_margin)
        if owner != self._owner:
            listed = self._links.codes >= 0
            keep = listed if self._once is None else self._once & listed
            if policy.one_entity_per_target:
                keep &= self._owned_rows(policy.owner_margin)
            self._owner, self._owned, self._places = owner, keep, None
        return self._owned

    def _owned_rows(self, margin: float | None) -> Any:
        """Mark the rows whose entity scores their target highest, by a margin."""
        links, backend = self._links, self._backend
        if not len(links.codes):
            return backend.xp.ones(0, bool)
        keys = [backend.encode(v, links.frame.where(c), self._ids) for c, v in links.frame.entity]
        if links.present is not None:
            keys = [key.rows(backend.take, links.present) for key in keys]
        counts = None if self._once is None else self._once | (links.codes < 0)
        return backend.owned(tuple(keys), links.targets, self._scores, margin, counts)

    def _check_signs(self, keep: Any) -> None:
        below = (self._scores < 0) & keep
        if bool(below.any()):
            raise DataError(
                f"ratio= needs scores from 0 up, but {rows(int(below.sum()))} of the candidates "
                f"are below (lowest {float(self._scores[below].min()):g}); use best_margin="
            )


def decide(
    candidates: Any,
    policy: Policy,
    *,
    entities: Any = None,
    entity: _pairs.Names = "entity",
    target: _pairs.Names = "target",
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
    return decided(
        candidates,
        policy,
        entities,
        entity=entity,
        target=target,
        score=score,
        unknown_entities=unknown_entities,
        nulls=nulls,
        ids=ids,
        device=device,
        n_threads=n_threads,
    )[0]


def decided(
    candidates: Any,
    policy: Policy,
    entities: Any,
    *,
    entity: _pairs.Names,
    target: _pairs.Names,
    score: Hashable,
    unknown_entities: str = "error",
    nulls: str = "error",
    ids: str = "exact",
    device: str | None = None,
    n_threads: int | None = None,
) -> tuple[Any, Dropped]:
    """Return what `decide` does, and what was left out of the candidates."""
    one_of("unknown_entities", unknown_entities, ("error", "drop"))
    one_of("nulls", nulls, ("error", "drop"))
    if not isinstance(policy, Policy):
        raise DataError(f"policy is a {type(policy).__name__}; give a Policy")
    backend = select.select(candidates, n_threads=n_threads, device=device)
    frame = _pairs.read_pairs(candidates, "candidates", entity=entity, target=target, score=score)
    if not len(frame):
        return build_frame([*frame.entity, *frame.target, _score(frame)], frame.library), Dropped()
    listed = own_entities(frame, ids, backend) if entities is None else entities
    names = [name for name, _ in frame.entity]
    held = Truth(
        _pairs.Pairs("truth", _no_rows(frame.entity), _no_rows(frame.target), None, frame.library),
        listed,
        entity=names,
        ids=ids,
        device=device,
        n_threads=n_threads,
    )
    coded = encoded_links(frame, held, unknown_entities, nulls, backend)
    links = Links(frame, coded.codes, coded.target, coded.present)
    scores = present_scores(links, backend)
    keep = Rules(links, scores, ids, backend).kept(policy)
    if policy.threshold is not None:
        keep &= at_least(frame, policy.threshold, coded.present, backend)
    mine = replace(links, codes=backend.xp.where(keep, links.codes, backend.xp.int32(-1)))
    place = ranks(mine, backend, scores)
    chosen = backend.to_host((place > 0).nonzero()[0])
    if links.present is not None:
        chosen = np.flatnonzero(backend.to_host(links.present))[chosen]
    columns = [*frame.entity, *frame.target, _score(frame)]
    made = build_frame([(n, take(values, chosen)) for n, values in columns], frame.library)
    return made, Dropped(prediction_nulls=coded.nulls, unknown_entities=coded.strangers)


def _score(frame: _pairs.Pairs) -> Any:
    assert frame.score is not None
    return frame.score


def _no_rows(columns: list[Column]) -> list[Column]:
    return [(name, take(values, np.zeros(0, np.int64))) for name, values in columns]
