"""The same ids in many types and libraries."""

import datetime as dt
import uuid
from decimal import Decimal

import pandas as pd
import polars as pl
import pyarrow as pa

UUIDS = [uuid.UUID(int=i) for i in (0, 1, 2**127, 2**128 - 1)]
DAYS = [dt.date(1, 1, 1), dt.date(1969, 12, 31), dt.date(1970, 1, 1), dt.date(9999, 12, 31)]
NAIVE = [
    dt.datetime(1969, 12, 31, 23, 59, 59, 999999),
    dt.datetime(1970, 1, 1),
    dt.datetime(2024, 5, 6, 7),
]
AWARE = [t.replace(tzinfo=dt.UTC) for t in NAIVE]
TEXT = ["", " ", "007", "7", "NA", "nan", "None", "null", "é", "a\0b", "a\0c", "x" * 300]
WIDE = [-(2**63), -1, 0, 2**53, 2**53 + 1, 2**63 - 1]
UNSIGNED = [0, 1, 2**63 - 1, 2**63, 2**64 - 1]

#: The same ids in many types. Every pair of columns in a group must match one to one.
SAME = {
    "integer": (
        [0, 1, 7, 100],
        [
            *(
                lambda v, t=t: pd.Series(v, dtype=t)
                for t in (
                    "int8",
                    "uint8",
                    "int16",
                    "uint32",
                    "int64",
                    "uint64",
                    "Int64",
                    "UInt16",
                    "float32",
                    "float64",
                    "Float64",
                    "category",
                    object,
                    "int64[pyarrow]",
                )
            ),
            lambda v: pd.Series([Decimal(x) for x in v], dtype=object),
            lambda v: pd.Series([float(x) if x else x for x in v], dtype=object),
            lambda v: pa.array([Decimal(x) for x in v], pa.decimal128(20, 3)),
            lambda v: pa.chunked_array([v[:1], v[1:]]),
            lambda v: pa.array(v, pa.uint64()).dictionary_encode(),
            lambda v: pl.Series(v, dtype=pl.Int16).to_arrow(),
        ],
    ),
    "signed extremes": (
        WIDE,
        [
            lambda v: pd.Series(v, dtype="int64"),
            lambda v: pd.Series(v, dtype=object),
            lambda v: pd.Series(v, dtype="Int64"),
            lambda v: pa.array([Decimal(x) for x in v], pa.decimal128(38, 0)),
        ],
    ),
    "unsigned extremes": (
        UNSIGNED,
        [
            lambda v: pd.Series(v, dtype="uint64"),
            lambda v: pd.Series(v, dtype=object),
            lambda v: pl.Series(v, dtype=pl.UInt64).to_arrow(),
            lambda v: pa.array([Decimal(x) for x in v], pa.decimal256(40, 1)),
        ],
    ),
    "beyond 64 bits": (
        [-(2**64), -(2**63) - 1, -1, 2**63, 2**64, 2**64 + 1, 2**100, 2**126 - 1],
        [
            lambda v: pd.Series(v, dtype=object),
            lambda v: pa.array([Decimal(x) for x in v], pa.decimal128(38, 0)),
        ],
    ),
    "text": (
        TEXT,
        [
            lambda v: pd.Series(v, dtype="str"),
            lambda v: pd.Series(v, dtype=object),
            lambda v: pd.Series(v, dtype="string"),
            lambda v: pd.Series(v, dtype="category"),
            lambda v: pd.Series(v, dtype=pd.ArrowDtype(pa.string())),
            lambda v: pa.array(v, pa.large_string()),
            lambda v: pa.array(v, pa.string_view()),
            lambda v: pa.array(v).dictionary_encode(),
            lambda v: pl.Series(v, dtype=pl.Categorical).to_arrow(),
            lambda v: pl.Series(v).to_arrow(),
        ],
    ),
    "uuid": (
        UUIDS,
        [
            lambda v: pd.Series(v, dtype=object),
            lambda v: pa.ExtensionArray.from_storage(
                pa.uuid(), pa.array([x.bytes for x in v], pa.binary(16))
            ),
        ],
    ),
    "date": (
        DAYS,
        [
            lambda v: pd.Series(v, dtype=object),
            lambda v: pa.array(v, pa.date32()),
            lambda v: pa.array(v, pa.date64()),
        ],
    ),
    "timestamp": (
        NAIVE,
        [
            lambda v: pd.Series(v, dtype="datetime64[us]"),
            lambda v: pd.Series(v, dtype="datetime64[ns]"),
            lambda v: pd.Series(v, dtype=object),
            lambda v: pd.Series([pd.Timestamp(x) for x in v], dtype=object),
            lambda v: pl.Series(v, dtype=pl.Datetime("us")).to_arrow(),
            lambda v: pa.array(v, pa.timestamp("ns")),
        ],
    ),
    "instant": (
        AWARE,
        [
            lambda v: pd.Series(v).dt.tz_convert("Asia/Tokyo"),
            lambda v: pd.Series(v).dt.tz_convert("UTC").astype("datetime64[ns, UTC]"),
            lambda v: pd.Series(
                [t.astimezone(dt.timezone(dt.timedelta(hours=5))) for t in v], dtype=object
            ),
            lambda v: pa.array(v, pa.timestamp("us", "America/New_York")),
        ],
    ),
    "binary": (
        [b"", b"\0", b"\0\0", b"abc", bytes(range(256))],
        [
            lambda v: pd.Series(v, dtype=object),
            lambda v: pa.array(v, pa.large_binary()),
            lambda v: pa.array(v).dictionary_encode(),
            lambda v: pl.Series(v).to_arrow(),
        ],
    ),
    "bool": (
        [True, False],
        [
            lambda v: pd.Series(v, dtype=bool),
            lambda v: pd.Series(v, dtype="boolean"),
            lambda v: pd.Series(v, dtype=object),
            lambda v: pa.array(v),
        ],
    ),
}


def frame(ids, entity=0):
    """Return ids as a target column beside one entity."""
    column = ids.combine_chunks() if isinstance(ids, pa.ChunkedArray) else ids
    if isinstance(column, pa.Array):
        return pa.table({"entity": [entity] * len(column), "target": column})
    return pd.DataFrame({"entity": entity, "target": column})
