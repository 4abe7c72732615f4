"""`show_versions`: what a report of a fault needs."""

from __future__ import annotations

import platform
import sys
from importlib import metadata

from berx_gpu.backends import cuda
from berx_gpu.errors import MissingDependencyError
from berx_gpu.runtime import threads

_PACKAGES = (
    "berx-gpu", "numpy", "pandas", "pyarrow", "scipy", "numba", "click", "polars", "duckdb",
    "matplotlib", "numba-cuda", "cudf-cu13", "cudf-cu12", "cupy-cuda13x", "cupy-cuda12x",
)  # fmt: skip


def show_versions() -> None:
    """Print the versions of Python, of the packages that berx-gpu uses, and of the GPU.

    Examples
    --------
    >>> from berx_gpu import show_versions
    >>> show_versions()  # doctest: +ELLIPSIS
    python        3...
    """
    for name, value in versions().items():
        print(f"{name:<13} {value}")


def versions() -> dict[str, str]:
    """Return what `show_versions` prints: packages that are not installed are left out."""
    found = {"python": platform.python_version(), "system": f"{sys.platform} {platform.machine()}"}
    found["CPUs"] = str(threads.available())
    for package in _PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    found["GPU"] = _card()
    return found


def _card() -> str:
    """Return the name, memory and driver of the current device, or why there is none."""
    try:
        return cuda.card()
    except MissingDependencyError as error:
        return f"none: {error}"
