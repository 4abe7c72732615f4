"""CUDA kernels without a card: what they compute, and that they compile for every architecture.

Four gates: a kernel is its CPU twin's loop over the same row functions (`test_layout.py`); the
code that Numba made for the card gives the twin's bits when the CPU runs it; no step of it is fused
for the card; and the assembler finds no spill, and as many registers as
`benchmarks/registers.csv` says. After a change of a
kernel, `python tests/kernels/test_cuda_kernels.py` writes that table again.

This runs in an environment of its own, made from `.ci/gpu-check.txt`; elsewhere it is not
collected (`conftest.py`), because Numba's CUDA compiler is not installed there.
"""

import csv
import importlib
import re
import subprocess
import tempfile
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple
from unittest import mock

import numpy as np
import pytest
from cuda_on_cpu import OnCpu
from numba import cuda, float64, int64, uint64

from berx_gpu.backends import draws

KERNELS = Path(__file__).parents[2] / "kernels"
TABLE = KERNELS.parent / "benchmarks" / "registers.csv"
CAPABILITIES = [(7, 5), (8, 0), (8, 6), (8, 9), (9, 0), (10, 0), (12, 0)]
counts = int64[::1]
large = uint64[::1]
SIGNATURES = {
    "fbeta_cuda.fbeta": (counts, counts, counts, float64, float64[::1]),
    "resample_cuda.resample": (
        *(counts, counts, counts, large, counts, large, counts, int64, int64, uint64),
        *(counts, counts, uint64, uint64, int64, int64[:, ::1]),
    ),
}


class Usage(NamedTuple):
    """What one thread of a kernel takes: registers, and bytes of stack and of spills."""

    registers: int
    stack: int
    stores: int
    loads: int


