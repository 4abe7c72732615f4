"""Macro F0.5 as well as it can be written with other tools, from the frames that each likes."""

from collections.abc import Callable
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl

from benchmarks.shape import Task


def polars_frames(task: Task) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """Return predictions, truth and entities as polars frames."""
    return tuple(pl.from_arrow(t) for t in (task.predictions, task.truth, task.entities))  # type: ignore[return-value]  # three of them


def _polars_mean(entities: pl.DataFrame, counts: pl.LazyFrame) -> float:
    rows = entities.lazy().join(counts, on="entity", how="left").fill_null(0)
    whole = 0.25 * pl.col("t") + pl.col("k")
    f = pl.when(whole == 0).then(1.0).otherwise(1.25 * pl.col("tp") / whole)
    return float(rows.select(f.mean()).collect().item())


def polars_union(task: Task) -> Callable[[], float]:
    """Stack both sides, and group twice."""
    pred, true, listed = polars_frames(task)

    def run() -> float:
        made = pred.lazy().with_columns(p=pl.lit(True), g=pl.lit(False))
        real = true.lazy().with_columns(p=pl.lit(False), g=pl.lit(True))
        pairs = pl.concat([made, real]).group_by("entity", "target").agg(pl.col("p", "g").any())
        both = pl.col("p") & pl.col("g")
        counts = pairs.group_by("entity").agg(
            k=pl.col("p").sum(), t=pl.col("g").sum(), tp=both.sum()
        )
        return _polars_mean(listed, counts)

    return run


def polars_joins(task: Task) -> Callable[[], float]:
    """Count each side and what an inner join leaves."""
    pred, true, listed = polars_frames(task)

    def run() -> float:
        made, real = pred.lazy().unique(), true.lazy().unique()
        met = made.join(real, on=["entity", "target"]).group_by("entity").len("tp")
        counts = (
            made.group_by("entity")
            .len("k")
            .join(real.group_by("entity").len("t"), on="entity", how="full", coalesce=True)
            .join(met, on="entity", how="left")
        )
        return _polars_mean(listed, counts)

    return run


def polars_packed(task: Task) -> Callable[[], float]:
    """Pack a pair of dense codes in one integer; None for other ids."""
    pred, true, listed = polars_frames(task)

    def run() -> float:
        packed = (pl.col("entity") * 2**32 + pl.col("target")).alias("pair")
        made = pred.lazy().select(packed, p=pl.lit(True), g=pl.lit(False))
        real = true.lazy().select(packed, p=pl.lit(False), g=pl.lit(True))
        pairs = pl.concat([made, real]).group_by("pair").agg(pl.col("p", "g").any())
        both = pl.col("p") & pl.col("g")
        counts = pairs.group_by(entity=pl.col("pair") // 2**32).agg(
            k=pl.col("p").sum(), t=pl.col("g").sum(), tp=both.sum()
        )
        return _polars_mean(listed, counts)

    return run


_UNION = """
with pairs as (
    select entity, target, bool_or(p) as p, bool_or(g) as g from (
        select entity, target, true as p, false as g from pred
        union all select entity, target, false, true from truth
    ) group by entity, target
), counts as (
    select entity, count(*) filter (p) as k, count(*) filter (g) as t,
        count(*) filter (p and g) as tp
    from pairs group by entity
)
select avg(case when coalesce(k + t, 0) = 0 then 1.0 else 1.25 * tp / (0.25 * t + k) end)
from listed left join counts using (entity)
"""


def duckdb_union(task: Task) -> Callable[[], float]:
    """Stack and group in SQL."""
    connection = duckdb.connect()
    connection.register("pred", task.predictions)
    connection.register("truth", task.truth)
    connection.register("listed", task.entities)
    return lambda: float(connection.sql(_UNION).fetchall()[0][0])


def pandas_merge(task: Task) -> Callable[[], float]:
    """Drop repeats, merge, group, map."""
    pred, true, listed = (t.to_pandas() for t in (task.predictions, task.truth, task.entities))

    def run() -> float:
        made, real = pred.drop_duplicates(), true.drop_duplicates()
        met = made.merge(real, on=["entity", "target"])
        sides = {"k": made, "t": real, "tp": met}
        counts = pd.DataFrame(index=pd.Index(listed["entity"]))
        for name, frame in sides.items():
            counts[name] = frame.groupby("entity", sort=False).size()
        counts = counts.fillna(0)
        whole = 0.25 * counts["t"] + counts["k"]
        f = (1.25 * counts["tp"] / whole).where(whole > 0, 1.0)
        return float(f.mean())

    return run


def scikit_learn(task: Task) -> Callable[[], float]:
    """Score indicator matrices of dense codes; scikit-learn counts an empty row as 0."""
    from scipy.sparse import csr_matrix
    from sklearn.metrics import fbeta_score

    entity, target, true_entity, true_target = task.codes
    shape = (task.n_entities, task.n_targets)

    def matrix(rows: Any, columns: Any) -> Any:
        # Repeats would add up to 2.
        found = csr_matrix((np.ones(len(rows), np.int8), (rows, columns)), shape=shape)
        found.data[:] = 1
        return found

    def run() -> float:
        made, real = matrix(entity, target), matrix(true_entity, true_target)
        score = fbeta_score(real, made, beta=0.5, average="samples", zero_division=1.0)
        return float(score)

    return run


SCORERS = {
    "polars union": polars_union,
    "polars joins": polars_joins,
    "polars packed": polars_packed,
    "DuckDB": duckdb_union,
    "pandas": pandas_merge,
    "scikit-learn": scikit_learn,
}
ONLY_DENSE = {"polars packed", "scikit-learn"}
SLOW = {"pandas", "scikit-learn"}
"""Peers that take ten times as long as the others: one run of each is enough."""
