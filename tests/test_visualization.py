"""Figures: what they show, read back from their axes."""

import builtins

import pytest

from berx_gpu import MissingDependencyError, evaluate, sweep, visualization

ROWS = [("a", 1, 0.9), ("a", 2, 0.8), ("b", 3, 0.7), ("b", 4, 0.1)]
TRUTH = {"a": [1], "b": [3], "c": []}


@pytest.fixture
def sw():
    return sweep(ROWS, TRUTH, entities=["a", "b", "c"], top_k=[None, 1])


def test_the_curve_marks_each_best_point_and_the_oracle(sw):
    ax = visualization.plot_sweep(sw, oracle=1.0)
    lines = ax.get_lines()
    assert [line.get_label() for line in lines[::2]][:3] == [
        "threshold only", "one entity per target", "top 1",
    ]  # fmt: skip
    assert lines[0].get_xdata().tolist() == [0.9, 0.8, 0.7, 0.1]
    assert lines[1].get_xdata() == [sw.results[0].best.threshold]
    assert ax.texts[0].get_text() == "oracle 1.0000"
    assert len({(line.get_color(), line.get_linestyle()) for line in lines[:6:2]}) == 3


def test_the_page_has_four_figures(sw):
    figure = sw.plot()
    assert [ax.get_title(loc="left").split()[0] for ax in figure.axes] == [
        "macro", "pooled", "what", "are",
    ]  # fmt: skip
    bars = [patch.get_height() for patch in figure.axes[2].patches]
    assert bars == [1.0, 1.0]
    points = figure.axes[3].collections[0].get_offsets()
    assert points[:, 1].tolist() == [1.0, 1.0]


def test_slices_stand_by_their_score():
    ev = evaluate([("a", 1)], TRUTH, entities=["a", "b", "c"])
    ax = visualization.plot_slices(ev, {"a": "x", "b": "y", "c": "x"})
    assert [label.get_text() for label in ax.get_yticklabels()] == ["x (2)", "y (1)"]
    assert ax.get_lines()[0].get_xdata().tolist() == [1.0, 0.0]


def test_without_matplotlib_the_cure_is_told(sw, monkeypatch):
    real = builtins.__import__

    def no_matplotlib(name, *args, **options):
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return real(name, *args, **options)

    monkeypatch.setattr(builtins, "__import__", no_matplotlib)
    with pytest.raises(MissingDependencyError, match=r"berx-gpu\[plot\]"):
        sw.plot()
