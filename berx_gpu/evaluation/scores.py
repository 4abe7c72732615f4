"""What an evaluation holds, and the measures that its counts give."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from berx_gpu.arithmetic.exact_sums import exact_sum, mean_over
from berx_gpu.inputs.columns import build_frame
from berx_gpu.links.dropped import Dropped
from berx_gpu.links.links import Links
from berx_gpu.links.true_pairs import TruePairs


@dataclass(frozen=True, eq=False)
class Groups:
    """How many entities have each (tp, n_pred, n_true): int64 NumPy or CuPy arrays.

    F of an entity depends on nothing else, so every mean is a sum over these few groups.
    """

    tp: Any
    n_pred: Any
    n_true: Any
    size: Any

    @property
    def counts(self) -> tuple[Any, Any, Any]:
        """The three counts of each group."""
        return self.tp, self.n_pred, self.n_true

    def count(self, which: Any) -> int:
        """Return the number of entities in the groups of a mask."""
        return int(self.size[which].sum())

    def total(self, values: Any) -> int:
        """Return the sum of a whole number over all entities."""
        return int((values * self.size).sum())

    def exact_sum(self, values: Any, which: Any = slice(None)) -> int:
        """Return the sum of numbers in [0, 1], one per group, over the entities of a mask."""
        return exact_sum(values[which], self.size[which])

    def mean(self, values: Any, which: Any = slice(None)) -> float:
        """Return the mean of numbers in [0, 1], one per group, over the entities of a mask."""
        return mean_over(self.exact_sum(values, which), self.count(which))


@dataclass(frozen=True, eq=False)
class Counts:
    """What an evaluation was made from: truth, links, arrays per entity, and their groups."""

    truth: TruePairs
    links: Links
    tp: Any
    n_pred: Any
    n_true: Any
    groups: Groups
    zero_division: float

    @property
    def each(self) -> tuple[Any, Any, Any]:
        """The three counts of each entity."""
        return self.tp, self.n_pred, self.n_true

    @property
    def library(self) -> str:
        """The library of the predictions, which results go back to."""
        return self.links.frame.library


@dataclass(frozen=True, eq=False)
class Scores:
    """The fields of an `Evaluation`, which says what they are."""

    name: str
    threshold: float | None
    beta: float
    n_entities: int
    n_singletons: int
    singletons_linked: int
    tp: int
    n_pred: int
    n_true: int
    macro_fbeta: float
    macro_precision: float
    macro_recall: float
    macro_fbeta_non_singleton: float
    precision: float
    recall: float
    pooled_fbeta: float
    empty_baseline: float
    break_even: float
    dropped: Dropped
    _counts: Counts = field(repr=False)


def per_entity(ev: Scores) -> Any:
    """Return entity, tp, n_pred, n_true and fbeta of every entity as a frame."""
    counts = ev._counts
    columns = list(zip(("tp", "n_pred", "n_true"), counts.each, strict=True))
    fbeta = ("fbeta", fbeta_of(ev))
    return build_frame([*counts.truth.listed.key_columns, *columns, fbeta], counts.library)


def fbeta_of(ev: Scores) -> Any:
    """Return F_β of every entity."""
    counts = ev._counts
    return counts.truth.backend().fbeta(*counts.each, ev.beta)


def share(xp: Any, tp: Any, n_pred: Any, n_true: Any, whole: Any) -> Any:
    """Return tp / whole, 1 where both sets are empty and 0 where only the denominator is."""
    both_empty = (n_true == 0) & (n_pred == 0)
    return xp.where(whole > 0, tp / xp.maximum(whole, 1), both_empty.astype(xp.float64))


def of_counts(ev: Scores, metric: str, tp: Any, n_pred: Any, n_true: Any) -> tuple[Any, Any]:
    """Return what units with these counts add above and below the fraction of a metric."""
    backend = ev._counts.truth.backend()
    xp = backend.xp
    beta2 = ev.beta * ev.beta
    if metric == "precision":
        return tp, n_pred
    if metric == "recall":
        return tp, n_true
    if metric == "pooled_fbeta":
        return tp, (beta2 * n_true + n_pred) / (1 + beta2)
    ones = xp.ones(len(tp))
    if metric == "macro_precision":
        return share(xp, tp, n_pred, n_true, n_pred), ones
    if metric == "macro_recall":
        return share(xp, tp, n_pred, n_true, n_true), ones
    fbeta = backend.fbeta(tp, n_pred, n_true, ev.beta)
    if metric == "macro_fbeta":
        return fbeta, ones
    real = (n_true > 0).astype(xp.float64)
    return fbeta * real, real
