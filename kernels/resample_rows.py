"""One replicate of a bootstrap over groups of equal units, in whole numbers only.

Drawing n units with replacement from groups is a multinomial draw of how often each group comes.
Every group gets a Poisson number a little below its size, by looking a random integer up in a table
of its distribution. When these sum to n or less, they are multinomial given their sum, and single
draws fill up to n; otherwise they are drawn again. No logarithm or exponential is taken here, so
that every device draws the same.

The random integers are Philox4x32-10 (Salmon et al. 2011) of a counter: draw, attempt, replicate,
purpose. So a replicate is the same in any batch and any thread.
"""

import numpy as np

from berx_gpu.kernels._jit import jit

GUIDE_BITS = 8
_MASK = np.uint64(0xFFFFFFFF)
_MULTIPLIERS = (np.uint64(0xD2511F53), np.uint64(0xCD9E8D57))
_STEPS = (np.uint64(0x9E3779B9), np.uint64(0xBB67AE85))
_ZERO, _ONE, _11, _32 = (np.uint64(v) for v in (0, 1, 11, 32))
_GUIDE = np.uint64(53 - GUIDE_BITS)


@jit
def philox(c0, c1, c2, c3, k0, k1):
    """Return the four words of 32 bits that Philox makes of a counter and a key, as two of 64."""
    for _ in range(10):
        p0, p1 = _MULTIPLIERS[0] * c0, _MULTIPLIERS[1] * c2
        c0, c1, c2, c3 = (p1 >> _32) ^ c1 ^ k0, p1 & _MASK, (p0 >> _32) ^ c3 ^ k1, p0 & _MASK
        k0, k1 = (k0 + _STEPS[0]) & _MASK, (k1 + _STEPS[1]) & _MASK
    return (c0 << _32) | c1, (c2 << _32) | c3


@jit
def high_product(a, b):
    """Return the high word of the product of a and b < 2**32."""
    return ((a >> _32) * b + (((a & _MASK) * b) >> _32)) >> _32


@jit
def looked_up(word, kind, low, starts, limits, guide):
    """Return the number that a random word stands for in one of the tables."""
    x = word >> _11
    at = starts[kind] + guide[(kind << GUIDE_BITS) + np.int64(x >> _GUIDE)]
    while limits[at] <= x:
        at += 1
    return low[kind] + at - starts[kind]


@jit
def group_sums(
    kinds, low, starts, limits, guide, num, den, attempt, replicate, purpose, key0, key1
):
    """Return how many units the groups were drawn, and the sums of two numbers over them."""
    total, above, below = np.int64(0), np.int64(0), np.int64(0)
    for g in range(0, kinds.size, 2):
        first, second = philox(np.uint64(g >> 1), attempt, replicate, purpose, key0, key1)
        k = looked_up(first, kinds[g], low, starts, limits, guide)
        total += k
        above += k * num[g]
        below += k * den[g]
        if g + 1 < kinds.size:
            k = looked_up(second, kinds[g + 1], low, starts, limits, guide)
            total += k
            above += k * num[g + 1]
            below += k * den[g + 1]
    return total, above, below


@jit
def one_group(word, n, thresholds, alias):
    """Return the group of one of n units, by Walker's alias table."""
    groups = np.uint64(alias.size)
    g = np.int64(high_product(word, groups))
    return g if high_product(word * groups, n) < thresholds[g] else alias[g]


@jit
def replicate_sums(
    kinds, low, starts, limits, guide, thresholds, alias, least, most, num, den,
    replicate, purpose, key0, key1,
):  # fmt: skip
    """Return the sums of two numbers over the units of one replicate.

    Parameters
    ----------
    kinds : int64 array
        Which table each group has.
    low, starts, limits, guide : arrays
        The tables: the smallest number of each, where its limits start, the limits in 53 bits, and
        for each 256th of the range how far to go before looking.
    thresholds, alias : arrays
        Walker's table of the groups, to fill up to `most` units; empty for no filling up.
    least, most : int
        How many units a replicate may have.
    num, den : int64 array
        What a unit of each group adds.
    replicate, purpose, key0, key1 : uint64
        Words of 32 bits.
    """
    attempt = _ZERO
    while True:
        total, above, below = group_sums(
            kinds, low, starts, limits, guide, num, den, attempt, replicate, purpose, key0, key1
        )
        if least <= total <= most:
            break
        attempt += _ONE
    if alias.size:
        missing, n = most - total, np.uint64(most)
        for draw in range(0, missing, 2):
            first, second = philox(
                np.uint64(draw >> 1), attempt, replicate, purpose + _ONE, key0, key1
            )
            g = one_group(first, n, thresholds, alias)
            above += num[g]
            below += den[g]
            if draw + 1 < missing:
                g = one_group(second, n, thresholds, alias)
                above += num[g]
                below += den[g]
    return above, below
