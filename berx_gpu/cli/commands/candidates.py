"""`berx-gpu candidates`."""

from __future__ import annotations

from typing import Any

import click

from berx_gpu.cli import options


@click.command()
@click.argument("candidates")
@click.argument("truth")
@options.scope_options
@click.option("-k", type=int, multiple=True, help="Also the k best of each entity. Repeatable.")
@click.option("--channel", metavar="COLUMN", help="Where a candidate came from: a line for each.")
@click.option("--n-targets", type=int, help="How many targets there are, for the reduction ratio.")
@options.candidate_columns
@options.file_options
@options.output_options
def candidates(**given: Any) -> int:
    """Say how much of TRUTH the CANDIDATES hold, and the best score that they allow."""
    return options.work("candidates", **given)
