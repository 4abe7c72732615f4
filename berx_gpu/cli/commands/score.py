"""`berx-gpu score`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import click

from berx_gpu.cli import options


@dataclass(frozen=True)
class Limits:
    """Which limits to work out, and how."""

    interval: bool
    level: float
    method: str
    seed: int | None


@dataclass(frozen=True)
class Written:
    """Which files to write, and what beside the ids of links."""

    output: str | None
    false_links: str | None
    missed_links: str | None
    records: str | None


@click.command()
@click.argument("predictions")
@click.argument("truth")
@options.scope_options
@click.option("--threshold", type=float, help="Keep pairs with at least this score.")
@click.option(
    "--candidates",
    metavar="FILE",
    help="What the predictions were chosen from: adds the oracle and the error budget.  [default "
    "with --threshold: all rows of the predictions]",
)
@options.by_option
@options.group(
    "limits",
    Limits,
    click.option(
        "--interval", is_flag=True, help="Limits of every metric, and of the slices of --by."
    ),
    options.level_option,
    options.choice(
        "--method",
        ("auto", "bounded", "normal", "bca", "percentile", "poisson"),
        "How limits of all entities are made; auto is bounded.",
    ),
    options.seed_option,
)
@options.columns("pred", options.SCORED, "Columns of the predictions; two columns need no names.")
@options.candidate_columns
@options.file_options
@click.option("--name", help="What to call the predictions.  [default: the file's name]")
@options.output_options
@options.group(
    "written",
    Written,
    click.option(
        "--output",
        metavar="FILE",
        help="Write the report (.txt, .json, .md) or the scores of every entity "
        "(.parquet, .csv, .tsv), by the file's ending.",
    ),
    click.option(
        "--false-links", metavar="FILE", help="Write the false links, the costliest first."
    ),
    click.option(
        "--missed-links", metavar="FILE", help="Write the missed links, the costliest first."
    ),
    click.option(
        "--records",
        metavar="FILE",
        help="What to write beside the ids of these links: ids in the first column.",
    ),
)
@click.option("--fail-under", type=float, metavar="F", help="Exit 1 when macro F is below this.")
def score(**given: Any) -> int:
    """Score PREDICTIONS against TRUTH, two files of (entity, target) pairs.

    Files are Parquet, CSV with commas or TSV, in UTF-8 (also .csv.gz, .tsv.zst, ...), or lists
    (--lists). Ids of text files are text. Messages count rows from 0. The mean runs over all of
    --entities: those without a true target or a prediction count too.
    """
    return options.work("score", **given)
