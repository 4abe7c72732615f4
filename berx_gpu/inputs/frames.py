"""A frame of any library -> its named columns."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from pathlib import PurePath
from typing import Any

import pandas as pd
import pyarrow as pa

from berx_gpu.errors import DataError, some
from berx_gpu.inputs.columns import ARROW, Column, same_name
from berx_gpu.inputs.device import is_device, unwrapped


def frame_columns(obj: Any, what: str) -> tuple[str, list[Column]] | None:
    """Return the library and the columns of a frame, or None when `obj` is no frame."""
    obj = unwrapped(obj)
    if isinstance(obj, pd.DataFrame):
        labels = obj.columns.to_list()
        return "pandas", [(name, obj.iloc[:, i]) for i, name in enumerate(labels)]
    if is_device(obj) and hasattr(obj, "columns"):
        return "cudf", [(name, obj[name].reset_index(drop=True)) for name in obj.columns]
    if isinstance(obj, (str, bytes, PurePath)):
        raise DataError(
            f"{what} is the text or path {str(obj)!r}, not a frame; read the file first"
        )
    if hasattr(obj, "collect_schema") and hasattr(obj, "collect"):
        raise DataError(f"{what} is a lazy frame; call .collect() first")
    if isinstance(obj, (pd.Series, pd.Index)) or arrow_list(obj) is not None:
        if what == "entities":
            return None
        raise DataError(
            f"{what} is one column ({type(obj).__name__}); give a frame of two, such as "
            "series.reset_index()"
        )
    if _is_polars(obj):
        return "polars", [(name, _from_polars(obj.get_column(name))) for name in obj.columns]
    if isinstance(obj, pa.RecordBatch) or hasattr(obj, "__arrow_c_stream__"):
        batch = pa.Table.from_batches([obj]) if isinstance(obj, pa.RecordBatch) else obj
        # Importing a table that is one already would trip over chunks without rows.
        table = batch if isinstance(batch, pa.Table) else pa.table(batch)
        return "pyarrow", list(zip(table.column_names, table.columns, strict=True))
    return None


def _is_polars(obj: Any) -> bool:
    return type(obj).__module__.split(".")[0] == "polars"


def _from_polars(series: Any) -> Any:
    """Return a polars Series as Arrow, or as Python objects where Arrow has no such type."""
    if str(series.dtype) in ("Object", "Int128", "UInt128"):
        return pd.Series(series.to_list(), dtype=object)
    return pa.chunked_array(series)


def arrow_list(obj: Any) -> Any:
    """Return an Arrow array when `obj` is one column of Arrow data, such as a polars Series."""
    if isinstance(obj, ARROW):
        return obj
    if type(obj).__name__ != "Series":
        return None
    if _is_polars(obj):
        return _from_polars(obj)
    return pa.chunked_array(obj) if hasattr(obj, "__arrow_c_stream__") else None


def is_device_list(obj: Any) -> bool:
    """Say whether an object is one column on the device."""
    return is_device(obj) and not hasattr(obj, "columns")


def holds(columns: Sequence[Column], names: Sequence[Hashable]) -> bool:
    """Say whether there is a column of each name."""
    return all(any(same_name(held, name) for held, _ in columns) for name in names)


def pick_all(
    columns: Sequence[Column], names: Sequence[Hashable], what: str, option: str, obj: Any
) -> list[Column]:
    """Return the one column of each name; a name that is not there, or twice, is an error."""
    picked = []
    for name in names:
        found = [c for c in columns if same_name(c[0], name)]
        if len(found) > 1:
            raise DataError(f"{what} has {len(found)} columns called {name!r}; rename all but one")
        if not found and isinstance(obj, pd.DataFrame) and name in obj.index.names:
            raise DataError(f"{what} has {name!r} as its index; pass frame.reset_index()")
        if not found:
            labels = ", ".join(repr(c[0]) for c in columns) or "none"
            raise DataError(
                f"{what} has no column {name!r}; its columns are {labels}. Name the right one with "
                f'{option}="..."{_FLAGS.get(what, "")}'
            )
        picked += found
    return picked


_FLAGS = {
    what: f" ({flag} on the command line)"
    for what, flag in (
        ("predictions", "--pred-columns"),
        ("candidates", "--candidate-columns"),
        ("truth", "--truth-columns"),
        ("entities", "--entity-column"),
        ("counts", "--columns"),
    )
}


def read_frame(obj: Any, what: str) -> tuple[str, list[Column]]:
    """Return the library of a frame and all its columns."""
    found = frame_columns(obj, what) if not isinstance(obj, Mapping) else None
    if found is None or not found[1]:
        raise DataError(f"{what} is a {type(obj).__name__}; give a frame")
    return found


def one_table(obj: Any, names: Sequence[Hashable]) -> Any:
    """Return a frame of many columns that can be read again and again: a stream as a table."""
    if isinstance(obj, (pd.DataFrame, pa.Table)) or is_device(obj) or _is_polars(obj):
        return obj
    if isinstance(obj, pa.RecordBatch):
        return pa.Table.from_batches([obj])
    if hasattr(obj, "__arrow_c_stream__"):
        return pa.table(obj)
    raise DataError(
        f"the columns {some(names)} need a frame to stand in, not a {type(obj).__name__}"
    )


def without(obj: Any, names: Sequence[Hashable]) -> Any:
    """Return a frame without some of its columns; names that it does not have do no harm."""
    if not names:
        return obj
    if isinstance(obj, pa.Table):
        return obj.drop_columns([name for name in names if name in obj.column_names])
    dropped = [any(same_name(column, name) for name in names) for column in obj.columns]
    if isinstance(obj, pd.DataFrame):
        return obj.loc[:, [not drop for drop in dropped]]
    return obj[[column for column, drop in zip(obj.columns, dropped, strict=True) if not drop]]


def has_columns(obj: Any, names: Sequence[Hashable]) -> bool:
    """Say whether an object is a frame with columns of these names."""
    found = frame_columns(obj, "") if not isinstance(obj, Mapping) else None
    return found is not None and holds(found[1], names)


def read_column(obj: Any, what: str, name: Hashable) -> Any:
    """Return one further column of a frame of pairs."""
    return pick(read_frame(obj, what)[1], name, what, "channel", obj)[0][1]


def pick(
    columns: Sequence[Column], name: Hashable, what: str, option: str, obj: Any
) -> list[Column]:
    """Return the one column of a name, as a list."""
    return pick_all(columns, (name,), what, option, obj)
