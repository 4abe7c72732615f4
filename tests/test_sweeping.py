"""`sweep`, policies and `decide`, against plain sets at every threshold."""

import json
import math

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference import fbeta_exact
from sklearn.metrics import precision_recall_curve

from berx_gpu import DataError, Policy, Truth, decide, evaluate, sweep

pytestmark = [
    pytest.mark.usefixtures("backend"),
    pytest.mark.filterwarnings("ignore:all .* of the candidates:berx_gpu.DataWarning"),
]

ENTITIES = [*"abc"]
LISTED = ["c", "a", "b"]
LONG = "a target with a name too long for a word "
ids = st.sampled_from([*ENTITIES, "z"])  # z is not listed, and competes all the same
FLOATS = [0.1, 0.2, 0.25, 0.7, 0.9, -0.0, 0.0, math.inf, -math.inf, -3.5]
dtypes = st.sampled_from(["float64", "float32", "int64"])


@st.composite
def tables(draw, numbers=FLOATS):
    dtype = draw(dtypes)
    numbers = [0, 1, 2, -7, 2**40] if dtype == "int64" else numbers
    row = st.tuples(ids, st.integers(0, 4), st.sampled_from(numbers))
    rows = draw(st.lists(row, max_size=16))
    columns = [list(c) for c in zip(*rows, strict=True)] or [[], [], []]
    frame = pd.DataFrame(dict(zip(["entity", "target", "score"], columns, strict=True)))
    frame = frame.astype({"entity": "str", "target": "int64", "score": dtype})
    truth = draw(st.lists(st.tuples(st.sampled_from(ENTITIES), st.integers(0, 4)), max_size=8))
    return frame, truth


def best_scores(frame):
    out = {}
    for e, t, s in zip(frame["entity"], frame["target"], frame["score"].tolist(), strict=True):
        out[e, t] = max(s, out.get((e, t), -math.inf))
    return out


def choose(scored, policy):
    """Return the pairs that a policy keeps, with their scores, one rule after the other."""
    if policy.one_entity_per_target:
        kept = {}
        for (e, t), s in scored.items():
            rivals = [(r, f) for (f, u), r in scored.items() if u == t and f != e]
            if all(s > r or (s == r and e < f) for r, f in rivals):
                best = max((r for r, _ in rivals), default=None)
                margin = policy.owner_margin
                lead = math.inf if best is None else 0.0 if s == best else s - best
                if margin is None or lead >= margin:
                    kept[e, t] = s
        scored = kept
    out = {}
    for e in ENTITIES:
        mine = {t: s for (f, t), s in scored.items() if f == e}
        if policy.top_k is not None:
            order = sorted(mine, key=lambda t: (-mine[t], t))
            mine = {t: mine[t] for t in order[: policy.top_k]}
        best = max(mine.values(), default=-math.inf)
        if policy.ratio is not None:
            mine = {t: s for t, s in mine.items() if s >= policy.ratio * best}
        if policy.best_margin is not None:
            mine = {t: s for t, s in mine.items() if s == best or s >= best - policy.best_margin}
        if policy.min_best is not None and best < policy.min_best:
            mine = {}
        out |= {(e, t): s for t, s in mine.items()}
    return out


def counts(chosen, truth, threshold, beta=0.5):
    f, tp, k = 0, 0, 0
    for e in ENTITIES:
        pred = {t for (g, t), s in chosen.items() if g == e and s >= threshold}
        true = {t for g, t in truth if g == e}
        f += fbeta_exact(len(pred & true), len(pred), len(true), beta)
        tp, k = tp + len(pred & true), k + len(pred)
    return float(f / len(ENTITIES)), tp, k


def assert_curve(result, chosen, truth, beta=0.5):
    levels = sorted(set(chosen.values()), reverse=True)
    assert result.threshold[1:].tolist() == levels
    top = result.threshold[0]
    assert math.isnan(top) if math.inf in levels else top == math.inf
    for i, level in enumerate([None, *levels]):
        f, tp, k = counts(chosen if i else {}, truth, level, beta)
        assert (result.tp[i], result.n_pred[i]) == (tp, k)
        assert result.macro_fbeta[i] == pytest.approx(f, abs=1e-12)
        linked = {e for (e, _), s in chosen.items() if i and s >= level}
        assert result.n_linked[i] == len(linked)


