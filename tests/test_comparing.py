"""Paired comparison: against plain sets and arrays, over backends, and what is refused."""

import io
import itertools
import json
import math

import numpy as np
import pandas as pd
import pytest
from conftest import kernel_backend
from test_cli import run as in_a_process
from test_intervals import limits, of_values, on_every_backend

from berx_gpu import Comparison, DataError, Truth, compare, compare_all, evaluate
from berx_gpu.comparing.comparing import _holm, _limits

N = 300
_rng = np.random.default_rng(5)
TRUE = pd.DataFrame({"entity": _rng.integers(0, N, 2 * N), "target": range(2 * N)})
FALSE = pd.DataFrame({"entity": _rng.integers(0, N, 40), "target": range(10_000, 10_040)})
ONE = pd.concat([TRUE.sample(frac=0.8, random_state=0), FALSE[:25]], ignore_index=True)
TWO = pd.concat([TRUE.sample(frac=0.9, random_state=1), FALSE[15:]], ignore_index=True)


def both(**options):
    return (
        evaluate(ONE, TRUE, entities=range(N), name="one", **options),
        evaluate(TWO, TRUE, entities=range(N), name="two", **options),
    )


def pairs(frame):
    return set(frame.itertuples(index=False, name=None))


@on_every_backend
def test_a_comparison_is_that_of_plain_sets():
    a, b = both()
    made = compare(a, b, rng=0)
    f = [np.asarray(ev.per_entity["fbeta"], float) for ev in (a, b)]
    difference = np.where(np.abs(f[1] - f[0]) < 1e-12, 0, f[1] - f[0])
    assert made.delta == b.macro_fbeta - a.macro_fbeta
    assert (made.estimate_a, made.estimate_b) == (a.macro_fbeta, b.macro_fbeta)
    assert (made.better, made.worse) == ((difference > 0).sum(), (difference < 0).sum())
    assert made.better + made.worse + made.equal == made.n_entities == N
    assert made.standard_error == pytest.approx(difference.std(ddof=1) / math.sqrt(N), rel=1e-9)
    assert made.low < made.normal_low < made.delta < made.normal_high < made.high
    one, two, true = map(pairs, (ONE, TWO, TRUE))
    links = made.links
    assert (links.kept, links.kept_true) == (len(one & two), len(one & two & true))
    assert (links.added, links.added_true) == (len(two - one), len((two - one) & true))
    assert (links.removed, links.removed_true) == (len(one - two), len((one - two) & true))
    turned = compare(b, a, rng=0)
    assert (turned.delta, turned.better) == (-made.delta, made.worse)
    assert (turned.low, turned.high) == pytest.approx((-made.high, -made.low), abs=1e-9)
    assert turned.links.added == links.removed


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
def test_slices_are_comparisons_of_their_own():
    a, b = both()
    made = compare(a, b, rng=0)
    parts = {e: "even" if e % 2 == 0 else "odd" for e in range(N)}
    frame = pd.DataFrame(made.by(parts)).set_index("slice")
    assert frame["delta_overall"].sum() == pytest.approx(made.delta, abs=1e-12)
    for name, row in frame.iterrows():
        listed = [e for e in range(N) if parts[e] == name]
        own = [
            evaluate(p[p["entity"].isin(listed)], TRUE[TRUE["entity"].isin(listed)],
                     entities=listed) for p in (ONE, TWO)
        ]  # fmt: skip
        alone = compare(*own, rng=0)
        together = compare(*own, confidence_level=0.95 ** (1 / 2), rng=0)
        assert row["n_entities"] == len(listed)
        assert (row["estimate_a"], row["estimate_b"]) == pytest.approx(
            (alone.estimate_a, alone.estimate_b), abs=1e-12
        )
        assert (row["better"], row["worse"]) == (alone.better, alone.worse)
        assert (row["low"], row["high"]) == pytest.approx((alone.low, alone.high), abs=1e-9)
        assert (row["low_all"], row["high_all"]) == pytest.approx(
            (together.low, together.high), abs=1e-9
        )


