"""Every door on cuDF frames against the CPU, where a card answers: `pytest -m gpu tests/gpu`."""

import numpy as np
import pandas as pd
import pytest

from berx_gpu import (
    DataError,
    MissingDependencyError,
    Policy,
    Truth,
    candidate_recall,
    check,
    compare,
    decide,
    error_budget,
    evaluate,
    oracle,
    sweep,
)  # fmt: skip
from berx_gpu.backends import cuda, draws, select
from berx_gpu.backends.cpu import backend as cpu
from berx_gpu.kernels import fbeta_cpu

pytestmark = pytest.mark.gpu
N, ENTITIES = 200_000, 9_000


@pytest.fixture(scope="module", autouse=True)
def libraries():
    try:
        return cuda.libraries()
    except MissingDependencyError as error:
        pytest.skip(str(error))


@pytest.fixture
def cudf(libraries):
    return libraries[0]


@pytest.fixture
def cupy(libraries):
    return libraries[1]


def table(seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "entity": rng.integers(0, ENTITIES, N),
            "target": rng.integers(0, 20_000, N),
            "score": rng.integers(0, 1000, N).astype("float32") / 1000,
        }
    )
    truth = frame[["entity", "target"]].sample(N // 6, random_state=seed)
    extra = pd.DataFrame({"entity": rng.integers(0, ENTITIES, 9000), "target": -1})
    listed = pd.DataFrame({"entity": rng.permutation(ENTITIES), "part": np.arange(ENTITIES) % 7})
    return frame, pd.concat([truth, extra], ignore_index=True), listed


def as_ids(kind, *frames):
    made = []
    for frame in frames:
        columns = {name: frame[name] for name in ("entity", "target") if name in frame}
        for name, values in columns.items():
            values = values + 1 if kind == "uint32" else values
            if kind == "text":
                values = "id " + values.astype("str")
            elif kind == "category":
                values = ("id " + values.astype("str")).astype("category")
            elif kind == "datetime":
                values = pd.to_datetime(values, unit="D")
            else:
                values = values.astype(kind)
            columns[name] = values
        made.append(frame.assign(**columns))
    return made


KINDS = ["int64", "int32", "uint32", "float64", "text", "category", "datetime"]


def on_card(cudf, *frames):
    return [cudf.from_pandas(frame) for frame in frames]


def plain(frame):
    return frame.to_pandas() if hasattr(frame, "to_pandas") else frame


def same(ours, theirs):
    ours, theirs = plain(ours), plain(theirs)
    assert list(ours.columns) == list(theirs.columns)
    for name in ours.columns:
        a, b = ours[name], theirs[name]
        if a.dtype.kind == "f" or b.dtype.kind == "f":
            np.testing.assert_allclose(a.to_numpy(float), b.to_numpy(float), rtol=0, atol=1e-12)
        else:
            assert a.astype("str").tolist() == b.astype("str").tolist()


@pytest.mark.parametrize("kind", KINDS)
def test_scores_of_every_kind_of_id(cudf, kind):
    frame, truth, listed = as_ids(kind, *table())
    here = evaluate(frame, truth, entities=listed, threshold=0.5)
    there = evaluate(*on_card(cudf, frame, truth), entities=cudf.from_pandas(listed), threshold=0.5)
    assert isinstance(there.per_entity, cudf.DataFrame)
    same(there.per_entity, here.per_entity)
    same(there.by("part"), here.by("part"))
    same(there.losses(), here.losses())
    assert there.to_dict() == here.to_dict()


@pytest.mark.parametrize("kind", ["int64", "text"])
def test_sweeps_policies_and_decisions(cudf, kind):
    frame, truth, listed = as_ids(kind, *table(1))
    rules = {"owner_margin": [None, 0.05], "top_k": [None, 2], "best_margin": [None, 0.1]}
    here = sweep(frame, Truth(truth, listed), **rules)
    card = Truth(*on_card(cudf, truth, listed))
    there = sweep(cudf.from_pandas(frame), card, **rules)
    for a, b in zip(there.results, here.results, strict=True):
        assert a.policy == b.policy
        same(a.curve, b.curve)
    policy = Policy(threshold=0.4, owner_margin=0.01, top_k=2)
    same(decide(cudf.from_pandas(frame), policy), decide(frame, policy))
    same(there.by("part"), here.by("part"))
    same(there.bands(), here.bands())


def test_candidates_budget_and_links(cudf):
    frame, truth, listed = table(2)
    here, there = Truth(truth, listed), Truth(*on_card(cudf, truth, listed))
    pool = cudf.from_pandas(frame)
    assert oracle(pool, there).to_dict() == oracle(frame, here).to_dict()
    assert candidate_recall(pool, there).to_dict() == candidate_recall(frame, here).to_dict()
    links, on_host = pool[pool["score"] > 0.7], frame[frame["score"] > 0.7]
    a, b = (
        evaluate(x, t, score="score", threshold=0.7) for x, t in ((links, there), (on_host, here))
    )
    ours, theirs = (
        error_budget(ev, candidates=x, truth=t) for ev, x, t in ((a, pool, there), (b, frame, here))
    )
    assert ours.to_dict() == theirs.to_dict()
    assert len(a.false_links()) == len(b.false_links())
    assert len(a.missed_links()) == len(b.missed_links())
    assert check(pool, entities=cudf.from_pandas(listed)).to_dict() == (
        check(frame, entities=listed).to_dict()
    )


def test_host_frames_move_to_the_card():
    frame, truth, listed = table(3)
    there = evaluate(frame, Truth(truth, listed, device="cuda"), threshold=0.5)
    here = evaluate(frame, Truth(truth, listed), threshold=0.5)
    assert isinstance(there.per_entity, pd.DataFrame)
    same(there.per_entity, here.per_entity)


def test_little_memory_means_more_parts_and_the_same_numbers(cudf, cupy, monkeypatch):
    frame, truth, listed = table(4)
    few = cuda.backend()
    many = cuda.on(
        cudf,
        cupy,
        free=lambda: 1_000_000,
        fbeta=few.fbeta,
        resample=few.resample,
        special=few.special,
    )
    made = []
    for backend in (few, many):
        monkeypatch.setattr(select, "select", lambda *_, chosen=backend, **__: chosen)
        held = Truth(*on_card(cudf, truth, listed))
        ev = evaluate(cudf.from_pandas(frame), held, threshold=0.5)
        made.append((ev.to_dict(), plain(sweep(cudf.from_pandas(frame), held).curve)))
    assert made[0][0] == made[1][0]
    assert made[0][1].equals(made[1][1])


def test_two_runs_have_the_same_bits(cudf):
    frame, truth, listed = table(5)
    runs = [
        evaluate(*on_card(cudf, frame, truth), entities=cudf.from_pandas(listed), threshold=0.5)
        for _ in range(2)
    ]
    assert runs[0].macro_fbeta == runs[1].macro_fbeta
    assert plain(runs[0].per_entity).equals(plain(runs[1].per_entity))


@pytest.mark.parametrize("beta", [0.5, 0.7, 3.7])
def test_the_kernel_has_the_bits_of_the_cpu(cupy, beta):
    rng = np.random.default_rng(6)
    n_pred, n_true = rng.integers(0, 2**40, (2, 10**6))
    tp = rng.integers(0, np.minimum(n_pred, n_true) + 1)
    out = np.empty(len(tp))
    fbeta_cpu.fbeta(tp, n_pred, n_true, beta, out)
    backend = cuda.backend()
    ours = backend.to_host(backend.fbeta(*map(cupy.asarray, (tp, n_pred, n_true)), beta))
    assert (ours.view(np.int64) == out.view(np.int64)).all()


@pytest.mark.parametrize("how", draws.TABLES)
def test_replicates_have_the_bits_of_the_cpu(cupy, how):
    rng = np.random.default_rng(8)
    count, num, den = rng.integers(1, 10**5, 999), *rng.integers(0, 2**30, (2, 999))
    made = [
        b.resample(how, count, num, den, 3000, 2**40 + 1) for b in (cuda.backend(), cpu.backend(2))
    ]
    assert (made[0] == made[1]).all()


def test_intervals_comparisons_and_folds(cudf):
    frame, truth, listed = table(9)
    here, there = Truth(truth, listed), Truth(*on_card(cudf, truth, listed))
    sides = []
    for held, pool in ((here, frame), (there, cudf.from_pandas(frame))):
        low, high = (evaluate(pool, held, threshold=t) for t in (0.3, 0.6))
        made = compare(low, high, rng=1)
        sides.append(
            [
                low.interval("precision", method="bca", rng=1).to_dict(),
                made.to_dict(),
                plain(made.by("part")).to_dict(),
                sweep(pool, held).cross_fitted(3).to_dict(),
            ]
        )
    assert sides[0] == sides[1]


@pytest.mark.parametrize("column", ["entity", "target"])
def test_missing_ids_are_refused(cudf, column):
    frame, truth, listed = table(7)
    frame.loc[5, column] = None
    with pytest.raises(DataError, match="misses an id in 1 row, first at row 5"):
        evaluate(*on_card(cudf, frame, truth), entities=cudf.from_pandas(listed), threshold=0.5)
