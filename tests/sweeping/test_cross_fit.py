"""Cross-fitted thresholds: against sweeps of the other folds, and what is refused."""

import json
import math

import numpy as np
import pandas as pd
import pytest
from conftest import on_every_backend
from pool import POOL, TRUE, N

from berx_gpu import DataError, Policy, Truth, evaluate, sweep
from berx_gpu.sweeping.cross_fit import _folds

FOLDS = {e: f"fold {e % 3}" for e in range(N)}


def outside(fold):
    return [e for e in range(N) if FOLDS[e] != fold]


@on_every_backend
@pytest.mark.parametrize("grid", [None, [0.3, 0.55, 0.6, 0.8]])
def test_each_fold_is_scored_at_what_is_best_outside_it(grid):
    truth = Truth(TRUE, range(N))
    sw = sweep(POOL, truth, thresholds=grid, top_k=[None, 3])
    made = sw.cross_fitted(FOLDS)
    scores = {}
    for fold in made.folds:
        others = sweep(POOL, truth, entities=outside(fold.name), thresholds=grid, top_k=[None, 3],
                       unknown_entities="drop")  # fmt: skip
        best = others.best
        assert (fold.threshold, fold.policy) == (best.threshold, others.top.policy)
        here = sw[fold.policy].at(fold.threshold).per_entity
        f = dict(zip(here["entity"], here["fbeta"], strict=True))
        scores |= {e: float(f[e]) for e in FOLDS if FOLDS[e] == fold.name}
        assert fold.n_entities == 40
        assert fold.macro_fbeta == pytest.approx(
            np.mean([scores[e] for e in FOLDS if FOLDS[e] == fold.name]), abs=1e-12
        )
    assert made.estimate == pytest.approx(np.mean(list(scores.values())), abs=1e-12)
    assert made.optimism == sw.best.macro_fbeta - made.estimate
    assert made.low < made.estimate < made.high
    sure = made.evaluation.interval()
    assert (made.low, made.high) == (sure.low, sure.high)
    assert made.thresholds == (
        min(f.threshold for f in made.folds), max(f.threshold for f in made.folds),
    )  # fmt: skip
    alone = sw[Policy()].cross_fitted(FOLDS)
    assert {fold.policy for fold in alone.folds} == {Policy()}


