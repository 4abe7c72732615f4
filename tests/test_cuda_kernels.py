"""Every CUDA kernel compiles for every architecture, with neither a card nor a driver.

This runs in an environment of its own, made from `.ci/gpu-check.txt`; elsewhere it is not
collected (`conftest.py`), because Numba's CUDA compiler is not installed there.
"""

import importlib
import re
import subprocess
from importlib import metadata
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple
from unittest import mock

import pytest
from numba import cuda, float64, int64

KERNELS = Path(__file__).parent.parent / "kernels"
CAPABILITIES = [(7, 5), (8, 0), (8, 6), (8, 9), (9, 0), (10, 0), (12, 0)]
counts = int64[::1]
SIGNATURES = {"fbeta_cuda.fbeta": (counts, counts, counts, float64, float64[::1])}


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


@pytest.mark.parametrize("capability", CAPABILITIES, ids="sm_{0[0]}{0[1]}".format)
@pytest.mark.parametrize("name", SIGNATURES)
def test_a_kernel_compiles_without_spills(name, capability, tmp_path):
    ptx, usage = compile_kernel(kernel_of(name), SIGNATURES[name], capability, tmp_path)
    assert ".visible .entry" in ptx
    assert (usage.stack, usage.stores, usage.loads) == (0, 0, 0)
    assert 0 < usage.registers <= 64


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
