"""The command as a program: its streams, signals, terminal and exit status."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest
from commands import apart, run
from febrl import SPLINK

from berx_gpu.backends import cuda


def test_the_example_is_quick_and_help_is_instant():
    apart("score", *SPLINK, "--threshold", "0.5")

    def seconds(*args):
        start = time.perf_counter()
        assert apart(*args).returncode == 0
        return time.perf_counter() - start

    assert min(seconds("--help") for _ in range(3)) < 1
    assert min(seconds("score", *SPLINK, "--threshold", "0.5") for _ in range(3)) < 2.5


def test_the_entity_list_is_asked_for(files):
    assert run(cwd=files).stdout.startswith("Usage: ")
    assert run("score", cwd=files).stderr == "berx-gpu: error: Missing argument 'PREDICTIONS'.\n"
    done = run("score", "pred.csv", "truth.csv", cwd=files)
    assert done.returncode == 2
    assert "--entities FILE is missing: the list of all entities" in done.stderr


def test_a_reader_that_leaves_early():
    command = f"{sys.executable} -m berx_gpu score --help | true; echo ${{PIPESTATUS[0]}}"
    for _ in range(3):
        done = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
        assert done.stderr == ""
        assert done.stdout.strip() in ("0", "141"), "done before the reader left, or SIGPIPE"


def test_ctrl_c_ends_it_quietly(files):
    os.mkfifo(files / "slow.csv")
    options = ["score", "slow.csv", "truth.csv", "--entities", "entities.csv"]
    command = [sys.executable, "-m", "berx_gpu", *options]
    process = subprocess.Popen(command, cwd=files, stderr=subprocess.PIPE, text=True)
    time.sleep(2)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=20)
    assert process.returncode == 130
    assert "Traceback" not in err


def test_the_installed_command():
    done = subprocess.run(["berx-gpu", "--version"], capture_output=True, text=True)
    assert done.stdout.startswith("berx-gpu, version ")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs Linux")
@pytest.mark.parametrize("sink", ["> /dev/full", "> /dev/full 2> /dev/full", ">&-", "2>&-"])
def test_streams_that_cannot_be_written(files, sink):
    line = f"{sys.executable} -m berx_gpu score pred.csv truth.csv --entities entities.csv {sink}"
    done = subprocess.run(["bash", "-c", line], cwd=files, capture_output=True, text=True)
    assert done.returncode in (0, 2)
    assert "Traceback" not in done.stderr


def test_arguments_that_are_no_text(files):
    command = [sys.executable, "-m", "berx_gpu", "score", b"\xff.csv", "truth.csv"]
    done = subprocess.run([*command, "--entities", "entities.csv"], cwd=files, capture_output=True)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.count(b"\n") == 1
    os.rename(files / "pred.csv", os.fsencode(files) + b"/\xff.csv")
    done = subprocess.run([*command, "--entities", "entities.csv"], cwd=files, capture_output=True)
    assert done.returncode == 0


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="there are no terminals here")
def test_a_terminal_shows_progress_and_keeps_none_of_it(tmp_path):
    n = 200_000
    pairs = pd.DataFrame({"entity": range(n), "target": range(n)})
    pairs.to_parquet(tmp_path / "pairs.parquet")
    pairs[["entity"]].to_parquet(tmp_path / "entities.parquet")
    terminal, screen = os.openpty()
    impatient = "from berx_gpu.cli import app; app._PATIENCE = 0; app.main()"
    args = ["score", "pairs.parquet", "pairs.parquet", "--entities", "entities.parquet"]
    done = subprocess.run(
        [sys.executable, "-c", impatient, *args],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=screen,
        text=True,
    )
    os.close(screen)
    told = os.read(terminal, 1 << 16).decode()
    os.close(terminal)
    assert done.returncode == 0
    assert done.stdout.startswith("pairs\nmacro F0.5  1.0000")
    assert "match pieces █" in told
    assert "%" in told
    assert told.endswith(f"\r{'':<60}\r")


@pytest.mark.parametrize("command", ["score", "sweep", "candidates"])
def test_the_command_line_works_there_too(stand_in, command):
    args = [*SPLINK, *(["--threshold", "0.5"] if command == "score" else [])]
    here, there = run(command, *args), run(command, *args, "--device", "cuda")
    assert there.returncode == 0
    assert (there.stdout, there.stderr) == (here.stdout, here.stderr)


def test_too_little_memory_is_said_in_a_line(monkeypatch):
    def out_of_memory():
        raise MemoryError("std::bad_alloc: out_of_memory")

    monkeypatch.setattr(cuda, "backend", out_of_memory)
    done = run("score", *SPLINK, "--threshold", "0.5", "--device", "cuda")
    assert (done.returncode, done.stdout) == (2, "")
    assert "the memory does not suffice (std::bad_alloc: out_of_memory); score fewer" in done.stderr