@given(tables(), st.sampled_from([0.5, 2.0]))
def test_the_curve_is_scoring_at_every_threshold(drawn, beta):
    frame, truth = drawn
    sw = sweep(frame, truth, entities=LISTED, beta=beta, unknown_entities="drop")
    assert_curve(sw.results[0], choose(best_scores(frame), Policy()), truth, beta)
    best = sw.results[0].best
    assert best.macro_fbeta == pytest.approx(sw.results[0].macro_fbeta.max(), abs=1e-12)


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


@given(tables(), st.lists(st.sampled_from([*FLOATS, 0.15, 5.0]), min_size=1, max_size=5))
def test_a_grid_is_the_curve_at_its_thresholds(drawn, grid):
    frame, truth = drawn
    sw = sweep(frame, truth, entities=LISTED, thresholds=grid, unknown_entities="drop")
    chosen = choose(best_scores(frame), Policy())
    result = sw.results[0]
    for i, threshold in enumerate(grid):
        level = float(np.float32(threshold)) if frame["score"].dtype == "float32" else threshold
        f, tp, k = counts(chosen, truth, level)
        assert (result.threshold[i], result.tp[i], result.n_pred[i]) == (threshold, tp, k)
        assert result.macro_fbeta[i] == pytest.approx(f, abs=1e-12)


def test_pooled_precision_and_recall_are_those_of_scikit_learn():
    rng = np.random.default_rng(3)
    scores, true = rng.integers(0, 40, 300) / 40, rng.random(300) < 0.4
    frame = pd.DataFrame(
        {"entity": rng.integers(0, 50, 300), "target": range(300), "score": scores}
    )
    curve = sweep(frame, frame[true][["entity", "target"]], entities=range(50)).results[0].curve
    p, r, levels = precision_recall_curve(true, scores)
    ours = curve[1:][::-1]
    assert ours["threshold"].tolist() == levels.tolist()
    assert ours["precision"].to_numpy() == pytest.approx(p[:-1])
    assert ours["recall"].to_numpy() == pytest.approx(r[:-1])


def test_a_sweep_goes_on_after_full_recall():
    """https://github.com/scikit-learn/scikit-learn/issues/23213"""
    rows = [("A", i, s) for i, s in enumerate([0.1, 0.4, 0.35, 0.8])]
    sw = sweep(rows, [("A", 2), ("A", 3)], entities=["A"])
    assert sw.results[0].threshold[1:].tolist() == [0.8, 0.4, 0.35, 0.1]


def test_scores_stay_in_their_own_units():
    """https://github.com/Lightning-AI/torchmetrics/issues/3179"""
    rows = [("A", 0, -1.0), ("A", 1, 0.0), ("A", 2, 1.0)]
    curve = sweep(rows, [("A", 0), ("A", 2)], entities=["A"]).curve
    assert curve["threshold"].tolist()[1:] == [1.0, 0.0, -1.0]


def test_a_float32_score_is_kept_at_its_own_threshold():
    frame = pd.DataFrame({"entity": ["A"], "target": [1], "score": np.array([0.7], "float32")})
    grid = [0.7, np.arange(0.2, 0.951, 0.01)[50]]
    sw = sweep(frame, [("A", 1)], entities=["A"], thresholds=grid)
    assert sw.results[0].n_pred.tolist() == [1, 1]


def test_a_wrong_link_stays_missed_above_its_score():
    """https://github.com/moj-analytical-services/uk_address_matcher/pull/261"""
    sw = sweep([("A", "x", 15)], [("A", "t")], entities=["A"], thresholds=[14, 16])
    result = sw.results[0]
    assert (result.n_pred - result.tp).tolist() == [1, 0]
    with pytest.raises(DataError, match="1 row"):
        sweep([("A", "x", math.nan)], [("A", "t")], entities=["A"])


def test_ties_do_not_depend_on_names_or_rows():
    """https://github.com/usnistgov/trec_eval/issues/22"""
    rows = [("A", t, 1.0) for t in "abc"]
    for order in (rows, rows[::-1]):
        sw = sweep(order, [("A", "b")], entities=["A"], top_k=1)
        assert sw.results[0].n_pred.tolist() == [0, 3]
        assert decide(order, Policy(top_k=1))["target"].tolist() == ["a"]


def test_several_score_columns_and_a_grid_of_policies():
    frame = pl.DataFrame(
        {"entity": ["a", "b"], "target": [1, 1], "one": [0.9, 0.4], "two": [0.2, 0.6]}
    )
    sw = sweep(frame, [("a", 1)], entities=["a", "b"], score=["one", "two"], top_k=[None, 1])
    assert len(sw.results) == 6
    assert {r.score for r in sw.results} == {"one", "two"}
    assert isinstance(sw.curve, pl.DataFrame)
    assert sw.best.threshold == 0.9
    assert json.loads(json.dumps(sw.to_dict()))["policies"][1]["policy"]["one_entity_per_target"]
    assert "one: threshold only" in str(sw)
    assert "| one: top 1 |" in sw.to_markdown()


