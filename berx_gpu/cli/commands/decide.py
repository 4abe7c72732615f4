"""`berx-gpu decide`."""

from __future__ import annotations

from typing import Any

import click

from berx_gpu.cli import options


@click.command()
@click.argument("candidates")
@click.argument("policy")
@click.argument("links")
@click.option("--entities", metavar="FILE", help="Only links of these; a line for each in lists.")
@click.option("--as-lists", is_flag=True, help="Write one entity a line: id, tab, its targets.")
@options.candidate_columns
@options.choice(
    "--unknown-entities", ("error", "drop"), "What to do with candidates of entities not listed."
)
@options.nulls_option
@options.device_option
@options.file_options
def decide(**given: Any) -> int:
    """Write to LINKS what the POLICY file makes of scored CANDIDATES; no truth is needed."""
    return options.work("decide", **given)
