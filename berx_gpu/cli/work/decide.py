"""What `berx-gpu decide` does."""

from __future__ import annotations

import click

from berx_gpu.cli.options import FileForm
from berx_gpu.cli.reading import Reader, told_later
from berx_gpu.cli.report import left_out, tell
from berx_gpu.deciding.decide import decided
from berx_gpu.deciding.policy import Policy
from berx_gpu.errors import counted
from berx_gpu.files import pairs, tables, whole
from berx_gpu.links.how import Reading


def run(
    candidates: str,
    policy: str,
    links: str,
    entities: str | None,
    as_lists: bool,
    candidate_columns: str | None,
    unknown_entities: str,
    nulls: str,
    device: str,
    form: FileForm,
) -> int:
    """Write the links that a policy makes of a file of candidates."""
    reader = Reader.of(form, candidates=candidate_columns)
    keys, score = reader.keys("candidates"), reader.score("candidates")
    if not as_lists:
        tables.check_output(links, [], "LINKS", reports=False)
    whole.check_apart(links, [candidates, policy, entities], "LINKS")
    pool = reader.pairs("candidates", candidates, scored=True)
    listed = None if entities is None else reader.entities(entities)[1]
    how = Reading(
        **keys,
        score=score,
        unknown_entities=unknown_entities,
        nulls=nulls,
        ids=form.ids,
        device=device,
    )
    with told_later() as told:
        made, dropped = decided(pool, Policy.load(policy), listed, how)
    tell("warning", told)
    if as_lists:
        pairs.write_pairs(
            made.drop_columns([score]),
            links,
            "lists",
            entities=listed,
            **keys,
            separator=form.list_separator,
        )
    else:
        tables.write_table(made, links)
    tell("note", left_out(dropped, "candidate", part=True))
    click.echo(f"{counted(len(made), 'link', 'links')} written to {links}", err=True)
    return 0
