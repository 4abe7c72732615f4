"""Ids that look alike and are not the same."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from berx_gpu import DataError, DataWarning, Truth, evaluate

pytestmark = pytest.mark.usefixtures("backend")


@given(st.data())
def test_look_alikes_are_counted(data):
    pool = ["x", "x ", "\tx", "\u00e9", "e\u0301", " \u00e9", "y", "\u00df", "\ufeffy"]

    def plain(text):
        import unicodedata

        return unicodedata.normalize("NFC", text).strip().strip("\ufeff")

    draw = st.lists(st.sampled_from(pool), unique=True, max_size=6)
    pred, true = data.draw(draw), data.draw(draw)
    expected = sum(p not in true and plain(p) in map(plain, true) for p in pred)
    from berx_gpu.encoding.look_alikes import count_look_alikes as look_alikes

    dtype = pd.StringDtype("pyarrow", na_value=np.nan)
    assert look_alikes(pd.array(pred, dtype), pd.array(true, dtype)) == expected


def test_look_alike_entities_are_told():
    with pytest.warns(DataWarning, match="1 id matches between truth column 'entity' and entities"):
        truth = Truth([("a ", "x"), ("a", "x")], ["a"])
    assert truth.outside == 1
    with pytest.warns(DataWarning, match="1 id matches"), pytest.raises(DataError, match="'a '"):
        evaluate([("a ", "x")], truth)


def test_the_warning_points_at_the_caller():
    with pytest.warns(DataWarning) as told:
        Truth([("a ", "x"), ("a", "x")], ["a"])
    assert told[0].filename == __file__
    with pytest.warns(DataWarning) as told:
        evaluate({"a": ["x "]}, {"a": ["x"]}, entities=["a"])
    assert told[0].filename == __file__
