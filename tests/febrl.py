"""The FEBRL example: its folder, and what a command is given to score it."""

from pathlib import Path

import pandas as pd

from berx_gpu import Truth

FEBRL = Path(__file__).parent.parent / "examples" / "febrl3"
SPLINK = [
    str(FEBRL / "splink.parquet"),
    str(FEBRL / "truth.csv"),
    "--entities",
    str(FEBRL / "entities.csv"),
]


def febrl_truth():
    return Truth(pd.read_csv(FEBRL / "truth.csv"), pd.read_csv(FEBRL / "entities.csv"))
