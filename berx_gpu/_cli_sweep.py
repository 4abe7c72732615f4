"""`berx-gpu sweep` and `berx-gpu decide`."""

from __future__ import annotations

import json
from typing import Any

import click

from berx_gpu import _cli_inputs as inputs
from berx_gpu.errors import DataError, counted

_AROUND = 3
"""How many thresholds to show on either side of the best one."""
_ENOUGH = 1000
"""Entities from which five folds of ten each are sure."""


def _several(name: str, kind: Any, text: str) -> Any:
    return click.option(name, type=kind, multiple=True, help=f"{text} Repeatable: makes a grid.")


policy_options = inputs.stacked(
    click.option(
        "--one-entity-per-target", is_flag=True, help="A target stays with its best entity only."
    ),
    _several("--owner-margin", float, "And only by this margin to the next entity."),
    _several("--top-k", int, "At most so many targets per entity."),
    _several("--ratio", float, "Scores of at least this share of the entity's best."),
    _several("--best-margin", float, "Scores of at least the entity's best less this."),
    _several("--min-best", float, "No link for entities whose best score is below this."),
)


@click.command()
@click.argument("candidates")
@click.argument("truth")
@inputs.truth_options
@policy_options
@click.option("--grid", metavar="A,B,...", help="Only these thresholds.  [default: every score]")
@inputs.by_option
@click.option(
    "--folds",
    type=int,
    metavar="N",
    help="Folds to score thresholds on that were chosen elsewhere; 0 for none.  [default: 5]",
)
@inputs.level_option
@click.option("--bands", "show_bands", is_flag=True, help="What each band of scores is worth.")
@inputs.columns("--candidate-columns", "ENTITY,TARGET[,SCORE]", "Columns of the candidates.")
@inputs.file_options
@inputs.output_options
@click.option("--output", metavar="FILE", help="Write the best curve (.parquet, .csv, .tsv).")
@click.option("--plot", metavar="FILE", help="Draw the sweep (.png, .svg, .pdf).")
@click.option("--save", metavar="FILE.json", help="Write the best policy, for `berx-gpu decide`.")
def sweep(
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
    one_entity_per_target: bool,
    owner_margin: tuple[float, ...],
    top_k: tuple[int, ...],
    ratio: tuple[float, ...],
    best_margin: tuple[float, ...],
    min_best: tuple[float, ...],
    grid: str | None,
    by: tuple[str, ...],
    folds: int | None,
    level: float,
    show_bands: bool,
    candidate_columns: str | None,
    entity_column: str | None,
    no_header: bool,
    lists: tuple[str, ...],
    list_separator: str | None,
    ids: str,
    as_json: bool,
    as_markdown: bool,
    quiet: bool,
    output: str | None,
    plot: str | None,
    save: str | None,
) -> int:
    """Score every threshold of CANDIDATES against TRUTH, under one policy or many."""
    from berx_gpu import _report, files
    from berx_gpu._tables import aligned, markdown
    from berx_gpu.candidates import oracle
    from berx_gpu.sweeping import sweep as swept

    entities = inputs.required(entities)
    inputs.check_forms(lists, list_separator, candidates, candidate_columns)
    form = inputs.one_form(as_json, as_markdown)
    made = {"--output": output, "--plot": plot, "--save": save}
    for option, path in made.items():
        others = [other for name, other in made.items() if name != option]
        if path is not None:
            files.check_apart(path, [candidates, truth, entities, only, *others], option)
    if output is not None:
        files.check_output(output, [], reports=False)
    inputs.check_plot(plot, [])
    names = {
        "truth": inputs.column_names(truth_columns, "--truth-columns", 2),
        "candidates": inputs.column_names(candidate_columns, "--candidate-columns", 3),
    }
    column = names["candidates"][2] if len(names["candidates"]) == 3 else "score"
    reader = inputs.Reader(names, entity_column, no_header, lists, list_separator)
    listed, entity_list = reader.entities(entities)
    true, pool = reader.pairs("truth", truth), reader.pairs("candidates", candidates)
    pool = files.with_scores(pool, column, candidates, "--candidate-columns")
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
            inputs.check_listed(pool, encoded, names["candidates"], column, unknown_entities, nulls)
            part, unknown_entities = inputs.chosen(encoded, where, only), "drop"
        sw = swept(
            pool,
            encoded,
            entities=part,
            score=column,
            thresholds=None if grid is None else _numbers(grid),
            beta=beta,
            one_entity_per_target=one_entity_per_target,
            owner_margin=list(owner_margin) or None,
            top_k=list(top_k) or None,
            ratio=list(ratio) or None,
            best_margin=list(best_margin) or None,
            min_best=list(min_best) or None,
            entity=names["candidates"][0],
            target=names["candidates"][1],
            unknown_entities=unknown_entities,
            nulls=nulls,
        )
        top = (
            None
            if plot is None
            else oracle(
                pool,
                encoded,
                entities=part,
                beta=beta,
                entity=names["candidates"][0],
                target=names["candidates"][1],
                unknown_entities=unknown_entities,
                nulls=nulls,
            ).macro_fbeta
        )
        slices = {column: sw.by(inputs.slice_key(column)) for column in by}
        elsewhere = _cross_fitted(sw, folds, level)
    for warning in told:
        click.echo(f"warning: {warning}", err=True)
    if save is not None:
        sw.best.policy.save(save)
    if plot is not None:
        inputs.draw(plot, lambda: sw.plot(oracle=top))
    if output is not None:
        files.write_table(sw.curve, output)
    if form == "json":
        out = sw.to_dict()
        out["cross_fitted"] = None if elsewhere is None else elsewhere.to_dict()
        if show_bands:
            out["bands"] = _report.records(sw.bands())
        if slices:
            out["slices"] = {name: _report.records(frame) for name, frame in slices.items()}
        click.echo(json.dumps(out, indent=2, ensure_ascii=False))
    elif form == "md":
        click.echo(sw.to_markdown())
        click.echo(f"\n{_line(elsewhere)}")
        if show_bands:
            click.echo(f"\n{sw.band_table(form=markdown)}")
        for frame in slices.values():
            click.echo(f"\n{markdown(_report.gain_cells(frame, beta))}")
    elif not quiet:
        click.echo(str(sw))
        click.echo(f"\n{_line(elsewhere)}")
        click.echo(f"\n{sw.around(_AROUND)}")
        if show_bands:
            click.echo(f"\n{sw.band_table()}")
        for frame in slices.values():
            click.echo("\n" + "\n".join(aligned(_report.gain_cells(frame, beta))))
    if not quiet:
        for note in _report.left_out(sw.dropped, "candidate", part=part is not None):
            click.echo(f"note: {note}", err=True)
    return 0


