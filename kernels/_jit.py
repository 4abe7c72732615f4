"""How a kernel is compiled and where its machine code is kept.

Numba stamps a cached function with the time and size of the one file that holds it. A loop that
calls a row function of another file would go on serving the old formula after an edit there. So
every cache entry here is stamped with a hash of all kernel sources instead: one edit anywhere in
this folder makes every kernel compile again.
"""

import hashlib
import logging
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numba
from numba.core import caching

_log = logging.getLogger("berx_gpu")


def source_stamp() -> str:
    """Return a hash of every kernel source beside this file and of Numba's version."""
    digest = hashlib.sha256(numba.__version__.encode())
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


_STAMP = source_stamp()


class _KernelCache(caching.FunctionCache):  # type: ignore[misc]  # its base is untyped
    """Numba's on-disk cache under the stamp of all kernels; a write that fails is not an error."""

    def __init__(self, py_func: Callable[..., Any]) -> None:
        super().__init__(py_func)
        self._cache_file = caching.IndexDataCacheFile(
            cache_path=self._cache_path,
            filename_base=self._impl.filename_base,
            source_stamp=_STAMP,
        )

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except OSError:
            _say_once()


@cache
def _say_once() -> None:
    _log.info(
        "no folder for compiled kernels can be written, so each process compiles them anew; "
        "set NUMBA_CACHE_DIR to keep them"
    )


def jit(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile `function` on its first call, without the GIL and with NumPy's division.

    The machine code is cached beside the sources or, where that folder cannot be written, in the
    user's cache folder (Numba's own rule, `NUMBA_CACHE_DIR` included). With neither, the kernel is
    compiled anew in each process and the logger `berx_gpu` says so once.
    """
    dispatcher = numba.njit(nogil=True, error_model="numpy")(function)
    try:
        dispatcher._cache = _KernelCache(function)
    except (RuntimeError, OSError):
        _say_once()
    return dispatcher  # type: ignore[no-any-return]
