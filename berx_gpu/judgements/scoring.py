"""Precision and recall of clusterings against what people judged of some clusters."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from berx_gpu.encoding.numbered import numbered
from berx_gpu.errors import DataError, one_of, some
from berx_gpu.judgements.reading import all_pairs, distinct, judged_pairs, read_ids

Pair: TypeAlias = tuple[int, int]
Pairs: TypeAlias = set[Pair]
PrecisionRecall: TypeAlias = tuple[float, float]
ModelComparison: TypeAlias = dict[str, PrecisionRecall]


@dataclass(frozen=True)
class Judgement:
    """How a person groups the records of a cluster that was shown.

    Parameters
    ----------
    shown : int or list of int
        The cluster's id, or its records.
    endorsed : list of list of int
        Groups of records that belong together.
    tag, user_name, user_id : optional
        Kept, and otherwise ignored.

    Raises
    ------
    DataError
        For a record that is repeated in `shown` or in `endorsed`, and, where `shown` lists the
        records, when both do not hold the same ones.

    Examples
    --------
    >>> from berx_gpu import Judgement
    >>> Judgement(shown=[1, 2, 3], endorsed=[[1, 2], [3]]).endorsed
    [[1, 2], [3]]
    """

    shown: int | list[int]
    endorsed: list[list[int]]
    tag: str | None = None
    user_name: str | None = None
    user_id: int | None = None

    def __post_init__(self) -> None:
        """Look at the ids."""
        if not isinstance(self.endorsed, list) or not all(map(_is_ids, self.endorsed)):
            raise DataError(f"endorsed={self.endorsed!r}: give groups of ids as lists of lists")
        if not _is_id(self.shown) and not _is_ids(self.shown):
            raise DataError(f"shown={self.shown!r}: give the id of a cluster, or a list of ids")
        grouped = [leaf for group in self.endorsed for leaf in group]
        _no_repeat(grouped, "endorsed")
        if isinstance(self.shown, list):
            _no_repeat(self.shown, "shown")
            apart = set(grouped) ^ set(self.shown)
            if apart:
                raise DataError(
                    "shown and endorsed do not hold the same records: "
                    f"{some(sorted(apart, key=str))} "
                    f"{'is' if len(apart) == 1 else 'are'} in one of them only"
                )


def _is_id(value: Any) -> bool:
    return isinstance(value, (str, numbers.Integral)) and not isinstance(value, bool)


def _is_ids(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_id, value))


def _no_repeat(ids: list[int], what: str) -> None:
    seen: set[int] = set()
    twice = [one for one in ids if one in seen or seen.add(one)]  # type: ignore[func-returns-value]
    if twice:
        raise DataError(f"{what} repeats {some(dict.fromkeys(twice))}; name each record once")


def process_judgements(judgements: Any, expansion: Any) -> tuple[Pairs, dict[Pair, Any], set[int]]:
    """Return the judged pairs of leaves, the net score of each, and the endorsed leaves.

    Parameters
    ----------
    judgements : DataFrame
        A row per endorsed group: ``shown``, the id of a cluster; ``endorsed``, the id of a cluster
        or leaf. Further columns, such as the reviewer, are ignored.
    expansion : DataFrame
        ``root``, each once, and ``leaves``, a list of its leaves; or a row for each ``leaf``.

    Returns
    -------
    pairs : set of tuple
        The smaller leaf of each pair first.
    net : dict of tuple to int or Fraction
        For a row that shows S leaves and endorses E of them, an endorsed pair gets 1 + (S - E) / S
        and every other shown pair -E / S, so that a complete judgement adds up to 1 or -1 for each
        pair; a Fraction where judgements are incomplete. Exact, so that as many endorsements as
        rejections are 0.
    leaves : set

    Raises
    ------
    DataError
        For no judgement, a shown cluster without an expansion, an endorsed leaf that was not
        shown, or a root that is expanded twice.

    Examples
    --------
    >>> import pandas as pd
    >>> from berx_gpu import process_judgements
    >>> judged = pd.DataFrame({"shown": [123, 123], "endorsed": [12, 3]})
    >>> expansion = pd.DataFrame({"root": [123, 12], "leaves": [[1, 2, 3], [1, 2]]})
    >>> pairs, net, leaves = process_judgements(judged, expansion)
    >>> sorted(net.items())
    [((1, 2), 1), ((1, 3), -1), ((2, 3), -1)]
    """
    judged, ids = judged_pairs(judgements, expansion, ())
    names = ids.names
    net = {}
    for k, (a, b, whole) in enumerate(
        zip(judged.first.tolist(), judged.second.tolist(), judged.whole.tolist(), strict=True)
    ):
        x, y = names[a], names[b]
        net[(x, y) if x <= y else (y, x)] = judged.parts.get(k, whole)
    return set(net), net, set(names[judged.endorsed].tolist())


def precision_recall(
    models_root_leaf: Sequence[Any],
    judgements: Any,
    expansion: Any,
    *,
    unjudged: str = "false",
    on_empty: str = "error",
) -> list[PrecisionRecall]:
    """Return precision and recall of each model against judged pairs.

    Parameters
    ----------
    models_root_leaf : list of DataFrame
        One table of ``root`` and ``leaf`` per model, with every leaf that the model could merge.
    judgements, expansion : DataFrame
        As in `process_judgements`.
    unjudged : {"false", "drop"}, default "false"
        What a pair of a model is that nobody judged: false, or out.
    on_empty : {"error", "nan"}, default "error"
        What to do with a model without any pair to look at.

    Returns
    -------
    list of (precision, recall)
        In the order of the models.

    Raises
    ------
    DataError
        As in `process_judgements`, for an empty model, when no pair is left to validate against,
        and for a model without a pair.

    Notes
    -----
    Only leaves count that are endorsed and in every model. Pairs whose net score is 0 are out
    altogether; pairs below 0 are false. The pairs of a model are counted, not made: a cluster of
    100,000 leaves costs no more than its leaves.

    Examples
    --------
    >>> import pandas as pd
    >>> from berx_gpu import precision_recall
    >>> judged = pd.DataFrame({"shown": [123, 123], "endorsed": [12, 3]})
    >>> expansion = pd.DataFrame({"root": [123, 12], "leaves": [[1, 2, 3], [1, 2]]})
    >>> merged = pd.DataFrame({"root": [9, 9, 9], "leaf": [1, 2, 3]})
    >>> precision_recall([merged], judged, expansion)
    [(0.3333333333333333, 1.0)]
    """
    one_of("unjudged", unjudged, ("false", "drop"))
    one_of("on_empty", on_empty, ("error", "nan"))
    if not isinstance(models_root_leaf, (list, tuple)):
        raise DataError(
            f"models_root_leaf is a {type(models_root_leaf).__name__}; give a list of frames"
        )
    judged, ids = judged_pairs(judgements, expansion, models_root_leaf)
    if not judged.endorsed.any():
        raise DataError("judgements has no row; there is nothing to score against")
    n = ids.n
    members = []
    counts = judged.endorsed.copy()
    for i, (model, leaf) in enumerate(zip(models_root_leaf, ids.columns[4:], strict=True)):
        (root,) = numbered([read_ids(model, "root", f"model {i}")]).columns
        if not len(leaf):
            raise DataError(f"model {i} has no row; give every leaf that it could merge")
        member = distinct(root * n + leaf)
        members.append(member)
        there = np.zeros(n, bool)
        there[member % n] = True
        counts &= there
    kept = counts[judged.first] & counts[judged.second]
    first, second, net = (x[kept] for x in (judged.first, judged.second, judged.net))
    if models_root_leaf and not (net > 0).any():
        raise DataError(
            "no pair is left to validate against: none was endorsed more often than rejected "
            "among the leaves that all models have"
        )
    return [
        _scored(i, member[counts[member % n]], first, second, net, n, unjudged, on_empty)
        for i, member in enumerate(members)
    ]


def _scored(
    index: int, member: Any, first: Any, second: Any, net: Any, n: int, unjudged: str, on_empty: str
) -> PrecisionRecall:
    """Return precision and recall of one model, given as its distinct root * n + leaf."""
    root, leaf = member // n, member % n
    size = np.bincount(root)
    total = int((size * (size - 1) // 2).sum())
    if len(distinct(leaf)) < len(leaf):
        together, again = _in_many(root, leaf, first, second, n)
        total -= again
    else:
        root_of = np.full(n, -1, np.int64)
        root_of[leaf] = root
        together = root_of[first] == root_of[second]
    right, tied, wrong = (int((together & mask).sum()) for mask in (net > 0, net == 0, net < 0))
    made = total - tied if unjudged == "false" else right + wrong
    if not made and on_empty == "error":
        raise DataError(
            f"model {index} has no pair among the judged leaves; leave it out, or say "
            'on_empty="nan" (--on-empty nan)'
        )
    precision = right / made if made else float("nan")
    return precision, right / int((net > 0).sum())


def _in_many(root: Any, leaf: Any, first: Any, second: Any, n: int) -> tuple[Any, int]:
    """Return which pairs share a root, and how often any pair does so again.

    Only a pair of leaves that both have several roots can share more than one.
    """
    member = root * n + leaf  # in order
    roots = np.bincount(leaf, minlength=n)
    several = roots[leaf] > 1
    own = leaf[several]
    i, j, _ = all_pairs(np.bincount(root[several]))
    again = len(i) - len(distinct(own[i] * n + own[j]))
    # Every root of the first leaf of a pair, and whether the second is in it.
    order = np.argsort(leaf, kind="stable")
    start = np.cumsum(roots) - roots
    times = roots[first]
    pair = np.repeat(np.arange(len(first)), times)
    within = np.arange(len(pair)) - np.repeat(np.cumsum(times) - times, times)
    wanted = root[order][start[first][pair] + within] * n + second[pair]
    at = np.minimum(np.searchsorted(member, wanted), len(member) - 1)
    together = np.zeros(len(first), bool)
    together[pair[member[at] == wanted]] = True
    return together, again
