"""One column of any library: as an Arrow array, some of its rows, and back into a frame."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from berx_gpu.errors import DataError
from berx_gpu.inputs.device import is_device
from berx_gpu.inputs.objects import from_objects, inexact, is_missing, refused

Column = tuple[Hashable, Any]
"""A caller's column name, and a pandas or cuDF Series or an Arrow array."""
ARROW = (pa.Array, pa.ChunkedArray)


def same_name(a: Any, b: Any) -> bool:
    """Say whether two column labels are the same; labels may be anything, even NA."""
    return a is b or (type(a) is type(b) and bool(a == b))


def build_frame(columns: Sequence[Column], library: str) -> Any:
    """Return named columns as a frame of the caller's library; a name twice is an error."""
    names = [name for name, _ in columns]
    for a, b in itertools.combinations(names, 2):
        if same_name(a, b):
            raise DataError(
                f"the result would have two columns called {a!r}; rename the column in the frames "
                "you pass"
            )
    if library == "cudf":
        return sys.modules["cudf"].DataFrame(dict(columns))
    columns = [(name, on_host(values)) for name, values in columns]
    if library == "pandas":
        return pd.DataFrame({n: to_series(v).reset_index(drop=True) for n, v in columns})
    table = pa.table({str(name): to_arrow(values, str(name)) for name, values in columns})
    return table if library == "pyarrow" else sys.modules["polars"].from_arrow(table)


def on_host(values: Any) -> Any:
    """Return a column of the device as one of the host; others as they are."""
    if is_device(values):
        return values.to_pandas()
    return values.get() if hasattr(values, "__cuda_array_interface__") else values


def to_rows(frame: Any) -> list[dict[str, Any]]:
    """Return a result frame of any library as Python rows."""
    if hasattr(frame, "to_pylist"):
        return list(frame.to_pylist())
    if hasattr(frame, "to_dicts"):
        return list(frame.to_dicts())
    host = frame.to_pandas() if hasattr(frame, "to_pandas") else frame
    return list(host.to_dict("records"))


def to_arrow(values: Any, name: str) -> Any:
    """Return a column of any library as an Arrow array."""
    if is_device(values):
        return values.to_arrow()
    if not isinstance(values, pd.Series):
        return values if isinstance(values, ARROW) else pa.array(values)
    try:
        return host_array(values, f"column {name!r}", "exact")[0]
    except DataError:  # no ids, but slice values of several types: any Arrow type, or their text
        try:
            return pa.array(values, from_pandas=True)
        except (pa.ArrowException, TypeError, ValueError):
            return pa.array([None if is_missing(v) else str(v) for v in values], pa.large_string())


def to_list(values: Any, name: str) -> list[Any]:
    """Return a column as Python values; what Python cannot hold, such as far dates, as text."""
    array = to_arrow(values, name)
    try:
        return list(array.to_pylist())
    except (ValueError, OverflowError, pa.ArrowException):
        return list(array.cast(pa.string()).to_pylist())


def to_series(values: Any) -> pd.Series[Any]:
    """Return a host column as a pandas Series; integers and bools stay so beside missing ones."""
    if not isinstance(values, ARROW):
        return pd.Series(values)
    array, _ = host_array(values, "", "exact")
    t, kind = pa.types, array.type
    if isinstance(kind, pa.ExtensionType) or t.is_nested(kind):
        return pd.Series(array.to_pylist(), dtype=object)
    keeps_type = array.null_count and (t.is_integer(kind) or t.is_boolean(kind))
    try:
        series: pd.Series[Any] = array.to_pandas(types_mapper=pd.ArrowDtype if keeps_type else None)
    except (ValueError, OverflowError, pa.ArrowException):  # days and instants far away
        series = pd.Series(array, dtype=pd.ArrowDtype(kind))
    return series


def joined(first: Any, second: Any) -> Any:
    """Return the rows of two columns of one library, one after the other."""
    if isinstance(first, ARROW) and isinstance(second, ARROW) and first.type == second.type:
        chunks = [getattr(side, "chunks", [side]) for side in (first, second)]
        return pa.chunked_array([*chunks[0], *chunks[1]], first.type)
    if hasattr(first, "to_pandas") and hasattr(first, "dtype"):  # cuDF
        return sys.modules["cudf"].concat([first, second], ignore_index=True)
    sides = [to_series(first), to_series(second)]
    if sides[0].dtype != sides[1].dtype:  # pandas would make floats of two kinds of integers
        sides = [side.astype(object) for side in sides]
    return pd.concat(sides, ignore_index=True)


def take(values: Any, codes: Any) -> Any:
    """Return some rows of a column, by position."""
    if isinstance(values, ARROW):
        for view, kind in _VIEWS.items():  # Arrow cannot take rows of these
            values = values.cast(kind) if values.type == view else values
        return values.take(pa.array(codes))
    return values.iloc[codes].reset_index(drop=True)


_VIEWS = {pa.string_view(): pa.large_string(), pa.binary_view(): pa.large_binary()}


def host_array(values: Any, where: str, ids: str) -> tuple[Any, str]:
    """Return a host column as one Arrow array, and the caller's name of its type.

    Parameters
    ----------
    values : pandas.Series, pyarrow.Array or pyarrow.ChunkedArray
    where : str
        How messages call the column.
    ids : {"exact", "text"}
        Whether Python objects of several types become their written text or are refused.
    """
    if not isinstance(values, pd.Series):
        return _one_array(values), str(values.type)
    kind = values.dtype
    if isinstance(kind, pd.CategoricalDtype):
        names, dtype = host_array(pd.Series(values.cat.categories), where, ids)
        codes = values.cat.codes.to_numpy()
        return names.take(pa.array(codes, mask=codes < 0)), f"category of {dtype}"
    if kind == object:  # noqa: E721 - a dtype, not a type
        return from_objects(list(values), where, ids)
    plain = values
    if isinstance(kind, pd.SparseDtype):
        plain = pd.Series(np.asarray(values))
    elif isinstance(kind, np.dtype) and not kind.isnative:
        plain = values.astype(kind.newbyteorder("="))
    try:
        return _one_array(pa.array(plain, from_pandas=True)), str(kind)
    except UnicodeEncodeError as error:
        raise inexact(where, str(kind), error) from error
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise refused(where, str(kind)) from error


def _one_array(array: Any) -> Any:
    """Return an Arrow column in one chunk, dictionaries and views made plain."""
    if isinstance(array, pa.ChunkedArray):
        chunks = [_one_array(chunk) for chunk in array.chunks if len(chunk)]
        if len(chunks) == 1:
            return chunks[0]
        return pa.concat_arrays(chunks) if chunks else pa.nulls(0)
    kind = array.type
    if pa.types.is_run_end_encoded(kind):
        return _one_array(pc.run_end_decode(array))
    if pa.types.is_dictionary(kind):
        return take(_one_array(array.dictionary), array.indices)
    if pa.types.is_float16(kind):  # few of Arrow's functions know it, and float32 holds it exactly
        return pa.array(array.to_numpy(zero_copy_only=False).astype(np.float32), from_pandas=True)
    if pa.types.is_string(kind):  # the 32-bit offsets of joined chunks could overflow
        return array.cast(pa.large_string())
    return array.cast(_VIEWS[kind]) if kind in _VIEWS else array
