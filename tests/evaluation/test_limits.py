"""Limits of slices, each alone and all at once."""

import pytest
from conftest import on_every_backend
from intervals import table

from berx_gpu import evaluate


@on_every_backend
def test_slices_have_limits_of_their_own_and_for_all_at_once():
    pred, truth, listed = table()
    ev = evaluate(pred, truth, entities=listed)
    parts = {e: e % 4 if e else "alone" for e in listed}
    frame = ev.by({e: str(p) for e, p in parts.items()}, interval=True)
    assert frame["slice"].tolist() == ["0", "1", "2", "3", "alone"]
    assert frame[["low", "high", "low_all", "high_all"]].iloc[4].isna().all()
    for name, row in frame.iloc[:4].set_index("slice").iterrows():
        pool = [e for e in listed if str(parts[e]) == name]
        own = evaluate(
            pred[pred["entity"].isin(pool)], truth[truth["entity"].isin(pool)], entities=pool
        )
        alone, all_five = own.interval(), own.interval(confidence_level=0.95 ** (1 / 5))
        assert (row["low"], row["high"]) == pytest.approx((alone.low, alone.high), abs=1e-12)
        assert (row["low_all"], row["high_all"]) == pytest.approx((all_five.low, all_five.high))
    narrow = ev.by("n_true", interval=True, confidence_level=0.5)
    assert (narrow["low"] >= ev.by("n_true", interval=True)["low"]).all()
    assert list(ev.by("n_true").columns) == list(narrow.columns)[:-4]
