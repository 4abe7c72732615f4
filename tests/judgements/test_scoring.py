"""Judged pairs and models against them: exact answers, an exact reference, and what is refused."""

import itertools
import json
import random
from collections import Counter, defaultdict
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from judged import EXPANSION, JUDGED, MODEL

from berx_gpu import DataError, Judgement, precision_recall, process_judgements

VECTORS = json.loads((Path(__file__).parents[1] / "data" / "judgements.json").read_text())
LIBRARIES = {
    "pandas": lambda frame: frame,
    "polars": pl.from_pandas,
    "pyarrow": lambda frame: pl.from_pandas(frame).to_arrow(),
}


def frames(case, seed=None):
    """Return judgements, expansion and models of a case, with rows in any order."""
    mix = random.Random(seed).sample if seed is not None else lambda rows, _: rows
    shown = mix(case["judgements"], len(case["judgements"]))
    judged = pd.DataFrame(shown, columns=["user_name", "shown", "endorsed"])
    expansion = mix(case["expansion"], len(case["expansion"]))
    roots = pd.Series([root for root, _ in expansion], dtype="uint64")
    leaves = [mix(one, len(one)) for _, one in expansion]
    models = []
    for model in case["models"]:
        rows = [(root, leaf) for root, members in model for leaf in members]
        models.append(pd.DataFrame(mix(rows, len(rows)), columns=["root", "leaf"], dtype="uint64"))
    return (
        judged.astype({"shown": "uint64", "endorsed": "uint64"}),
        pd.DataFrame({"root": roots, "leaves": pd.Series(leaves, dtype=object)}),
        models,
    )


def answer(call):
    try:
        return call()
    except DataError:
        return "error"


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("case", VECTORS, ids=lambda case: case["name"])
def test_the_exact_answers(case, library):
    to = LIBRARIES[library]
    for seed in (None, 1, 2):
        judged, expansion, models = frames(case, seed)
        given = (to(judged), to(expansion))
        for policy in ("false", "drop"):
            found = answer(lambda: precision_recall([*map(to, models)], *given, unjudged=policy))  # noqa: B023
            wanted = case[policy]
            assert found == ("error" if isinstance(wanted, str) else [tuple(x) for x in wanted])
        if "net" in case:
            found = answer(lambda: process_judgements(*given)[1])  # noqa: B023
            wanted = case["net"]
            assert found == (
                "error"
                if isinstance(wanted, str)
                else {(a, b): Fraction(score) for a, b, score in wanted}
            )


def test_the_published_unit_test():
    case = next(case for case in VECTORS if case["name"] == "upstream_unit_test")
    judged, expansion, models = frames(case)
    assert precision_recall(models, judged, expansion) == [(1 / 4, 1), (0, 0)]
    pairs, net, leaves = process_judgements(judged, expansion)
    assert pairs == set(net) == {(1, 2), (1, 3), (2, 3), (4, 5), (6, 7)}
    assert leaves == {1, 2, 3, 4, 5, 6, 7}


# -- against sets and fractions ---------------------------------------------------------------


def plain_net(judged, expansion):
    net = defaultdict(Fraction)
    seen = set()
    for shown, endorsed in judged:
        whole, chosen = expansion[shown], expansion.get(endorsed, {endorsed})
        assert chosen <= whole
        seen |= chosen
        for pair in itertools.combinations(sorted(whole), 2):
            if set(pair) <= chosen:
                net[pair] += 1 + Fraction(len(whole) - len(chosen), len(whole))
            else:
                net[pair] -= Fraction(len(chosen), len(whole))
    return net, seen


def plain(judged, expansion, models, unjudged):
    net, seen = plain_net(judged, expansion)
    for model in models:
        seen = seen & {leaf for _, leaf in model}
    net = {pair: score for pair, score in net.items() if set(pair) <= seen}
    right = {pair for pair, score in net.items() if score > 0}
    tied = {pair for pair, score in net.items() if score == 0}
    if not right:
        return "error"
    found = []
    for model in models:
        by_root = defaultdict(set)
        for root, leaf in model:
            by_root[root] |= {leaf} & seen
        made = {p for s in by_root.values() for p in itertools.combinations(sorted(s), 2)} - tied
        if unjudged == "drop":
            made &= set(net)
        if not made:
            return "error"
        found.append((len(made & right) / len(made), len(made & right) / len(right)))
    return found


