"""What `berx-gpu candidates` does."""

from __future__ import annotations

from berx_gpu.candidates.oracle import oracle
from berx_gpu.candidates.recall import candidate_recall
from berx_gpu.cli.options import FileForm, Output, Scope
from berx_gpu.cli.reading import Reader, check_forms, told_later
from berx_gpu.cli.report import left_out, show, tell
from berx_gpu.printing.tables import fbeta_name, share_text


def run(
    candidates: str,
    truth: str,
    scope: Scope,
    k: tuple[int, ...],
    channel: str | None,
    n_targets: int | None,
    candidate_columns: str | None,
    form: FileForm,
    out: Output,
) -> int:
    """Say what a file of candidates holds of the truth."""
    check_forms(form, candidates, candidate_columns)
    shown_as = out.form
    reader = Reader.of(form, truth=scope.truth_columns, candidates=candidate_columns)
    with told_later() as told:
        opened = reader.open(scope, truth, "candidates", candidates, scored=bool(k))
        how = reader.options("candidates", scope, opened.part)
        found = candidate_recall(
            opened.pairs,
            opened.truth,
            k=list(k) or None,
            channel=channel,
            n_targets=n_targets,
            score=reader.score("candidates"),
            **how,
        )
        best = oracle(opened.pairs, opened.truth, beta=scope.beta, **how).macro_fbeta
    tell("warning", told)
    if not out.quiet:
        tell("note", left_out(found.dropped, "candidate"))
    line = f"oracle {fbeta_name(scope.beta)} {share_text(best)}"
    parts = [found, line] if shown_as == "md" else [f"{found}\n{line}"]
    show(out, lambda: {**found.to_dict(), "beta": scope.beta, "oracle": best}, *parts)
    return 0
