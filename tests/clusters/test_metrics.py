"""Clusterings against the true one: sets, scikit-learn, and the cases of others."""

import itertools
import json
import random
from collections import defaultdict

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.metrics.cluster import pair_confusion_matrix

import berx_gpu
from berx_gpu import DataError, DataWarning, cluster_metrics


def clustering(labels):
    return pd.DataFrame({"id": list(labels), "cluster": list(labels.values())})


def sets_of(labels, records):
    by = defaultdict(set)
    for record in records:
        cluster = labels.get(record)
        by[("alone", record) if cluster is None else cluster].add(record)
    return list(by.values())


def plain(found, truth, beta=1.0):
    made, real = sets_of(found, truth), sets_of(truth, truth)
    pairs = [
        {p for s in side for p in itertools.combinations(sorted(s), 2)} for side in (made, real)
    ]
    both = len(pairs[0] & pairs[1])
    exact = sum(s in real for s in made)
    home = [{record: s for s in side for record in s} for side in (made, real)]
    shared = {r: len(home[0][r] & home[1][r]) for r in truth}
    out = []
    for a, b in (
        (both / len(pairs[0]) if pairs[0] else 0.0, both / len(pairs[1]) if pairs[1] else 0.0),
        (exact / len(made), exact / len(real)),
        (
            np.mean([shared[r] / len(home[0][r]) for r in truth]),
            np.mean([shared[r] / len(home[1][r]) for r in truth]),
        ),
    ):
        whole = beta**2 * a + b
        out += [a, b, (1 + beta**2) * a * b / whole if whole else 0.0]
    return out


NAMES = [
    f"{kind}_{part}"
    for kind in ("pairwise", "cluster", "b_cubed")
    for part in ("precision", "recall", "fbeta")
]


@pytest.mark.parametrize(
    "library", [lambda f: f, pl.from_pandas, lambda f: pl.from_pandas(f).to_arrow()]
)
@pytest.mark.parametrize("beta", [0.5, 1.0])
def test_random_clusterings_are_those_of_sets(beta, library):
    rng = random.Random(0)
    for _ in range(150):
        truth = {f"r{i}": rng.choice(["a", "b", "c", "d", None]) for i in range(rng.randint(1, 12))}
        found = {r: rng.choice([1, 2, 3]) for r in truth if rng.random() < 0.8}
        given = [clustering(found).astype({"id": str}), clustering(truth)]
        frames = [library(f.sample(frac=1, random_state=rng.randint(0, 99))) for f in given]
        made = cluster_metrics(*frames, beta=beta)
        assert [getattr(made, name) for name in NAMES] == pytest.approx(plain(found, truth, beta))
        assert made.n_missing == len(truth) - len(found)
        assert (made.n_records, made.n_outside) == (len(truth), 0)


def test_pairs_are_scikit_learns():
    rng = np.random.default_rng(0)
    truth, found = rng.integers(0, 300, (2, 5000))
    made = cluster_metrics(
        pd.DataFrame({"id": range(5000), "cluster": found}),
        pd.DataFrame({"id": range(5000), "cluster": truth}),
    )
    (_, false), (missed, true) = pair_confusion_matrix(truth, found)
    assert made.pairwise_precision == true / (true + false)
    assert made.pairwise_recall == true / (true + missed)


def test_every_function_is_its_metric():
    truth, found = clustering({1: "a", 2: "a", 3: "b"}), clustering({1: 7, 2: 7, 3: 7})
    made = cluster_metrics(found, truth, beta=0.5)
    for name in NAMES:
        assert getattr(berx_gpu, name)(found, truth, beta=0.5) == getattr(made, name)
    assert (made.pairwise_precision, made.pairwise_recall) == (1 / 3, 1.0)
    assert (made.cluster_precision, made.cluster_recall) == (0.0, 0.0)


def test_records_that_the_prediction_lacks_are_alone():
    """https://github.com/hhromic/python-bcubed/issues/7"""
    made = cluster_metrics(clustering({1: "p"}), clustering({1: "x", 2: "x", 3: "x"}))
    assert made.pairwise_recall == 0.0
    assert made.n_missing == 2
    assert (made.b_cubed_precision, made.b_cubed_recall) == (1.0, pytest.approx(1 / 3))


def test_a_sample_of_the_truth_hides_false_merges():
    """https://github.com/moj-analytical-services/splink/issues/2191"""
    truth = clustering({1: "a", 2: "a", 3: "b"})
    found = clustering({1: 7, 2: 7, 3: 8, 4: 7, 5: 8, 6: 9})
    with pytest.warns(DataWarning, match="hold 2 records that the truth does not have"):
        made = cluster_metrics(found, truth)
    assert (made.pairwise_precision, made.n_outside) == (1.0, 2)
    assert cluster_metrics(found, truth, partial=True) == made


def test_a_large_cluster_costs_its_records():
    n = 1_000_000
    one = pd.DataFrame({"id": np.arange(n), "cluster": 0})
    made = cluster_metrics(one, one.assign(cluster=np.arange(n) // 2))
    assert made.pairwise_recall == 1.0
    assert made.pairwise_precision == 500_000 / (n * (n - 1) // 2)
    assert made.b_cubed_precision == pytest.approx(2 / n, rel=1e-9)


def test_nothing_to_divide_by():
    alone = clustering({1: None, 2: None})
    assert cluster_metrics(alone, alone).pairwise_precision == 0.0
    made = cluster_metrics(alone, alone, zero_division=1.0)
    assert (made.pairwise_precision, made.cluster_fbeta, made.b_cubed_fbeta) == (1.0, 1.0, 1.0)
    assert json.loads(json.dumps(made.to_dict()))["n_true"] == 2
    assert "B-cubed" in made.to_markdown()
    assert "B-cubed" in made._repr_html_()
    assert "2 records" in str(made)


GOOD = clustering({1: "a", 2: "b"})


@pytest.mark.parametrize(
    ("found", "truth", "options", "said"),
    [
        (GOOD, GOOD[:0], {}, "truth has no record"),
        (pd.concat([GOOD, GOOD]), GOOD, {}, "prediction column 'id' holds 2 rows with an id that"),
        (
            pd.DataFrame({"id": [1, 1, 2], "cluster": 0}, index=[0, 2, 1]),
            GOOD,
            {},
            "before, such as 1",
        ),
        (pd.DataFrame({"id": [1, 1], "cluster": 0}, index=[7, 8]), GOOD, {}, "before, such as 1"),
        (GOOD, GOOD, {"zero_division": -3}, "zero_division=-3"),
        (GOOD, GOOD, {"partial": "no"}, "partial='no': say True or False"),
        (GOOD, GOOD.assign(id=[1, None]), {}, "truth column 'id' misses an id in 1 row"),
        (GOOD, GOOD.assign(id=["1", "2"]), {}, "so no id could ever match"),
        (GOOD, GOOD, {"cluster": "group"}, "prediction has no column 'group'"),
        (GOOD, GOOD, {"beta": 0}, "beta=0"),
        (GOOD, GOOD.assign(cluster=[[1], [2]]), {}, "truth column 'cluster' holds lists"),
        ({1: 2}, GOOD, {}, "give a frame"),
    ],
)
def test_what_is_refused(found, truth, options, said):
    with pytest.raises(DataError, match=said):
        cluster_metrics(found, truth, **options)
