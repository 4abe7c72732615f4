"""The rules of a policy before its threshold, over some candidates."""

from __future__ import annotations

from typing import Any

from berx_gpu.backends.backend import Backend
from berx_gpu.deciding.policy import Policy
from berx_gpu.encoding.scores import level
from berx_gpu.errors import DataError, rows
from berx_gpu.links.links import Links
from berx_gpu.links.ranks import ranks
from berx_gpu.options import as_float


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
        self, links: Links, scores: Any, ids: str, backend: Backend, once: Any = None
    ) -> None:
        self._links, self._scores, self._backend = links, scores, backend
        self._ids, self._once = ids, once
        self._owner: Any = None
        self._owned: Any = None
        self._places: Any = None

    def kept(self, policy: Policy) -> Any:
        """Mark the present rows that the rules of a policy keep."""
        codes = self._links.codes
        keep = self._kept_by_owners(policy).copy()
        if policy.top_k is not None:
            if self._places is None:
                mine = self._links.only(keep, self._backend)
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