@on_every_backend
def test_outcomes_say_what_became_of_entities():
    a, b = both()
    frame = pd.DataFrame(compare(a, b, rng=0).outcomes())
    assert frame["n_entities"].sum() == N
    assert frame["delta_overall"].sum() == pytest.approx(b.macro_fbeta - a.macro_fbeta, abs=1e-12)
    for side, ev in (("outcome_a", a), ("outcome_b", b)):
        losses = pd.DataFrame(ev.losses()).set_index("outcome")["n_entities"]
        seen = frame.groupby(side)["n_entities"].sum()
        assert seen.to_dict() == losses[losses > 0].to_dict()
    assert frame["delta_overall"].is_monotonic_decreasing


@on_every_backend
def test_other_metrics_are_over_the_entities_that_count():
    truth = {"a": ["x", "y"], "b": [], "c": ["z"], "d": []}
    one = evaluate({"a": ["x"], "b": ["q"]}, truth, entities=list(truth))
    two = evaluate({"a": ["x", "y"], "c": ["z"]}, truth, entities=list(truth))
    made = compare(one, two, metric="macro_fbeta_non_singleton", rng=0)
    assert (made.n_entities, made.better) == (2, 2)
    assert made.delta == two.macro_fbeta_non_singleton - one.macro_fbeta_non_singleton
    recall = compare(one, two, metric="macro_recall", rng=0)
    assert recall.delta == pytest.approx((0.5 + 1 + 1 + 0) / 4)
    frame = pd.DataFrame(made.by({"a": 1, "b": 2, "c": 1, "d": 2}))
    assert frame["n_entities"].tolist() == [2, 0]
    assert frame["delta"].isna().tolist() == [False, True]


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


def test_limits_of_a_difference_are_quantiles_of_the_weighted_mean():
    values, count = np.array([-1.0, -0.2, 0.0, 0.5]), np.array([2.0, 5.0, 80.0, 13.0])
    rng = np.random.default_rng(0)
    draws = 1_000_000
    weights, unseen = rng.gamma(count, size=(draws, 4)), rng.exponential(size=draws)
    mean = weights @ values
    low, high = _limits(values, count, 0.9)
    error = 5 * math.sqrt(0.05 * 0.95 / draws)
    total = weights.sum(axis=1) + unseen
    assert np.mean((mean - unseen) / total <= low) == pytest.approx(0.05, abs=error)
    assert np.mean((mean + unseen) / total <= high) == pytest.approx(0.95, abs=error)
    assert of_values([0, 1], [3, 7]) == pytest.approx(
        tuple((x + 1) / 2 for x in _limits(np.array([-1.0, 1.0]), np.array([3, 7]), 0.95))
    )
    assert limits


# -- verdicts ---------------------------------------------------------------------------------


def of_scores(better, worse, equal, **options):
    """Compare systems that differ by all or nothing for some entities."""
    n = better + worse + equal
    truth = {i: [i] for i in range(n)}
    one = {i: [i] for i in range(better, n)}
    two = {i: [i] for i in range(n) if not better <= i < better + worse}
    evaluations = (evaluate(p, truth, entities=range(n), name=name)
                   for p, name in ((one, "one"), (two, "two")))  # fmt: skip
    return compare(*evaluations, rng=0, **options)


@pytest.mark.parametrize(
    ("counts", "verdict"),
    [
        ((40, 5, 55), "two is better than one"),
        ((5, 40, 55), "two is worse than one"),
        ((10, 9, 81), "no clear difference between one and two"),
        ((0, 0, 9), "one and two score the same on every entity"),
    ],
)
def test_the_verdict_is_that_of_the_limits(counts, verdict):
    made = of_scores(*counts)
    assert (made.better, made.worse, made.equal) == counts
    assert made.verdict == verdict
    assert str(made).endswith(verdict)
    assert verdict in made.to_markdown()
    assert verdict in made._repr_html_()
    assert (made.p_value < 0.05) == ("no clear" not in verdict and "same" not in verdict)


def test_many_small_gains_make_no_claim_about_others():
    truth = {i: list(range(10 * i, 10 * i + 10)) for i in range(100)}
    one = {i: truth[i][: 9 if i < 10 else 10] for i in truth}
    a, b = (evaluate(p, truth, entities=range(100), name=n) for p, n in ((one, "a"), (truth, "b")))
    for made, word in ((compare(a, b, rng=0), "b is better"), (compare(b, a, rng=0), "a is worse")):
        assert made.verdict.startswith(word)
        assert made.verdict.endswith("on these entities; too few differ to generalise")
        assert made.p_value < 0.01
        assert made.low < 0 < made.high
        assert made.normal_low * made.normal_high > 0


