"""cuDF, CuPy and kernels compiled for the device; the only importer of these libraries."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache, partial
from importlib import import_module, metadata
from typing import Any

import numpy as np
import pyarrow as pa

from berx_gpu.backends import draws, plan
from berx_gpu.backends.backend import Backend
from berx_gpu.backends.frames.libraries import Libraries
from berx_gpu.backends.frames.paths import paths
from berx_gpu.encoding import key_parts, keys, look_alikes, scores
from berx_gpu.errors import DataError, MissingDependencyError

_THREADS = 256
_WARP = 32
_MANY = 1 << 17
"""Items from which blocks of many threads fill a card."""
_INSTALL = 'install them with: pip install "berx-gpu[cuda13]" (or [cuda12], as your driver asks)'


@cache
def backend() -> Backend:
    """Return the backend of cuDF inputs.

    Raises
    ------
    MissingDependencyError
        When CuPy or numba-cuda is not installed, or no CUDA device answers.
    """
    cudf, cupy = libraries()
    return on(
        cudf,
        cupy,
        free=partial(_free, cupy),
        fbeta=partial(_fbeta, cupy),
        resample=partial(_resample, cupy),
        special=import_module("cupyx.scipy.special"),
    )


def libraries() -> tuple[Any, Any]:
    """Return cuDF and CuPy, after a look at whether a device answers."""
    try:
        metadata.version("numba-cuda")
        import cudf
        import cupy
    except (metadata.PackageNotFoundError, ImportError) as error:
        missing = f"the GPU needs cuDF, CuPy and numba-cuda ({error}); {_INSTALL}"
        raise MissingDependencyError(missing) from error
    try:
        cupy.cuda.runtime.getDeviceCount()
    except cupy.cuda.runtime.CUDARuntimeError as error:
        raise MissingDependencyError(
            f"no CUDA device answers: {error}; `nvidia-smi` says whether the driver sees one"
        ) from error
    return cudf, cupy


def card() -> str:
    """Return the name, the memory and the driver of the current device."""
    _, cupy = libraries()
    runtime = cupy.cuda.runtime
    device = runtime.getDevice()
    free, whole = runtime.memGetInfo()
    name = runtime.getDeviceProperties(device)["name"].decode()
    driver = runtime.driverGetVersion()
    return f"{name}, {free / 1e9:.1f} of {whole / 1e9:.1f} GB free, CUDA driver {driver}"


def _free(cupy: Any) -> int:
    """Return the bytes of the current device that nothing uses, those of CuPy's pool included."""
    pool = cupy.get_default_memory_pool()
    return int(cupy.cuda.runtime.memGetInfo()[0]) + int(pool.free_bytes())


def on(
    cudf: Any, cupy: Any, free: Callable[[], int], fbeta: Any, resample: Any, special: Any
) -> Backend:
    """Return the backend on a cuDF and a CuPy, its free memory, and what launches the kernels."""
    take, to_host = partial(_take, cudf, cupy), partial(_to_host, cudf, cupy)
    here = partial(_here, cudf, cupy)
    libs = Libraries(cudf, cupy, take, to_host, here, partial(_hashed, here), free)
    return Backend(
        name="cuda",
        frames=cudf,
        xp=cupy,
        encode=partial(_encode_column, libs),
        take=take,
        here=here,
        **paths(libs, fbeta),
        scores=partial(_score_column, cudf, cupy),
        look_alikes=partial(_look_alikes, here),
        fbeta=fbeta,
        resample=resample,
        special=special,
        to_host=to_host,
    )


def _encode_column(libs: Libraries, values: Any, where: str, ids: str) -> keys.Key:
    """Return the key of a column on the device: numbers and text of a cuDF Series stay there.

    A host column is read as on the CPU, and so are the rare other kinds, so that their rules stand
    once; then it moves, or stays until its parts are asked for when it would fill the device.
    """
    cudf = libs.frames
    if len(values) > plan.MAX_ROWS:
        raise DataError(
            f"{where} has {len(values):,} rows, more than the {plan.MAX_ROWS:,} of a column on the "
            'GPU; score it in parts, by entity, or with device="cpu"'
        )
    if not isinstance(values, cudf.Series):
        return _moved(libs, keys.encode(values, where, ids))
    if str(values.dtype) == "category":
        values = values.astype(values.cat.categories.dtype)
    dtype = str(values.dtype)
    missing = values.isna().values
    missing = missing if missing.any() else None
    if len(values) and not values.isna().all():
        if dtype in ("object", "str"):
            return keys.Key("text", (values,), missing, dtype, where)
        if ids == "exact" and dtype in _FITTING:
            numbers = values.fillna(0).astype("int64").values
            return keys.Key("integer", (numbers,), missing, dtype, where)
    return replace(_moved(libs, keys.encode(values.to_arrow(), where, ids)), dtype=dtype)


