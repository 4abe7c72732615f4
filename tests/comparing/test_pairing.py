"""Which systems can be compared, and how their entities and pairs meet."""

import itertools

import numpy as np
import pandas as pd
import pytest
from conftest import on_every_backend
from two_systems import TRUE, TWO, N, both, small

from berx_gpu import DataError, Truth, compare, evaluate


@on_every_backend
def test_entities_are_paired_by_id():
    a, b = both()
    listed = pd.DataFrame({"entity": np.random.default_rng(0).permutation(N)})
    shuffled = evaluate(
        TWO.sample(frac=1, random_state=3),
        Truth(TRUE.sample(frac=1, random_state=2), listed),
        name="two",
    )
    plain, other = compare(a, b, rng=7), compare(a, shuffled, rng=7)
    assert plain.to_dict() == other.to_dict()
    pd.testing.assert_frame_equal(
        pd.DataFrame(plain.by("n_true")), pd.DataFrame(other.by("n_true")), check_exact=True
    )
    pd.testing.assert_frame_equal(
        pd.DataFrame(plain.outcomes()), pd.DataFrame(other.outcomes()), check_exact=True
    )


@on_every_backend
def test_pairs_without_direction_count_once():
    records = ["a", "b", "c", "d"]
    truth = Truth([("a", "b"), ("c", "d")], records, undirected=True)
    one = evaluate([("b", "a"), ("a", "c")], truth)
    two = evaluate([("a", "b"), ("d", "c"), ("d", "c")], truth)
    links = compare(one, two, rng=0).links
    assert (links.kept, links.kept_true) == (1, 1)
    assert (links.added, links.added_true, links.removed, links.removed_true) == (1, 1, 1, 0)
    with pytest.raises(DataError, match="have a direction"):
        compare(one, evaluate([("a", "b")], [("a", "b"), ("c", "d")], entities=records))


@on_every_backend
@pytest.mark.parametrize(
    ("other", "said"),
    [
        (lambda: small(beta=1), "β differs: 0.5 and 1"),
        (lambda: small(listed=("a", "b", "c")), "such as 'c', is not in the first"),
        (lambda: small(listed=("a",), true=[("a", "x")]), "of the first evaluation is not in"),
        (lambda: small(true=[("a", "x")]), "differ: 2 and 1, of which 1 are the same"),
        (lambda: small(true=[("a", "x"), ("b", "z")]), "2 and 2, of which 1 are the same"),
        (lambda: small(pred=[(1, "x")], true=[(1, "x")], listed=[1, 2]), "integer ids"),
        (lambda: small().per_entity, "the second system is a"),
    ],
)  # fmt: skip
def test_systems_that_cannot_be_compared(other, said):
    with pytest.raises(DataError, match=said):
        compare(small(), other())


@on_every_backend
def test_repeated_true_pairs_count_once():
    listed, pred = range(60), [(i, i) for i in range(30)]
    whole, half = [(i, i) for i in range(60)], [(i, i) for i in range(30)]
    one = evaluate(pred, Truth(whole, listed))
    for other in (half * 2, half):
        less = evaluate(pred, Truth(other, listed))
        for a, b in ((one, less), (less, one)):
            with pytest.raises(DataError, match="of which 30 are the same"):
                compare(a, b)
    again = evaluate(pred, Truth(whole + half, listed[::-1]))
    for a, b in ((one, again), (again, one)):
        assert compare(a, b).delta == 0
    undirected = [
        evaluate([("a", "b")], Truth(pairs, ["a", "b", "c"], undirected=True))
        for pairs in ([("a", "b")], [("b", "a"), ("a", "b")], [("a", "b"), ("b", "c")])
    ]
    for a, b in itertools.permutations(undirected[:2]):
        assert compare(a, b).links.kept == 1
    for a, b in itertools.permutations(undirected[1:]):
        with pytest.raises(DataError, match="[12] and [12], of which 1 are the same"):
            compare(a, b)
