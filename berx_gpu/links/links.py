"""Encoded pairs beside the caller's own columns of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from berx_gpu.backends.backend import Backend
from berx_gpu.encoding.keys import Key
from berx_gpu.inputs.pairs import Pairs


@dataclass(frozen=True, eq=False)
class Links:
    """Pairs ready to be matched, rows with a missing id left out.

    Attributes
    ----------
    frame : Pairs
        The caller's columns, of all rows.
    codes : int32 array
        Position in the entity list of each present row, -1 where it does not count.
    targets : tuple of Key
        Target ids of the present rows.
    present : bool array or None
        Which rows of the frame are here; None when all are.
    """

    frame: Pairs
    codes: Any
    targets: tuple[Key, ...]
    present: Any

    def only(self, mask: Any, backend: Backend) -> Links:
        """Return the same rows, of which those outside a mask do not count."""
        xp = backend.xp
        return replace(self, codes=xp.where(mask, self.codes, xp.int32(-1)))

    def count(self) -> int:
        """Return how many of the caller's pairs count, repeats included."""
        return self.frame.count(self.codes >= 0)


@dataclass(frozen=True, eq=False)
class LeftOut:
    """Which rows of a frame do not count once it is encoded.

    Attributes
    ----------
    nulls, strangers, self_pairs : int
        How many pairs missed an id, are of unlisted entities, or are of a record with itself.
    strange : bool array
        Which present rows are of unlisted entities.
    """

    nulls: int
    strangers: int
    self_pairs: int
    strange: Any
