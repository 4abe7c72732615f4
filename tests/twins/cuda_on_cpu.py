"""A CUDA kernel on this machine's CPU: the code that Numba made for the card, thread after thread.

Numba turns a kernel into LLVM code for NVIDIA's target, and only then into PTX. That code is taken
here, told which thread it runs in by four small functions in place of the card's registers, and
compiled for the host. What it computes is what the card would, but for fused multiply-adds, which
`test_cuda_kernels.py` forbids, and for threads that wait for one another, which no kernel here has.
"""

import ctypes
import re
from types import SimpleNamespace
from unittest import mock

import llvmlite.binding as llvm
import numpy as np
from numba import cuda, types
from numba.cuda import codegen

CAPABILITY = (9, 0)
REGISTERS = ("tid", "ntid", "ctaid", "nctaid")
C_TYPES = {
    "double": ctypes.c_double, "float": ctypes.c_float, "i1": ctypes.c_bool, "i8": ctypes.c_int8,
    "i16": ctypes.c_int16, "i32": ctypes.c_int32, "i64": ctypes.c_int64, "ptr": ctypes.c_void_p,
}  # fmt: skip

llvm.initialize_native_target()
llvm.initialize_native_asmprinter()


def code_for_the_card(kernel, signature):
    """Return the LLVM code of a kernel, one text for each of its modules."""
    seen = []
    original = codegen.CUDACodeLibrary.get_asm_strs

    def watched(self, *args, **options):
        seen.append(list(self.llvm_strs))
        return original(self, *args, **options)

    card = SimpleNamespace(compute_capability=CAPABILITY)
    with (
        mock.patch("numba.cuda.dispatcher.get_current_device", return_value=card),
        mock.patch.object(codegen.CUDACodeLibrary, "get_asm_strs", watched),
    ):
        cuda.compile(kernel.py_func, signature, device=False, abi="numba", cc=CAPABILITY)
    return seen[0]


def for_the_host(text, triple, layout):
    """Return LLVM code with the host as its target and functions in place of registers."""
    text = re.sub(r'target triple = ".*"', f'target triple = "{triple}"', text)
    text = re.sub(r'target datalayout = ".*"', f'target datalayout = "{layout}"', text)
    text = re.sub(r"^(@\"?llvm\.used|!).*$", "", text, flags=re.M)  # notes for NVIDIA's compiler
    text = re.sub(r",?\s*![a-z.]+ !\d+", "", text)
    text = re.sub(r'@"?llvm\.nvvm\.read\.ptx\.sreg\.(\w+)\.([xyz])"?', r"@register_\1_\2", text)
    return re.sub(r'@"?__nv_(\w+?)"?(?=\()', r"@\1", text)  # libdevice's log is libm's


def grid(name, arguments, triple, layout):
    """Return LLVM code that calls a kernel for each thread of each block of a grid of one row."""
    lines = [
        f'target triple = "{triple}"',
        f'target datalayout = "{layout}"',
        "define double @dmul_rn(double %a, double %b) {",  # libdevice's, which libm has not
        "  %product = fmul double %a, %b",
        "  ret double %product",
        "}",
    ]
    for register in REGISTERS:
        for axis in "xyz":
            at = f"@at_{register}_{axis}"
            lines += [
                f"{at} = internal global i32 {int(register.startswith('n'))}",
                f"define i32 @register_{register}_{axis}() {{",
                f"  %value = load i32, ptr {at}",
                "  ret i32 %value",
                "}",
            ]
    listed = "".join(f", {kind} %a{i}" for i, kind in enumerate(arguments))
    return "\n".join(
        [
            *lines,
            f'declare void @"{name}"({", ".join(arguments)})',
            f"define void @run_grid(i32 %blocks, i32 %threads{listed}) {{",
            "start:",
            "  store i32 %blocks, ptr @at_nctaid_x",
            "  store i32 %threads, ptr @at_ntid_x",
            "  br label %block",
            "block:",
            "  %b = phi i32 [0, %start], [%next_b, %block_done]",
            "  store i32 %b, ptr @at_ctaid_x",
            "  br label %thread",
            "thread:",
            "  %t = phi i32 [0, %block], [%next_t, %thread]",
            "  store i32 %t, ptr @at_tid_x",
            f'  call void @"{name}"({listed.removeprefix(", ")})',
            "  %next_t = add i32 %t, 1",
            "  %more_t = icmp slt i32 %next_t, %threads",
            "  br i1 %more_t, label %thread, label %block_done",
            "block_done:",
            "  %next_b = add i32 %b, 1",
            "  %more_b = icmp slt i32 %next_b, %blocks",
            "  br i1 %more_b, label %block, label %end",
            "end:",
            "  ret void",
            "}",
        ]
    )


class OnCpu:
    """A compiled kernel: ``OnCpu(kernel, signature)(blocks, threads, *arguments)``."""

    def __init__(self, kernel, signature):
        self.signature = signature
        triple = llvm.get_default_triple()
        machine = llvm.Target.from_triple(triple).create_target_machine(opt=2)
        where = (triple, str(machine.target_data))
        module, *others = (
            llvm.parse_assembly(for_the_host(text, *where))
            for text in code_for_the_card(kernel, signature)
        )
        for other in others:
            module.link_in(other)
        (entry,) = (
            f for f in module.functions if not f.is_declaration and f.linkage.name == "external"
        )
        kinds = [str(a.type) for a in entry.arguments]
        kinds = ["ptr" if "*" in kind else kind for kind in kinds]
        module.link_in(llvm.parse_assembly(grid(entry.name, kinds, *where)))
        module.verify()
        self.engine = llvm.create_mcjit_compiler(module, machine)  # keeps the code alive
        self.engine.finalize_object()
        counts = [ctypes.c_int32, ctypes.c_int32]
        prototype = ctypes.CFUNCTYPE(None, *counts, *(C_TYPES[kind] for kind in kinds))
        self.run = prototype(self.engine.get_function_address("run_grid"))

    def __call__(self, blocks, threads, *arguments):
        """Run every thread of every block, arrays as Numba passes them to a kernel."""
        flat = []
        for kind, value in zip(self.signature, arguments, strict=True):
            if isinstance(kind, types.Array):
                assert value.dtype == np.dtype(str(kind.dtype))
                assert value.flags.c_contiguous
                flat += [None, None, value.size, value.itemsize, value.ctypes.data]
                flat += [*value.shape, *value.strides]
            else:
                flat.append(value)
        self.run(blocks, threads, *flat)