def test_two_runs_are_compared_with_the_same_draws():
    """A gain of 0.0077 that independent intervals hide: public contest notes."""
    rng = np.random.default_rng(1)
    n = 2000
    truth = {i: [3 * i, 3 * i + 1, 3 * i + 2] for i in range(n)}
    kept = rng.random((n, 3)) < 0.7
    one = {i: [t for t, k in zip(truth[i], kept[i], strict=True) if k] for i in range(n)}
    two = {i: truth[i][:2] if i < 36 and len(one[i]) < 2 else one[i] for i in range(n)}
    for i in range(36, 200):
        two[i] = truth[i]
    a, b = (evaluate(p, truth, entities=range(n)) for p in (one, two))
    made = compare(a, b, rng=0)
    assert 0.005 < made.delta < 0.015
    assert a.interval().high > b.interval().low
    assert made.low > 0
    assert made.p_value < 0.001
    assert made.worse == 0 < made.better


def test_the_level_moves_limits_and_verdict():
    assert of_scores(10, 5, 85).verdict != of_scores(10, 5, 85, confidence_level=0.5).verdict


# -- many systems -----------------------------------------------------------------------------


def test_many_systems_hold_together():
    truth = {i: [i] for i in range(400)}
    systems = {
        f"{n} found": evaluate({i: [i] for i in range(n)}, truth, entities=range(400))
        for n in (350, 200, 356)
    }
    made = compare_all(systems, rng=1)
    assert list(made.systems) == ["356 found", "350 found", "200 found"]
    assert [(p.a, p.b) for p in made.pairs] == [
        ("350 found", "356 found"), ("200 found", "356 found"), ("200 found", "350 found"),
    ]  # fmt: skip
    each = 0.95 ** (1 / 3)
    for pair, (a, b) in zip(made.pairs, ((350, 356), (200, 356), (200, 350)), strict=True):
        alone = compare(systems[f"{a} found"], systems[f"{b} found"], confidence_level=each, rng=1)
        assert (pair.low, pair.high, pair.p_value) == (alone.low, alone.high, alone.p_value)
    assert made.p_holm == _holm([p.p_value for p in made.pairs])
    first = made.pairs[0]
    assert first.p_value < 0.05 < 3 * first.p_value or first.low <= 0
    assert [p.verdict for p in made.pairs[1:]] == [
        "356 found is better than 200 found", "350 found is better than 200 found",
    ]  # fmt: skip
    against = compare_all(systems, baseline="200 found", rng=1)
    assert [(p.a, p.b) for p in against.pairs] == [
        ("200 found", "356 found"), ("200 found", "350 found"),
    ]  # fmt: skip
    assert against.pairs[0].confidence_level == pytest.approx(0.95**0.5)
    for text in (str(made), made.to_markdown(), made._repr_html_()):
        assert "356 found is better than 200 found" in text
    assert made.to_dict()["pairs"][0]["p_holm"] == made.p_holm[0]
    assert made.to_dict()["systems"]["350 found"] == 350 / 400


@pytest.mark.parametrize(
    ("p_values", "adjusted"),
    [
        ([0.01, 0.04, 0.03], [0.03, 0.06, 0.06]),
        ([0.5, 0.6], [1.0, 1.0]),
        ([0.001], [0.001]),
        ([0.02, 0.02, 0.9], [0.06, 0.06, 0.9]),
    ],
)
def test_holms_p_values(p_values, adjusted):
    assert _holm(p_values) == pytest.approx(adjusted)


# -- what is refused --------------------------------------------------------------------------


