"""What a policy and a threshold are worth on entities that they were not chosen on."""

from __future__ import annotations

import math
import numbers
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from berx_gpu.arithmetic.exact_sums import mean_of, sums_by
from berx_gpu.deciding.policy import Policy
from berx_gpu.errors import DataError, counted
from berx_gpu.evaluation.evaluation import Evaluation
from berx_gpu.evaluation.scores import fbeta_of
from berx_gpu.evaluation.slices import slices
from berx_gpu.inputs.columns import to_list
from berx_gpu.links.true_pairs import TruePairs
from berx_gpu.options import whole_number
from berx_gpu.printing.printed import Printed, Table
from berx_gpu.printing.tables import fbeta_name, percent, share_text
from berx_gpu.sweeping import points
from berx_gpu.sweeping.curve import PolicyCurve

_FEWEST = 10
_STEP = np.uint64(0x9E3779B97F4A7C15)
_MIXES = ((30, np.uint64(0xBF58476D1CE4E5B9)), (27, np.uint64(0x94D049BB133111EB)))


@dataclass(frozen=True)
class Fold:
    """A fold, what was best outside it, and what that is worth inside.

    Attributes
    ----------
    name : int, or a value of the folds' column
    n_entities : int
    score : str
        The column of scores.
    policy : Policy
        Its rules before the threshold.
    threshold : float
    macro_fbeta : float
        Of the entities in the fold.
    """

    name: Any
    n_entities: int
    score: Hashable
    policy: Policy
    threshold: float
    macro_fbeta: float


@dataclass(frozen=True, eq=False, repr=False)
class CrossFitted(Printed):
    """What thresholds are worth on entities that they were not chosen on.

    Attributes
    ----------
    beta : float
    estimate, low, high : float
        Macro F of all entities, each scored at what is best outside its fold, and its limits.
    confidence_level : float
    best : float
        Macro F of the best point of the sweep, chosen and scored on the same entities.
    optimism : float
        best - estimate.
    folds : list of Fold
        How far their thresholds lie apart shows how well the best one is known.
    evaluation : Evaluation
        Of these links: per entity, by slice, with other limits.
    """

    beta: float
    estimate: float
    low: float
    high: float
    confidence_level: float
    best: float
    optimism: float
    folds: list[Fold]
    evaluation: Evaluation = field(repr=False)

    @property
    def thresholds(self) -> tuple[float, float]:
        """The lowest and the highest threshold of the folds."""
        found = [fold.threshold for fold in self.folds]
        return min(found), max(found)

    def line(self) -> str:
        """Return the result as one line."""
        low, high = self.thresholds
        level = percent(self.confidence_level)
        return (
            f"cross-fitted {fbeta_name(self.beta)} {share_text(self.estimate)}, {level} "
            f"[{share_text(self.low)}, {share_text(self.high)}]; the best point is "
            f"{self.optimism:+.4f} too good; {len(self.folds)} folds chose thresholds from "
            f"{low:.6g} to {high:.6g}"
        )

    def _above(self) -> list[str]:
        return [self.line()]

    def _tables(self) -> list[Table]:
        rows = [["fold", "entities", fbeta_name(self.beta), "chosen elsewhere", ""]]
        several = len({fold.score for fold in self.folds}) > 1
        for fold in self.folds:
            rules = (f"{fold.score}: " if several else "") + fold.policy.rules()
            cells = (f"{fold.n_entities:,}", share_text(fold.macro_fbeta), f"{fold.threshold:.6g}")
            rows.append([str(fold.name), *cells, rules])
        return [rows]


class _Choice(NamedTuple):
    """What is best on the entities outside a fold."""

    macro: float
    threshold: float
    result: PolicyCurve


