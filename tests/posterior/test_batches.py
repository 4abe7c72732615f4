"""Moments of F for many rows at once."""

import mpmath
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from berx_gpu.posterior.batches import f1_moments

lopsided = st.sampled_from([1e-9, 0.01, 0.5, 1.0, 6.0, 300.0, 1e7, 1e9, 1e12])


@given(lopsided, lopsided)
def test_moments_of_f1_do_not_cancel(a, b):
    """1 / (1 + X)**k has the mean 2F1(k, a; a + b; -1)."""
    with mpmath.workdps(80):
        first, second = (mpmath.hyp2f1(k, a, mpmath.mpf(a) + b, -1) for k in (1, 2))
        mean, std = 2 - 2 * first, 2 * mpmath.sqrt(second - first * first)
        found = f1_moments(a, b, np)
        assert float(abs(found[0] / mean - 1)) < 1e-13
        assert float(abs(found[1] / std - 1)) < 1e-13
