"""The bootstrap's random integers, against published ones."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from berx_gpu.kernels import resample_rows

ROUNDS = {
    32: ((0xD2511F53, 0xCD9E8D57), (0x9E3779B9, 0xBB67AE85)),
    64: ((0xD2E7470EE14C6C93, 0xCA5A826395121157), (0x9E3779B97F4A7C15, 0xBB67AE8584CAA73B)),
}


def philox(counter, key, bits):
    """Return what Philox with words of some bits makes of a counter, in Python's integers."""
    (m0, m1), steps = ROUNDS[bits]
    words, top = list(counter), (1 << bits) - 1
    for r in range(10):
        k0, k1 = ((k + r * step) & top for k, step in zip(key, steps, strict=True))
        p0, p1 = m0 * words[0], m1 * words[2]
        words = [(p1 >> bits) ^ words[1] ^ k0, p1 & top, (p0 >> bits) ^ words[3] ^ k1, p0 & top]
    return words


def ours(counter, key):
    made = resample_rows.philox(*map(np.uint64, (*counter, *key)))
    return [int(word) >> shift & 0xFFFFFFFF for word in made for shift in (32, 0)]


FULL = 0xFFFFFFFF


@pytest.mark.parametrize(
    ("counter", "key", "out"),
    [
        ([0] * 4, [0] * 2, "6627e8d5 e169c58d bc57ac4c 9b00dbd8"),
        ([FULL] * 4, [FULL] * 2, "408f276d 41c83b0e a20bc7c6 6d5451fd"),
        (
            [0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344],
            [0xA4093822, 0x299F31D0],
            "d16cfe09 94fdcceb 5001e420 24126ea1",
        ),
    ],
)
def test_philox_gives_the_published_numbers(counter, key, out):
    assert ours(counter, key) == philox(counter, key, 32) == [int(w, 16) for w in out.split()]


def test_the_reference_with_wider_words_is_numpys():
    rng = np.random.default_rng(0)
    for _ in range(50):
        counter, key = (rng.integers(1, 2**64, n, dtype=np.uint64) for n in (4, 2))
        before = counter.copy()
        before[0] -= np.uint64(1)
        raw = np.random.Philox(counter=before, key=key).random_raw(4)
        assert [int(w) for w in raw] == philox(map(int, counter), list(map(int, key)), 64)


words = st.integers(0, FULL)


@given(st.lists(words, min_size=4, max_size=4), st.lists(words, min_size=2, max_size=2))
def test_philox_is_its_reference_anywhere(counter, key):
    assert ours(counter, key) == philox(counter, key, 32)
