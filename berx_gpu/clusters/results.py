"""`ClusterMetrics`: what is said of a clustering."""

from __future__ import annotations

from dataclasses import dataclass

from berx_gpu.printing.printed import Printed, Table
from berx_gpu.printing.tables import fbeta_name, share_text


@dataclass(frozen=True, repr=False)
class ClusterMetrics(Printed):
    """How well a clustering agrees with the true one.

    Attributes
    ----------
    beta : float
    n_records, n_predicted, n_true : int
        Records of the truth; predicted clusters among them, and true ones, those of one record
        included.
    n_missing : int
        Records that the prediction does not have; each is a cluster of its own.
    n_outside : int
        Further records in the predicted clusters of these, which the truth knows nothing of.
    pairwise_precision, pairwise_recall, pairwise_fbeta : float
        Over pairs of records in one cluster.
    cluster_precision, cluster_recall, cluster_fbeta : float
        Over clusters that are exactly right.
    b_cubed_precision, b_cubed_recall, b_cubed_fbeta : float
        Means over records of the share of their predicted cluster that is truly theirs, and of
        their true cluster that was found.
    """

    beta: float
    n_records: int
    n_predicted: int
    n_true: int
    n_missing: int
    n_outside: int
    pairwise_precision: float
    pairwise_recall: float
    pairwise_fbeta: float
    cluster_precision: float
    cluster_recall: float
    cluster_fbeta: float
    b_cubed_precision: float
    b_cubed_recall: float
    b_cubed_fbeta: float

    def _tables(self) -> list[Table]:
        rows = [
            [f"{self.n_records:,} records", "precision", "recall", fbeta_name(self.beta)],
        ]
        for name, label in (("pairwise", "pairs"), ("cluster", "clusters"), ("b_cubed", "B-cubed")):
            found = (getattr(self, f"{name}_{part}") for part in ("precision", "recall", "fbeta"))
            rows.append([label, *map(share_text, found)])
        return [rows]

    def _below(self) -> list[str]:
        return [f"{self.n_predicted:,} predicted clusters, {self.n_true:,} true ones"]
