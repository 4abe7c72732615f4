"""Which backend a call gets."""

import pytest

from berx_gpu import DataError, evaluate
from berx_gpu.backends import select


@pytest.mark.parametrize("n_threads", [0, -1, 1.5, "2", True])
def test_n_threads_is_a_whole_number(n_threads):
    with pytest.raises(DataError, match="n_threads="):
        evaluate([], [], entities=[1], n_threads=n_threads)


def test_select_chooses_the_threads():
    assert select.select([], n_threads=1) is select.select([1], n_threads=1)
    assert select.select([]).name == "cpu"


def test_host_and_device_do_not_mix_by_accident(monkeypatch):
    monkeypatch.setattr(select, "is_device", lambda obj: obj == "on the card")
    with pytest.raises(DataError, match='say device="cuda"'):
        select.select("on the card", "on the host")
    with pytest.raises(DataError, match=r'device="cpu", but .*to_pandas'):
        select.select("on the card", device="cpu")
