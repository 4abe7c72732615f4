"""Where a call works: `device=`, and what is missing for a GPU."""

import pandas as pd
import pytest

from berx_gpu import DataError, MissingDependencyError, Policy, Truth, decide, evaluate, sweep

ROWS = [("a", "x", 0.9), ("b", "q", 0.4)]
TRUE = {"a": ["x"], "b": ["y"]}


@pytest.mark.parametrize(
    "call",
    [
        lambda: Truth(TRUE, ["a", "b"], device="cuda"),
        lambda: evaluate([("a", "x")], TRUE, entities=["a", "b"], device="cuda"),
        lambda: sweep(ROWS, TRUE, entities=["a", "b"], device="cuda"),
        lambda: decide(ROWS, Policy(0.5), device="cuda"),
    ],
)
def test_without_the_libraries_the_message_says_how_to_get_them(call):
    with pytest.raises(MissingDependencyError, match=r"pip install \"berx-gpu\[cuda13\]\""):
        call()


def test_a_truth_on_the_card_takes_the_call_there(stand_in):
    frame = pd.DataFrame(ROWS, columns=["entity", "target", "score"])
    truth = Truth(TRUE, ["a", "b"], device="cuda")
    assert truth._prepared.backend().name == "cuda"
    ev = evaluate(frame, truth, threshold=0.5)
    assert ev.macro_fbeta == evaluate(frame, TRUE, entities=["a", "b"], threshold=0.5).macro_fbeta
    assert isinstance(ev.per_entity, pd.DataFrame)
    assert sweep(frame, truth).best.threshold == 0.9
    assert len(decide(frame, Policy(0.5), device="cuda")) == 1
    with pytest.raises(DataError, match="not on 'cpu'"):
        evaluate(frame, truth, threshold=0.5, device="cpu")


def test_devices_that_do_not_exist():
    with pytest.raises(DataError, match="device='gpu' is not an option; use one of 'cpu', 'cuda'"):
        Truth(TRUE, ["a"], device="gpu")