def small(pred=(("a", "x"),), true=(("a", "x"), ("b", "y")), listed=("a", "b"), **options):
    return evaluate(list(pred), list(true), entities=list(listed), **options)


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


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: compare(small(), small(), metric="precision"), "metric='precision' is not"),
        (lambda: compare(small(), small(), confidence_level=2), "between 0 and 1"),
        (lambda: compare(small(), small(), n_resamples=5), "from 100"),
        (lambda: compare(small(listed=("a",), true=[("a", "x")]),
                         small(listed=("a",), true=[("a", "x")])), "over 1 entity"),
        (lambda: compare_all([small()]), "1 system: give two or more"),
        (lambda: compare_all([small(), small()]), "2 systems are called 'predictions'"),
        (lambda: compare_all([small(), 3]), "systems is a int"),
        (lambda: compare_all(small()), "systems is a Evaluation"),
        (lambda: compare_all({"a": small(), "b": small()}, baseline="c"), "no system; there are"),
        (lambda: compare_all({"a": small(), "b": small()}, baseline=["a"]), "baseline=a list is"),
        (lambda: compare_all({1: small(), "b": small()}), "a system is called 1; give names"),
        (lambda: compare(small(), small(), n_resamples=10**12), "from 100 to 100,000,000"),
        (lambda: compare(small(), small(), confidence_level=math.nan), "between 0 and 1"),
        (lambda: compare(small(), small(), confidence_level=1 - 1e-15), "between 0 and 1"),
    ],
)  # fmt: skip
def test_options_that_are_refused(call, said):
    with pytest.raises(DataError, match=said):
        call()


def test_threads_and_copies_change_nothing():
    a, b = both()
    made = [compare(a, b, rng=3).to_dict() for _ in range(2)]
    threads = [both(n_threads=n) for n in (1, 2)]
    made += [compare(*pair, rng=3).to_dict() for pair in threads]
    assert all(x == y for x, y in itertools.pairwise(made))
    assert kernel_backend(1).name == "cpu"
    assert isinstance(compare(a, a), Comparison)


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


@on_every_backend
def test_the_order_of_the_list_changes_no_bit():
    parts = {e: e % 7 for e in range(N)}
    found = []
    for listed in (range(N), range(N)[::-1]):
        a, b = (evaluate(p, Truth(TRUE, listed)) for p in (ONE, TWO))
        made = compare(a, b, rng=0)
        frames = [pd.DataFrame(made.by(parts)), pd.DataFrame(made.outcomes())]
        cluster = {e: e % 23 for e in range(N)}
        blocks = [a.interval(m, cluster=cluster).to_dict() for m in ("macro_fbeta", "recall")]
        found.append((*(f.to_dict() for f in frames), blocks))
        estimates = pd.DataFrame(a.by(parts))["macro_fbeta"]
        assert frames[0]["estimate_a"].tolist() == estimates.tolist()
    assert found[0] == found[1]


def test_scores_that_differ_by_little_differ():
    truth = {i: list(range(10 * i, 10 * i + 10)) for i in range(9)}
    one = {i: truth[i][:9] for i in truth}
    a, b = (evaluate(p, truth, entities=range(9), beta=1e-6) for p in (one, truth))
    assert compare(a, b).better == 9


def test_names_fit_into_a_line_and_a_figure():
    a, b = both()
    wide = str(compare_all({"plain name": a, "\u65e5\u672c": b}, rng=0)).split("\n")
    assert abs(wide[1].index("0.") - wide[2].index("0.")) == 2  # two letters of two columns each
    made = compare_all({"one\ntwo": a, "$x_{$": b, "three": a}, rng=0)
    assert "one two" in made.pairs[-1].verdict + made.pairs[0].verdict
    lines = str(made).split("\n")[-3:]
    assert len(lines) == 3
    made.plot().figure.savefig(io.BytesIO())
    made.pairs[0].plot(dict.fromkeys(range(N), "$y_{$")).figure.savefig(io.BytesIO())
    assert "99.99999999 %" in str(compare(a, b, confidence_level=0.9999999999, rng=0))


# -- the command line -------------------------------------------------------------------------

FEBRL = "examples/febrl3/"


def run(*arguments):
    """Return exit status, output and messages of a command."""
    done = in_a_process(*arguments)
    return done.returncode, done.stdout, done.stderr


SYSTEMS = (f"{FEBRL}splink.parquet", f"{FEBRL}jaro_winkler.parquet")
REST = (f"{FEBRL}truth.csv", "--entities", f"{FEBRL}entities.csv")
EACH = ("--threshold", "0.5", "--threshold", "0.8")


