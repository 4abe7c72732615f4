"""Progress, step by step."""

import pytest
from shapes import one_target_each

from berx_gpu import Truth, evaluate, progress


def test_progress_is_told_for_each_step_and_can_end_a_call():
    shape = one_target_each()
    told = []
    with progress(lambda *step: told.append(step)):
        evaluate(shape[0], Truth(shape[1], shape[2]))
    steps = {name: [(done, total) for step, done, total in told if step == name]
             for name in dict.fromkeys(step for step, *_ in told)}  # fmt: skip
    assert {"read range", "scatter", "match pieces"} <= set(steps)
    for parts in steps.values():
        assert parts[-1][0] == parts[-1][1]
    before = len(told)
    evaluate(shape[0], Truth(shape[1], shape[2]))
    assert len(told) == before

    def enough(step, done, total):
        raise KeyboardInterrupt

    with progress(enough), pytest.raises(KeyboardInterrupt):
        evaluate(shape[0], Truth(shape[1], shape[2]))
