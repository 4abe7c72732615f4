"""`berx-gpu candidates`."""

from __future__ import annotations

import json
from typing import Any

import click

from berx_gpu import _cli_inputs as inputs


@click.command()
@click.argument("candidates")
@click.argument("truth")
@inputs.truth_options
@click.option("-k", type=int, multiple=True, help="Also the k best of each entity. Repeatable.")
@click.option("--channel", metavar="COLUMN", help="Where a candidate came from: a line for each.")
@click.option("--n-targets", type=int, help="How many targets there are, for the reduction ratio.")
@inputs.columns("--candidate-columns", "ENTITY,TARGET[,SCORE]", "Columns of the candidates.")
@inputs.file_options
@inputs.output_options
def candidates(
    candidates: str,
    truth: str,
    entities: str | None,
    where: tuple[str, ...],
    only: str | None,
    beta: float,
    truth_columns: str | None,
    undirected: bool,
    nulls: str,
    unknown_entities: str,
    device: str,
    k: tuple[int, ...],
    channel: str | None,
    n_targets: int | None,
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
    """Say how much of TRUTH the CANDIDATES hold, and the best score that they allow."""
    from berx_gpu import _report, files
    from berx_gpu._tables import fbeta_name, score
    from berx_gpu.candidates import candidate_recall, oracle

    entities = inputs.required(entities)
    inputs.check_forms(lists, list_separator, candidates, candidate_columns)
    form = inputs.one_form(as_json, as_markdown)
    names = {
        "truth": inputs.column_names(truth_columns, "--truth-columns", 2),
        "candidates": inputs.column_names(candidate_columns, "--candidate-columns", 3),
    }
    score_column = names["candidates"][2] if len(names["candidates"]) == 3 else "score"
    reader = inputs.Reader(names, entity_column, no_header, lists, list_separator)
    listed, entity_list = reader.entities(entities)
    true, pool = reader.pairs("truth", truth), reader.pairs("candidates", candidates)
    if k:
        pool = files.with_scores(pool, score_column, candidates, "--candidate-columns")
    with inputs.told_later() as told:
        read_files = {
            "truth": (truth, true),
            "candidates": (candidates, pool),
            "entities": (entities, listed),
        }
        encoded = reader.truth(
            read_files, entity_list, undirected=undirected, nulls=nulls, ids=ids, device=device
        )
        part = None
        if where or only is not None:
            part, unknown_entities = inputs.chosen(encoded, where, only), "drop"
        common: dict[str, Any] = {
            "entities": part,
            "entity": names["candidates"][0],
            "target": names["candidates"][1],
            "unknown_entities": unknown_entities,
            "nulls": nulls,
        }
        found = candidate_recall(
            pool,
            encoded,
            k=list(k) or None,
            channel=channel,
            n_targets=n_targets,
            score=score_column,
            **common,
        )
        best = oracle(pool, encoded, beta=beta, **common)
    for warning in told:
        click.echo(f"warning: {warning}", err=True)
    if not quiet:
        for note in _report.left_out(found.dropped, "candidate"):
            click.echo(f"note: {note}", err=True)
    line = f"oracle {fbeta_name(beta)} {score(best.macro_fbeta)}"
    if form == "json":
        told_json = {**found.to_dict(), "beta": beta, "oracle": best.macro_fbeta}
        click.echo(json.dumps(told_json, indent=2, ensure_ascii=False))
    elif form == "md":
        click.echo(f"{found.to_markdown()}\n\n{line}")
    elif not quiet:
        click.echo(f"{found}\n{line}")
    return 0
