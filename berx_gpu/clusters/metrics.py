"""A clustering against the true one: pairs, exact clusters, and B-cubed."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, NamedTuple

import numpy as np

from berx_gpu.arithmetic.exact_sums import exact_sum, mean_over
from berx_gpu.clusters.results import ClusterMetrics
from berx_gpu.encoding.keys import encode
from berx_gpu.encoding.numbered import IdColumn, Ids, numbered
from berx_gpu.errors import DataError, counted, warn
from berx_gpu.inputs.clusters import read_clusters
from berx_gpu.inputs.columns import on_host
from berx_gpu.options import beta_of, number


def cluster_metrics(
    prediction: Any,
    truth: Any,
    *,
    id: Hashable = "id",  # noqa: A002 - the name that the column has
    cluster: Hashable = "cluster",
    beta: float = 1.0,
    partial: bool = False,
    zero_division: float = 0.0,
) -> ClusterMetrics:
    """Return how well a clustering agrees with the true one.

    Parameters
    ----------
    prediction, truth : DataFrame
        One row per record, of any library.
    id, cluster : str
        The columns of record ids, each once, and of clusters, in both frames. A record without a
        cluster is one by itself.
    beta : float, default 1.0
    partial : bool, default False
        Whether the truth covers some of the records only, as a labelled sample does. Precision is
        then that among these records: false merges with others are not seen.
    zero_division : float, default 0.0
        A share of nothing, such as the precision of a clustering without a pair.

    Returns
    -------
    ClusterMetrics

    Raises
    ------
    DataError
        For an empty truth, and repeated or missing ids.

    Warns
    -----
    DataWarning
        When predicted clusters hold records that the truth does not have, unless it is `partial`.

    Notes
    -----
    Counted from the records that each predicted and each true cluster share; pairs are never
    made, so a cluster of a million records costs its records. Records that the prediction lacks
    are clusters of their own: leaving them out would reward it for saying little. B-cubed averages
    over records (Bagga and Baldwin 1998). er-evaluation agrees on pairs and clusters where both
    clusterings have the same records, keeps only the records that both have, and weighs B-cubed
    otherwise.

    Examples
    --------
    >>> import pandas as pd
    >>> from berx_gpu import cluster_metrics
    >>> truth = pd.DataFrame({"id": [1, 2, 3, 4], "cluster": ["a", "a", "a", "b"]})
    >>> found = pd.DataFrame({"id": [1, 2, 3, 4], "cluster": [7, 7, 8, 8]})
    >>> cluster_metrics(found, truth)
    4 records  precision  recall      F1
    pairs         0.5000  0.3333  0.4000
    clusters      0.0000  0.0000  0.0000
    B-cubed       0.7500  0.6667  0.7059
    2 predicted clusters, 2 true ones
    """
    beta = beta_of(beta)
    zero_division = number("zero_division", zero_division, 0, 1, nan=True)
    if not isinstance(partial, bool):
        raise DataError(f"partial={partial!r}: say True or False")
    keys, groups = [], []
    for frame, what in ((prediction, "prediction"), (truth, "truth")):
        _, _, (name, values), group = read_clusters(frame, id, cluster, what)
        host = on_host(values)
        keys.append(IdColumn(encode(host, f"{what} column {name!r}", "exact"), host))
        groups.append(group)
    ids = numbered(keys)
    if not len(ids.columns[1]):
        raise DataError("truth has no record; give one row per record")
    seen = _sides(ids, groups)
    if seen.n_outside and not partial:
        warn(
            f"the predicted clusters hold {counted(seen.n_outside, 'record', 'records')} that the "
            "truth does not have, so false merges with them are not seen; say partial=True if the "
            "truth is a sample, and read precision with care"
        )
    return _metrics(seen, beta, zero_division)


class _Sides(NamedTuple):
    """The predicted and the true cluster of each record of the truth, numbered from 0."""

    predicted: Any
    true: Any
    n_missing: int
    n_outside: int


def _sides(ids: Ids, groups: list[Any]) -> _Sides:
    """Return the clusters of the records of the truth, and which records one side lacks."""
    made, real = ids.columns
    predicted, true = (
        _alone(own, group, ids.n) for own, group in zip(ids.columns, groups, strict=True)
    )
    there, judged = np.zeros(ids.n, bool), np.zeros(ids.n, bool)
    there[made], judged[real] = True, True
    of_truth = predicted[real]
    inside = np.zeros(len(predicted) + 1 + int(predicted.max()), bool)
    inside[of_truth] = True
    p, t = (np.unique(side, return_inverse=True)[1] for side in (of_truth, true[real]))
    n_outside = int((inside[predicted] & ~judged & there).sum())
    return _Sides(p, t, int((~there[real]).sum()), n_outside)


def _metrics(sides: _Sides, beta: float, zero_division: float) -> ClusterMetrics:
    """Return the metrics from the records that each predicted and each true cluster share."""
    p, t, n_missing, n_outside = sides
    p_size, t_size = np.bincount(p), np.bincount(t)
    cell, both = np.unique(p * len(t_size) + t, return_counts=True)
    of_p, of_t = p_size[cell // len(t_size)], t_size[cell % len(t_size)]
    exact = int(((both == of_p) & (both == of_t)).sum())
    hits, pairs, wanted = (_pairs(size) for size in (both, p_size, t_size))

    def shares(a: float, b: float) -> tuple[float, float, float]:
        whole = beta * beta * a + b
        return a, b, (1 + beta * beta) * a * b / whole if whole else 0.0

    def ratio(part: int, whole: int) -> float:
        return part / whole if whole else zero_division

    return ClusterMetrics(
        beta,
        len(t),
        len(p_size),
        len(t_size),
        n_missing,
        n_outside,
        *shares(ratio(hits, pairs), ratio(hits, wanted)),
        *shares(exact / len(p_size), exact / len(t_size)),
        *shares(_mean(both / of_p, both, len(t)), _mean(both / of_t, both, len(t))),
    )


def _alone(ids: Any, group: Any, n: int) -> Any:
    """Return the cluster of each of n records: its own where there is none."""
    found = n + np.arange(n)
    found[ids[group >= 0]] = group[group >= 0]
    return found


def _pairs(sizes: Any) -> int:
    return int((sizes * (sizes - 1) // 2).sum())


def _mean(values: Any, times: Any, n: int) -> float:
    """Return a mean over records of numbers in [0, 1], whatever the order of the cells."""
    return mean_over(exact_sum(values, times), n)


def pairwise_precision(prediction: Any, truth: Any, **options: Any) -> float:
    """Return the precision over pairs of records in one cluster; see `cluster_metrics`."""
    return cluster_metrics(prediction, truth, **options).pairwise_precision


def pairwise_recall(prediction: Any, truth: Any, **options: Any) -> float:
    """Return the recall over pairs of records in one cluster; see `cluster_metrics`."""
    return cluster_metrics(prediction, truth, **options).pairwise_recall


def pairwise_fbeta(prediction: Any, truth: Any, **options: Any) -> float:
    """Return the F_beta over pairs of records in one cluster; see `cluster_metrics`."""
    return cluster_metrics(prediction, truth, **options).pairwise_fbeta


def cluster_precision(prediction: Any, truth: Any, **options: Any) -> float:
    """Return the precision over clusters that are exactly right; see `cluster_metrics`."""
    return cluster_metrics(prediction, truth, **options).cluster_precision


def cluster_recall(prediction: Any, truth: Any, **options: Any) -> float:
    """Return the recall over clusters that are exactly right; see `cluster_metrics`."""
    return cluster_metrics(prediction, truth, **options).cluster_recall


def cluster_fbeta(prediction: Any, truth: Any, **options: Any) -> float:
    """Return the F_beta over clusters that are exactly right; see `cluster_metrics`."""
    return cluster_metrics(prediction, truth, **options).cluster_fbeta


def b_cubed_precision(prediction: Any, truth: Any, **options: Any) -> float:
    """Return the precision over records, B-cubed; see `cluster_metrics`."""
    return cluster_metrics(prediction, truth, **options).b_cubed_precision


def b_cubed_recall(prediction: Any, truth: Any, **options: Any) -> float:
    """Return the recall over records, B-cubed; see `cluster_metrics`."""
    return cluster_metrics(prediction, truth, **options).b_cubed_recall


def b_cubed_fbeta(prediction: Any, truth: Any, **options: Any) -> float:
    """Return the F_beta over records, B-cubed; see `cluster_metrics`."""
    return cluster_metrics(prediction, truth, **options).b_cubed_fbeta
