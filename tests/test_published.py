"""Published figures: the FEBRL example's and trec_eval's own output."""

import math
from pathlib import Path

import pandas as pd
import pytest
from febrl import FEBRL, febrl_truth

from berx_gpu import evaluate

pytestmark = pytest.mark.usefixtures("backend")


TREC = Path(__file__).parent / "data" / "trec_eval"


@pytest.fixture
def free_bytes():
    """Parts of some hundred rows: thousands of parts of five would take minutes."""
    return 10**5


def febrl_splink():
    return evaluate(pd.read_parquet(FEBRL / "splink.parquet"), febrl_truth(), threshold=0.5)


def test_febrl_splink():
    ev = febrl_splink()
    rounded = {
        name: round(getattr(ev, name), 4)
        for name in (
            "macro_fbeta",
            "macro_fbeta_non_singleton",
            "empty_baseline",
            "precision",
            "recall",
            "pooled_fbeta",
        )
    }
    assert rounded == {
        "macro_fbeta": 0.9836,
        "macro_fbeta_non_singleton": 0.9769,
        "empty_baseline": 0.4175,
        "precision": 0.9917,
        "recall": 0.9610,
        "pooled_fbeta": 0.9854,
    }
    assert (ev.n_entities, ev.n_singletons, ev.singletons_linked) == (2000, 835, 6)
    assert (ev.n_pred, ev.tp, ev.n_pred - ev.tp, ev.n_true - ev.tp) == (2907, 2883, 24, 117)
    readings = ev.reconcile()
    assert {
        name: round(readings[name], 4)
        for name in (
            "F of mean precision and mean recall",
            "silent singletons left out",
            "singletons counted as 0",
        )
    } == {
        "F of mean precision and mean recall": 0.9850,
        "silent singletons left out": 0.9719,
        "singletons counted as 0": 0.5691,
    }


def test_febrl_splink_by_outcome_and_by_slice():
    ev = febrl_splink()
    losses = ev.losses().set_index("outcome")
    assert losses["n_entities"].to_dict() == {
        "nothing predicted": 15,
        "misses only": 96,
        "singleton linked": 6,
        "extras only": 9,
        "both": 0,
        "perfect": 1874,
    }
    assert losses["loss"].round(4).to_dict() == {
        "nothing predicted": 0.0075,
        "misses only": 0.0043,
        "singleton linked": 0.0030,
        "extras only": 0.0016,
        "both": 0,
        "perfect": 0,
    }
    states = ev.by("state").set_index("state")
    assert states.loc["vic", ["n_entities", "macro_fbeta", "precision", "recall"]].round(
        4
    ).tolist() == [522, 0.9737, 0.9926, 0.9441]
    assert states.loc["nsw", ["n_entities", "macro_fbeta", "precision", "recall"]].round(
        4
    ).tolist() == [637, 0.9910, 0.9937, 0.9635]


def test_febrl_splink_at_its_best_threshold():
    candidates = pd.read_parquet(FEBRL / "splink.parquet")
    truth = febrl_truth()
    best = evaluate(candidates, truth, threshold=0.562192683)
    assert (round(best.macro_fbeta, 4), round(best.precision, 4), round(best.recall, 4)) == (
        0.9850,
        0.9959,
        0.9603,
    )
    assert evaluate(candidates, truth, threshold=0.55).to_dict()["macro_fbeta"] == best.macro_fbeta
    # The range with the same result ends above this score.
    assert evaluate(candidates, truth, threshold=0.541409061).macro_fbeta < best.macro_fbeta


def trec(qrels, run):
    """Return (topic, document) pairs: the relevant ones, and those in the run."""
    judged = pd.read_csv(
        TREC / qrels, sep=r"\s+", header=None, names=["topic", "_", "document", "relevance"]
    )
    lines = [line.split()[:3] for line in (TREC / run).read_text().splitlines()]
    found = pd.DataFrame([(int(t), d) for t, _, d in lines], columns=["topic", "document"])
    return judged[judged["relevance"] > 0][["topic", "document"]], found, judged["topic"].unique()


@pytest.mark.parametrize(
    ("run", "output"), [("results.test", "out.test.aq"), ("results.trunc", "out.test.aqc")]
)
def test_trec_eval_set_measures(run, output):
    truth, predictions, topics = trec("qrels.test", run)
    ev = evaluate(predictions, truth, entities=topics, beta=1.0)
    told = pd.DataFrame(
        [line.split() for line in (TREC / output).read_text().splitlines()],
        columns=["measure", "topic", "value"],
    )
    published = told.astype({"value": float}).pivot_table(
        index="topic", columns="measure", values="value"
    )
    rows = ev.per_entity.set_index("topic")
    ours = pd.DataFrame(
        {
            "set_P": rows["tp"] / rows["n_pred"].clip(1),
            "set_recall": rows["tp"] / rows["n_true"],
            "set_F": rows["fbeta"],
        }
    )
    for topic in topics:
        for measure in ("set_P", "set_recall", "set_F"):
            assert f"{ours.loc[topic, measure]:.4f}" == f"{published.loc[str(topic), measure]:.4f}"
    means = (ev.macro_precision, ev.macro_recall, ev.macro_fbeta)
    assert [f"{m:.4f}" for m in means] == [
        f"{published.loc['all', m]:.4f}" for m in ("set_P", "set_recall", "set_F")
    ]
    assert not math.isnan(ev.macro_fbeta)
