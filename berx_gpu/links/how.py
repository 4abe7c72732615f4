"""How a call reads its pairs, as its options say."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from berx_gpu.errors import one_of
from berx_gpu.inputs.pairs import Names


@dataclass(frozen=True)
class Reading:
    """How a call reads its pairs: the options that all calls with a truth share.

    Attributes
    ----------
    entity, target : str or list of str
        Key columns of the pairs, and of raw truth pairs.
    score : str or None
        Column of scores, when the call uses scores.
    unknown_entities, nulls : {"error", "drop"}
    ids : {"exact", "text"} or None
        None is what a truth says, or ``"exact"``.
    device : {"cpu", "cuda"} or None
    n_threads : int or None
    """

    entity: Names = "entity"
    target: Names = "target"
    score: Hashable | None = None
    unknown_entities: str = "error"
    nulls: str = "error"
    ids: str | None = None
    device: str | None = None
    n_threads: int | None = None

    def __post_init__(self) -> None:
        one_of("unknown_entities", self.unknown_entities, ("error", "drop"))
        one_of("nulls", self.nulls, ("error", "drop"))
        if self.ids is not None:
            one_of("ids", self.ids, ("exact", "text"))
