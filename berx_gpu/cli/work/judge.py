"""What `berx-gpu judge` does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from berx_gpu.cli.options import Output
from berx_gpu.cli.report import show
from berx_gpu.errors import DataError
from berx_gpu.files.tables import read_table
from berx_gpu.judgements.scoring import precision_recall
from berx_gpu.printing.tables import as_json, share_text

_USUAL = {"root", "leaf", "leaves", "shown", "endorsed"}


def run(
    models: tuple[str, ...],
    judgements: str | None,
    expansion: str | None,
    unjudged: str,
    on_empty: str,
    out: Output,
) -> int:
    """Score files of clusterings against judgements."""
    _ = out.form  # both forms at once are refused before anything is read
    if judgements is None or expansion is None:
        missing = "--judgements FILE" if judgements is None else "--expansion FILE"
        raise DataError(f"{missing} is missing")
    found = precision_recall(
        [_read(path) for path in models],
        _read(judgements),
        _read(expansion),
        unjudged=unjudged,
        on_empty=on_empty,
    )
    rows: list[dict[str, Any]] = [
        {"model": Path(path).name, "precision": p, "recall": r}
        for path, (p, r) in zip(models, found, strict=True)
    ]
    cells = [[row["model"], *(share_text(row[name]) for name in _SHOWN)] for row in rows]
    show(out, lambda: as_json(rows), [["model", *_SHOWN], *cells])
    return 0


_SHOWN = ("precision", "recall")


def _read(path: str) -> Any:
    return read_table(path, header=True, usual=_USUAL)