def random_case(rng):
    expansion, judged, used = {}, [], 1
    for cluster in range(100, 100 + rng.randint(1, 4)):
        leaves = rng.sample(range(1, 14), rng.randint(1, 6))
        expansion[cluster] = set(leaves)
        for _ in range(rng.randint(1, 3)):
            rest = leaves[:]
            rng.shuffle(rest)
            while rest:
                size = rng.randint(1, len(rest))
                group, rest = rest[:size], rest[size:]
                if size == 1 and rng.random() < 0.7:
                    judged.append((cluster, group[0]))
                else:
                    used += 1
                    expansion[1000 + used] = set(group)
                    judged.append((cluster, 1000 + used))
            if rng.random() < 0.3:
                judged.pop()
    judged = judged or [(100, next(iter(expansion[100])))]
    models = []
    for _ in range(rng.randint(1, 3)):
        leaves = range(1, 14 + rng.randint(0, 3))
        model = [(rng.randint(50, 56), leaf) for leaf in leaves if rng.random() < 0.95]
        if rng.random() < 0.2:
            model += [*rng.choices(model, k=2), (rng.randint(50, 56), rng.randint(1, 13))]
        models.append(model)
    return judged, expansion, models


def test_random_judgements_are_those_of_sets_and_fractions():
    rng = random.Random(0)
    outcomes = Counter()
    for _ in range(500):
        judged, expansion, models = random_case(rng)
        tables = (
            pd.DataFrame(judged, columns=["shown", "endorsed"]),
            pd.DataFrame(
                {"root": list(expansion), "leaves": [sorted(s) for s in expansion.values()]}
            ),
        )
        given = [pd.DataFrame(model, columns=["root", "leaf"]) for model in models]
        assert process_judgements(*tables)[1] == plain_net(judged, expansion)[0]
        for policy in ("false", "drop"):
            found = answer(lambda: precision_recall(given, *tables, unjudged=policy))  # noqa: B023
            wanted = plain(judged, expansion, models, policy)
            assert found == wanted
            outcomes[isinstance(wanted, str)] += 1
    assert outcomes[False] > 300 < 3 * outcomes[True]


def test_a_tie_is_a_tie_for_every_size():
    for size in range(2, 51):
        leaves = list(range(1, size + 1))
        judged = pd.DataFrame(
            {"shown": 100, "endorsed": [100, *leaves] if size % 2 else [*leaves, 100]}
        )
        net = process_judgements(judged, pd.DataFrame({"root": [100], "leaves": [leaves]}))[1]
        assert set(net.values()) == {0}
        assert len(net) == size * (size - 1) // 2


def test_a_large_cluster_of_a_model_costs_its_leaves_only():
    judged = pd.DataFrame({"shown": [-1, -1], "endorsed": [-2, 2]})
    expansion = pd.DataFrame({"root": [-1, -2], "leaves": [[0, 1, 2], [0, 1]]})
    model = pd.DataFrame({"root": 7, "leaf": np.arange(100_000)})
    assert precision_recall([model], judged, expansion) == [(1 / 3, 1.0)]


def test_a_leaf_of_two_roots_costs_little():
    judged = pd.DataFrame({"shown": [-1, -1], "endorsed": [-2, 2]})
    expansion = pd.DataFrame({"root": [-1, -2], "leaves": [[0, 1, 2], [0, 1]]})
    model = pd.DataFrame({"root": [7] * 100_000 + [8, 8, 9], "leaf": [*range(100_000), 0, 1, 2]})
    assert precision_recall([model], judged, expansion) == [(1 / 3, 1.0)]


def test_ids_of_any_kind():
    for made in (lambda i: f"id {i}", lambda i: 2**63 + i, lambda i: -i):
        judged = pd.DataFrame({"shown": [made(9), made(9)], "endorsed": [made(8), made(3)]})
        expansion = pd.DataFrame(
            {
                "root": [made(9), made(8)],
                "leaves": [[made(i) for i in (1, 2, 3)], [made(1), made(2)]],
            }
        )
        model = pd.DataFrame({"root": ["a", "a", "b"], "leaf": [made(i) for i in (1, 2, 3)]})
        assert precision_recall([model], judged, expansion) == [(1.0, 1.0)]
        assert process_judgements(judged, expansion)[2] == {made(1), made(2), made(3)}


