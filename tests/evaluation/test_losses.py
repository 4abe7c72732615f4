"""What each outcome costs."""

import pytest

from berx_gpu import evaluate


def test_losses_name_every_outcome():
    truth = {"p": ["1"], "m": ["1", "2"], "x": ["1"], "b": ["1", "2"], "n": ["1"], "s": [], "q": []}
    pred = {"p": ["1"], "m": ["1"], "x": ["1", "9"], "b": ["1", "9"], "s": ["9"]}
    ev = evaluate(pred, truth, entities=list(truth))
    table = ev.losses().set_index("outcome")
    assert table["n_entities"].to_dict() == {
        "nothing predicted": 1,
        "misses only": 1,
        "extras only": 1,
        "both": 1,
        "singleton linked": 1,
        "perfect": 2,
    }
    assert table["loss"].sum() == pytest.approx(1 - ev.macro_fbeta, abs=1e-15)
    assert table["loss"].tolist()[:-1] == sorted(table["loss"][:-1], reverse=True)
