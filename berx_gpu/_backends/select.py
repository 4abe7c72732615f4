"""THE dispatch point: which libraries a call runs on, decided once by the types of its inputs."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from berx_gpu.errors import DataError, one_of


@dataclass(frozen=True)
class Backend:
    """The libraries and functions that one call uses; everything after the door receives it.

    Attributes
    ----------
    name : str
        For messages only: nothing branches on it.
    frames, xp : module
        pandas and NumPy, or cuDF and CuPy.
    encode : callable
        (column, where, ids) -> `_encode.Key`.
    take : callable
        (key part, mask or row numbers) -> the part's rows.
    here : callable
        Key part -> the part where the libraries work; a large one may have stayed on the host.
    repeats, index, lookup, prepare, match, label : callable
        Matching over encoded keys; see `_backends.frames`.
    group : callable
        (tp, n_pred, n_true) -> the distinct triples as three arrays, and how often each occurs.
    ranks, owned, near_best : callable
        The rules of policies; see `_backends.rules`.
    curve : callable
        Links by falling score -> the state after every distinct score; see `_backends.frames`.
    scores : callable
        (column, where, present rows) -> float or integer array.
    look_alikes : callable
        (ids, true ids) -> how many match only after stripping blanks or NFC.
    fbeta : callable
        (tp, n_pred, n_true, beta) -> float64 array of F per entity.
    resample : callable
        (how, count, num, den, n_resamples, seed) -> both sums of every replicate, an int64 NumPy
        array of shape (n_resamples, 2); `how` is a key of `_backends.draws.TABLES`.
    special : module
        SciPy's special functions, or CuPy's.
    to_host : callable
        Array or Series -> NumPy array or pandas Series.
    """

    name: str
    frames: Any
    xp: Any
    encode: Callable[..., Any]
    take: Callable[..., Any]
    here: Callable[..., Any]
    repeats: Callable[..., Any]
    index: Callable[..., Any]
    lookup: Callable[..., Any]
    prepare: Callable[..., Any]
    match: Callable[..., Any]
    label: Callable[..., Any]
    group: Callable[..., Any]
    ranks: Callable[..., Any]
    owned: Callable[..., Any]
    near_best: Callable[..., Any]
    curve: Callable[..., Any]
    scores: Callable[..., Any]
    look_alikes: Callable[..., Any]
    fbeta: Callable[..., Any]
    resample: Callable[..., Any]
    special: Any
    to_host: Callable[..., Any]


def is_device(obj: object) -> bool:
    """Say whether an object is a cuDF frame, Series or Index, or one that cudf.pandas wraps."""
    cudf = sys.modules.get("cudf")
    if cudf is None:
        return False
    return _is_proxy(obj) or isinstance(obj, (cudf.DataFrame, cudf.Series, cudf.Index))


def unwrapped(obj: Any) -> Any:
    """Return the cuDF object within one of cudf.pandas; others as they are."""
    return obj.as_gpu_object() if _is_proxy(obj) else obj


def _is_proxy(obj: object) -> bool:
    """Look at the type, because a frame may have a column of any name."""
    return hasattr(type(obj), "as_gpu_object") and not isinstance(obj, np.ndarray)


def select(*inputs: object, n_threads: int | None = None, device: str | None = None) -> Backend:
    """Return the backend of a call: that of a device, or of cuDF when its inputs are cuDF objects.

    `n_threads` is for the CPU; None means the CPUs that this process may use.

    Raises
    ------
    DataError
        When host and device frames meet in one call.
    """
    if n_threads is not None and (type(n_threads) is not int or n_threads < 1):
        raise DataError(f"n_threads={n_threads!r}: give a whole number from 1, or None")
    if device is not None:
        one_of("device", device, ("cpu", "cuda"))
    sides = {is_device(obj) for obj in inputs if obj is not None}
    if device is None and sides == {True, False}:
        raise DataError(
            "one argument is on the GPU (cuDF) and another is not; move one of them, for example "
            'with cudf.from_pandas(frame) or frame.to_pandas(), or say device="cuda"'
        )
    if device == "cpu" and True in sides:
        raise DataError(
            'device="cpu", but an argument is on the GPU (cuDF); move it with frame.to_pandas()'
        )
    if device == "cuda" or (device is None and sides == {True}):
        from berx_gpu._backends import cuda

        return cuda.backend()
    from berx_gpu._backends import cpu, threads

    return cpu.backend(threads.available() if n_threads is None else n_threads)
