"""Where a call works: `device=`, what is missing for a GPU, and what a report of a fault shows."""

import pandas as pd
import pytest
from conftest import device_backend
from test_cli import run

from berx_gpu import (
    DataError,
    MissingDependencyError,
    Policy,
    Truth,
    decide,
    evaluate,
    show_versions,
    sweep,
)  # fmt: skip
from berx_gpu.backends import cuda, select

ROWS = [("a", "x", 0.9), ("b", "q", 0.4)]
TRUE = {"a": ["x"], "b": ["y"]}
FEBRL = "examples/febrl3"


@pytest.fixture
def stand_in(monkeypatch):
    """Let the card be the stand-ins of cuDF and CuPy."""
    monkeypatch.setattr(cuda, "backend", device_backend)


@pytest.mark.parametrize(
    "call",
    [
        lambda: Truth(TRUE, ["a", "b"], device="cuda"),
        lambda: evaluate([("a", "x")], TRUE, entities=["a", "b"], device="cuda"),
        lambda: sweep(ROWS, TRUE, entities=["a", "b"], device="cuda"),
        lambda: decide(ROWS, Policy(0.5), device="cuda"),
    ],
)
def test_without_the_libraries_the_message_says_how_to_get_them(call):
    with pytest.raises(MissingDependencyError, match=r"pip install \"berx-gpu\[cuda13\]\""):
        call()


def test_a_truth_on_the_card_takes_the_call_there(stand_in):
    frame = pd.DataFrame(ROWS, columns=["entity", "target", "score"])
    truth = Truth(TRUE, ["a", "b"], device="cuda")
    assert truth._prepared.backend().name == "cuda"
    ev = evaluate(frame, truth, threshold=0.5)
    assert ev.macro_fbeta == evaluate(frame, TRUE, entities=["a", "b"], threshold=0.5).macro_fbeta
    assert isinstance(ev.per_entity, pd.DataFrame)
    assert sweep(frame, truth).best.threshold == 0.9
    assert len(decide(frame, Policy(0.5), device="cuda")) == 1
    with pytest.raises(DataError, match="not on 'cpu'"):
        evaluate(frame, truth, threshold=0.5, device="cpu")


def test_devices_that_do_not_exist():
    with pytest.raises(DataError, match="device='gpu' is not an option; use one of 'cpu', 'cuda'"):
        Truth(TRUE, ["a"], device="gpu")


def test_host_and_device_do_not_mix_by_accident(monkeypatch):
    monkeypatch.setattr(select, "is_device", lambda obj: obj == "on the card")
    with pytest.raises(DataError, match='say device="cuda"'):
        select.select("on the card", "on the host")
    with pytest.raises(DataError, match=r'device="cpu", but .*to_pandas'):
        select.select("on the card", device="cpu")


@pytest.mark.parametrize("command", ["score", "sweep", "candidates"])
def test_the_command_line_works_there_too(stand_in, command):
    args = [f"{FEBRL}/splink.parquet", f"{FEBRL}/truth.csv", "--entities", f"{FEBRL}/entities.csv"]
    args += ["--threshold", "0.5"] if command == "score" else []
    here, there = run(command, *args), run(command, *args, "--device", "cuda")
    assert there.returncode == 0
    assert (there.stdout, there.stderr) == (here.stdout, here.stderr)


def test_too_little_memory_is_said_in_a_line(monkeypatch):
    def out_of_memory():
        raise MemoryError("std::bad_alloc: out_of_memory")

    monkeypatch.setattr(cuda, "backend", out_of_memory)
    args = [f"{FEBRL}/splink.parquet", f"{FEBRL}/truth.csv", "--entities", f"{FEBRL}/entities.csv"]
    done = run("score", *args, "--threshold", "0.5", "--device", "cuda")
    assert (done.returncode, done.stdout) == (2, "")
    assert "the memory does not suffice (std::bad_alloc: out_of_memory); score fewer" in done.stderr


def test_versions_name_what_is_installed(capsys):
    show_versions()
    lines = dict(line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines())
    assert lines["pandas"] == pd.__version__
    assert lines["GPU"].startswith(("none: ", "NVIDIA"))
    assert "berx-gpu" in lines
