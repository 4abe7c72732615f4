"""Bands of scores."""

import math

import pytest
from small_sweep import LISTED, TRUE, scored

from berx_gpu import Policy, decide, sweep

pytestmark = pytest.mark.usefixtures("backend")


def test_thresholds_and_edges_are_rounded_as_scores_are():
    frame = scored([0.7, 0.7, 0.6], "float32")
    sw = sweep(frame, TRUE, entities=LISTED)
    bands = sw.bands([0.7])
    assert bands[["low", "pairs"]].to_numpy().tolist() == [[0.7, 2], [-math.inf, 1]]
    assert sw.best.round_threshold == 0.7
    grid = sweep(frame[:2], TRUE, entities=LISTED, thresholds=[0.7])
    assert grid.by({"a": 1, "b": 1})["gain"].tolist() == [0.0, 0.0]
    assert (
        len(decide(frame, Policy(min_best=0.7))) == len(decide(frame, Policy(threshold=0.7))) == 2
    )
