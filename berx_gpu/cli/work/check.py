"""What `berx-gpu check` does."""

from __future__ import annotations

from berx_gpu.cli.options import FileForm, Output
from berx_gpu.cli.reading import Reader, check_forms, told_later
from berx_gpu.cli.report import GATE_FAILED, show, tell
from berx_gpu.deciding.check import check
from berx_gpu.deciding.check_result import Check
from berx_gpu.errors import DataError, some

_NEEDS = {
    "unknown_entities": "--entities",
    "empty_entities": "--entities",
    "unknown_targets": "--targets",
    "outside_candidates": "--candidates",
}


def run(
    predictions: str,
    entities: str | None,
    candidates: str | None,
    targets: str | None,
    forbid: tuple[str, ...],
    max_empty: float | None,
    pred_columns: str | None,
    candidate_columns: str | None,
    form: FileForm,
    out: Output,
) -> int:
    """Look at a file of predictions, and fail when there is what must not be."""
    _ = out.form  # both forms at once are refused before anything is read
    check_forms(form, candidates, candidate_columns)
    if max_empty is not None and not 0 <= max_empty <= 1:
        raise DataError(f"--max-empty {max_empty}: give a share between 0 and 1")
    reader = Reader.of(form, pred=pred_columns, candidates=candidate_columns)
    keys, own = reader.keys("pred"), list(reader.keys("candidates").values())
    pool = None if candidates is None else reader.pairs("candidates", candidates)
    if pool is not None and set(own) <= set(pool.column_names):
        pool = pool.select(own).rename_columns(list(keys.values()))
    with told_later() as told:
        found = check(
            reader.pairs("pred", predictions),
            entities=None if entities is None else reader.entities(entities)[1],
            candidates=pool,
            targets=None if targets is None else reader.table(targets),
            **keys,
            ids=form.ids,
        )
    failed = _failures(found, forbid, max_empty)
    tell("warning", told)
    show(out, found.to_dict, found)
    tell("forbidden", failed)
    return GATE_FAILED if failed else 0


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
