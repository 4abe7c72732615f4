"""`progress`: who is told how far a long call has come."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Watcher = Callable[[str, int, int], object]
_watcher: ContextVar[Watcher | None] = ContextVar("watcher", default=None)


@contextmanager
def progress(watcher: Watcher) -> Iterator[None]:
    """Have every call inside a ``with`` block tell how far it has come.

    Parameters
    ----------
    watcher : callable
        Called as ``watcher(step, done, total)`` in the thread of the call, after each part of a
        step: `done` of `total` parts are ready. What it raises ends the call.

    Notes
    -----
    It holds for calls of this thread or task. Small inputs, and frames on a GPU, have no steps
    that take long enough to tell of.

    Examples
    --------
    >>> from berx_gpu import evaluate, progress
    >>> told = []
    >>> with progress(lambda *step: told.append(step)):
    ...     ev = evaluate([("a", "x")], [("a", "x"), ("a", "y")], entities=["a"])
    >>> all(done <= total for step, done, total in told)
    True
    """
    token = _watcher.set(watcher)
    try:
        yield
    finally:
        _watcher.reset(token)


def tell(step: str, done: int, total: int) -> None:
    """Tell the watcher, if there is one."""
    watcher = _watcher.get()
    if watcher is not None:
        watcher(step, done, total)
