"""An evaluation as a report: text, and tables for Markdown and HTML."""

from __future__ import annotations

from typing import NamedTuple

from berx_gpu.errors import counted
from berx_gpu.evaluation.interval import Interval, interval
from berx_gpu.evaluation.losses import outcomes
from berx_gpu.evaluation.scores import Scores
from berx_gpu.printing.printed import Table
from berx_gpu.printing.tables import aligned, fbeta_name, ratio, share_text


class Ceiling(NamedTuple):
    """What the candidates allow: macro F of the best choice, and missed pairs that are none."""

    oracle: float
    absent: int


def as_text(ev: Scores, ceiling: Ceiling | None = None, sure: Interval | None = None) -> str:
    """Return the report of an evaluation, with what the candidates allow where that is known.

    `sure` is the interval of macro F, the bounded one by default.
    """
    lines = [_title(ev), *_summary_lines(ev, ceiling, sure), "", *aligned(_loss_cells(ev))]
    return "\n".join(lines)


def tables(ev: Scores, ceiling: Ceiling | None = None, sure: Interval | None = None) -> list[Table]:
    """Return the same report as tables: the summary, and the losses."""
    return [_summary_cells(ev, ceiling, sure), _loss_cells(ev)]


def _title(ev: Scores) -> str:
    return ev.name if ev.threshold is None else f"{ev.name} ≥ {ev.threshold:.12g}"


def _limits(ev: Scores, sure: Interval | None) -> str:
    """Return the limits of macro F in words; one entity has none."""
    if ev.n_entities < 2:
        return ""
    return f"{(interval(ev) if sure is None else sure).limits()} · "


def _summary(
    ev: Scores, ceiling: Ceiling | None, sure: Interval | None
) -> list[tuple[str, str, str]]:
    """Return the lines of the report: label, number, text."""
    best = "" if ceiling is None else f" · oracle {share_text(ceiling.oracle)}"
    absent = "" if ceiling is None else f" ({ceiling.absent:,} not candidates)"
    f = fbeta_name(ev.beta)
    imperfect = sum(n for outcome, n, _ in outcomes(ev) if outcome != "perfect")
    others = (
        ""
        if ev.n_singletons == ev.n_entities
        else (f" · others {share_text(ev.macro_fbeta_non_singleton)}")
    )
    return [
        (
            f"macro {f}",
            share_text(ev.macro_fbeta),
            _limits(ev, sure) + counted(imperfect, "imperfect entity", "imperfect entities"),
        ),
        ("", "", f"predicting nothing {share_text(ev.empty_baseline)}{best}"),
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


def _summary_lines(ev: Scores, ceiling: Ceiling | None, sure: Interval | None) -> list[str]:
    rows = _summary(ev, ceiling, sure)
    label, number = (max(len(row[i]) for row in rows) for i in (0, 1))
    return [f"{a:{label}}  " + (f"{b:{number}}  {text}" if b else text) for a, b, text in rows]


def _summary_cells(ev: Scores, ceiling: Ceiling | None, sure: Interval | None) -> list[list[str]]:
    rows = [["", _title(ev)]]
    for label, number, text in _summary(ev, ceiling, sure):
        rows.append([label, f"{number} · {text}" if number else text])
    return rows


def _loss_cells(ev: Scores) -> list[list[str]]:
    rows = [[f"loss {share_text(1 - ev.macro_fbeta)}", "entities", "loss"]]
    for outcome, n, loss in outcomes(ev):
        if n and outcome != "perfect":
            rows.append([outcome, f"{n:,}", share_text(loss)])
    return rows
