"""`berx-gpu compare`."""

from __future__ import annotations

from typing import Any

import click

from berx_gpu.cli import options


@click.command()
@click.argument("predictions", nargs=-1, required=True, metavar="A B ...")
@click.argument("truth")
@options.scope_options
@click.option(
    "--threshold",
    type=float,
    multiple=True,
    help="Keep pairs with at least this score: once for all systems, or once for each, in order.",
)
@click.option("--name", multiple=True, help="What to call a system: once for each, in order.")
@click.option("--baseline", metavar="NAME", help="Compare all others with this system only.")
@options.choice(
    "--metric",
    ("macro_fbeta", "macro_fbeta_non_singleton", "macro_precision", "macro_recall"),
    "What to compare.",
)
@options.level_option
@options.seed_option
@options.by_option
@options.columns(
    "pred", options.SCORED, "Columns of the predictions of all systems; two columns need no names."
)
@options.file_options
@options.output_options
@click.option("--plot", metavar="FILE", help="Draw the differences (.png, .svg, .pdf).")
@click.option("--fail-if-worse", is_flag=True, help="Exit 1 when B is worse than A.")
def compare(**given: Any) -> int:
    """Compare systems A and B, or more, on the same entities of one TRUTH.

    The limits of the difference hold over entities like these; the verdict is theirs. Three or
    more systems are compared in pairs, with limits for all pairs at once.
    """
    return options.work("compare", **given)
