"""The kernels that match on the CPU: adversarial shapes, collisions, threads, forks."""

import multiprocessing
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest
from conftest import kernel_backend, loose_backend
from hypothesis import given
from hypothesis import strategies as st
from shapes import LONG, MAX, MIN, column, int_pairs, one_target_each

from berx_gpu import Truth, evaluate
from berx_gpu.backends.cpu.machine import Machine
from berx_gpu.backends.frames.libraries import Libraries

#: Texts at the edges of the two-word keys: every length around 0, 8, 15 and 16, equal prefixes.
TEXTS = [
    "",
    "a",
    "a\0",
    "\0",
    "\0\0",
    *("x" * n for n in (7, 8, 9, 14, 15, 16, 17, 23, 24, 31, 32)),
]
TEXTS += [LONG + str(i) for i in range(5)] + [str(i) + LONG for i in range(5)] + ["é" * 8, "é" * 7]
INTEGERS = [0, -1, 1, MIN, MIN + 1, MAX, MAX - 1, 7, 2**53, 2**53 + 1]


def counts(backend, pred, truth, listed):
    """Return tp, n_pred, n_true and the two numbers of repeats by one backend."""
    index = backend.index([listed])
    assert index.twice == 0
    codes = [backend.lookup(index, [side[0]]) for side in (pred, truth)]
    prepared = backend.prepare(len(listed), codes[1][0], [truth[1]])
    found = backend.match(prepared, codes[0][0], [pred[1]])
    numbers = [found.tp, found.n_pred, prepared.n_true]
    return [x.tolist() for x in numbers], found.repeats, prepared.repeats, codes[0][1], codes[1][1]


@st.composite
def tables(draw):
    pool = draw(st.sampled_from([TEXTS, INTEGERS, list(range(-5, 60))]))
    listed = draw(st.lists(st.sampled_from(pool), min_size=1, unique=True))
    if pool[0] == -5:
        listed = draw(st.sampled_from([listed, pool, pool[3:40]]))
    pairs = st.lists(
        st.tuples(st.sampled_from(pool), st.sampled_from(pool)), min_size=1, max_size=80
    )
    sides = [list(zip(*draw(pairs), strict=True)) for _ in range(2)]
    return [tuple(column(list(c)) for c in side) for side in sides], column(listed)


@given(tables(), st.sampled_from([1, 2, 3]), st.booleans())
def test_kernels_count_as_the_joins_do(drawn, n_threads, collide):
    (pred, truth), listed = drawn
    options = {"hash_mask": np.uint64(0)} if collide else {}
    ours = counts(kernel_backend(n_threads, **options), pred, truth, listed)
    assert ours == counts(loose_backend(), pred, truth, listed)


@pytest.mark.parametrize("make", [kernel_backend, loose_backend])
@given(tables(), st.booleans())
def test_labels_mark_each_pair_once_and_each_row_of_a_true_one(make, drawn, in_order):
    (pred, truth), listed = drawn
    backend = make()
    index = backend.index([listed])
    codes, true_codes = (backend.lookup(index, [side[0]])[0] for side in (pred, truth))
    targets = pred[1]
    if in_order:  # rows that come in the order of the entities stay where they are
        rows = np.flatnonzero(codes >= 0)
        rows = rows[np.argsort(codes[rows], kind="stable")]
        codes, targets = codes[rows], targets[rows]
    prepared = backend.prepare(len(listed), true_codes, [truth[1]])
    new, hit, again = backend.label(prepared, codes, [targets])
    pairs = list(zip(codes.tolist(), targets.tolist(), strict=True))
    true = set(zip(true_codes.tolist(), truth[1].tolist(), strict=True))
    assert hit.tolist() == [e >= 0 and (e, t) in true for e, t in pairs]
    assert not new[codes < 0].any()
    marked = [pair for pair, first in zip(pairs, new, strict=True) if first]
    assert sorted(marked) == sorted({(e, t) for e, t in pairs if e >= 0})
    assert again.tolist() == [e >= 0 and pairs.count((e, t)) > 1 for e, t in pairs]


@pytest.mark.parametrize("first", [MIN, MIN + 2**47, -1, 0, 2**60, MAX - 2**47, MAX])
def test_numbers_too_far_from_the_first_one_are_not_packed(first):
    """Packed words hold what lies less than 2**47 from the first number, on either side."""
    reach = 2**47
    for far in (-reach - 1, -reach, reach - 1, reach, 2**48, 2**63):
        near = [first, first + far, first + far % 2**48]
        targets = [t for t in near if MIN <= t <= MAX]
        rows = [(1, targets[0]), *((e, t) for t in targets[::-1] for e in (0, 1))]
        true = [(0, targets[-1]), (1, targets[-1]), (1, targets[0])]
        sides = [tuple(column(list(c)) for c in zip(*s, strict=True)) for s in (rows, true)]
        tp, n_pred, n_true = counts(kernel_backend(), *sides, column([0, 1]))[0]
        for e in (0, 1):
            made, real = ({t for a, t in s if a == e} for s in (rows, true))
            assert (tp[e], n_pred[e], n_true[e]) == (len(made & real), len(made), len(real))


def test_long_texts_whose_hashes_all_collide():
    backend = kernel_backend(hash_mask=np.uint64(0))
    ids = [LONG + str(i) for i in range(400)]
    rng = np.random.default_rng(5)
    pred, truth = (
        (column([ids[i] for i in rng.integers(0, 400, 3000)]),
         column([ids[i] for i in rng.integers(0, 40, 3000)]))
        for _ in range(2)
    )  # fmt: skip
    assert counts(backend, pred, truth, column(ids)) == counts(
        loose_backend(), pred, truth, column(ids)
    )


