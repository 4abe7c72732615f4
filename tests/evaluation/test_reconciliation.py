"""Other readings of the metric."""

import pytest

from berx_gpu import evaluate


def test_reconcile_separates_the_misreadings():
    ev = evaluate(
        {"A": ["a", "x"], "B": ["b1"]}, {"A": ["a"], "B": ["b1", "b2"]}, entities=["A", "B"]
    )
    table = ev.reconcile()
    assert table["macro F: the mean over all entities"] == pytest.approx(25 / 36)
    assert table["F of pooled precision and recall"] == pytest.approx(2 / 3)
    assert table["F of mean precision and mean recall"] == pytest.approx(0.75)
    assert table["β² passed as β"] != table["β used in place of β²"]
