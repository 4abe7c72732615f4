"""Where a difference lies: by slice and by outcome."""

import pandas as pd
import pytest
from conftest import on_every_backend
from two_systems import ONE, TRUE, TWO, N, both

from berx_gpu import Truth, compare, evaluate


@on_every_backend
def test_slices_are_comparisons_of_their_own():
    a, b = both()
    made = compare(a, b, rng=0)
    parts = {e: "even" if e % 2 == 0 else "odd" for e in range(N)}
    frame = pd.DataFrame(made.by(parts)).set_index("slice")
    assert frame["delta_overall"].sum() == pytest.approx(made.delta, abs=1e-12)
    for name, row in frame.iterrows():
        listed = [e for e in range(N) if parts[e] == name]
        own = [
            evaluate(p[p["entity"].isin(listed)], TRUE[TRUE["entity"].isin(listed)],
                     entities=listed) for p in (ONE, TWO)
        ]  # fmt: skip
        alone = compare(*own, rng=0)
        together = compare(*own, confidence_level=0.95 ** (1 / 2), rng=0)
        assert row["n_entities"] == len(listed)
        assert (row["estimate_a"], row["estimate_b"]) == pytest.approx(
            (alone.estimate_a, alone.estimate_b), abs=1e-12
        )
        assert (row["better"], row["worse"]) == (alone.better, alone.worse)
        assert (row["low"], row["high"]) == pytest.approx((alone.low, alone.high), abs=1e-9)
        assert (row["low_all"], row["high_all"]) == pytest.approx(
            (together.low, together.high), abs=1e-9
        )


@on_every_backend
def test_outcomes_say_what_became_of_entities():
    a, b = both()
    frame = pd.DataFrame(compare(a, b, rng=0).outcomes())
    assert frame["n_entities"].sum() == N
    assert frame["delta_overall"].sum() == pytest.approx(b.macro_fbeta - a.macro_fbeta, abs=1e-12)
    for side, ev in (("outcome_a", a), ("outcome_b", b)):
        losses = pd.DataFrame(ev.losses()).set_index("outcome")["n_entities"]
        seen = frame.groupby(side)["n_entities"].sum()
        assert seen.to_dict() == losses[losses > 0].to_dict()
    assert frame["delta_overall"].is_monotonic_decreasing


@on_every_backend
def test_the_order_of_the_list_changes_no_bit():
    parts = {e: e % 7 for e in range(N)}
    found = []
    for listed in (range(N), range(N)[::-1]):
        a, b = (evaluate(p, Truth(TRUE, listed)) for p in (ONE, TWO))
        made = compare(a, b, rng=0)
        frames = [pd.DataFrame(made.by(parts)), pd.DataFrame(made.outcomes())]
        cluster = {e: e % 23 for e in range(N)}
        blocks = [a.interval(m, cluster=cluster).to_dict() for m in ("macro_fbeta", "recall")]
        found.append((*(f.to_dict() for f in frames), blocks))
        estimates = pd.DataFrame(a.by(parts))["macro_fbeta"]
        assert frames[0]["estimate_a"].tolist() == estimates.tolist()
    assert found[0] == found[1]
