"""`berx-gpu sweep`."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import click

from berx_gpu.cli import options


@dataclass(frozen=True)
class Grid:
    """The values of the rules before the threshold."""

    one_entity_per_target: bool
    owner_margin: tuple[float, ...]
    top_k: tuple[int, ...]
    ratio: tuple[float, ...]
    best_margin: tuple[float, ...]
    min_best: tuple[float, ...]

    @property
    def values(self) -> dict[str, Any]:
        """The values of each rule, None where there is none."""
        listed = {name: value or None for name, value in asdict(self).items()}
        return listed | {"one_entity_per_target": self.one_entity_per_target}


@dataclass(frozen=True)
class Written:
    """Which files to write."""

    output: str | None
    plot: str | None
    save: str | None


def _several(name: str, kind: type, text: str) -> options.Decorator:
    return click.option(name, type=kind, multiple=True, help=f"{text} Repeatable: makes a grid.")


@click.command()
@click.argument("candidates")
@click.argument("truth")
@options.scope_options
@options.group(
    "rules",
    Grid,
    click.option(
        "--one-entity-per-target", is_flag=True, help="A target stays with its best entity only."
    ),
    _several("--owner-margin", float, "And only by this margin to the next entity."),
    _several("--top-k", int, "At most so many targets per entity."),
    _several("--ratio", float, "Scores of at least this share of the entity's best."),
    _several("--best-margin", float, "Scores of at least the entity's best less this."),
    _several("--min-best", float, "No link for entities whose best score is below this."),
)
@click.option("--grid", metavar="A,B,...", help="Only these thresholds.  [default: every score]")
@options.by_option
@click.option(
    "--folds",
    type=int,
    metavar="N",
    help="Folds to score thresholds on that were chosen elsewhere; 0 for none.  [default: 5]",
)
@options.level_option
@click.option("--bands", "show_bands", is_flag=True, help="What each band of scores is worth.")
@options.candidate_columns
@options.file_options
@options.output_options
@options.group(
    "written",
    Written,
    click.option("--output", metavar="FILE", help="Write the best curve (.parquet, .csv, .tsv)."),
    click.option("--plot", metavar="FILE", help="Draw the sweep (.png, .svg, .pdf)."),
    click.option(
        "--save", metavar="FILE.json", help="Write the best policy, for `berx-gpu decide`."
    ),
)
def sweep(**given: Any) -> int:
    """Score every threshold of CANDIDATES against TRUTH, under one policy or many."""
    return options.work("sweep", **given)
