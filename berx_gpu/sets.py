"""The metric on plain Python sets, one entity at a time.

For small data, for reading, and for scripts that hold mappings of sets already. Ids are any
hashable values, compared by Python's own equality; a repeated entity id in `ids` counts as often as
it stands there, and keys of entities outside `ids` are ignored. `berx_gpu.evaluate` does the same
on frames of any size, and checks them.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

import numpy as np

from berx_gpu.kernels.fbeta_rows import fbeta

_Targets = Mapping[Any, Iterable[Hashable] | None]
_f = fbeta.py_func  # type: ignore[attr-defined]  # the row formula as plain Python


def entity_f05(pred: AbstractSet[Hashable], truth: AbstractSet[Hashable]) -> float:
    """Return F0.5 of one entity.

    Parameters
    ----------
    pred, truth : set
        Predicted and true targets.

    Returns
    -------
    float
        1.25·tp / (0.25·|truth| + |pred|); 1 when both sets are empty.

    Examples
    --------
    >>> from berx_gpu import entity_f05
    >>> round(entity_f05({"a"}, {"a", "b", "c"}), 7)
    0.7142857
    """
    return float(_f(len(pred & truth), len(pred), len(truth), 0.5))


def macro_f05(preds: _Targets, truths: _Targets, ids: Sequence[Any]) -> tuple[dict[str, Any], Any]:
    """Return macro F0.5 over `ids` and F0.5 of each.

    Parameters
    ----------
    preds, truths : mapping of entity to iterable of targets
        An entity that is missing, or maps to None, has no target.
    ids : sequence
        The entities that the mean runs over: all of them, silent ones and singletons included.

    Returns
    -------
    summary : dict
        f05, precision and recall (pooled), n, tp, k, t and pred_per_entity; each ratio is 0.0
        where its denominator is 0.
    per_entity : float64 array
        F0.5 in the order of `ids`.

    Examples
    --------
    >>> from berx_gpu import macro_f05
    >>> summary, per_entity = macro_f05({"a": ["x"]}, {"a": ["x"], "b": ["y"]}, ["a", "b", "c"])
    >>> round(summary["f05"], 4), per_entity.tolist()
    (0.6667, [1.0, 0.0, 1.0])
    """
    tp = k = t = 0
    scores = np.empty(len(ids))
    for i, entity in enumerate(ids):
        pred, truth = _targets(preds, entity), _targets(truths, entity)
        scores[i] = entity_f05(pred, truth)
        tp += len(pred & truth)
        k += len(pred)
        t += len(truth)
    n = len(ids)
    summary = {
        "f05": _ratio(math.fsum(scores), n),
        "precision": _ratio(tp, k),
        "recall": _ratio(tp, t),
        "n": n,
        "tp": tp,
        "k": k,
        "t": t,
        "pred_per_entity": _ratio(k, n),
    }
    return summary, scores


def entity_scores(preds: _Targets, truths: _Targets, ids: Sequence[Any]) -> Any:
    """Return F0.5 of each entity in `ids`: the second value of `macro_f05`.

    Examples
    --------
    >>> from berx_gpu import entity_scores
    >>> entity_scores({"a": ["x"]}, {"a": ["x"], "b": ["y"]}, ["a", "b"]).tolist()
    [1.0, 0.0]
    """
    return macro_f05(preds, truths, ids)[1]


def slice_report(
    preds: _Targets,
    truths: _Targets,
    ids: Sequence[Any],
    by: Mapping[Any, Any],
    label: str = "slice",
) -> list[dict[str, Any]]:
    """Return macro F0.5 of each slice of the entities.

    Parameters
    ----------
    preds, truths, ids
        As in `macro_f05`.
    by : mapping of entity to slice
        Entities without one fall in the slice ``"?"``.
    label : str, default "slice"
        What the slice is called in the rows.

    Returns
    -------
    list of dict
        The slice, n, f05, precision, recall and pred_per_entity, sorted by the slice as text.

    Examples
    --------
    >>> from berx_gpu import slice_report
    >>> slice_report({}, {"a": ["x"]}, ["a", "b"], {"a": "north"}, label="region")[0]["region"]
    '?'
    """
    members: dict[Any, list[Any]] = {}
    for entity in ids:
        members.setdefault(by.get(entity, "?"), []).append(entity)
    shown = ("n", "f05", "precision", "recall", "pred_per_entity")
    report = []
    for key in sorted(members, key=str):
        summary, _ = macro_f05(preds, truths, members[key])
        report.append({label: key, **{name: summary[name] for name in shown}})
    return report


def oracle_f05(
    candidates: _Targets, truths: _Targets, ids: Sequence[Any]
) -> tuple[dict[str, Any], Any]:
    """Return the best macro F0.5 that any choice among the candidates can reach.

    The oracle predicts the true candidates of each entity and nothing for singletons.

    Parameters
    ----------
    candidates : mapping of entity to iterable of targets
    truths, ids
        As in `macro_f05`.

    Returns
    -------
    summary, per_entity
        As in `macro_f05`.

    Examples
    --------
    >>> from berx_gpu import oracle_f05
    >>> round(oracle_f05({"a": ["x", "z"]}, {"a": ["x", "y"]}, ["a"])[0]["f05"], 4)
    0.8333
    """
    true = {entity: _targets(truths, entity) for entity in ids}
    best = {entity: _targets(candidates, entity) & targets for entity, targets in true.items()}
    return macro_f05(best, true, ids)


def pair_recall(candidates: _Targets, truths: _Targets, ids: Sequence[Any]) -> dict[str, Any]:
    """Return which share of the true pairs are candidates.

    Parameters
    ----------
    candidates : mapping of entity to iterable of targets
    truths, ids
        As in `macro_f05`.

    Returns
    -------
    dict
        pair_recall, true_pairs, retrieved, and all_match_rate: the share of non-singletons with
        every true target among the candidates. A share is 0.0 where there is nothing to find.

    Examples
    --------
    >>> from berx_gpu import pair_recall
    >>> pair_recall({"a": ["x"]}, {"a": ["x", "y"]}, ["a", "b"])["pair_recall"]
    0.5
    """
    truth = [(e, _targets(truths, e)) for e in ids]
    found = [(len(t & _targets(candidates, e)), len(t)) for e, t in truth if t]
    retrieved, total = sum(hit for hit, _ in found), sum(size for _, size in found)
    return {
        "pair_recall": _ratio(retrieved, total),
        "true_pairs": total,
        "retrieved": retrieved,
        "all_match_rate": _ratio(sum(hit == size for hit, size in found), len(found)),
    }


def _targets(mapping: _Targets, entity: Any) -> AbstractSet[Hashable]:
    targets = mapping.get(entity)
    if isinstance(targets, (set, frozenset)):
        return targets
    return set() if targets is None else set(targets)


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else 0.0
