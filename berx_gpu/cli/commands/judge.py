"""`berx-gpu judge`."""

from __future__ import annotations

from typing import Any

import click

from berx_gpu.cli import options


@click.command()
@click.argument("models", nargs=-1, required=True)
@click.option("--judgements", metavar="FILE", help="Columns shown, endorsed. Required.")
@click.option(
    "--expansion", metavar="FILE", help="Columns root, leaves (lists) or leaf (rows). Required."
)
@options.choice("--unjudged", ("false", "drop"), "What a pair of a model is that nobody judged.")
@options.choice("--on-empty", ("error", "nan"), "What to do with a model without a pair.")
@options.output_options
def judge(**given: Any) -> int:
    """Score the clusterings MODELS, files of root and leaf, against what people judged.

    Ids of text files are text, those of Parquet files what they are: give all files in one form.
    """
    return options.work("judge", **given)