def test_what_a_curve_can_be_asked():
    rows = [("a", 1, 0.9), ("a", 2, 0.8), ("b", 3, 0.7), ("b", 4, 0.1)]
    sw = sweep(rows, {"a": [1], "b": [3], "c": []}, entities=["a", "b", "c"])
    top = sw.results[0]
    assert top.at_precision(0.6) == 0.7
    assert top.at_precision(1.0) == 0.9
    assert sweep(rows, {"a": [9]}, entities=["a", "b"]).at_precision(0.5) is None
    assert len(top.thin(2)) == 3
    bands = top.bands([0.5, 0.75])
    assert bands[["low", "pairs", "true", "false"]].to_numpy().tolist() == [
        [0.75, 2, 1, 1], [0.5, 1, 1, 0], [-math.inf, 1, 0, 1],
    ]  # fmt: skip
    assert bands["mean_score"].tolist() == pytest.approx([0.85, 0.7, 0.1])
    assert bands["true_below_best"].tolist() == [0, 0, 0]
    assert bands["false_below_best"].tolist() == [0, 0, 1]
    last = counts({(e, t): s for e, t, s in rows}, [("a", 1), ("b", 3)], -math.inf)[0]
    assert bands["change"].iloc[-1] == pytest.approx(last - top.best.macro_fbeta)
    with pytest.raises(DataError, match="between 0 and 1"):
        top.at_precision(1.5)


def test_policies_are_saved_and_loaded(tmp_path):
    path = tmp_path / "policy.json"
    for policy in (Policy(), Policy(0.5, True, 0.1, 3, 0.9, 0.2, -1.0), Policy(math.inf)):
        policy.save(path)
        assert Policy.load(path) == policy
    path.write_text('{"treshold": 1}')
    with pytest.raises(DataError, match="'treshold', which does not exist"):
        Policy.load(path)
    path.write_text("[]")
    with pytest.raises(DataError, match="no policy, but list"):
        Policy.load(path)
    path.write_text("{")
    with pytest.raises(DataError, match="no JSON"):
        Policy.load(path)


@pytest.mark.parametrize(
    "rules",
    [{"top_k": 0}, {"ratio": 0.0}, {"ratio": 1.1}, {"owner_margin": -1}, {"threshold": True},
     {"one_entity_per_target": 1}, {"min_best": "x"}],
)  # fmt: skip
def test_rules_out_of_range_are_refused(rules):
    with pytest.raises(DataError):
        Policy(**rules)


def test_ratio_needs_scores_from_zero():
    with pytest.raises(DataError, match=r"1 row.*below \(lowest -1\)"):
        decide([("a", 1, -1.0)], Policy(ratio=0.5))


# -- the example ------------------------------------------------------------------------------

FEBRL = "examples/febrl3/"


@pytest.fixture
def febrl(backend):
    read = {name: pd.read_csv(FEBRL + f"{name}.csv") for name in ("truth", "entities")}
    return Truth(read["truth"], read["entities"])


@pytest.mark.parametrize(
    ("name", "plain", "owned", "margin"),
    [("splink", 0.9850, 0.9925, 0.9926), ("jaro_winkler", 0.9588, 0.9807, 0.9855)],
)
@pytest.mark.parametrize("free_bytes", [10**5])
def test_the_best_of_each_policy_on_the_example(febrl, name, plain, owned, margin):
    frame = pd.read_parquet(FEBRL + f"{name}.parquet")
    sw = sweep(frame, febrl, owner_margin=0.05)
    assert [round(r.best.macro_fbeta, 4) for r in sw.results] == [plain, owned, margin]
    if name == "splink":
        best = sw[Policy()].best
        assert best.threshold == pytest.approx(0.562192683, abs=1e-9)
        assert best.down_to == pytest.approx(0.541409061, abs=1e-9)
        assert best.round_threshold == 0.56
        assert (round(best.precision, 4), round(best.recall, 4)) == (0.9959, 0.9603)
        assert sw[Policy(one_entity_per_target=True)].best.threshold == pytest.approx(
            0.0329, abs=1e-4
        )
        typed = evaluate(frame, febrl, threshold=best.threshold)
        assert typed.macro_fbeta == pytest.approx(best.macro_fbeta, abs=1e-12)


