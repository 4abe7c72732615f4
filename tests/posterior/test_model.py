"""Models of precision and recall: their updates, and what they refuse."""

import math

import numpy as np
import pandas as pd
import pytest
from models import model

from berx_gpu import (
    BayesianPRModel,
    DataError,
)


def test_no_true_link_counts_twice():
    made = BayesianPRModel().update(tp=80, fp=26).update(tp=80, fn=20)
    assert made.precision_stats() == model().precision_stats()
    assert made.f_stats() == model().f_stats()
    batches = BayesianPRModel().update(40, 13, 10).update(40, 13, 10)
    assert batches.summary() == model(name="model").summary()
    assert batches.reset().update(80, 26, 20).summary() == model(name="model").summary()


def test_metrics_are_there_for_the_counts_that_were_given():
    made = BayesianPRModel().update(tp=80, fp=26)
    assert (made.has_precision, made.has_recall, made.has_f1) == (True, False, False)
    assert made.observations == {"tp": 80, "fp": 26, "fn": None}
    for call in (made.recall_stats, made.f1_stats, lambda: made.recall_posterior):
        with pytest.raises(ValueError, match="no fn observations provided"):
            call()
    with pytest.raises(ValueError, match="no fp observations provided"):
        BayesianPRModel().update(tp=80, fn=20).precision_stats()
    assert "Recall" not in made.summary()
    with pytest.raises(DataError, match="precision saw 80 true links and recall 7"):
        made.update(7, fn=2).f_stats()
    assert made.f_stats(joint=False).mean > 0


def test_counts_of_narrow_types_do_not_wrap():
    made = BayesianPRModel().update(np.int16(20000), fp=5).update(np.int16(20000), fp=5)
    assert made.precision_stats() == BayesianPRModel().update(40000, fp=10).precision_stats()


def test_draws_have_a_seed():
    a, b = (model(rng=3, n_samples=10).f1_samples() for _ in range(2))
    assert (a == b).all()
    assert len(a) == 10
    assert (model(n_samples=10).f1_samples() != a).any()


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: BayesianPRModel(prior_alpha=0), "prior_alpha=0: give a number between 1e-09"),
        (lambda: BayesianPRModel(prior_beta=math.nan), "prior_beta=nan"),
        (lambda: BayesianPRModel(prior_alpha=math.inf), "prior_alpha=inf"),
        (lambda: BayesianPRModel(prior="flat"), "prior='flat' is not an option"),
        (lambda: BayesianPRModel(prior="jeffreys", prior_beta=2), "give one of them"),
        (lambda: BayesianPRModel(n_samples=0), "n_samples=0"),
        (lambda: model(tp=-1), "tp=-1: give a number between 0 and"),
        (lambda: model(fp=math.nan), "fp=nan"),
        (lambda: model(fn=math.inf), "fn=inf: give a number between 0 and"),
        (lambda: model(tp="8"), "tp='8' is not a number"),
        (lambda: model(tp=True), "tp=True is not a number"),
        (lambda: BayesianPRModel().update(tp=3), "needs fp or fn"),
        (lambda: BayesianPRModel().update(None, fp=1), "tp=None is not a number"),
        (lambda: model().precision_stats(95), "ci=95: give a number between 0 and 1"),
        (lambda: model().prob_above_threshold(1.5), "threshold=1.5"),
        (lambda: model().prob_above_threshold(0.5, "f2"), "metric='f2' is not an option"),
        (lambda: model().f_stats(beta=0), "beta=0"),
        (lambda: model(tp=1e300), r"tp=1e\+300: give a number between 0 and 1e\+12"),
        (lambda: BayesianPRModel(prior_alpha=1e308), "prior_alpha=1e.308: give a number between"),
        (lambda: BayesianPRModel(prior_beta=1e-12), "prior_beta=1e-12: give a number between"),
        (lambda: model(tp=10**400), "give a number between 0 and"),
        (lambda: model(tp=9e11).update(9e11, fp=1), r"tp=1.8e\+12|tp=1800000000000.0: give"),
        (lambda: BayesianPRModel(n_samples=10**12), "n_samples=1000000000000: give a whole"),
        (lambda: BayesianPRModel(prior="jeffreys", prior_alpha=pd.NA), "is not a number"),
        (lambda: model().f_stats(joint="no"), "joint='no' is not True or False"),
        (lambda: model().f_posterior(2).ppf(math.nan), "q=nan: give a probability"),
        (lambda: model().f_posterior(1).ppf(2), "q=2: give a probability"),
        (lambda: model().posterior_of("recall").isf(-1), "q=-1: give a probability"),
        (lambda: model().posterior_of("recall").cdf(["a"]), "is no array of numbers"),
    ],
)
def test_what_is_refused(call, said):
    with pytest.raises(DataError, match=said):
        call()