def cross_fitted(
    results: Sequence[PolicyCurve],
    folds: Any,
    seed: int = 0,
    confidence_level: float = 0.95,
    cluster: Any = None,
) -> CrossFitted:
    """Return what the best of some results is worth elsewhere, see `Sweep.cross_fitted`."""
    data = results[0].data
    truth, links = data.truth, data.links
    backend = truth.backend()
    xp = backend.xp
    fold_of, names = _folds(truth, folds, whole_number("seed", seed, 0), cluster)
    sizes = np.bincount(fold_of, minlength=len(names))
    if len(sizes) < 2 or sizes.min() < _FEWEST:
        smallest = counted(int(sizes.min()), "entity", "entities")
        raise DataError(
            f"{counted(len(sizes), 'fold', 'folds')}, the smallest of {smallest}: give two folds "
            f"or more, each of {_FEWEST} entities or more"
        )
    fold_of_row = xp.asarray(fold_of)[links.codes]
    kept, linked = (xp.zeros(len(links.codes), bool) for _ in range(2))
    choices = []
    for fold in range(len(sizes)):
        inside = fold_of_row == fold
        choice = max((_best(result, ~inside) for result in results), key=lambda c: c.macro)
        mine, above = points.linked(choice.result, choice.threshold)
        kept |= mine & inside
        linked |= mine & above & inside
        choices.append(choice)
    ev = points.evaluation_of(data, kept, linked, "cross-fitted", None)
    sure = ev.interval(confidence_level=confidence_level, cluster=cluster)
    scores = mean_of(*sums_by(backend.to_host(fbeta_of(ev)), fold_of, len(sizes)), sizes)
    best = max(result.best.macro_fbeta for result in results)
    return CrossFitted(
        beta=data.beta,
        estimate=ev.macro_fbeta,
        low=sure.low,
        high=sure.high,
        confidence_level=sure.confidence_level,
        best=best,
        optimism=best - ev.macro_fbeta,
        folds=[
            Fold(name, int(size), c.result.score, c.result.policy, c.threshold, float(score))
            for name, size, c, score in zip(names, sizes, choices, scores, strict=True)
        ],
        evaluation=ev,
    )


def _best(result: PolicyCurve, outside: Any) -> _Choice:
    """Return the best threshold of a policy on the links of some entities.

    The others predict nothing here, for every policy alike, which moves no threshold.
    """
    data = result.data
    backend = data.truth.backend()
    levels, macro, *_ = points.points(data, result.kept(backend.xp) & outside, backend)
    if not result.is_grid:
        row = int(macro.argmax())  # the first is the highest threshold
        return _Choice(float(macro[row]), points.exact(levels, row, data.scale), result)
    rows = [points.row_at(data.scale, levels, t) for t in result.threshold.tolist()]
    found = zip((float(macro[row]) for row in rows), result.threshold.tolist(), strict=True)
    best, threshold = max(
        found, key=lambda pair: (pair[0], -math.inf if pair[1] != pair[1] else pair[1])
    )
    return _Choice(best, threshold, result)


def _folds(truth: TruePairs, folds: Any, seed: int, cluster: Any) -> tuple[Any, list[Any]]:
    """Return the number of the fold of each entity, and the names of the folds."""
    if isinstance(folds, numbers.Integral) and not isinstance(folds, bool):
        most = truth.n_entities // _FEWEST
        if most < 2:
            few = counted(truth.n_entities, "entity", "entities")
            raise DataError(f"folds={folds} of {few}: two folds or more need {_FEWEST} each")
        n_folds = whole_number("folds", folds, 2, most)
        blocks = _hashes_of_ids(truth) if cluster is None else _hashes_of_blocks(truth, cluster)
        mixed = blocks + np.uint64(seed * int(_STEP) % 2**64)
        for shift, factor in _MIXES:
            mixed = (mixed ^ (mixed >> np.uint64(shift))) * factor
        fold = (mixed ^ (mixed >> np.uint64(31))) % np.uint64(n_folds)
        return fold.astype(np.int64), list(range(n_folds))
    if isinstance(folds, (bool, float)) or folds is None:
        raise DataError(f"folds={folds!r}: give a whole number, a column, or values by entity")
    shown, group = slices(truth, folds)
    values = [to_list(column, str(name)) for name, column in shown]
    return group, values[0] if len(values) == 1 else list(zip(*values, strict=True))


def _hashes_of_ids(truth: TruePairs) -> Any:
    """Return a hash of the bytes of each entity's id, the same in any list and on any device."""
    backend = truth.backend()
    hashes = []
    for key in truth.listed.key:
        first, *further = (backend.to_host(backend.here(part)) for part in key.parts)
        found = _hashes(first)
        for part in further:  # of wide numbers only, and 0 for the others
            found = np.where(part != 0, found * _STEP + _hashes(part), found)
        hashes.append(found)
    return _combined(hashes)


def _hashes_of_blocks(truth: TruePairs, cluster: Any) -> Any:
    shown, group = slices(truth, cluster)
    texts = [list(map(_written, to_list(column, str(name)))) for name, column in shown]
    return _combined([_hashes(np.array(text, object)) for text in texts])[group]


def _written(value: Any) -> str:
    """Return a block as text, a whole float as the integer that it was."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _hashes(values: Any) -> Any:
    plain = values if isinstance(values, np.ndarray) else np.asarray(values, object)
    return pd.util.hash_array(plain, categorize=False)


def _combined(columns: Sequence[Any]) -> Any:
    """Return one hash of the hashes of several columns."""
    out = np.zeros(len(columns[0]), np.uint64)
    for hashes in columns:
        out = out * _STEP + hashes
    return out