@on_every_backend
def test_folds_are_drawn_by_id():
    truth = Truth(TRUE, range(N))
    folds, names = _folds(truth._prepared, 4, 0, None)
    assert names == [0, 1, 2, 3]
    listed = np.random.default_rng(0).permutation(N)[:70].astype(np.int32)
    some, _ = _folds(Truth(TRUE[TRUE["entity"].isin(listed)], listed)._prepared, 4, 0, None)
    assert (some == folds[listed]).all()
    other, _ = _folds(truth._prepared, 4, 1, None)
    assert (other != folds).mean() > 0.5
    blocks = {e: e // 10 for e in range(N)}
    together, _ = _folds(truth._prepared, 2, 0, blocks)
    assert all(len(set(together[10 * b : 10 * b + 10])) == 1 for b in range(12))
    text, _ = _folds(Truth([("n1", "x")], [f"n{i}" for i in range(4000)])._prepared, 5, 3, None)
    assert np.bincount(text).min() > 700
    wide = pd.Series([*range(50), 2**63 + 5], dtype="uint64")
    pair = pd.DataFrame({"entity": wide[:1], "target": [1]})
    narrow = _folds(Truth(pair, wide[:50])._prepared, 5, 0, None)[0]
    assert (_folds(Truth(pair, wide)._prepared, 5, 0, None)[0][:50] == narrow).all()
    floats = {e: b if e else math.nan for e, b in blocks.items()}
    assert (_folds(truth._prepared, 2, 0, floats)[0][1:] == together[1:]).all()
    order = sweep(POOL, Truth(TRUE, range(N)[::-1])).cross_fitted(4).to_dict()
    assert order == sweep(POOL, Truth(TRUE, range(N))).cross_fitted(4).to_dict()
    a, b = (sweep(POOL[::step], Truth(TRUE[::step], range(N))).cross_fitted(4, seed=5)
            for step in (1, -1))  # fmt: skip
    assert a.to_dict() == b.to_dict()


@on_every_backend
def test_numbers_of_any_width_and_several_scores():
    whole = POOL.assign(score=(POOL["score"] * 60).astype(np.int64) + 2**60, other=POOL["score"])
    sw = sweep(whole, Truth(TRUE, range(N)), score=["score", "other"])
    made = sw.cross_fitted(FOLDS)
    plain = sweep(POOL, Truth(TRUE, range(N))).cross_fitted(FOLDS)
    assert made.estimate == plain.estimate
    assert isinstance(made.folds[0].threshold, int)
    assert made.folds[0].threshold == round(plain.folds[0].threshold * 60) + 2**60
    few = sweep(whole.assign(other=0.5), Truth(TRUE, range(N)), score=["score", "other"])
    assert {fold.score for fold in few.cross_fitted(FOLDS).folds} == {"score"}


@on_every_backend
def test_pairs_without_direction():
    records = [f"r{i}" for i in range(60)]
    rng = np.random.default_rng(1)
    pairs = [(records[2 * i], records[2 * i + 1], 0.5 + i / 100) for i in range(25)]
    pairs += [(*rng.choice(records, 2, replace=False), 0.4) for _ in range(30)]
    frame = pd.DataFrame(pairs, columns=["entity", "target", "score"]).drop_duplicates(
        ["entity", "target"]
    )
    frame = frame[frame["entity"] != frame["target"]]
    truth = Truth([p[:2] for p in pairs[:25]], records, undirected=True)
    folds = {r: i // 2 % 2 for i, r in enumerate(records)}
    made = sweep(frame, truth).cross_fitted(folds)
    for fold in made.folds:
        there = evaluate(frame, truth, threshold=fold.threshold).per_entity
        f = dict(zip(there["entity"], there["fbeta"], strict=True))
        assert fold.macro_fbeta == pytest.approx(
            np.mean([f[r] for r in records if folds[r] == fold.name]), abs=1e-12
        )


@on_every_backend
def test_a_fold_that_is_best_served_by_nothing():
    frame = pd.DataFrame({"entity": range(40), "target": -1, "score": 0.5})
    made = sweep(frame, Truth({0: [5]}, range(40))).cross_fitted({e: e % 2 for e in range(40)})
    assert [fold.threshold for fold in made.folds] == [np.inf, np.inf]
    assert made.evaluation.n_pred == 0
    assert made.estimate == 39 / 40


def test_the_result_as_text():
    made = sweep(POOL, Truth(TRUE, range(N))).cross_fitted(FOLDS)
    assert made.line().startswith(f"cross-fitted F0.5 {made.estimate:.4f}, 95 % [{made.low:.4f}, ")
    for text in (str(made), made.to_markdown(), made._repr_html_()):
        assert "fold 1" in text
    told = json.loads(json.dumps(made.to_dict()))
    assert told["folds"][2]["name"] == "fold 2"
    assert told["folds"][2]["policy"]["top_k"] is None


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"folds": 1}, "folds=1: give a whole number from 2 to 12"),
        ({"folds": 13}, "folds=13: give a whole number from 2 to 12"),
        ({"folds": 10**30}, "give a whole number from 2 to 12"),
        ({"folds": 12}, "the smallest of .*: give two folds or more, each of 10 entities"),
        ({"folds": 2.0}, "folds=2.0: give a whole number, a column"),
        ({"folds": dict.fromkeys(range(N), 0)}, "1 fold, the smallest of 120 entities"),
        ({"folds": "part"}, "no slice 'part'"),
        ({"folds": True}, "True"),
        ({"seed": -1}, "seed=-1"),
        ({"confidence_level": 0}, "between 0 and 1"),
        ({"cluster": {e: e % 3 for e in range(N)}, "folds": FOLDS}, "3 blocks of entities"),
    ],
)
def test_folds_that_are_refused(options, said):
    with pytest.raises(DataError, match=said):
        sweep(POOL, Truth(TRUE, range(N))).cross_fitted(**options)
