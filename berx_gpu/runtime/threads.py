"""Kernels in threads: a pool for one call, so that nothing lives on to break a forked child."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from berx_gpu.runtime.progress import tell


def available() -> int:
    """Return how many CPUs this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run(kernel: Callable[..., Any], calls: Sequence[tuple[Any, ...]], n_threads: int) -> list[Any]:
    """Return what a kernel that lets go of the GIL returns for each tuple of arguments, in order.

    Ctrl-C acts, and progress is told, between two calls.
    """
    step = kernel.__name__.replace("_", " ")
    if n_threads == 1 or len(calls) < 2:
        return list(_told(step, len(calls), (kernel(*call) for call in calls)))
    with ThreadPoolExecutor(min(n_threads, len(calls))) as pool:
        futures = [pool.submit(kernel, *call) for call in calls]
        try:
            return list(_told(step, len(calls), (future.result() for future in futures)))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _told(step: str, total: int, results: Iterator[Any]) -> Iterator[Any]:
    for done, result in enumerate(results, 1):
        tell(step, done, total)
        yield result


def spans(n: int, parts: int) -> list[tuple[int, int]]:
    """Return `parts` ranges of nearly one size that cover n rows."""
    return [(n * i // parts, n * (i + 1) // parts) for i in range(parts)]
