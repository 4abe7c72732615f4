"""`berx-gpu judge`."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import click

from berx_gpu import _cli_inputs as inputs
from berx_gpu.errors import DataError


@click.command()
@click.argument("models", nargs=-1, required=True)
@click.option("--judgements", metavar="FILE", help="Columns shown, endorsed. Required.")
@click.option(
    "--expansion", metavar="FILE", help="Columns root, leaves (lists) or leaf (rows). Required."
)
@inputs.choice("--unjudged", ("false", "drop"), "What a pair of a model is that nobody judged.")
@inputs.choice("--on-empty", ("error", "nan"), "What to do with a model without a pair.")
@inputs.output_options
def judge(
    models: tuple[str, ...],
    judgements: str | None,
    expansion: str | None,
    unjudged: str,
    on_empty: str,
    as_json: bool,
    as_markdown: bool,
    quiet: bool,
) -> int:
    """Score the clusterings MODELS, files of root and leaf, against what people judged.

    Ids of text files are text, those of Parquet files what they are: give all files in one form.
    """
    from berx_gpu import files
    from berx_gpu._tables import aligned, markdown, score
    from berx_gpu.judgements import precision_recall

    form = inputs.one_form(as_json, as_markdown)
    if judgements is None or expansion is None:
        missing = "--judgements FILE" if judgements is None else "--expansion FILE"
        raise DataError(f"{missing} is missing")
    usual: set[str | None] = {"root", "leaf", "leaves", "shown", "endorsed"}

    def read(path: str) -> Any:
        return files.read_table(path, header=True, usual=usual)

    found = precision_recall(
        [read(path) for path in models],
        read(judgements),
        read(expansion),
        unjudged=unjudged,
        on_empty=on_empty,
    )
    names = [Path(path).name for path in models]
    cells = [["model", "precision", "recall"]]
    cells += [[name, score(p), score(r)] for name, (p, r) in zip(names, found, strict=True)]
    if form == "json":
        rows = [
            {"model": name, "precision": None if math.isnan(p) else p, "recall": r}
            for name, (p, r) in zip(names, found, strict=True)
        ]
        click.echo(json.dumps(rows, indent=2, ensure_ascii=False))
    elif form == "md":
        click.echo(markdown(cells))
    elif not quiet:
        click.echo("\n".join(aligned(cells)))
    return 0
