"""F as a whole number of 2**-60, in two words of 30 bits: sums are exact in any order."""

from berx_gpu.kernels._jit import jit

WORD = 30
_SCALE = float(1 << WORD)


@jit
def high_word(f):
    """Return the first 30 bits of a number in [0, 1] behind the point."""
    return int(f * _SCALE)


@jit
def low_word(f):
    """Return the next 30 bits."""
    scaled = f * _SCALE
    return int((scaled - int(scaled)) * _SCALE)
