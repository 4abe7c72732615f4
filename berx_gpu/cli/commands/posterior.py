"""`berx-gpu posterior`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import click

from berx_gpu.cli import options


@dataclass(frozen=True)
class Counts:
    """The counts of one model."""

    tp: float | None
    fp: float | None
    fn: float | None


@dataclass(frozen=True)
class Belief:
    """What to ask of a posterior, and what is believed before the counts."""

    beta: float
    floor: float | None
    level: float
    prior: str


@click.command()
@click.argument("counts", required=False)
@options.group(
    "model",
    Counts,
    click.option("--tp", type=float, help="True links."),
    click.option("--fp", type=float, help="False links."),
    click.option("--fn", type=float, help="Missed links."),
)
@click.option(
    "--columns",
    metavar="TP,FP,FN",
    default="tp,fp,fn",
    show_default=True,
    help="Names of the counts in the table.",
)
@options.group(
    "belief",
    Belief,
    click.option("--beta", type=float, default=1.0, show_default=True, help="β of F (not β²)."),
    click.option("--floor", type=float, help="Also say how likely each metric is above this."),
    options.level_option,
    options.choice(
        "--prior", ("uniform", "jeffreys", "haldane"), "What is believed before the counts."
    ),
)
@options.output_options
@click.option("--output", metavar="FILE", help="Write the table (.parquet, .csv, .tsv).")
def posterior(**given: Any) -> int:
    """Say how sure precision, recall and F are, from --tp, --fp and --fn or a table COUNTS.

    Pairs count as independent trials; F takes into account that precision and recall share their
    true links. COUNTS is Parquet, CSV or TSV with a row for each model, slice or class.
    """
    return options.work("posterior", **given)
