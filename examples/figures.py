"""Draw the figures of the documentation from the FEBRL example, into a folder."""

import sys
from pathlib import Path

import pandas as pd

from berx_gpu import Truth, compare, evaluate, oracle, sweep
from berx_gpu.visualization import plot_slices

DATA = Path(__file__).parent / "febrl3"


def main(folder: str) -> None:
    """Write sweep.png, slices.png and compare.png."""
    truth = Truth(pd.read_csv(DATA / "truth.csv"), pd.read_csv(DATA / "entities.csv"))
    candidates = pd.read_parquet(DATA / "jaro_winkler.parquet")
    sw = sweep(candidates, truth, owner_margin=[0.05])
    best = oracle(candidates, truth).macro_fbeta
    sw.plot(oracle=best).savefig(Path(folder) / "sweep.png", dpi=110)
    plot_slices(sw.at(0.7), "state").figure.savefig(Path(folder) / "slices.png", dpi=110)
    systems = [
        evaluate(pd.read_parquet(DATA / f"{name}.parquet"), truth, threshold=threshold, name=name)
        for name, threshold in (("jaro_winkler", 0.8), ("splink", 0.5))
    ]
    drawn = compare(*systems, rng=1).plot("n_true")
    drawn.figure.savefig(Path(folder) / "compare.png", dpi=110)


if __name__ == "__main__":
    main(*sys.argv[1:])
