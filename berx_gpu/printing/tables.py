"""Results as text: numbers, aligned columns, Markdown and HTML tables, JSON values."""

from __future__ import annotations

import html
import math
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import fields, is_dataclass
from typing import Any


def as_json(value: Any) -> Any:
    """Return a value that `json.dumps` writes as valid JSON: NaN is None, ±inf a string."""
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: as_json(getattr(value, f.name)) for f in fields(value) if f.repr}
    if isinstance(value, dict):
        return {k: as_json(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [as_json(v) for v in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else str(value)
    return value


def fbeta_name(beta: float) -> str:
    """Return the name of the measure, such as F0.5."""
    return f"F{beta:g}"


def metric_name(metric: str, beta: float) -> str:
    """Return the name of a metric for readers, such as macro F0.5."""
    return metric.replace("fbeta", fbeta_name(beta)).replace("_", " ")


def share_text(value: float) -> str:
    """Return a share with four decimals, and with more where four would read as perfect."""
    digits = 4
    while value < 1 and digits < 16 and float(f"{value:.{digits}f}") == 1:
        digits += 1
    return "-" if math.isnan(value) else f"{value:.{digits}f}"


def percent(level: float) -> str:
    """Return a confidence level such as 95 %, with more digits where few would read as 100."""
    digits = 4
    while digits < 17 and float(f"{100 * level:.{digits}g}") >= 100:
        digits += 1
    return f"{100 * level:.{digits}g} %"


def ratio(value: float, whole: int) -> str:
    """Return a share as `score` does, or a dash where there is nothing to divide by."""
    return share_text(value) if whole else "-"


def aligned(rows: Sequence[Sequence[str]], left: int = 1) -> list[str]:
    """Return rows as lines of columns: the first `left` flush left, the others flush right."""
    rows = [list(map(one_line, row)) for row in rows]
    widths = [max(map(_width, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        gaps = [" " * (width - _width(cell)) for cell, width in zip(row, widths, strict=True)]
        cells = [
            cell + gap if i < left else gap + cell
            for i, (cell, gap) in enumerate(zip(row, gaps, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return lines


def one_line(text: str) -> str:
    """Return a text with a blank for every character that cannot be printed."""
    return "".join(c if c.isprintable() else " " for c in text)


def _width(text: str) -> int:
    """Return how many columns a terminal gives a text."""
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    return len(text) + wide - sum(unicodedata.combining(c) > 0 for c in text)


def markdown(rows: Sequence[Sequence[str]]) -> str:
    """Return rows as a Markdown table, the first row its header."""
    cells = [[c.replace("|", "\\|").replace("\n", " ") for c in row] for row in rows]
    rule = ["---", *["---:"] * (len(rows[0]) - 1)]
    return "\n".join(f"| {' | '.join(row)} |" for row in [cells[0], rule, *cells[1:]])


def as_html(rows: Sequence[Sequence[str]]) -> str:
    """Return rows as an HTML table, the first row its header; cells are escaped."""

    def line(cells: Iterable[str], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{html.escape(c)}</{tag}>" for c in cells) + "</tr>"

    body = "".join(line(row, "td") for row in rows[1:])
    return f"<table><thead>{line(rows[0], 'th')}</thead><tbody>{body}</tbody></table>"


def slice_name(row: dict[str, Any], keys: Sequence[str]) -> str:
    """Return the values of the keys of a slice as text, a question mark for a missing one."""
    return ", ".join(written(row[key]) or "?" for key in keys)


def written(value: Any) -> str:
    """Return a slice value as text, nothing for a missing one."""
    return "" if value is None or value != value else str(value)
