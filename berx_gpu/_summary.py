"""An evaluation as a report: text, Markdown and HTML."""

from __future__ import annotations

from typing import TYPE_CHECKING

from berx_gpu._tables import aligned, as_html, fbeta_name, markdown, ratio, score
from berx_gpu.errors import counted

if TYPE_CHECKING:
    from berx_gpu.candidate_results import ErrorBudget
    from berx_gpu.interval_results import Interval
    from berx_gpu.results import Evaluation


def as_text(ev: Evaluation, budget: ErrorBudget | None = None, sure: Interval | None = None) -> str:
    """Return the report of an evaluation, with what the candidates allow where that is known.

    `sure` is the interval of macro F, the bounded one by default.
    """
    lines = [_title(ev), *_summary_lines(ev, budget, sure), "", *aligned(_loss_cells(ev))]
    return "\n".join(lines if budget is None else [*lines, "", str(budget)])


def in_markdown(
    ev: Evaluation, budget: ErrorBudget | None = None, sure: Interval | None = None
) -> str:
    """Return the same report as Markdown."""
    parts = [markdown(_summary_cells(ev, budget, sure)), markdown(_loss_cells(ev))]
    return "\n\n".join(parts if budget is None else [*parts, budget.to_markdown()])


def in_html(ev: Evaluation) -> str:
    """Return the same report as HTML tables."""
    return as_html(_summary_cells(ev)) + as_html(_loss_cells(ev))


def _title(ev: Evaluation) -> str:
    return ev.name if ev.threshold is None else f"{ev.name} ≥ {ev.threshold:.12g}"


def _limits(ev: Evaluation, sure: Interval | None) -> str:
    """Return the limits of macro F in words; one entity has none."""
    if ev.n_entities < 2:
        return ""
    return f"{(ev.interval() if sure is None else sure).limits()} · "


def _summary(
    ev: Evaluation, budget: ErrorBudget | None, sure: Interval | None
) -> list[tuple[str, str, str]]:
    """Return the lines of the report: label, number, text."""
    best = "" if budget is None else f" · oracle {score(budget.oracle)}"
    absent = "" if budget is None else f" ({budget.absent:,} not candidates)"
    f = fbeta_name(ev.beta)
    imperfect = sum(n for outcome, n, _ in _outcomes(ev) if outcome != "perfect")
    others = (
        ""
        if ev.n_singletons == ev.n_entities
        else (f" · others {score(ev.macro_fbeta_non_singleton)}")
    )
    return [
        (
            f"macro {f}",
            score(ev.macro_fbeta),
            _limits(ev, sure) + counted(imperfect, "imperfect entity", "imperfect entities"),
        ),
        ("", "", f"predicting nothing {score(ev.empty_baseline)}{best}"),
        (
            "entities",
            f"{ev.n_entities:,}",
            f"{counted(ev.n_singletons, 'singleton', 'singletons')} "
            f"({ev.singletons_linked:,} linked){others}",
        ),
        (
            "links",
            f"{ev.n_pred:,}",
            f"{ev.tp:,} true · {ev.n_pred - ev.tp:,} false · {ev.n_true - ev.tp:,} missed{absent}",
        ),
        (
            "pooled",
            "",
            f"P {ratio(ev.precision, ev.n_pred)}  R {ratio(ev.recall, ev.n_true)}  "
            f"{f} {ratio(ev.pooled_fbeta, ev.n_pred + ev.n_true)}",
        ),
    ]


def _summary_lines(ev: Evaluation, budget: ErrorBudget | None, sure: Interval | None) -> list[str]:
    rows = _summary(ev, budget, sure)
    label, number = (max(len(row[i]) for row in rows) for i in (0, 1))
    return [f"{a:{label}}  " + (f"{b:{number}}  {text}" if b else text) for a, b, text in rows]


def _summary_cells(
    ev: Evaluation, budget: ErrorBudget | None = None, sure: Interval | None = None
) -> list[list[str]]:
    rows = [["", _title(ev)]]
    for label, number, text in _summary(ev, budget, sure):
        rows.append([label, f"{number} · {text}" if number else text])
    return rows


def _outcomes(ev: Evaluation) -> list[tuple[str, int, float]]:
    from berx_gpu import breakdown

    return breakdown.outcomes(ev)


def _loss_cells(ev: Evaluation) -> list[list[str]]:
    rows = [[f"loss {score(1 - ev.macro_fbeta)}", "entities", "loss"]]
    for outcome, n, loss in _outcomes(ev):
        if n and outcome != "perfect":
            rows.append([outcome, f"{n:,}", score(loss)])
    return rows
