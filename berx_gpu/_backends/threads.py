"""Kernels in threads: a pool for one call, so that nothing lives on to break a forked child."""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any


def available() -> int:
    """Return how many CPUs this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run(kernel: Callable[..., Any], calls: Sequence[tuple[Any, ...]], n_threads: int) -> list[Any]:
    """Return what a kernel that lets go of the GIL returns for each tuple of arguments, in order.

    Ctrl-C acts between two calls.
    """
    if n_threads == 1 or len(calls) < 2:
        return [kernel(*call) for call in calls]
    with ThreadPoolExecutor(min(n_threads, len(calls))) as pool:
        futures = [pool.submit(kernel, *call) for call in calls]
        try:
            return [future.result() for future in futures]
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def spans(n: int, parts: int) -> list[tuple[int, int]]:
    """Return `parts` ranges of nearly one size that cover n rows."""
    return [(n * i // parts, n * (i + 1) // parts) for i in range(parts)]
