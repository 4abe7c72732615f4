"""What a sweep can be asked, and what it refuses."""

import json
import math

import pytest
from conftest import on_every_backend
from plain_sweep import counts
from small_sweep import LISTED, ROWS, TRUE, scored

from berx_gpu import DataError, Policy, decide, sweep


@on_every_backend
def test_what_a_curve_can_be_asked():
    rows = [("a", 1, 0.9), ("a", 2, 0.8), ("b", 3, 0.7), ("b", 4, 0.1)]
    sw = sweep(rows, {"a": [1], "b": [3], "c": []}, entities=["a", "b", "c"])
    top = sw.results[0]
    assert top.at_precision(0.6) == 0.7
    assert top.at_precision(1.0) == 0.9
    assert sweep(rows, {"a": [9]}, entities=["a", "b"]).at_precision(0.5) is None
    assert len(top.thin(2)) == 3
    bands = top.bands([0.5, 0.75])
    assert bands[["low", "pairs", "true", "false"]].to_numpy().tolist() == [
        [0.75, 2, 1, 1], [0.5, 1, 1, 0], [-math.inf, 1, 0, 1],
    ]  # fmt: skip
    assert bands["mean_score"].tolist() == pytest.approx([0.85, 0.7, 0.1])
    assert bands["true_below_best"].tolist() == [0, 0, 0]
    assert bands["false_below_best"].tolist() == [0, 0, 1]
    last = counts({(e, t): s for e, t, s in rows}, [("a", 1), ("b", 3)], -math.inf)[0]
    assert bands["change"].iloc[-1] == pytest.approx(last - top.best.macro_fbeta)
    with pytest.raises(DataError, match="between 0 and 1"):
        top.at_precision(1.5)


# -- predicting nothing -----------------------------------------------------------------------


@on_every_backend
def test_nothing_is_best_though_a_score_is_infinite():
    frame = scored([math.inf, 0.5], "float64", "zw")
    sw = sweep(frame, {"a": [], "b": ["y"], "c": []}, entities=LISTED)
    best = sw.best
    assert (best.macro_fbeta, best.n_pred) == (pytest.approx(2 / 3), 0)
    assert math.isnan(best.threshold)
    assert len(decide(frame, best.policy)) == 0
    assert sw.at(best.threshold).macro_fbeta == best.macro_fbeta
    assert sw.bands()["change"].tolist() == pytest.approx([-1 / 3, -1 / 3])
    assert "nothing  0.6667" in sw.around()
    assert sw.by({"a": 1, "b": 1, "c": 1})["best_threshold"].tolist() == [math.inf]
    assert sw.by({"a": 1, "b": 1, "c": 1})["gain"].tolist() == [0.0]
    assert json.loads(json.dumps(sw.to_dict(), allow_nan=False))["best"]["threshold"] is None


# -- grids ------------------------------------------------------------------------------------


@on_every_backend
@pytest.mark.parametrize("grid", [[0.2, 0.5, 0.9], [0.9, 0.5, 0.2]])
def test_a_grid_is_asked_like_the_whole_curve(grid):
    swept = sweep(ROWS, TRUE, entities=LISTED, thresholds=grid)
    whole = sweep(ROWS, TRUE, entities=LISTED)
    assert swept.at_precision(0.9) == 0.5
    assert swept.best.threshold == 0.5
    assert swept.best.down_to == 0.4
    edges = [0.2, 0.5, 0.9]
    columns = ["low", "pairs", "true", "true_below_best", "false_below_best"]
    assert swept.bands(edges)[columns].equals(whole.bands(edges)[columns])
    assert swept.bands(edges)["change"].round(4).tolist() == [-0.3333, 0.0, -0.1481]
    assert "0.6  1.0000  1.0000  1.0000      2       2  best" in swept.around()
    assert 0.5 in swept.thin(2)["threshold"].tolist()


# -- what results refuse ----------------------------------------------------------------------


@on_every_backend
@pytest.mark.parametrize(
    "ask",
    [
        lambda sw: sw.at("x"),
        lambda sw: sw.bands(["x"]),
        lambda sw: sw.bands([math.nan]),
        lambda sw: sw.bands(0.5),
        lambda sw: sw.thin("x"),
        lambda sw: sw.thin(0),
        lambda sw: sw.around(1.5),
        lambda sw: sw.around(-1),
        lambda sw: sw.at_precision("x"),
        lambda sw: sw[Policy(top_k=4)],
        lambda sw: sw[0],
        lambda sw: sw.plot(oracle="x"),
    ],
)
def test_questions_without_an_answer(ask):
    with pytest.raises(DataError):
        ask(sweep(ROWS, TRUE, entities=LISTED))
