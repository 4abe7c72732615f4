"""One id as a key of two 64-bit words, and how keys compare.

An integer is its own low word. A text of up to 15 bytes is its bytes and its length, so equal words
mean equal texts. A longer text is a hash, and the row of the column where its bytes stand: equal
hashes are settled by the bytes. A column of texts is known by two addresses: of its bytes, and of
the int64 starts of its rows.
"""

import numpy as np

from berx_gpu.kernels._jit import jit
from berx_gpu.kernels._memory import load_byte, load_word

LONG = np.uint64(1 << 63)
SHORT_BYTES = 15
_ROW = np.uint64((1 << 63) - 1)
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_PRIME = np.uint64(0xD6E8FEB86659FD93)
_ZERO, _ONE, _8, _32, _56 = (np.uint64(v) for v in (0, 1, 8, 32, 56))


@jit
def mixed(lo, hi):
    """Return a hash of two words: every bit of them moves every bit of it."""
    z = (lo ^ (hi * _GOLDEN)) * _PRIME
    z ^= z >> _32
    z *= _PRIME
    return z ^ (z >> _32)


@jit
def key_hash(lo, hi):
    """Return the hash of a key, the same for the same text in any row."""
    return np.int64(mixed(lo, hi if hi < LONG else LONG))


@jit
def low_bytes(word, n):
    """Return the first n < 8 bytes of a little-endian word."""
    return word & ((_ONE << (_8 * np.uint64(n))) - _ONE)


@jit
def few_bytes(address, n):
    """Return n <= 8 bytes as a word, without reading past them."""
    word = _ZERO
    for k in range(n):
        word |= np.uint64(load_byte(address + k)) << (_8 * np.uint64(k))
    return word


@jit
def text_key(address, length, safe_end, row, hash_mask):
    """Return the two words of a text; bytes up to `safe_end` may be read."""
    if length <= SHORT_BYTES:
        if address + 16 <= safe_end:
            if length < 8:
                lo, hi = low_bytes(load_word(address), length), _ZERO
            else:
                lo, hi = load_word(address), low_bytes(load_word(address + 8), length - 8)
        else:
            lo = few_bytes(address, min(length, 8))
            hi = few_bytes(address + 8, max(length - 8, 0))
        return lo, hi | (np.uint64(length) << _56)
    lo = np.uint64(length)
    for at in range(address, address + length - 7, 8):
        lo = mixed(lo, load_word(at))
    lo = mixed(lo, load_word(address + length - 8))
    return lo & hash_mask, LONG | np.uint64(row)


@jit
def high(hi_at, i):
    """Return the high word of key i, 0 for numbers, which have none."""
    return _ZERO if hi_at is None else load_word(hi_at + 8 * i)


@jit
def key_at(lo_at, hi_at, bytes_at, starts_at, size, hash_mask, i):
    """Return the key of row i: its words where these stand, else those of its text."""
    if lo_at:
        return load_word(lo_at + 8 * i), high(hi_at, i)
    start = np.int64(load_word(starts_at + 8 * i))
    stop = np.int64(load_word(starts_at + 8 * i + 8))
    return text_key(bytes_at + start, stop - start, bytes_at + size, i, hash_mask)


@jit
def bytes_order(a, a_length, b, b_length):
    """Return -1, 0 or 1 as the bytes at a stand before, at or after those at b."""
    for k in range(min(a_length, b_length)):
        x, y = load_byte(a + k), load_byte(b + k)
        if x != y:
            return -1 if x < y else 1
    if a_length == b_length:
        return 0
    return -1 if a_length < b_length else 1


@jit
def long_order(a_hi, a_bytes, a_starts, b_hi, b_bytes, b_starts):
    """Return the order of two long texts whose hashes are equal."""
    i = a_starts + 8 * np.int64(a_hi & _ROW)
    j = b_starts + 8 * np.int64(b_hi & _ROW)
    a, b = np.int64(load_word(i)), np.int64(load_word(j))
    return bytes_order(
        a_bytes + a, np.int64(load_word(i + 8)) - a, b_bytes + b, np.int64(load_word(j + 8)) - b
    )


@jit
def same(a_lo, a_hi, a_bytes, a_starts, b_lo, b_hi, b_bytes, b_starts):
    """Say whether two keys are equal."""
    if a_lo == b_lo and a_hi >= LONG and b_hi >= LONG:
        return long_order(a_hi, a_bytes, a_starts, b_hi, b_bytes, b_starts) == 0
    return (a_lo == b_lo) & (a_hi == b_hi)


@jit
def order(a_lo, a_hi, a_bytes, a_starts, b_lo, b_hi, b_bytes, b_starts):
    """Return -1, 0 or 1 as key a stands before, at or after key b: some order, always the same."""
    if a_lo != b_lo:
        return -1 if a_lo < b_lo else 1
    if a_hi < LONG or b_hi < LONG:
        return 0 if a_hi == b_hi else (-1 if a_hi < b_hi else 1)
    return long_order(a_hi, a_bytes, a_starts, b_hi, b_bytes, b_starts)
