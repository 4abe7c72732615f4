"""What `berx-gpu posterior` does."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from berx_gpu.cli.commands.posterior import Belief, Counts
from berx_gpu.cli.options import Output
from berx_gpu.cli.report import show
from berx_gpu.errors import DataError
from berx_gpu.files import tables
from berx_gpu.options import beta_of, number
from berx_gpu.posterior.model import BayesianPRModel
from berx_gpu.posterior.options import PRIORS
from berx_gpu.posterior.table import posteriors
from berx_gpu.printing.tables import fbeta_name


def run(
    counts: str | None,
    model: Counts,
    columns: str,
    belief: Belief,
    out: Output,
    output: str | None,
) -> int:
    """Print the posteriors of one model, or of a table of them."""
    _ = out.form  # both forms at once are refused before anything is read
    given = {"--tp": model.tp, "--fp": model.fp, "--fn": model.fn}
    first = next((name for name, value in given.items() if value is not None), None)
    beta_of(belief.beta)
    if belief.floor is not None:
        number("floor", belief.floor, 0, 1)
    if counts is None:
        if output is not None:
            raise DataError("--output is of a table; give a file of counts")
        rows = _of_one(model, belief)
    else:
        if first is not None:
            raise DataError(f"a file of counts and {first}: give one of them")
        if output is not None:
            tables.check_output(output, [counts], reports=False)
        table = _of_table(counts, columns, belief)
        rows = table.to_pylist()
        if not rows:
            raise DataError(f"{counts} has no row; give a table with a row for each model")
        if output is not None:
            tables.write_table(table, output)
    show(out, lambda: rows, _cells(rows))
    return 0


def _of_one(model: Counts, belief: Belief) -> list[dict[str, Any]]:
    """Return a row for each metric that the counts allow."""
    if model.tp is None or (model.fp is None and model.fn is None):
        raise DataError("give --tp and --fp or --fn, or both, or a file of counts")
    a, b = PRIORS[belief.prior]
    made = BayesianPRModel(prior_alpha=a, prior_beta=b)
    made.update(model.tp, fp=model.fp, fn=model.fn)
    level, beta, floor = belief.level, belief.beta, belief.floor
    stats = {}
    if made.has_precision:
        stats["precision"] = (made.precision_stats(level), made.posterior_of("precision"))
    if made.has_recall:
        stats["recall"] = (made.recall_stats(level), made.posterior_of("recall"))
    if made.has_f1:
        stats[fbeta_name(beta)] = (made.f_stats(level, beta=beta), made.f_posterior(beta=beta))
    rows = []
    for name, (found, posterior) in stats.items():
        row: dict[str, Any] = {"metric": name, "mean": found.mean, "std": found.std}
        row |= {"low": found.ci_low, "high": found.ci_high}
        if floor is not None:
            row[f"P(> {floor:g})"] = posterior.above(floor)
        rows.append(row)
    return rows


def _of_table(counts: str, columns: str, belief: Belief) -> pa.Table:
    names = [name.strip() for name in columns.split(",")]
    if len(set(names)) != 3 or len(names) != 3 or "" in names:
        raise DataError(f"--columns {columns!r}: give TP,FP,FN, three names with commas between")
    a, b = PRIORS[belief.prior]
    return posteriors(
        _with_numbers(tables.read_table(counts, header=True, usual=set(names)), names),
        tp=names[0],
        fp=names[1],
        fn=names[2],
        ci=belief.level,
        beta=belief.beta,
        floor=belief.floor,
        prior_alpha=a,
        prior_beta=b,
    )


def _with_numbers(table: pa.Table, names: list[str]) -> pa.Table:
    """Return a table whose counts are numbers where all of a column's texts are."""
    for i, field in enumerate(table.schema):
        if field.name not in names or not tables.is_text(field.type):
            continue
        for kind in (pa.int64(), pa.float64()):
            try:
                table = table.set_column(i, field.name, table.column(i).cast(kind))
                break
            except pa.ArrowException:  # what is no number is told with its row
                continue
    return table


def _cells(rows: list[dict[str, Any]]) -> list[list[str]]:
    """Return rows as cells: shares with four decimals."""
    shown = [[f"{v:.4f}" if isinstance(v, float) else str(v) for v in row.values()] for row in rows]
    return [list(rows[0]), *shown]
