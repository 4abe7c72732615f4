"""`berx-gpu check`."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from berx_gpu import _cli_inputs as inputs
from berx_gpu.errors import DataError, some

if TYPE_CHECKING:
    from berx_gpu.checking import Check

_NEEDS = {
    "unknown_entities": "--entities",
    "empty_entities": "--entities",
    "unknown_targets": "--targets",
    "outside_candidates": "--candidates",
}
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
@inputs.columns("--pred-columns", "ENTITY,TARGET", "Columns of the predictions.")
@inputs.columns("--candidate-columns", "ENTITY,TARGET", "Columns of the candidates.")
@inputs.file_options
@inputs.output_options
def check(
    predictions: str,
    entities: str | None,
    candidates: str | None,
    targets: str | None,
    forbid: tuple[str, ...],
    max_empty: float | None,
    pred_columns: str | None,
    candidate_columns: str | None,
    entity_column: str | None,
    no_header: bool,
    lists: tuple[str, ...],
    list_separator: str | None,
    ids: str,
    as_json: bool,
    as_markdown: bool,
    quiet: bool,
) -> int:
    """Look at PREDICTIONS without any truth: repeats, unknown ids, shared targets, silence."""
    from berx_gpu.checking import check as checked

    form = inputs.one_form(as_json, as_markdown)
    inputs.check_forms(lists, list_separator, candidates, candidate_columns)
    if max_empty is not None and not 0 <= max_empty <= 1:
        raise DataError(f"--max-empty {max_empty}: give a share between 0 and 1")
    names = {
        "pred": inputs.column_names(pred_columns, "--pred-columns", 3),
        "candidates": inputs.column_names(candidate_columns, "--candidate-columns", 3),
    }
    reader = inputs.Reader(names, entity_column, no_header, lists, list_separator)
    pool = None if candidates is None else reader.pairs("candidates", candidates)
    if pool is not None and set(names["candidates"][:2]) <= set(pool.column_names):
        pool = pool.select(names["candidates"][:2]).rename_columns(names["pred"][:2])
    with inputs.told_later() as told:
        found = checked(
            reader.pairs("pred", predictions),
            entities=None if entities is None else reader.entities(entities)[1],
            candidates=pool,
            targets=None if targets is None else reader.table(targets),
            entity=names["pred"][0],
            target=names["pred"][1],
            ids=ids,
        )
    failed = _failures(found, forbid, max_empty)
    for warning in told:
        click.echo(f"warning: {warning}", err=True)
    if form == "json":
        click.echo(json.dumps(found.to_dict(), indent=2, ensure_ascii=False))
    elif form == "md":
        click.echo(found.to_markdown())
    elif not quiet:
        click.echo(str(found))
    for line in failed:
        click.echo(f"forbidden: {line}", err=True)
    return inputs.GATE_FAILED if failed else 0


def _failures(found: Check, forbid: tuple[str, ...], max_empty: float | None) -> list[str]:
    """Return what was found that must not be, in words."""
    failed = []
    empty = ["empty-entities"] if max_empty is not None else []
    for option in (*forbid, *empty):
        name = option.replace("-", "_")
        if name not in found.findings:
            raise DataError(f"{option} cannot be told without {_NEEDS[name]} FILE to compare with")
    for option in forbid:
        name = option.replace("-", "_")
        if count := found.findings[name]:
            shown = some(found.examples.get(name, ()))
            failed.append(f"{count:,} {option}" + (f" ({shown})" if shown else ""))
    if max_empty is not None:
        share = found.findings["empty_entities"] / found.n_entities
        if share > max_empty:
            failed.append(f"{share:.4f} of the entities have no link, over {max_empty:g}")
    return failed