@pytest.mark.parametrize("free_bytes", [10**5])
def test_others_compete_for_the_targets_of_a_part(febrl):
    import zlib

    frame = pd.read_parquet(FEBRL + "jaro_winkler.parquet")
    listed = pd.read_csv(FEBRL + "entities.csv")["entity"]
    fold = [e for e in listed if zlib.crc32(e.encode()) % 5 == 0]
    assert len(fold) == 394
    sw = sweep(
        frame, febrl, entities=fold, one_entity_per_target=True, thresholds=[0.7],
        unknown_entities="drop",
    )  # fmt: skip
    owned = sw[Policy(one_entity_per_target=True)]
    assert round(float(owned.macro_fbeta[0]), 4) == 0.9778
    alone = sweep(frame[frame["entity"].isin(fold)], febrl, entities=fold, thresholds=[0.7])[
        Policy(one_entity_per_target=True)
    ]
    assert round(float(alone.macro_fbeta[0]), 4) == 0.8046


@given(tables([0.1, 0.25, 0.5, 0.75, 0.9, 0.0]), st.lists(st.sampled_from("xy"), min_size=3))
def test_what_separate_thresholds_gain(drawn, names):
    frame, truth = drawn
    slices = dict(zip(ENTITIES, names, strict=False))
    sw = sweep(frame, truth, entities=LISTED, unknown_entities="drop")
    made = sw.by(slices).set_index("slice")
    best = sw.best
    chosen = choose(best_scores(frame), best.policy)
    f = {
        (e, level): float(
            fbeta_exact(
                len({t for g, t in truth if g == e} & {t for t, s in mine if s >= level}),
                len({t for t, s in mine if s >= level}),
                len({t for g, t in truth if g == e}),
                0.5,
            )
        )
        for e in ENTITIES
        for mine in [[(t, s) for (g, t), s in chosen.items() if g == e]]
        for level in [math.inf, best.threshold, *chosen.values()]
    }
    total = 0
    for name in sorted(set(slices.values())):
        inside = [e for e in ENTITIES if slices[e] == name]
        means = {level: sum(f[e, level] for e in inside) / len(inside) for _, level in f}
        row = made.loc[name]
        assert row["n_entities"] == len(inside)
        assert row["macro_fbeta"] == pytest.approx(means[best.threshold], abs=1e-12)
        assert row["best_macro_fbeta"] == pytest.approx(max(means.values()), abs=1e-12)
        assert means[row["best_threshold"]] == pytest.approx(max(means.values()), abs=1e-12)
        assert row["gain"] == pytest.approx(max(means.values()) - means[best.threshold], abs=1e-12)
        total += row["gain"] * len(inside) / len(ENTITIES)
    assert made["gain_overall"].sum() == pytest.approx(total, abs=1e-12)


@pytest.mark.filterwarnings("ignore::berx_gpu.DataWarning")
@given(
    st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5), st.sampled_from([0.2, 0.5, 0.9]))),
    st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=6),
)
def test_undirected_pairs_are_swept_as_they_are_scored(rows, true):
    truth = Truth(true, [3, 0, 1, 2], undirected=True)
    sw = sweep(rows, truth, unknown_entities="drop")
    assert [r.policy for r in sw.results] == [Policy()]
    result = sw.results[0]
    for i, threshold in enumerate(result.threshold):
        kept = [(a, b) for a, b, s in rows if s >= threshold]
        ev = evaluate(kept, truth, unknown_entities="drop")
        assert (ev.tp, ev.n_pred) == (result.tp[i], result.n_pred[i])
        assert ev.macro_fbeta == pytest.approx(result.macro_fbeta[i], abs=1e-12)
        assert result.at(threshold).n_pred == ev.n_pred
    assert sw.bands()["pairs"].sum() == result.n_pred[-1]
    assert sw.bands()["true"].sum() == result.tp[-1]
    whole = evaluate([row[:2] for row in rows], truth, unknown_entities="drop")
    assert sw.dropped == whole.dropped


def test_undirected_pairs_have_no_rules_of_an_entity():
    truth = Truth([("a", "b")], ["a", "b"], undirected=True)
    with pytest.raises(DataError, match="by the threshold alone"):
        sweep([("a", "b", 0.5)], truth, top_k=1)


def test_a_margin_between_infinite_scores():
    rows = [("a", 1, math.inf), ("b", 1, math.inf), ("a", 2, -math.inf), ("b", 2, -math.inf)]
    made = decide(rows, Policy(owner_margin=0.0))
    assert [row[:2] for row in made.itertuples(index=False)] == [("a", 1), ("a", 2)]
    assert len(decide(rows, Policy(owner_margin=0.1))) == 0