def _moved(libs: Libraries, key: keys.Key) -> keys.Key:
    parts = key.parts
    if all(plan.has_room(len(part), plan.id_bytes([part]), libs.free()) for part in parts):
        parts = tuple(map(libs.here, parts))
    missing = None if key.missing is None else libs.xp.asarray(key.missing)
    return replace(key, parts=parts, missing=missing)


def _here(cudf: Any, cupy: Any, part: Any) -> Any:
    if isinstance(part, (cudf.Series, cupy.ndarray)):
        return part
    return cupy.asarray(part) if hasattr(part, "strides") else cudf.Series(pa.array(part))


_FITTING = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32")


def _score_column(cudf: Any, cupy: Any, values: Any, where: str, present: Any = None) -> Any:
    if not isinstance(values, cudf.Series):
        held = None if present is None else _to_host(cudf, cupy, present)
        return cupy.asarray(scores.column(values, where, held))
    scores.check_score_type(values.head(0).to_arrow().type, str(values.dtype), where)
    nulls = values.isna().values
    if str(values.dtype).startswith("float"):
        nulls = nulls | cupy.isnan(values.fillna(0).values)
    scores.check_scores_present(nulls if present is None else nulls & present, where)
    return values.fillna(0).values


def _look_alikes(here: Callable[[Any], Any], pred: Any, truth: Any) -> int:
    """Count as the host does, which is asked only when an id could change at all."""
    pred, truth = here(pred), here(truth)
    if not (_odd(pred) or _odd(truth)):
        return 0
    return look_alikes.count_look_alikes(
        *(key_parts.text_part(ids.unique().to_arrow()) for ids in (pred, truth))
    )


def _odd(ids: Any) -> bool:
    beyond_ascii = ids.str.byte_count() != ids.str.len()
    return bool(((ids.str.strip() != ids) | beyond_ascii).any())


def _take(cudf: Any, cupy: Any, part: Any, kept: Any) -> Any:
    if not isinstance(part, (cudf.Series, cupy.ndarray)):
        return part[_to_host(cudf, cupy, kept)]
    kept = kept if isinstance(kept, slice) else cupy.asarray(kept)
    if isinstance(part, cupy.ndarray):
        return part[kept]
    return part.iloc[kept].reset_index(drop=True)


def _fbeta(cupy: Any, tp: Any, n_pred: Any, n_true: Any, beta: float) -> Any:
    from numba import cuda

    from berx_gpu.kernels import fbeta_cuda

    out = cupy.empty(len(tp))
    _launch(cupy, cuda, fbeta_cuda.fbeta, len(tp), (tp, n_pred, n_true, beta, out))
    return out


def _resample(
    cupy: Any, how: str, count: Any, num: Any, den: Any, n_resamples: int, seed: int
) -> Any:
    from numba import cuda

    from berx_gpu.kernels import resample_cuda

    out = cupy.empty((n_resamples, 2), cupy.int64)
    arrays = (*draws.TABLES[how](count), num, den)
    given = [cupy.asarray(x) if isinstance(x, np.ndarray) else x for x in arrays]
    given += [*draws.key_words(seed), 0, out]
    _launch(cupy, cuda, resample_cuda.resample, n_resamples, tuple(given))
    return out.get()


def _launch(cupy: Any, cuda: Any, kernel: Any, n: int, arguments: tuple[Any, ...]) -> None:
    """Run a kernel over n items on CuPy's stream; few items go to as many blocks as there are."""
    threads = _THREADS if n > _MANY else _WARP
    blocks = min(-(-n // threads), 1 << 16)
    stream = cuda.external_stream(cupy.cuda.get_current_stream().ptr)
    kernel[blocks, threads, stream](*arguments)


def _hashed(here: Callable[[Any], Any], part: Any) -> Any:
    if hasattr(part, "strides"):
        return here(part).astype("uint64")
    return here(part).hash_values(method="xxhash64").values


def _to_host(cudf: Any, cupy: Any, values: Any) -> Any:
    if isinstance(values, cudf.Series):
        return values.to_pandas()
    return values.get() if isinstance(values, cupy.ndarray) else values
