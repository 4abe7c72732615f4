"""What the kernels run with on this machine."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from berx_gpu.backends.frames.libraries import Libraries
from berx_gpu.runtime import threads

_TASKS_PER_THREAD = 8
_TASK_ROWS = 1 << 20
_ALL_BITS = np.uint64(0xFFFFFFFFFFFFFFFF)


@dataclass(frozen=True)
class Machine:
    """The libraries of the frame code for everything else, threads, and bits of hashes.

    Up to `small_rows` rows are left to the frame code.
    """

    libs: Libraries
    n_threads: int
    small_rows: int = 1 << 16
    hash_mask: Any = _ALL_BITS

    def run(self, kernel: Any, calls: list[tuple[Any, ...]]) -> list[Any]:
        """Return what a kernel returns for each tuple of arguments, in order."""
        return threads.run(kernel, calls, self.n_threads)

    def row_spans(self, n: int) -> list[tuple[int, int]]:
        """Return ranges of rows: few for few rows, as many as `shares` for many."""
        tasks = min(max(n // _TASK_ROWS, 1), _TASKS_PER_THREAD)
        return threads.spans(n, self.n_threads * tasks)

    def shares(self, bounds: Any) -> list[Any]:
        """Return the pieces as shares of work, enough of them to keep every thread busy."""
        n_pieces = len(bounds) - 1
        n = min(n_pieces, self.n_threads * _TASKS_PER_THREAD)
        return np.array_split(np.arange(n_pieces), n)
