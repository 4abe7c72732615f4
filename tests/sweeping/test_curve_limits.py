"""Limits for a whole curve: against every entity's curve written out."""

import numpy as np
import pandas as pd
import pytest
from conftest import on_every_backend
from pool import POOL, TRUE, N
from scipy import special

from berx_gpu import DataError, Truth, sweep
from berx_gpu.sweeping import curve_limits


def curves_of(sw, thresholds):
    """Return F of every entity at some thresholds, one row per entity."""
    return np.array(
        [np.asarray(sw.at(t).per_entity["fbeta"], float) for t in thresholds]
    ).T  # fmt: skip


@on_every_backend
@pytest.mark.parametrize("top_k", [None, 2])
def test_the_limits_are_bounded_ones_at_the_level_of_the_whole_curve(top_k):
    sw = sweep(POOL, Truth(TRUE, range(N)), top_k=top_k)
    frame = pd.DataFrame(sw.curve_limits(20, rng=5))
    thresholds = frame["threshold"].tolist()
    assert len(frame) <= 20
    f = curves_of(sw, thresholds)
    assert frame["macro_fbeta"].tolist() == pytest.approx(f.mean(axis=0), abs=1e-12)
    some = f.std(axis=0) > 1e-9
    correlation = np.corrcoef(f[:, some].T)
    draws = np.random.default_rng(1).multivariate_normal(
        np.zeros(some.sum()), correlation, 20_000, method="eigh"
    )
    reach = np.quantile(np.abs(draws).max(axis=1), 0.95)
    level = 2 * special.ndtr(reach) - 1
    for row, t in enumerate(thresholds):
        there = sw.at(t).interval(confidence_level=level)
        assert frame["low"][row] == pytest.approx(there.low, abs=3e-3)
        assert frame["high"][row] == pytest.approx(there.high, abs=3e-3)
        alone = sw.at(t).interval()
        assert frame["low"][row] <= alone.low + 1e-9
        assert frame["high"][row] >= alone.high - 1e-9


def test_the_covariance_is_that_of_the_curves():
    sw = sweep(POOL, Truth(TRUE, range(N)))
    data = sw.top.data
    levels = np.unique(POOL["score"].to_numpy())[::-1]
    changes = curve_limits._changes(data, sw.top.kept(np), levels[::7])
    f = curves_of(sw, [np.inf, *levels[::7]])
    assert changes.n_points == f.shape[1]
    seen = np.full(f.shape, np.nan)
    seen[changes.entity, changes.point] = changes.fbeta
    filled = pd.DataFrame(seen).ffill(axis=1).to_numpy()
    assert np.abs(filled - f).max() < 1e-12
    for column, (values, count) in zip(f.T, curve_limits._units(changes), strict=True):
        assert np.repeat(values, count) == pytest.approx(np.sort(column), abs=1e-12)


@on_every_backend
def test_grids_seeds_and_levels():
    truth = Truth(TRUE, range(N))
    whole = sweep(POOL, truth)
    a, b = (pd.DataFrame(whole.curve_limits(10, rng=2)) for _ in range(2))
    pd.testing.assert_frame_equal(a, b)
    grid = pd.DataFrame(sweep(POOL, truth, thresholds=[0.5]).curve_limits(10, rng=2))
    pd.testing.assert_frame_equal(a, grid)
    narrow = pd.DataFrame(whole.curve_limits(10, confidence_level=0.5, rng=2))
    assert (narrow["high"] - narrow["low"] < a["high"] - a["low"]).all()
    assert len(pd.DataFrame(whole.curve_limits(10_000, rng=0))) == len(whole.curve)


@on_every_backend
def test_curves_without_spread():
    perfect = sweep([(i, i, 0.5) for i in range(9)], Truth({i: [i] for i in range(9)}, range(9)))
    frame = pd.DataFrame(perfect.curve_limits(rng=0))
    assert frame["macro_fbeta"].tolist() == [0.0, 1.0]
    assert frame["low"].tolist() == pytest.approx([0.0, 0.025 ** (1 / 9)])
    nothing = sweep([], Truth({i: [i] for i in range(9)}, range(9)))
    assert pd.DataFrame(nothing.curve_limits(rng=0))["macro_fbeta"].tolist() == [0.0]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"n": 1}, "n=1: give a whole number from 2"),
        ({"confidence_level": 1}, "between 0 and 1"),
        ({"rng": -3}, "rng=-3"),
    ],
)
def test_options_that_are_refused(options, said):
    with pytest.raises(DataError, match=said):
        sweep(POOL, Truth(TRUE, range(N))).curve_limits(**options)
    with pytest.raises(DataError, match="limits over 1 entity"):
        sweep([("a", "x", 0.5)], {"a": ["x"]}, entities=["a"]).curve_limits()


def test_the_figure_shows_the_limits():
    figure = sweep(POOL, Truth(TRUE, range(N))).plot(band=True)
    names = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    assert "95 % for the whole curve" in names
