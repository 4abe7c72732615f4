"""A set of (entity, key) pairs in slots by hash: each pair once, with a mark of where it was seen.

A slot is a tag and a key: the tag holds the entity's number in its piece and the marks, or `FREE`.
Slots are given by the addresses of tags, low words and high words (None for numbers, see
`key_rows`). A piece's slots fit the cache, so that a look at one costs next to nothing.
"""

import numpy as np

from berx_gpu.kernels._jit import jit
from berx_gpu.kernels._memory import load_int, load_word, store_int, store_word
from berx_gpu.kernels.key_rows import LONG, high, mixed, same

FREE = np.int32(-1)
ENTITY_BITS = 16
"""How many entities a piece may have, at most: two to this."""
TRUE = np.int32(1 << 16)
SEEN = np.int32(1 << 17)
AGAIN = np.int32(1 << 18)
_ENTITY = np.int32((1 << 16) - 1)
_32, _48 = np.uint64(32), np.uint64(48)


@jit
def put(lo_at, hi_at, i, lo, hi):
    """Write key i."""
    store_word(lo_at + 8 * i, lo)
    if hi_at is not None:
        store_word(hi_at + 8 * i, hi)


@jit
def clear(tags_at, n):
    """Free n slots."""
    for i in range(n):
        store_int(tags_at + 4 * i, FREE)


@jit
def slot_of(
    tags_at, lo_at, hi_at, n, j, lo, hi, bytes_at, starts_at,
    true_bytes, true_starts, pred_bytes, pred_starts,
):  # fmt: skip
    """Return the slot, of n, that has key (lo, hi) of entity j, or the free one for it.

    The bytes of a long text in a slot are among the true ones or the predicted ones, as its tag
    says.
    """
    hashed = mixed(lo, (hi if hi < LONG else LONG) ^ (np.uint64(j) << _48))
    at = np.int64(((hashed >> _32) * np.uint64(n)) >> _32)
    while True:
        tag = load_int(tags_at + 4 * at)
        if tag == FREE:
            return at
        if tag & _ENTITY == j:
            u, v = load_word(lo_at + 8 * at), high(hi_at, at)
            u_bytes = true_bytes if tag & TRUE else pred_bytes
            u_starts = true_starts if tag & TRUE else pred_starts
            if same(u, v, u_bytes, u_starts, lo, hi, bytes_at, starts_at):
                return at
        at += 1
        if at == n:
            at = 0


@jit
def fill(tags_at, lo_at, hi_at, at, tag, lo, hi):
    """Put a key and its tag in a slot."""
    store_int(tags_at + 4 * at, tag)
    put(lo_at, hi_at, at, lo, hi)
