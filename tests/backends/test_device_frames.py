"""Every door on frames of the device, by the stand-ins of cuDF and CuPy, against pandas frames."""

import sys

import device_twin
import numpy as np
import pandas as pd
import pytest
from conftest import LOOSE_PANDAS, LooseFrame, device_backend

from berx_gpu import (
    Policy,
    Truth,
    candidate_recall,
    check,
    decide,
    error_budget,
    evaluate,
    oracle,
    sweep,
)  # fmt: skip
from berx_gpu.backends import cuda, select

_rng = np.random.default_rng(0)
POOL = pd.DataFrame(
    {
        "entity": _rng.integers(0, 30, 500),
        "target": _rng.integers(0, 50, 500),
        "score": _rng.random(500),
    }
)
TRUE = POOL[["entity", "target"]].sample(100, random_state=0)
LISTED = pd.DataFrame({"entity": range(30), "part": np.arange(30) % 3})


@pytest.fixture
def card_bytes():
    """Free memory of the card."""
    return 10**9


@pytest.fixture
def on_card(monkeypatch, card_bytes):
    """Return how a pandas frame becomes one of the device."""
    cudf, _ = device_twin.modules(LOOSE_PANDAS)
    cudf.Index = type("Index", (device_twin.Twin,), {})
    chosen = device_backend(card_bytes)
    monkeypatch.setitem(sys.modules, "cudf", cudf)
    monkeypatch.setattr(cuda, "backend", lambda: chosen)
    return lambda frame: device_twin.DataFrame._of(LooseFrame(frame))


def scored(to):
    return evaluate(to(POOL), Truth(to(TRUE), to(LISTED)), threshold=0.5)


def swept(to):
    return sweep(to(POOL), Truth(to(TRUE), to(LISTED)), top_k=2, owner_margin=0.1)


DOORS = {
    "evaluate": lambda to: evaluate(to(POOL), to(TRUE), entities=to(LISTED)).per_entity,
    "slices": lambda to: scored(to).by("part"),
    "losses": lambda to: scored(to).losses(),
    "sweep": lambda to: swept(to).curve,
    "bands": lambda to: swept(to).bands(),
    "thresholds apart": lambda to: swept(to).by("part"),
    "thin": lambda to: swept(to).thin(9),
    "decide": lambda to: decide(to(POOL), Policy(0.5, top_k=2, owner_margin=0.01)),
    "false links": lambda to: scored(to).false_links(),
    "missed links": lambda to: scored(to).missed_links(candidates=to(POOL)),
    "oracle": lambda to: oracle(to(POOL), Truth(to(TRUE), to(LISTED))).to_dict(),
    "recall": lambda to: candidate_recall(
        to(POOL), Truth(to(TRUE), to(LISTED)), k=[1, 3]
    ).to_dict(),
    "budget": lambda to: error_budget(scored(to), candidates=to(POOL), truth=None).to_dict(),
    "by key": lambda to: scored(to).by(pd.Series(range(30), LISTED["entity"], name="part")),
    "check": lambda to: check(to(POOL), entities=to(LISTED)).to_dict()["findings"],
}


def same_answer(to, door):
    """Compare a door's answer on frames of the device with that on pandas frames."""
    there = DOORS[door](to)
    assert isinstance(there, (device_twin.DataFrame, dict, list))
    same(there, DOORS[door](as_it_is), door)


def as_it_is(frame):
    """Leave a pandas frame."""
    return frame


def same(there, here, door):
    """Compare two answers of a door."""
    if not isinstance(here, pd.DataFrame):
        assert there == here
        return
    there = there.to_pandas() if isinstance(there, device_twin.DataFrame) else there
    if door in ("false links", "missed links"):  # equal costs come in any order
        there, here = (f.sort_values(list(f.columns), ignore_index=True) for f in (there, here))
    pd.testing.assert_frame_equal(
        pd.DataFrame(there), here, check_dtype=False, check_exact=True, check_names=False
    )


@pytest.mark.parametrize("card_bytes", [10**9, 20_000])
@pytest.mark.parametrize("door", DOORS)
def test_frames_of_the_device_give_what_pandas_frames_give(on_card, door):
    same_answer(on_card, door)


def write_ids_as_texts(monkeypatch):
    """Let the frames of this module hold texts in place of numbers."""
    here = sys.modules[__name__]
    for name in ("POOL", "TRUE", "LISTED"):
        frame = getattr(here, name)
        ids = frame.columns.intersection(["entity", "target"])
        monkeypatch.setattr(
            here, name, frame.assign(**{i: "n" + frame[i].astype(str) for i in ids})
        )


@pytest.mark.parametrize("card_bytes", [10**9, 20_000])
@pytest.mark.parametrize("door", ["evaluate", "sweep", "decide"])
def test_so_do_texts_in_one_part_and_in_many(on_card, monkeypatch, door):
    write_ids_as_texts(monkeypatch)
    same_answer(on_card, door)


@pytest.mark.parametrize("texts", [False, True])
@pytest.mark.parametrize("card_bytes", [10**9, 20_000])
@pytest.mark.parametrize("door", DOORS)
def test_so_do_host_columns_that_the_card_cannot_hold(monkeypatch, door, card_bytes, texts):
    if texts:
        write_ids_as_texts(monkeypatch)
    here = DOORS[door](as_it_is)
    chosen = device_backend(card_bytes)
    monkeypatch.setattr(select, "select", lambda *_, **__: chosen)
    same(DOORS[door](as_it_is), here, door)


class Proxy:
    """A frame as cudf.pandas hands it out: a column may be called as its method is."""

    def __init__(self, frame):
        self._frame = frame

    def as_gpu_object(self):
        """Return the frame of the device."""
        return self._frame


@pytest.mark.parametrize("door", ["evaluate", "sweep", "decide", "check", "by key"])
def test_frames_of_cudf_pandas_are_scored_on_the_device(on_card, door):
    same_answer(lambda frame: Proxy(on_card(frame)), door)


def test_a_column_that_would_fill_the_card_stays_on_the_host():
    ids = pd.Series(range(100))
    for free, host in ((6000, True), (6400, False)):
        key = device_backend(free).encode(ids, "column 'x'", "exact")
        assert isinstance(key.parts[0], np.ndarray) == host
