"""`berx-gpu check`."""

from __future__ import annotations

from typing import Any

import click

from berx_gpu.cli import options

FINDINGS = (
    "repeats",
    "nulls",
    "unknown-entities",
    "unknown-targets",
    "outside-candidates",
    "shared-targets",
    "empty-entities",
)


@click.command()
@click.argument("predictions")
@click.option("--entities", metavar="FILE", help="The entities that should be linked.")
@click.option("--candidates", metavar="FILE", help="What the predictions were chosen from.")
@click.option("--targets", metavar="FILE", help="All targets that exist.")
@click.option(
    "--forbid",
    multiple=True,
    type=click.Choice(FINDINGS),
    help="Exit 1 when there is any of these. Repeatable.",
)
@click.option(
    "--max-empty",
    type=float,
    metavar="SHARE",
    help="Exit 1 when a larger share of the entities has no link.",
)
@options.columns("pred", "ENTITY,TARGET", "Columns of the predictions.")
@options.columns("candidate", "ENTITY,TARGET", "Columns of the candidates.")
@options.file_options
@options.output_options
def check(**given: Any) -> int:
    """Look at PREDICTIONS without any truth: repeats, unknown ids, shared targets, silence."""
    return options.work("check", **given)
