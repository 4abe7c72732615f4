"""How many true links a false one costs."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from berx_gpu import DataError, break_even_ratio


@pytest.mark.parametrize(
    ("t", "tp", "k", "ratio"), [(4, 3, 3, 3.0), (68_983, 66_009, 66_324, 3.7589)]
)
def test_break_even_documented(t, tp, k, ratio):
    assert break_even_ratio(tp, k, t) == pytest.approx(ratio, abs=5e-5)
    # Means over 20,000 entities give the same ratio as the totals.
    assert break_even_ratio(tp / 2e4, k / 2e4, t / 2e4) == pytest.approx(ratio, abs=5e-5)


@given(
    st.integers(1, 400), st.integers(0, 400), st.integers(0, 400), st.sampled_from([0.5, 1, 2, 0.1])
)
def test_break_even_equals_the_gain_and_loss_of_one_pair(t, k, tp, beta):
    tp = min(tp, t, k)
    if tp in (0, t):
        return
    b2 = beta * beta

    def f(tp, k):
        return (1 + b2) * tp / (b2 * t + k)

    gain, loss = f(tp + 1, k + 1) - f(tp, k), f(tp, k) - f(tp, k + 1)
    assert break_even_ratio(tp, k, t, beta=beta) == pytest.approx(loss / gain, rel=1e-9)


def test_break_even_edges():
    assert math.isnan(break_even_ratio(0, 0, 0))
    assert break_even_ratio([0, 3], [5, 3], [0, 4]).tolist() == [0.0, 3.0]
    for bad in [(4, 3, 5), (4, 5, 3), (-1, 3, 3), (math.nan, 1, 1)]:
        with pytest.raises(DataError, match="0 <= tp <= n_pred"):
            break_even_ratio(*bad)


@pytest.mark.parametrize(
    "counts", [("a", 1, 1), ([1], [1, 2], [1, 2, 3]), (1j, 1, 1), (None, 1, 1), (10**400, 1, 1)]
)
def test_break_even_refuses_what_is_no_count(counts):
    with pytest.raises(DataError):
        break_even_ratio(*counts)