def _cross_fitted(sw: Any, folds: int | None, level: float) -> Any:
    """Return the cross-fitted score; None where it is not wanted, or the entities are too few."""
    from berx_gpu.resampling import confidence

    confidence(level)
    if folds == 0:
        return None
    try:
        return sw.cross_fitted(5 if folds is None else folds, confidence_level=level)
    except DataError:
        if folds is None and sw.n_entities < _ENOUGH:
            return None
        raise


def _line(elsewhere: Any) -> str:
    if elsewhere is not None:
        return str(elsewhere.line())
    return "not cross-fitted: --folds 0, or too few entities for five folds of ten each"


def _numbers(grid: str) -> list[float]:
    try:
        return [float(part) for part in grid.split(",")]
    except ValueError as error:
        raise DataError(f"--grid {grid!r}: give numbers with a comma between") from error


@click.command()
@click.argument("candidates")
@click.argument("policy")
@click.argument("links")
@click.option("--entities", metavar="FILE", help="Only links of these; a line for each in lists.")
@click.option("--as-lists", is_flag=True, help="Write one entity a line: id, tab, its targets.")
@inputs.columns("--candidate-columns", "ENTITY,TARGET[,SCORE]", "Columns of the candidates.")
@inputs.choice(
    "--unknown-entities", ("error", "drop"), "What to do with candidates of entities not listed."
)
@inputs.choice("--nulls", ("error", "drop"), "What to do with rows that miss an id.")
@inputs.device_option
@inputs.file_options
def decide(
    candidates: str,
    policy: str,
    links: str,
    entities: str | None,
    as_lists: bool,
    candidate_columns: str | None,
    unknown_entities: str,
    nulls: str,
    device: str,
    entity_column: str | None,
    no_header: bool,
    lists: tuple[str, ...],
    list_separator: str | None,
    ids: str,
) -> int:
    """Write to LINKS what the POLICY file makes of scored CANDIDATES; no truth is needed."""
    from berx_gpu import _report, files, pair_files
    from berx_gpu.policy import Policy, decided

    names = {"candidates": inputs.column_names(candidate_columns, "--candidate-columns", 3)}
    column = names["candidates"][2] if len(names["candidates"]) == 3 else "score"
    reader = inputs.Reader(names, entity_column, no_header, lists, list_separator)
    if not as_lists:
        files.check_output(links, [], "LINKS", reports=False)
    files.check_apart(links, [candidates, policy, entities], "LINKS")
    pool = reader.pairs("candidates", candidates)
    pool = files.with_scores(pool, column, candidates, "--candidate-columns")
    listed = None if entities is None else reader.entities(entities)[1]
    with inputs.told_later() as told:
        made, dropped = decided(
            pool,
            Policy.load(policy),
            listed,
            entity=names["candidates"][0],
            target=names["candidates"][1],
            score=column,
            unknown_entities=unknown_entities,
            nulls=nulls,
            ids=ids,
            device=device,
        )
    for warning in told:
        click.echo(f"warning: {warning}", err=True)
    if as_lists:
        pair_files.write_pairs(
            made.drop_columns([column]),
            links,
            "lists",
            entities=listed,
            entity=names["candidates"][0],
            target=names["candidates"][1],
            separator=list_separator,
        )
    else:
        files.write_table(made, links)
    for note in _report.left_out(dropped, "candidate", part=True):
        click.echo(f"note: {note}", err=True)
    click.echo(f"{counted(len(made), 'link', 'links')} written to {links}", err=True)
    return 0
