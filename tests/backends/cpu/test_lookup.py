"""Ids looked up by counting and by hash."""

import numpy as np
import pytest
from conftest import kernel_backend
from shapes import MAX, MIN

from berx_gpu.backends.cpu import lookup


@pytest.mark.parametrize("low", [MIN, -3, 0, 2**40, MAX - 4])
def test_a_list_that_counts_up_is_looked_up_by_counting(low):
    listed = np.arange(5, dtype=np.int64) + np.int64(low)
    strange = [x for x in (low - 1, low + 5, low + 2**32, low - 2**32) if MIN <= x <= MAX]
    ids = np.array([*listed[::-1], *strange, MIN, MAX, listed[2]], np.int64)
    expected = [i - low if 0 <= i - low < 5 else -1 for i in ids.tolist()]
    backend = kernel_backend()
    for order, kind in (([0, 1, 2, 3, 4], lookup.Range), ([0, 1, 2, 4, 3], lookup.Table)):
        index = backend.index([listed[order]])
        assert isinstance(index.places, kind)
        codes, strangers = backend.lookup(index, [ids])
        assert [order[c] if c >= 0 else -1 for c in codes] == expected
        assert strangers == expected.count(-1)
