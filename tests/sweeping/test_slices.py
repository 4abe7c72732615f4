"""Thresholds of slices apart."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from plain_sweep import ENTITIES, LISTED, best_scores, choose, tables
from reference import fbeta_exact

from berx_gpu import sweep

pytestmark = [
    pytest.mark.usefixtures("backend"),
    pytest.mark.filterwarnings("ignore:all .* of the candidates:berx_gpu.DataWarning"),
]


@given(tables([0.1, 0.25, 0.5, 0.75, 0.9, 0.0]), st.lists(st.sampled_from("xy"), min_size=3))
def test_what_separate_thresholds_gain(drawn, names):
    frame, truth = drawn
    slices = dict(zip(ENTITIES, names, strict=False))
    sw = sweep(frame, truth, entities=LISTED, unknown_entities="drop")
    made = sw.by(slices).set_index("slice")
    best = sw.best
    chosen = choose(best_scores(frame), best.policy)
    f = {
        (e, level): float(
            fbeta_exact(
                len({t for g, t in truth if g == e} & {t for t, s in mine if s >= level}),
                len({t for t, s in mine if s >= level}),
                len({t for g, t in truth if g == e}),
                0.5,
            )
        )
        for e in ENTITIES
        for mine in [[(t, s) for (g, t), s in chosen.items() if g == e]]
        for level in [math.inf, best.threshold, *chosen.values()]
    }
    total = 0
    for name in sorted(set(slices.values())):
        inside = [e for e in ENTITIES if slices[e] == name]
        means = {level: sum(f[e, level] for e in inside) / len(inside) for _, level in f}
        row = made.loc[name]
        assert row["n_entities"] == len(inside)
        assert row["macro_fbeta"] == pytest.approx(means[best.threshold], abs=1e-12)
        assert row["best_macro_fbeta"] == pytest.approx(max(means.values()), abs=1e-12)
        assert means[row["best_threshold"]] == pytest.approx(max(means.values()), abs=1e-12)
        assert row["gain"] == pytest.approx(max(means.values()) - means[best.threshold], abs=1e-12)
        total += row["gain"] * len(inside) / len(ENTITIES)
    assert made["gain_overall"].sum() == pytest.approx(total, abs=1e-12)