# -- what is refused --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("models", "judged", "expansion", "said"),
    [
        ([MODEL], JUDGED[:0], EXPANSION, "judgements has no row"),
        ([MODEL, MODEL[:0]], JUDGED, EXPANSION, "model 1 has no row"),
        ([MODEL], JUDGED.assign(shown=7), EXPANSION, "show 2 clusters without .*first at row 0: 7"),
        ([MODEL], JUDGED.assign(endorsed=[101, 4]), EXPANSION, "first at row 1: leaf 4"),
        ([MODEL], JUDGED, EXPANSION.assign(root=100), "1 root in more than one row, such as 100"),
        ([MODEL], JUDGED[1:], EXPANSION, "no pair is left to validate against"),
        ([MODEL, MODEL.assign(root=[1, 2, 3])], JUDGED, EXPANSION, "model 1 has no pair among"),
        ([MODEL], JUDGED, EXPANSION.assign(leaves=1), "'leaves' holds no lists"),
        ([MODEL], JUDGED.drop(columns="shown"), EXPANSION, "no column 'shown'"),
        ([MODEL.astype(str)], JUDGED, EXPANSION, "so no id could ever match"),
        ([MODEL.assign(leaf=[1, None, 2])], JUDGED, EXPANSION, "'leaf' misses an id in 1 row"),
        (MODEL, JUDGED, EXPANSION, "models_root_leaf is a DataFrame; give a list"),
    ],
)  # fmt: skip
def test_what_is_refused(models, judged, expansion, said):
    with pytest.raises(DataError, match=said):
        precision_recall(models, judged, expansion)


def test_a_model_without_a_pair_may_be_nan():
    found = precision_recall(
        [MODEL.assign(root=[1, 2, 3]), MODEL], JUDGED, EXPANSION, on_empty="nan"
    )
    assert str(found) == "[(nan, 0.0), (1.0, 1.0)]"
    with pytest.raises(DataError, match="on_empty='x' is not an option"):
        precision_recall([MODEL], JUDGED, EXPANSION, on_empty="x")
    with pytest.raises(DataError, match="unjudged='x' is not an option"):
        precision_recall([MODEL], JUDGED, EXPANSION, unjudged="x")
    assert precision_recall([], JUDGED, EXPANSION) == []
    assert process_judgements(JUDGED[:0], EXPANSION) == (set(), {}, set())
    rows = EXPANSION.explode("leaves").rename(columns={"leaves": "leaf"}).astype("int64")
    assert precision_recall([MODEL], JUDGED, rows) == [(1.0, 1.0)]
    assert process_judgements(JUDGED, rows) == process_judgements(JUDGED, EXPANSION)
    nested = pa.table({"root": [100, 101], "leaves": pa.array([[1, 2, 3], [1, 2]])})
    assert precision_recall([MODEL], JUDGED, nested) == [(1.0, 1.0)]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"shown": [1, 2, 3], "endorsed": [[1, 2], [2, 3]]}, "endorsed repeats 2"),
        ({"shown": [1, 1, 2], "endorsed": [[1, 2]]}, "shown repeats 1"),
        ({"shown": [1, 2, 3], "endorsed": [[1, 2]]}, "3 is in one of them only"),
        ({"shown": [1, 2], "endorsed": [[1, 2], [3]]}, "3 is in one of them only"),
        ({"shown": 7, "endorsed": [[1], [1]]}, "endorsed repeats 1"),
        ({"shown": 7, "endorsed": [1, 2]}, "give groups of ids as lists of lists"),
        ({"shown": 7, "endorsed": None}, "give groups of ids"),
        ({"shown": [1], "endorsed": [[[1]]]}, "give groups of ids"),
        ({"shown": (1, 2), "endorsed": [[1]]}, "give the id of a cluster, or a list of ids"),
        ({"shown": None, "endorsed": [[1]]}, "give the id of a cluster"),
        ({"shown": [1, "a"], "endorsed": [[2], ["b"]]}, "do not hold the same records"),
    ],
)
def test_judgements_that_are_refused(given, said):
    with pytest.raises(DataError, match=said):
        Judgement(**given)


@pytest.mark.parametrize(
    "given",
    [
        {"shown": [], "endorsed": []},
        {"shown": [1], "endorsed": [[1], []]},
        {"shown": [1, 2], "endorsed": [[1, 2]], "tag": "t"},
        {"shown": [1, 2], "endorsed": [[1], [2]], "user_name": "x"},
        {"shown": 7, "endorsed": [[1, 2], [3]], "user_id": 5},
    ],
)
def test_judgements_of_both_generations(given):
    made = Judgement(**given)
    assert {name: getattr(made, name) for name in given} == given
