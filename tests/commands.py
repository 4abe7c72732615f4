"""Commands of berx-gpu, run in this process or apart."""

import contextlib
import io
import signal
import subprocess
import sys
from unittest import mock

import pytest

from berx_gpu import cli


def apart(*args, **options):
    """Run a command in a process of its own, as users do."""
    command = [sys.executable, "-m", "berx_gpu", *map(str, args)]
    return subprocess.run(command, capture_output=True, text=True, **options)


def run(*args, cwd=None):
    """Run a command in this process, which takes no time to start."""
    streams = [io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2)]
    pipe = signal.getsignal(signal.SIGPIPE) if hasattr(signal, "SIGPIPE") else None
    with (
        contextlib.chdir(cwd or "."),
        mock.patch.object(sys, "argv", ["berx-gpu", *map(str, args)]),
        contextlib.redirect_stdout(streams[0]),
        contextlib.redirect_stderr(streams[1]),
        pytest.raises(SystemExit) as ended,
    ):
        cli.main()
    if pipe is not None:
        signal.signal(signal.SIGPIPE, pipe)
    for stream in streams:
        stream.flush()
    out, err = (stream.buffer.getvalue().decode() for stream in streams)
    return subprocess.CompletedProcess(args, ended.value.code, out, err)


def score(folder, *args, pred="pred.csv", truth="truth.csv", entities="entities.csv"):
    return run("score", pred, truth, "--entities", entities, *args, cwd=folder)
