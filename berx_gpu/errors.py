"""What can go wrong, as types a caller can catch."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Sequence

_LONGEST = 80


class DataError(ValueError):
    """The data or an option cannot be scored as it is; the message names the cure."""


class MissingDependencyError(ImportError):
    """An optional package is not installed; the message holds the install line."""


class DataWarning(UserWarning):
    """The data can be scored, but probably not the way its owner thinks."""


def warn(message: str) -> None:
    """Warn of suspicious data, at the first line of code outside the package."""
    level, frame = 1, sys._getframe()
    while frame.f_back and frame.f_globals.get("__name__", "").startswith("berx_gpu"):
        level, frame = level + 1, frame.f_back
    warnings.warn(message, DataWarning, stacklevel=level)


def counted(count: int, one: str, many: str) -> str:
    """Return a count in words: ``1 entity``, ``2,000 entities``."""
    return f"{count:,} {one if count == 1 else many}"


def rows(count: int) -> str:
    """Return a count of rows in words."""
    return counted(count, "row", "rows")


def some(values: Iterable[object], limit: int = 3) -> str:
    """Return the first few values as a reader would write them, and ``...`` when more follow."""
    shown: list[str] = []
    for value in values:
        if len(shown) == limit:
            return ", ".join(shown) + ", ..."
        text = repr(value)
        shown.append(text if len(text) <= _LONGEST else f"{text[:_LONGEST]}...")
    return ", ".join(shown)


def one_of(name: str, value: object, allowed: Sequence[str]) -> None:
    """Raise unless an option holds one of its allowed values."""
    if not isinstance(value, str) or value not in allowed:
        raise DataError(f"{name}={value!r} is not an option; use one of {some(allowed, 9)}")
