"""THE dispatch point: which libraries a call runs on, decided once by the types of its inputs."""

from __future__ import annotations

from berx_gpu.backends import cuda
from berx_gpu.backends.backend import Backend
from berx_gpu.backends.cpu import backend as cpu
from berx_gpu.errors import DataError, one_of
from berx_gpu.inputs.device import is_device
from berx_gpu.runtime import threads


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
        return cuda.backend()
    return cpu.backend(threads.available() if n_threads is None else n_threads)
