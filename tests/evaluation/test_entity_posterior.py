"""Posteriors of entities, whose pairs err together."""

import math

import numpy as np
import pandas as pd
import pytest
from conftest import on_every_backend
from models import model

from berx_gpu import BayesianPRModel, DataError, Truth, evaluate
from berx_gpu.evaluation.entity_posterior import _design_effects
from berx_gpu.posterior.beta import Beta


def test_one_entity_with_all_pairs_is_one_observation():
    links = list(range(2000))
    truth = {0: links[:1999], **{i: [10_000 + i] for i in range(1, 50)}}
    ev = evaluate({0: links}, truth, entities=range(50))
    whole = np.zeros(50, np.int64)
    tp, made = (np.array([n] + [0] * 49) for n in (1999, 2000))
    assert _design_effects(tp, made, whole, 1)[0] == 2000
    with pytest.raises(DataError, match="over 1 entity with a prediction"):
        ev.posterior()
    frame = ev.posterior(dict.fromkeys(range(50), "all"))
    assert math.isnan(frame["precision_mean"][0])
    assert frame["recall_mean"][0] > 0


def test_updates_of_a_model_of_entities():
    truth = {i: [2 * i, 2 * i + 1] for i in range(60)}
    ev = evaluate({i: truth[i] if i % 10 else [-1] for i in range(60)}, truth, entities=range(60))
    more = ev.posterior().update(50, 10, 5)
    tp, fp, fn = (x + y for x, y in zip(ev.posterior()._joint, (50, 10, 5), strict=True))
    assert more.f_stats() == BayesianPRModel().update(tp, fp, fn).f_stats()
    assert more.observations["recall_tp"] == more._recall.tp
    with pytest.raises(DataError, match="precision saw"):
        ev.posterior().update(5, fp=1).f_stats()
    rounded = BayesianPRModel().update(0.1, fp=1).update(0.2, fp=1).update(0.3, fn=1)
    assert rounded.f_stats().mean > 0


@on_every_backend
def test_pairs_that_err_together_count_for_less():
    truth = {i: list(range(10 * i, 10 * i + 10)) for i in range(100)}
    pred = {i: truth[i] if i % 5 else [-j for j in range(1, 11)] for i in range(100)}
    ev = evaluate(pred, truth, entities=range(100), name="clustered")
    made = ev.posterior()
    # All pairs of an entity are right or wrong at once: ten count as one, n / (n - 1) aside.
    assert made.design_effects["precision"] == pytest.approx(10 * 100 / 99)
    alone = BayesianPRModel().update(tp=80 * 99 / 100, fp=20 * 99 / 100)
    assert made.precision_stats().ci_low == pytest.approx(alone.precision_stats().ci_low)
    assert made.f_stats().std > model(800, 200, 200).f_stats().std
    assert "Pairs per independent one: precision 10.10" in str(made)
    assert "independent" not in str(ev.posterior().reset().update(5, fp=5))
    frame = ev.posterior(dict.fromkeys(range(100), "all"), floor=0.5)
    frame = pd.DataFrame(frame.to_pandas() if hasattr(frame, "to_pandas") else frame)
    assert frame["precision_low"][0] == pytest.approx(made.precision_stats().ci_low)
    assert frame["recall_design_effect"][0] == pytest.approx(made.design_effects["recall"])
    assert frame["f_low"][0] == pytest.approx(made.f_stats().ci_low)


def test_design_effects_give_back_the_coverage_that_plain_counts_lose():
    rng = np.random.default_rng(0)
    sizes = np.arange(1, 41)
    chance = sizes**-1.5 / (sizes**-1.5).sum()
    covered = [0, 0]
    for _ in range(300):
        links = rng.choice(sizes, 400, p=chance)
        wrong = np.where(rng.random(400) < 0.05, rng.binomial(links, 0.9), 0)
        truth = 1 - 0.05 * 0.9
        tp = links - wrong
        effect = _design_effects(tp, links, np.zeros(400, np.int64), 1)[0]
        for i, divided in enumerate((1.0, effect)):
            made = Beta(1 + tp.sum() / divided, 1 + wrong.sum() / divided)
            low, high = made.interval(0.95)
            covered[i] += low <= truth <= high
    assert covered[0] / 300 < 0.75
    assert covered[1] / 300 > 0.88


def test_slices_are_ranked_and_small_ones_left_open():
    truth = {i: [i] for i in range(200)}
    pred = {i: [i] if i % 10 or i < 80 else [-1] for i in range(195)}
    ev = evaluate(pred, truth, entities=range(200))
    frame = ev.posterior({i: "abc"[i // 80 if i < 160 else 2] for i in range(185)}, floor=0.9)
    assert frame["slice"].tolist()[:2] == ["a", "b"]
    assert frame["n_entities"].tolist() == [80, 80, 25, 15]
    assert frame["precision_above"].dropna().is_monotonic_decreasing
    assert frame["precision_mean"].isna().tolist() == [False, False, True, True]
    perfect = evaluate(truth, truth, entities=range(200)).posterior()
    assert perfect.design_effects == {"precision": 1.0, "recall": 1.0}


def test_posteriors_of_entities_that_are_refused():
    with pytest.raises(DataError, match="over 0 entities with a prediction"):
        evaluate({}, {0: [1]}, entities=range(29)).posterior()
    pairs = Truth([("a", "b")], [*"abc"], undirected=True)
    with pytest.raises(DataError, match="belongs to two"):
        evaluate([("a", "b")], pairs).posterior()
    ev = evaluate({0: [1]}, {0: [1]}, entities=range(40))
    with pytest.raises(DataError, match="floor=3"):
        ev.posterior("n_true", floor=3)
    with pytest.raises(DataError, match="floor=0.9 is of slices; give by="):
        ev.posterior(floor=0.9)