def compile_kernel(kernel, signature, capability, folder):
    """Return the PTX of a kernel and what its machine code uses."""
    # The compiler asks the driver which card is there; without one it is told.
    card = SimpleNamespace(compute_capability=capability)
    with mock.patch("numba.cuda.dispatcher.get_current_device", return_value=card):
        ptx, _ = cuda.compile(kernel.py_func, signature, device=False, abi="numba", cc=capability)
    source = folder / "kernel.ptx"
    source.write_text(ptx)
    # The pinned assembler: a toolkit of another version may stand on the path.
    ptxas = metadata.distribution("nvidia-cuda-nvcc").locate_file("nvidia/cu13/bin/ptxas")
    arch = "-arch=sm_{}{}".format(*capability)
    command = [ptxas, "-v", arch, source, "-o", folder / "kernel.cubin"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    frames = re.findall(r"(\d+) bytes stack frame, (\d+) .*stores, (\d+) .*loads", done.stderr)
    registers = re.findall(r"Used (\d+) registers", done.stderr)
    assert len(registers) == len(frames) == 1, done.stderr
    return ptx, Usage(int(registers[0]), *map(int, frames[0]))


def kernel_of(name):
    module, function = name.split(".")
    return getattr(importlib.import_module(f"berx_gpu.kernels.{module}"), function)


def architecture(capability):
    return "sm_{}{}".format(*capability)


def written_registers():
    with TABLE.open(newline="") as file:
        return {(row["kernel"], arch): int(row[arch]) for row in csv.DictReader(file)
                for arch in map(architecture, CAPABILITIES)}  # fmt: skip


@pytest.mark.parametrize("capability", CAPABILITIES, ids=architecture)
@pytest.mark.parametrize("name", SIGNATURES)
def test_a_kernel_compiles_without_spills(name, capability, tmp_path):
    ptx, usage = compile_kernel(kernel_of(name), SIGNATURES[name], capability, tmp_path)
    assert ".visible .entry" in ptx
    assert not fused(ptx)
    assert (usage.stack, usage.stores, usage.loads) == (0, 0, 0)
    assert usage.registers == written_registers()[name, architecture(capability)]
    assert usage.registers <= 80  # 24 warps and more on a multiprocessor


def fused(ptx):
    """Return the fused multiply-adds in PTX, which round once where a CPU rounds twice."""
    return re.findall(r"\bfma\.rn\.f(?:32|64)\b", ptx)


def test_a_fused_step_would_be_seen(tmp_path):
    @cuda.jit
    def fbeta(a, b, out):
        out[0] = a[0] * a[1] + b[0]

    signature = (float64[::1], float64[::1], float64[::1])
    assert fused(compile_kernel(fbeta, signature, (8, 0), tmp_path)[0])


def hostile_counts(n=100_000):
    """Return counts of entities, the extremes first."""
    rng = np.random.default_rng(0)
    sides = rng.integers(0, 12, (2, n))
    sides[:, : n // 10] = rng.integers(0, 2**40, (2, n // 10))
    edges = [(0, 0), (0, 1), (1, 0), (1, 1), (2**53, 2**53), (2**62, 1), (1, 2**62)]
    sides[:, : len(edges)] = np.array(edges).T
    tp = rng.integers(0, np.minimum(*sides) + 1)
    tp[: len(edges)] = np.minimum(*sides)[: len(edges)]
    return tp, *sides


def differing_bits(name, kernel=None, beta=0.5):
    """Return for how many entities a kernel, run on the CPU, and its twin differ."""
    kernel = OnCpu(kernel or kernel_of(name), SIGNATURES[name])
    tp, n_pred, n_true = hostile_counts()
    ours, theirs = np.full(len(tp), -1.0), np.empty(len(tp))
    kernel(37, 64, tp, n_pred, n_true, beta, ours)
    kernel_of(name.replace("_cuda", "_cpu"))(tp, n_pred, n_true, beta, theirs)
    return int((ours.view(np.int64) != theirs.view(np.int64)).sum())


@pytest.mark.parametrize("beta", [0.5, 1.0, 1e-100, 3.7, 1e100])
def test_the_code_for_the_card_gives_the_bits_of_the_cpu(beta):
    assert differing_bits("fbeta_cuda.fbeta", beta=beta) == 0


def test_a_last_bit_would_be_seen():
    @cuda.jit
    def fbeta(tp, n_pred, n_true, beta, out):
        for i in range(cuda.grid(1), out.size, cuda.gridsize(1)):
            if tp[i] == n_pred[i] and tp[i] == n_true[i]:
                out[i] = 1.0
            else:  # the same formula, its two factors the other way round
                ratio = tp[i] / (beta * beta * n_true[i] + n_pred[i])
                out[i] = min(1.0, (1.0 + beta * beta) * ratio)

    assert differing_bits("fbeta_cuda.fbeta", fbeta, beta=3.7) > 1000


def test_a_thread_that_stops_early_would_be_seen():
    @cuda.jit
    def fbeta(tp, n_pred, n_true, beta, out):
        i = cuda.grid(1)
        if i < out.size:
            out[i] = 0.0

    assert differing_bits("fbeta_cuda.fbeta", fbeta) > 1000


def replicates(kernel, tables, num, den):
    """Return the sums of 300 replicates, in a launch of a kernel or a call of its twin."""
    out = np.full((300, 2), -1)
    kernel(*tables, num, den, *draws.key_words(2**40 + 7), 11, out)
    return out


@pytest.mark.parametrize("how", draws.TABLES)
@pytest.mark.parametrize("groups", [1, 2, 301])
def test_the_card_would_draw_the_same_replicates(how, groups):
    rng = np.random.default_rng(groups)
    made = draws.TABLES[how](rng.integers(1, 3000, groups))
    num, den = rng.integers(-(2**40), 2**40, (2, groups))
    kernel = OnCpu(kernel_of("resample_cuda.resample"), SIGNATURES["resample_cuda.resample"])
    on_card = replicates(lambda *given: kernel(5, 32, *given), made, num, den)
    on_cpu = replicates(kernel_of("resample_cpu.resample"), made, num, den)
    assert (on_card == on_cpu).all()
    if groups > 1:
        other = replicates(kernel_of("resample_cpu.resample"), made, num, den + 1)
        assert (on_card != other).any()


def test_no_kernel_is_forgotten():
    found = set()
    for path in KERNELS.glob("*_cuda.py"):
        module = importlib.import_module(f"berx_gpu.kernels.{path.stem}")
        for name, value in vars(module).items():
            if hasattr(value, "py_func") and value.py_func.__module__ == module.__name__:
                found.add(f"{path.stem}.{name}")
    assert found == set(SIGNATURES)


def test_a_spill_would_be_seen(tmp_path):
    @cuda.jit
    def greedy(values, out):
        local = cuda.local.array(512, float64)
        for i in range(512):
            local[i] = values[i]
        out[0] = local[int(values[0])]

    _, usage = compile_kernel(greedy, (float64[::1], float64[::1]), (8, 0), tmp_path)
    assert usage.stack == 4096


def write_table():
    """Write how many registers each kernel takes on each architecture."""
    with tempfile.TemporaryDirectory() as folder, TABLE.open("w", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["kernel", *map(architecture, CAPABILITIES)])
        for name, signature in SIGNATURES.items():
            used = (compile_kernel(kernel_of(name), signature, capability, Path(folder))
                    for capability in CAPABILITIES)  # fmt: skip
            rows.writerow([name, *(usage.registers for _, usage in used)])


if __name__ == "__main__":
    write_table()
