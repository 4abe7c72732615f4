"""Posteriors of many rows at once."""

import math
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest
from conftest import on_every_backend
from models import model

from berx_gpu import DataError, evaluate, posteriors


def as_polars(frame):
    return pl.from_pandas(frame)


@pytest.mark.parametrize("beta", [1.0, 0.5])
@pytest.mark.parametrize("library", [lambda f: f, as_polars, lambda f: as_polars(f).to_arrow()])
def test_rows_are_models_of_their_own(library, beta):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.integers(0, 300, (30, 3)), columns=["tp", "fp", "fn"])
    frame.iloc[0] = 0
    made = posteriors(library(frame.assign(name="x")), floor=0.6, beta=beta, ci=0.8)
    assert type(made) is type(library(frame))
    rows = made.to_pylist() if hasattr(made, "to_pylist") else (
        made.to_dicts() if hasattr(made, "to_dicts") else made.to_dict("records")
    )  # fmt: skip
    for row, (tp, fp, fn) in zip(rows, frame.to_numpy(), strict=True):
        one = model(int(tp), int(fp), int(fn))
        stats_of = {"precision": one.precision_stats(0.8), "recall": one.recall_stats(0.8),
                    "f": one.f_stats(0.8, beta=beta)}  # fmt: skip
        for name, found in stats_of.items():
            assert row[f"{name}_mean"] == pytest.approx(found.mean, abs=1e-9)
            assert row[f"{name}_std"] == pytest.approx(found.std, abs=1e-8)
            assert row[f"{name}_low"] == pytest.approx(found.ci_low, abs=1e-9)
            assert row[f"{name}_high"] == pytest.approx(found.ci_high, abs=1e-9)
        assert row["f_above"] == pytest.approx(one.f_posterior(beta=beta).above(0.6), abs=1e-9)
        assert row["name"] == "x"


@on_every_backend
def test_slices_go_in_as_they_come():
    truth = {i: [i, i + 100] for i in range(60)}
    ev = evaluate({i: [i] for i in range(50)}, truth, entities=range(60))
    frame = posteriors(ev.by({i: i % 2 for i in range(60)}), floor=0.5)
    frame = frame.to_pandas() if hasattr(frame, "to_pandas") else frame
    assert frame["tp"].tolist() == [25, 25]
    assert frame["recall_mean"].tolist() == pytest.approx([26 / 62] * 2)
    assert frame["f_above"].tolist() == pytest.approx(
        [model(25, 0, 35).f_posterior().above(0.5)] * 2, abs=1e-12
    )


@pytest.mark.parametrize(
    ("frame", "options", "said"),
    [
        ({"tp": [1, -2], "fp": [0, 0], "fn": [0, 0]}, {}, "in 1 row, first at row 1: -2"),
        ({"tp": [1], "fp": [math.nan], "fn": [0]}, {}, "'fp' has no count in 1 row"),
        ({"tp": [1], "fp": ["x"], "fn": [0]}, {}, "'fp' has no count in 1 row"),
        ({"tp": [1], "fp": ["3"], "fn": [0]}, {}, "first at row 0: '3'"),
        ({"tp": [2, True], "fp": [0, 0], "fn": [0, 0]}, {}, "first at row 1: True"),
        ({"tp": [Decimal("sNaN")], "fp": [0], "fn": [0]}, {}, "'tp' has no count in 1 row"),
        ({"tp": pd.Series([10**400], dtype=object), "fp": [0], "fn": [0]}, {}, "'tp' has no count"),
        ({"tp": [1], "fp": [0], "fn": [0]}, {"prior": "flat"}, "prior='flat' is not an option"),
        ({"tp": [True], "fp": [0], "fn": [0]}, {}, "'tp' holds bool values"),
        ({"tp": pd.to_datetime(["2020-01-01"]), "fp": [0], "fn": [0]}, {}, "'tp' holds datetime"),
        ({"tp": [1], "fp": [0]}, {}, "no column 'fn'"),
        ({"tp": [1], "fp": [0], "fn": [0], "f_low": [1]}, {}, "a column 'f_low' already"),
        ({"tp": [1], "fp": [0], "fn": [0]}, {"floor": 2}, "floor=2"),
        ({"tp": [1], "fp": [0], "fn": [0]}, {"ci": 1}, "ci=1"),
        ({"tp": [1], "fp": [0], "fn": [0]}, {"prior_beta": -1}, "prior_beta=-1"),
    ],
)  # fmt: skip
def test_counts_that_are_refused(frame, options, said):
    with pytest.raises(DataError, match=said):
        posteriors(pd.DataFrame(frame), **options)


@pytest.mark.parametrize("level", [0.999, 1 - 1e-6, 1 - 1e-9, 1 - 1e-12])
def test_rows_at_levels_near_one(level):
    frame = pd.DataFrame({"tp": [3, 0, 0, 500], "fp": [1000, 50, 3, 20], "fn": [1000, 9, 1, 30]})
    for prior in ("uniform", "haldane"):
        made = posteriors(frame, ci=level, prior=prior)
        for i, counts in enumerate(frame.to_numpy().tolist()):
            one = model(*counts, prior=prior)
            found = {"precision": one.precision_stats(level), "recall": one.recall_stats(level),
                     "f": one.f_stats(level)}  # fmt: skip
            for name, stats_of in found.items():
                assert made[f"{name}_low"][i] == pytest.approx(stats_of.ci_low, rel=1e-9)
                assert made[f"{name}_high"][i] == pytest.approx(stats_of.ci_high, rel=1e-9)
    assert str(model().precision_stats(1 - 1e-12)).split("% CI")[0].endswith("99.9999999999")


def test_no_rows():
    empty = pd.DataFrame({"tp": [], "fp": [], "fn": []}, dtype=float)
    for beta in (1.0, 0.5):
        assert len(posteriors(empty, beta=beta, floor=0.5)) == 0


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: posteriors(pd.DataFrame(), fp="tp"), "name three columns"),
        (lambda: posteriors(pd.DataFrame(), tp=None), "tp=None is not the name of a column"),
        (lambda: posteriors(pd.DataFrame(), fn=[1]), "fn=.1. is not the name of a column"),
    ],
)
def test_what_is_refused(call, said):
    with pytest.raises(DataError, match=said):
        call()
