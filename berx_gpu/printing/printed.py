"""How a result shows itself: as text, as Markdown, as HTML in a notebook, and as JSON."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import Any

from berx_gpu.printing.tables import aligned, as_html, as_json, markdown

Table = Sequence[Sequence[str]]
"""Rows of cells, the first row the header."""


class Printed:
    """A result that prints.

    A class gives its tables, and may give lines above and below them; all forms show all of it. Its
    dataclass decorator says ``repr=False``. JSON holds the fields that are shown.
    """

    _left = 1
    """How many columns of a table are flush left."""

    def _tables(self) -> list[Table]:
        raise NotImplementedError

    def _above(self) -> list[str]:
        return []

    def _below(self) -> list[str]:
        return []

    def __str__(self) -> str:
        parts = ["\n".join(aligned(table, self._left)) for table in self._tables()]
        return "\n".join(["\n\n".join([*self._above(), *parts]), *self._below()])

    def __repr__(self) -> str:
        return str(self)

    def to_markdown(self) -> str:
        """Return the result as Markdown."""
        tables = map(markdown, self._tables())
        return "\n\n".join([*self._above(), *tables, *filter(None, self._below())])

    def _repr_html_(self) -> str:
        above, below = (
            "".join(f"<p>{html.escape(line)}</p>" for line in lines if line)
            for lines in (self._above(), self._below())
        )
        return above + "".join(map(as_html, self._tables())) + below

    def to_dict(self) -> dict[str, Any]:
        """Return the attributes as valid JSON: NaN is None, ±inf a string."""
        return dict(as_json(self))
