"""Every policy against its rules, one after the other."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from plain_sweep import ENTITIES, LISTED, assert_curve, best_scores, choose, tables

from berx_gpu import DataError, Policy, decide, evaluate, sweep

pytestmark = [
    pytest.mark.usefixtures("backend"),
    pytest.mark.filterwarnings("ignore:all .* of the candidates:berx_gpu.DataWarning"),
]


LONG = "a target with a name too long for a word "

policies = st.builds(
    Policy,
    one_entity_per_target=st.booleans(),
    owner_margin=st.none() | st.sampled_from([0.0, 0.15, 2.0]),
    top_k=st.none() | st.integers(1, 2),
    ratio=st.none() | st.sampled_from([0.3, 1.0]),
    best_margin=st.none() | st.sampled_from([0.0, 0.5]),
    min_best=st.none() | st.sampled_from([0.2, 1.0]),
)


def renamed(frame, truth):
    """Return the same with ids of other types, in the same order."""
    entity = dict(zip([*ENTITIES, "z"], [-5, 0, 7, 10**15], strict=True))
    frame = frame.assign(
        entity=frame["entity"].map(entity).astype("int64"),
        target=[LONG + str(t) for t in frame["target"]],
    ).astype({"target": "str"})
    truth = [(entity[e], LONG + str(t)) for e, t in truth]
    return frame, truth, [entity[e] for e in LISTED]


@given(tables([0.1, 0.25, 0.5, 0.75, 0.9, 0.0]), policies, st.randoms())
def test_every_policy_is_its_rules_in_order(drawn, policy, random):
    frame, truth = drawn
    if policy.ratio is not None:
        frame = frame[frame["score"] >= 0]
    order = list(range(len(frame)))
    random.shuffle(order)
    shuffled = frame.iloc[order].reset_index(drop=True)
    options = {
        name: getattr(policy, name)
        for name in (
            "one_entity_per_target", "owner_margin", "top_k", "ratio", "best_margin", "min_best",
        )
    }  # fmt: skip
    sw = sweep(shuffled, truth, entities=LISTED, unknown_entities="drop", **options)
    result = sw[policy]
    chosen = choose(best_scores(frame), policy)
    assert_curve(result, chosen, truth)
    best = result.best
    made = decide(shuffled, best.policy, entities=LISTED, unknown_entities="drop")
    pairs = set(zip(made["entity"], made["target"], strict=True))
    assert pairs == {pair for pair, s in chosen.items() if s >= best.threshold}
    assert len(made) == len(pairs)
    ev = evaluate(made[["entity", "target"]], truth, entities=LISTED)
    assert (ev.tp, ev.n_pred) == (best.tp, best.n_pred)
    assert ev.macro_fbeta == pytest.approx(best.macro_fbeta, abs=1e-12)
    at = result.at(best.round_threshold)
    assert (at.tp, at.n_pred) == (best.tp, best.n_pred)
    other, true, listed = renamed(shuffled, truth)
    again = sweep(other, true, entities=listed, unknown_entities="drop", **options)[policy]
    assert again.tp.tolist() == result.tp.tolist()
    assert again.macro_fbeta.tolist() == result.macro_fbeta.tolist()
    short = frame["score"].to_numpy().dtype.type(best.round_threshold) if best.n_pred else 0
    assert best.down_to < short <= best.threshold or not best.n_pred


def test_ties_do_not_depend_on_names_or_rows():
    """https://github.com/usnistgov/trec_eval/issues/22"""
    rows = [("A", t, 1.0) for t in "abc"]
    for order in (rows, rows[::-1]):
        sw = sweep(order, [("A", "b")], entities=["A"], top_k=1)
        assert sw.results[0].n_pred.tolist() == [0, 3]
        assert decide(order, Policy(top_k=1))["target"].tolist() == ["a"]


def test_ratio_needs_scores_from_zero():
    with pytest.raises(DataError, match=r"1 row.*below \(lowest -1\)"):
        decide([("a", 1, -1.0)], Policy(ratio=0.5))


def test_a_margin_between_infinite_scores():
    rows = [("a", 1, math.inf), ("b", 1, math.inf), ("a", 2, -math.inf), ("b", 2, -math.inf)]
    made = decide(rows, Policy(owner_margin=0.0))
    assert [row[:2] for row in made.itertuples(index=False)] == [("a", 1), ("a", 2)]
    assert len(decide(rows, Policy(owner_margin=0.1))) == 0
