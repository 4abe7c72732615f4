"""Sweeps and policies over plain sets, at every threshold."""

import math

import pandas as pd
import pytest
from hypothesis import strategies as st
from reference import fbeta_exact

ENTITIES = [*"abc"]
LISTED = ["c", "a", "b"]

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