def test_the_command_compares_the_example(tmp_path):
    code, out, err = run("compare", *SYSTEMS, *REST, *EACH, "--by", "n_true", "--seed", "1")
    assert (code, err) == (0, "")
    assert "macro F0.5  0.9836 → 0.9278         -0.0558, 95 % [-0.0661, -0.0461]" in out
    assert "19 better · 342 worse" in out
    assert "jaro_winkler is worse than splink" in out
    assert "n_true (largest gain first)" in out
    code, out, _ = run("compare", *SYSTEMS, *REST, *EACH, "--json", "--by", "n_true")
    told = json.loads(out)
    assert told["links"]["removed_true"] == 461
    assert len(told["slices"]["n_true"]) == 4
    figure = tmp_path / "forest.png"
    code, out, _ = run("compare", *SYSTEMS, *REST, *EACH, "--markdown", "--plot", str(figure),
                       "--by", "n_true")  # fmt: skip
    assert out.startswith("|  | splink → jaro_winkler |")
    assert figure.stat().st_size > 10_000


def test_the_command_compares_many():
    code, out, _ = run("compare", SYSTEMS[0], *SYSTEMS, *REST, *EACH[:2], "--threshold", "0.9",
                       "--threshold", "0.8", "--seed", "1")  # fmt: skip
    assert code == 0
    assert "splink ≥ 0.9" in out
    assert "95 % for all 3" in out
    code, out, _ = run("compare", *SYSTEMS, *REST, *EACH, "--baseline", "splink", "--json")
    assert [p["b"] for p in json.loads(out)["pairs"]] == ["jaro_winkler"]


def test_the_command_says_that_scores_do_not_count_without_a_threshold():
    _, _, err = run("compare", *SYSTEMS, *REST)
    assert "splink: every row is a link: 'score' only counts with --threshold" in err


def test_the_command_is_a_gate():
    code, out, err = run("compare", *SYSTEMS, *REST, *EACH, "--quiet", "--fail-if-worse")
    assert (code, out, err) == (1, "", "jaro_winkler is worse than splink\n")
    code, *_ = run("compare", *SYSTEMS[::-1], *REST, "--threshold", "0.8", "--threshold", "0.5",
                   "--fail-if-worse")  # fmt: skip
    assert code == 0


def test_the_command_compares_a_part(tmp_path):
    ids = tmp_path / "ids"
    listed = pd.read_csv(f"{FEBRL}entities.csv")["entity"]
    ids.write_text("\n".join(listed[:700]) + "\n")
    code, out, _ = run("compare", *SYSTEMS, *REST, *EACH, "--only", str(ids), "--json")
    assert code == 0
    assert json.loads(out)["n_entities"] == 700


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((SYSTEMS[0], *REST), "give two files of predictions or more, and the truth last"),
        ((*SYSTEMS, *REST, *EACH, "--threshold", "1"), "is given 3 times for 2 systems"),
        ((*SYSTEMS, *REST, "--name", "a"), "--name is given 1 time for 2 systems"),
        ((*SYSTEMS, *REST, "--name", "a", "--name", "a"), "two systems have one name"),
        ((SYSTEMS[0], SYSTEMS[0], *REST), "two systems have one name"),
        ((*SYSTEMS, *REST, "--baseline", "x"), "baseline='x' is no system"),
        ((*SYSTEMS, *REST, "--baseline", "splink", "--by", "n_true"), "--by is for two systems"),
        ((*SYSTEMS, *REST, "--plot", "x.bmp"), "cannot tell what to draw"),
        ((*SYSTEMS, *REST, "--name", "a", "--name", ""), "--name is empty"),
        ((*SYSTEMS, *REST, "--level", "95"), "between 0 and 1"),
        ((*SYSTEMS, *REST, "--json", "--markdown"), "exclude each other"),
        ((*SYSTEMS, *REST, "--seed", "-1"), "--seed=-1"),
    ],
)  # fmt: skip
def test_calls_that_the_command_refuses(arguments, said):
    code, out, err = run("compare", *arguments)
    assert (code, out) == (2, "")
    assert said in err


def test_the_score_command_prints_limits():
    arguments = ("score", SYSTEMS[0], *REST, "--threshold", "0.5")
    code, out, err = run(*arguments, "--interval", "--level", "0.9", "--by", "n_true")
    assert (code, err) == (0, "")
    assert "90 % [0.9788, 0.9872] · 126 imperfect" in out
    assert "macro F0.5 non singleton" in out
    assert "bounded, all slices" in out
    code, out, err = run(*arguments, "--method", "bca", "--seed", "5", "--json", "--interval")
    told = json.loads(out)
    assert told["interval"]["method"] == "bca"
    assert told["interval"]["seed"] == 5
    assert set(told["intervals"]) >= {"precision", "macro_recall"}
    assert "--seed 5" in err
