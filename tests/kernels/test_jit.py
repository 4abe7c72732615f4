"""How kernels are cached: never a stale formula, never a failed import."""

import logging
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from berx_gpu.kernels import fbeta_cpu, fbeta_rows

ROOT = Path(__file__).parents[2]
SCORE = """
import numpy as np
from berx_gpu.kernels import fbeta_cpu
out = np.empty(1)
counts = [np.array([x]) for x in (1, 2, 1)]
fbeta_cpu.fbeta(*counts, 0.5, out)
hits = sum(fbeta_cpu.fbeta.stats.cache_hits.values())
print(out[0], hits, fbeta_cpu.__file__)
"""


@pytest.fixture
def copy(tmp_path):
    """Return a bare copy of the package."""
    shutil.copytree(
        ROOT / "berx_gpu", tmp_path / "berx_gpu", ignore=shutil.ignore_patterns("__pycache__")
    )
    return tmp_path


def run(folder, code=SCORE, **env):
    base = {k: v for k, v in os.environ.items() if k not in ("NUMBA_CACHE_DIR", "PYTHONPATH")}
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        env={**base, "PYTHONPATH": str(folder), **env},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_an_edited_row_is_seen_by_a_cached_loop(copy):
    score, hits, file = run(copy)
    assert (score, hits) == (str(1.25 / 2.25), "0")
    assert file.startswith(str(copy))
    assert run(copy)[:2] == [score, "1"], "the second process compiles nothing"
    row = copy / "berx_gpu" / "kernels" / "fbeta_rows.py"
    before = row.stat()
    row.write_text(row.read_text().replace("(1.0 + beta2) * tp", "(2.0 + beta2) * tp"))
    os.utime(row, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert run(copy)[:2] == [str(2.25 / 2.25), "0"]


def test_an_install_that_cannot_be_written_runs_uncached(copy):
    code = (
        "import logging, sys\n"
        "logging.basicConfig(level='INFO', stream=sys.stdout, format='%(name)s')\n"
        "import numba.core.caching as c\n"
        "for k in c.CompileResultCacheImpl._locator_classes:\n"
        "    k.ensure_cache_path = lambda self: (_ for _ in ()).throw(OSError('read-only'))\n"
        + SCORE
    )
    told = run(copy, code)
    assert told[0] == "berx_gpu", "said once, before the result"
    assert told[1:3] == [str(1.25 / 2.25), "0"]
    assert told.count("berx_gpu") == 1
    assert not list(copy.rglob("*.nbi"))


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
def test_a_read_only_folder_runs_uncached(copy, tmp_path):
    for path in copy.rglob("*"):
        path.chmod(path.stat().st_mode & ~(stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH))
    assert run(copy, HOME=str(tmp_path / "none"))[0] == str(1.25 / 2.25)


def test_a_cache_that_cannot_be_written_later_is_no_error(monkeypatch, caplog):
    from berx_gpu.kernels import _jit

    def full(*_):
        raise OSError("no space left on device")

    monkeypatch.setattr(_jit.caching.FunctionCache, "save_overload", full)
    monkeypatch.setattr(_jit.caching.FunctionCache, "load_overload", lambda *_: None)
    _jit._say_once.cache_clear()
    with caplog.at_level(logging.INFO, "berx_gpu"):
        assert _jit.jit(fbeta_rows.fbeta.py_func)(1, 2, 1, 0.75) > 0
    assert "set NUMBA_CACHE_DIR" in caplog.text


@pytest.mark.parametrize("beta", [0.5, 0.1, 1.0, 3.3, 1e-100, 1e100])
def test_the_row_is_one_formula_compiled_or_not(beta):
    for tp in range(4):
        for n_pred in range(tp, 6):
            for n_true in range(tp, 6):
                plain = fbeta_rows.fbeta.py_func(tp, n_pred, n_true, beta)
                assert fbeta_rows.fbeta(tp, n_pred, n_true, beta) == plain
                assert 0.0 <= plain <= 1.0


def test_kernels_release_the_gil():
    assert fbeta_cpu.fbeta.targetoptions["nogil"]
    assert fbeta_cpu.fbeta.targetoptions["error_model"] == "numpy"
