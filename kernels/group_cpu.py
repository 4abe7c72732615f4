"""Entities with the same three counts, counted together."""

import numpy as np

from berx_gpu.kernels._jit import jit
from berx_gpu.kernels.key_rows import mixed


@jit
def count_groups(tp, n_pred, n_true, begin, end, groups, sizes):
    """Count the entities from begin to end by their (tp, n_pred, n_true).

    `groups` has three int64 a slot, `sizes` starts as zeros; both have 2**k slots. Returns False
    when half of the slots are taken: the counts are then not complete.
    """
    mask, free = sizes.size - 1, sizes.size // 2
    for i in range(begin, end):
        a, b, c = tp[i], n_pred[i], n_true[i]
        at = np.int64(mixed(np.uint64(a) ^ (np.uint64(b) << np.uint64(21)), np.uint64(c))) & mask
        while sizes[at] and (groups[at, 0] != a or groups[at, 1] != b or groups[at, 2] != c):
            at = (at + 1) & mask
        if not sizes[at]:
            if free == 0:
                return False
            free -= 1
            groups[at, 0], groups[at, 1], groups[at, 2] = a, b, c
        sizes[at] += 1
    return True
