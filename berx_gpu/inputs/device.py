"""What lies on a device, told by types alone: no library is imported for it."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np


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
