"""The stand-ins of cuDF and CuPy refuse what these libraries refuse."""

import numpy as np
import pytest
from conftest import LOOSE_PANDAS
from device_twin import NotOnDeviceError, modules

cudf, cupy = modules(LOOSE_PANDAS)
numbers = cupy.asarray([3, 1, 2])
series = cudf.Series(numbers)
text = cudf.Series(LOOSE_PANDAS.Series(["a", "b"], dtype="str"))
frame = cudf.DataFrame({"a": numbers, "b": numbers})

FAULTS = {
    "a host array beside a device one": lambda: numbers + np.arange(3),
    "a host array as an index": lambda: numbers[np.arange(2)],
    "a host array as an argument": lambda: cupy.concatenate([numbers, np.arange(3)]),
    "a NumPy function": lambda: np.sort(numbers),
    "an implicit copy": lambda: np.asarray(series),
    "iteration": lambda: list(numbers),
    "text as numbers": lambda: text.values,
    "a function that CuPy lacks": lambda: cupy.packbits(numbers > 1, 0, "big", 1),
    "an argument that CuPy lacks": lambda: cupy.unpackbits(numbers, count=3),
    "an argument that only raises": lambda: cupy.packbits(numbers > 1, axis=1),
    "an argument that cuDF lacks": lambda: frame.merge(frame, on="a", how="inner", copy=False),
    "a name not in the table": lambda: cupy.nonsense,
    "a method not in the table": lambda: series.sort_values(),
    "a maximum in single precision": lambda: cupy.maximum.at(cupy.zeros(3), numbers - 1, 1.0),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_found(fault):
    with pytest.raises((NotOnDeviceError, AttributeError)):
        FAULTS[fault]()


def test_an_order_that_nobody_promised_would_be_seen():
    pairs = LOOSE_PANDAS.DataFrame({"a": range(20), "b": range(20)})
    orders = {
        "merge": lambda: pairs.merge(pairs, on="a", how="inner")["a"],
        "drop_duplicates": lambda: pairs.drop_duplicates(subset=["a"])["a"],
        "distinct values": lambda: pairs["a"].drop_duplicates(),
        "numbers of values": lambda: LOOSE_PANDAS.factorize(pairs["a"])[0],
    }
    for name, order in orders.items():
        seen = {tuple(order()) for _ in range(5)}
        assert len(seen) > 1, name
        assert {tuple(sorted(found)) for found in seen} == {tuple(range(20))}


def test_what_is_allowed_gives_the_values():
    assert int(numbers.max()) == 3
    assert cupy.sort(numbers).get().tolist() == [1, 2, 3]
    assert (numbers[numbers > 1] * 2).get().tolist() == [6, 4]
    assert cupy.unpackbits(cupy.packbits(numbers > 1))[:3].get().tolist() == [1, 0, 1]
    assert series.isin(cudf.Series(cupy.asarray([1]))).values.get().tolist() == [False, True, False]
    assert text.str.byte_count().to_pandas().tolist() == [1, 1]
