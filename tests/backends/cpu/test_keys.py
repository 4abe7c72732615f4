"""Texts as keys of two words."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from shapes import LONG, column

from berx_gpu.backends.cpu import keys
from berx_gpu.backends.cpu.machine import Machine
from berx_gpu.backends.frames.libraries import Libraries


@pytest.mark.parametrize("odd", [" x", "x ", "x\n", "\x0bx", "é", "x\u00a0"])
def test_the_quick_look_for_odd_texts(odd):
    machine = Machine(Libraries(pd, np, None, None, None, None, int), 2)
    plain = ["", "x", "a b", "x" * 40] * 5
    assert not keys._odd(machine, column(plain))
    assert not keys._odd(machine, column(plain)[:0])
    for at in (0, 7, len(plain)):
        assert keys._odd(machine, column([*plain[:at], odd, *plain[at:]]))


def test_parts_of_columns_are_read_where_they_lie():
    whole = pa.array(["zz", "a", "b", LONG, "c", LONG + "1"], pa.large_string())
    part = pd.StringDtype("pyarrow", na_value=np.nan).__from_arrow__(whole.slice(1, 4))
    machine = Machine(Libraries(pd, np, None, None, None, None, int), 1)
    again = column(["a", "b", LONG, "c"])
    found = [keys.keys_of(machine, text) for text in (part, again)]
    for k in found:
        assert [
            k.data[a:b].tobytes().decode() for a, b in zip(k.starts, k.starts[1:], strict=False)
        ] == list(again)
