"""`berx-gpu posterior`."""

from __future__ import annotations

import json
from typing import Any

import click

from berx_gpu import _cli_inputs as inputs
from berx_gpu.errors import DataError


@click.command()
@click.argument("counts", required=False)
@click.option("--tp", type=float, help="True links.")
@click.option("--fp", type=float, help="False links.")
@click.option("--fn", type=float, help="Missed links.")
@click.option(
    "--columns",
    metavar="TP,FP,FN",
    default="tp,fp,fn",
    show_default=True,
    help="Names of the counts in the table.",
)
@click.option("--beta", type=float, default=1.0, show_default=True, help="β of F (not β²).")
@click.option("--floor", type=float, help="Also say how likely each metric is above this.")
@inputs.level_option
@inputs.choice("--prior", ("uniform", "jeffreys", "haldane"), "What is believed before the counts.")
@inputs.output_options
@click.option("--output", metavar="FILE", help="Write the table (.parquet, .csv, .tsv).")
def posterior(
    counts: str | None,
    tp: float | None,
    fp: float | None,
    fn: float | None,
    columns: str,
    beta: float,
    floor: float | None,
    level: float,
    prior: str,
    as_json: bool,
    as_markdown: bool,
    quiet: bool,
    output: str | None,
) -> int:
    """Say how sure precision, recall and F are, from --tp, --fp and --fn or a table COUNTS.

    Pairs count as independent trials; F takes into account that precision and recall share their
    true links. COUNTS is Parquet, CSV or TSV with a row for each model, slice or class.
    """
    from berx_gpu import files
    from berx_gpu._options import number
    from berx_gpu._posterior_options import PRIORS
    from berx_gpu._tables import aligned, markdown

    form = inputs.one_form(as_json, as_markdown)
    given = {"--tp": tp, "--fp": fp, "--fn": fn}
    first = next((name for name, value in given.items() if value is not None), None)
    believed = PRIORS[prior]
    number("beta", beta, 1e-100, 1e100)
    if floor is not None:
        number("floor", floor, 0, 1)
    if counts is None:
        if output is not None:
            raise DataError("--output is of a table; give a file of counts")
        if tp is None or (fp is None and fn is None):
            raise DataError("give --tp and --fp or --fn, or both, or a file of counts")
        rows = _of_one(tp, fp, fn, beta, floor, level, believed)
    else:
        if first is not None:
            raise DataError(f"a file of counts and {first}: give one of them")
        if output is not None:
            files.check_output(output, [counts], reports=False)
        table = _of_table(counts, columns, beta, floor, level, believed)
        rows = table.to_pylist()
        if not rows:
            raise DataError(f"{counts} has no row; give a table with a row for each model")
        if output is not None:
            files.write_table(table, output)
    if form == "json":
        click.echo(json.dumps(rows, indent=2, ensure_ascii=False, default=str))
    elif form == "md":
        click.echo(markdown(_cells(rows)))
    elif not quiet:
        click.echo("\n".join(aligned(_cells(rows))))
    return 0


def _of_one(
    tp: float,
    fp: float | None,
    fn: float | None,
    beta: float,
    floor: float | None,
    level: float,
    prior: tuple[float, float],
) -> list[dict[str, Any]]:
    """Return a row for each metric that the counts allow."""
    from berx_gpu._tables import fbeta_name
    from berx_gpu.posterior_model import BayesianPRModel

    model = BayesianPRModel(prior_alpha=prior[0], prior_beta=prior[1]).update(tp, fp=fp, fn=fn)
    stats = {}
    if model.has_precision:
        stats["precision"] = (model.precision_stats(level), model.posterior_of("precision"))
    if model.has_recall:
        stats["recall"] = (model.recall_stats(level), model.posterior_of("recall"))
    if model.has_f1:
        stats[fbeta_name(beta)] = (model.f_stats(level, beta=beta), model.f_posterior(beta=beta))
    rows = []
    for name, (found, posterior) in stats.items():
        row: dict[str, Any] = {"metric": name, "mean": found.mean, "std": found.std}
        row |= {"low": found.ci_low, "high": found.ci_high}
        if floor is not None:
            row[f"P(> {floor:g})"] = posterior.above(floor)
        rows.append(row)
    return rows


def _of_table(
    counts: str,
    columns: str,
    beta: float,
    floor: float | None,
    level: float,
    prior: tuple[float, float],
) -> Any:
    from berx_gpu import files
    from berx_gpu.posterior import posteriors

    names = [name.strip() for name in columns.split(",")]
    if len(set(names)) != 3 or len(names) != 3 or "" in names:
        raise DataError(f"--columns {columns!r}: give TP,FP,FN, three names with commas between")
    table = files.read_table(counts, header=True, usual=set(names))
    return posteriors(
        _with_numbers(table, names),
        tp=names[0],
        fp=names[1],
        fn=names[2],
        ci=level,
        beta=beta,
        floor=floor,
        prior_alpha=prior[0],
        prior_beta=prior[1],
    )


def _with_numbers(table: Any, names: list[str]) -> Any:
    """Return a table whose counts are numbers where all of a column's texts are."""
    import pyarrow as pa

    from berx_gpu import files

    for i, field in enumerate(table.schema):
        if field.name not in names or not files.is_text(field.type):
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
