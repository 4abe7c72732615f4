"""Made-up pairs with the shape of a real contest of linking companies.

2,206,821 entities have 0 to 11 true targets each (5.58 % have none, the mean is 3.46), every target
belongs to at most one entity, and a quarter of all targets to none. The predictions find 97 % of
the true pairs and add 0.3 % of false ones.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

ENTITIES = {"small": 200_000, "full": 2_206_821}
SHARES = np.array([5.58, 5.42, 17.02, 24.09, 21.94, 14.55, 7.43, 2.89, 0.85, 0.19, 0.03, 0.01])
"""Percent of entities with 0, 1, 2, ... true targets."""


@dataclass(frozen=True)
class Task:
    """Predictions, truth and the entity list, as Arrow tables, and dense codes of the same."""

    predictions: pa.Table
    truth: pa.Table
    entities: pa.Table
    codes: tuple[Any, Any, Any, Any]
    n_entities: int
    n_targets: int

    @property
    def input_bytes(self) -> int:
        """What the input columns take in memory."""
        return sum(t.nbytes for t in (self.predictions, self.truth, self.entities))


def task(ids: str, size: str, seed: int = 0) -> Task:
    """Return a task with ids that are ``dense`` integers, ``sparse`` 64-bit ones, or ``text``."""
    rng = np.random.default_rng(seed)
    n = ENTITIES[size]
    owned = rng.choice(len(SHARES), size=n, p=SHARES / SHARES.sum())
    true_entity = np.repeat(np.arange(n), owned)
    n_targets = int(len(true_entity) * 1.35)
    true_target = rng.permutation(n_targets)[: len(true_entity)]
    found = rng.random(len(true_entity)) < 0.97
    n_false = int(0.003 * len(true_entity))
    entity = np.concatenate([true_entity[found], rng.integers(0, n, n_false)])
    target = np.concatenate([true_target[found], rng.integers(0, n_targets, n_false)])
    order = rng.permutation(len(entity))
    entity, target = entity[order], target[order]
    names = [_names(ids, m, prefix, rng) for m, prefix in ((n, "S1"), (n_targets, "S2"))]

    def pairs(e: Any, t: Any) -> pa.Table:
        columns = {"entity": names[0].take(pa.array(e)), "target": names[1].take(pa.array(t))}
        return pa.table(columns)

    codes = (entity, target, true_entity, true_target)
    listed = pa.table({"entity": names[0]})
    return Task(pairs(entity, target), pairs(true_entity, true_target), listed, codes, n, n_targets)


@dataclass(frozen=True)
class Pool:
    """Scored candidates, truth and the entity list, with dense integer ids."""

    candidates: pa.Table
    truth: pa.Table
    entities: pa.Table
    n_entities: int


CANDIDATES = {"small": (100_000, 20), "full": (2_206_821, 20), "large": (2_206_821, 50)}
"""Entities, and false candidates drawn for each of them."""


def candidates(size: str, seed: int = 0) -> Pool:
    """Return a task of scored candidates: float32 scores, high for most true pairs."""
    rng = np.random.default_rng(seed)
    n, drawn = CANDIDATES[size]
    owned = rng.choice(len(SHARES), size=n, p=SHARES / SHARES.sum())
    true_entity = np.repeat(np.arange(n), owned)
    n_targets = int(len(true_entity) * 1.35)
    true_target = rng.permutation(n_targets)[: len(true_entity)]
    found = rng.random(len(true_entity)) < 0.97
    entity = np.concatenate([true_entity[found], rng.integers(0, n, n * drawn)])
    target = np.concatenate([true_target[found], rng.integers(0, n_targets, n * drawn)])
    high, low = 1 - rng.beta(1, 12, int(found.sum())), rng.beta(1, 8, n * drawn)
    score = np.concatenate([high, low]).astype(np.float32)
    order = rng.permutation(len(entity))
    pool = {"entity": entity[order], "target": target[order], "score": score[order]}
    true = pa.table({"entity": true_entity, "target": true_target})
    return Pool(pa.table(pool), true, pa.table({"entity": np.arange(n)}), n)


def _names(ids: str, n: int, prefix: str, rng: np.random.Generator) -> pa.Array:
    if ids == "dense":
        return pa.array(np.arange(n))
    if ids == "sparse":
        distinct = np.unique(rng.integers(-(2**62), 2**62, n + n // 1000 + 10))
        return pa.array(rng.permutation(distinct)[:n])
    return pa.array([f"{prefix}-{i:09d}" for i in range(n)], pa.large_string())
