"""Memory by address: what Numba has no word for, and what keeps inner loops free of its counting.

Numba counts the references to an array in each function that gets one, with atomic steps that two
threads fight over. Inner functions get addresses instead: plain numbers. Whoever passes an address
keeps the array alive.
"""

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

_BYTE, _INT, _WORD = ir.IntType(8), ir.IntType(32), ir.IntType(64)


def _pointer(builder: Any, address: Any, kind: Any) -> Any:
    return builder.inttoptr(address, kind.as_pointer())


def _load(builder: Any, address: Any, kind: Any) -> Any:
    value = builder.load(_pointer(builder, address, kind))
    value.align = 1
    return value


@intrinsic
def load_byte(typing_context: Any, address: Any) -> Any:
    """Return the byte at an address."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _load(builder, args[0], _BYTE)

    return types.uint8(types.int64), code


@intrinsic
def load_int(typing_context: Any, address: Any) -> Any:
    """Return the int32 at an address."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _load(builder, args[0], _INT)

    return types.int32(types.int64), code


@intrinsic
def load_word(typing_context: Any, address: Any) -> Any:
    """Return the 8 bytes at any address as one little-endian word."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _load(builder, args[0], _WORD)

    return types.uint64(types.int64), code


@intrinsic
def store_int(typing_context: Any, address: Any, value: Any) -> Any:
    """Write an int32 at an address."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        builder.store(args[1], _pointer(builder, args[0], _INT), align=4)
        return context.get_dummy_value()

    return types.void(types.int64, types.int32), code


@intrinsic
def store_word(typing_context: Any, address: Any, value: Any) -> Any:
    """Write 8 bytes at an address."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        builder.store(args[1], _pointer(builder, args[0], _WORD), align=8)
        return context.get_dummy_value()

    return types.void(types.int64, types.uint64), code


@intrinsic
def prefetch(typing_context: Any, address: Any) -> Any:
    """Ask for the cache line that a later step will read."""

    def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        byte = _BYTE.as_pointer()
        kind = ir.FunctionType(ir.VoidType(), [byte, _INT, _INT, _INT])
        hint = builder.module.declare_intrinsic("llvm.prefetch", [byte], kind)
        # For reading, to stay in every cache level, data and not instructions.
        constants = [ir.Constant(_INT, v) for v in (0, 3, 1)]
        builder.call(hint, [_pointer(builder, args[0], _BYTE), *constants])
        return context.get_dummy_value()

    return types.void(types.int64), code