SHAPES = {
    "one entity, a million targets": (
        int_pairs(np.zeros(10**6, int), np.random.default_rng(0).permutation(10**6)),
        int_pairs(np.zeros(10**6, int), np.random.default_rng(1).permutation(10**6) + 5 * 10**5),
        np.arange(3),
        (5 * 10**5, 10**6, 10**6),
    ),
    "a million entities, one target each": one_target_each(),
    "all repeats": (
        int_pairs(np.full(10**6, 1), np.full(10**6, 2)),
        int_pairs(np.full(10**6, 1), np.full(10**6, 2)),
        np.arange(2),
        (1, 1, 1),
    ),
    "in the order of the entities": (
        int_pairs(np.repeat(np.arange(10**5), 3), np.tile([1, 2, 2], 10**5)),
        int_pairs(np.repeat(np.arange(10**5), 2), np.tile([2, 9], 10**5)),
        np.arange(10**5),
        (10**5, 2 * 10**5, 2 * 10**5),
    ),
    "many more predictions than truth": (
        int_pairs(np.tile(np.arange(5000), 200), np.repeat(np.arange(200), 5000)),
        int_pairs(np.arange(5000).repeat(20), np.tile(np.arange(150, 170), 5000)),
        np.arange(5000),
        (10**5, 10**6, 10**5),
    ),
    "sparse, in falling order": (
        int_pairs(np.arange(10**5)[::-1] * 10**12, np.arange(10**5)[::-1]),
        int_pairs(np.arange(10**5) * 10**12, np.arange(10**5)),
        np.arange(10**5) * 10**12,
        (10**5, 10**5, 10**5),
    ),
    "int64 extremes": (
        int_pairs([MIN, MAX, -1] * 40000, [MAX, MIN, 0] * 40000),
        int_pairs([MIN, MAX], [MAX, -1]),
        np.array([MAX, 0, MIN, -1]),
        (1, 3, 2),
    ),
    "empty predictions": (int_pairs([], []).astype(int), int_pairs([1], [1]), [1], (0, 0, 1)),
    "empty truth": (
        int_pairs([1] * 10**5, range(10**5)),
        int_pairs([], []).astype(int),
        [1],
        (0, 10**5, 0),
    ),
}


@pytest.mark.parametrize("n_threads", [1, 2])
@pytest.mark.parametrize("shape", SHAPES)
def test_adversarial_shapes(shape, n_threads):
    pred, truth, listed, expected = SHAPES[shape]
    start = time.perf_counter()
    ev = evaluate(pred, truth, entities=listed, n_threads=n_threads)
    assert (ev.tp, ev.n_pred, ev.n_true) == expected
    assert time.perf_counter() - start < 30, "n log n, not n²"


@pytest.mark.parametrize("kind", ["dense", "sparse", "text", "long text"])
def test_one_and_two_threads_give_the_same_bits(kind):
    rng = np.random.default_rng(3)
    n = 3 * 10**4
    names = {
        "dense": np.arange(n),
        "sparse": rng.integers(MIN, MAX, n),
        "text": np.array([f"S1-{i:09d}" for i in range(n)]),
        "long text": np.array([LONG + str(i) for i in range(n)]),
    }[kind]
    pred, truth = (
        pd.DataFrame(
            {
                "entity": names[rng.integers(0, n, 10**5)],
                "target": names[rng.integers(0, 50, 10**5)],
            }
        )
        for _ in range(2)
    )
    one, two = (evaluate(pred, truth, entities=names, n_threads=k, beta=0.3) for k in (1, 2))
    assert one.to_dict() == two.to_dict()
    assert one.per_entity.equals(two.per_entity)
    pairs = set(zip(pred["entity"], pred["target"], strict=True))
    assert one.n_pred == len(pairs)


def big(n=2 * 10**5):
    rng = np.random.default_rng(8)
    pairs = int_pairs(rng.integers(0, n // 4, n), rng.integers(0, 50, n))
    return pairs, Truth(pairs.iloc[: n // 2], np.arange(n // 4), n_threads=2)


def _score_in_child(queue):
    queue.put(evaluate(*big()).tp)


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_a_forked_child_can_score_after_its_parent_did():
    expected = evaluate(*big()).tp
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=_score_in_child, args=(queue,))
    child.start()
    assert queue.get(timeout=60) == expected
    child.join(30)
    assert child.exitcode == 0


def test_four_callers_at_once():
    pairs, truth = big()
    expected = evaluate(pairs, truth).to_dict()
    with ThreadPoolExecutor(4) as pool:
        for ev in pool.map(lambda _: evaluate(pairs, truth), range(8)):
            assert ev.to_dict() == expected


def test_small_and_large_sides_mix():
    rng = np.random.default_rng(1)
    large = int_pairs(rng.integers(0, 900, 10**5), rng.integers(0, 300, 10**5))
    small = large.iloc[:500]
    listed = np.arange(900)
    sizes = Machine(Libraries(pd, np, None, None, None, None, int), 1).small_rows
    assert len(small) < sizes < len(large)
    for pred, truth in ((large, small), (small, large), (large, large), (small, small)):
        ev = evaluate(pred, truth, entities=listed)
        pairs = [set(zip(f["entity"], f["target"], strict=True)) for f in (pred, truth)]
        assert (ev.tp, ev.n_pred, ev.n_true) == (
            len(pairs[0] & pairs[1]),
            len(pairs[0]),
            len(pairs[1]),
        )
