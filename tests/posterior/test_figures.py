"""Figures of models."""

import numpy as np
import pytest
from models import model

from berx_gpu import BayesianPRModel, DataError, evaluate, visualization


def test_figures():
    from berx_gpu import visualization as v

    assert len(v.plot_posteriors(model()).axes) == 3
    assert len(v.plot_posteriors(BayesianPRModel().update(3, fp=2)).axes) == 1
    with pytest.raises(DataError, match="has no observations"):
        v.plot_posteriors(BayesianPRModel())
    batches = [{"tp": 8, "fp": 4, "fn": 1}] * 3
    for metric in ("precision", "recall"):
        assert len(v.plot_sequential_update(1, 1, batches, metric).axes) == 2
    with pytest.raises(DataError, match=r"observations\[0\] needs 'tp' and 'fn'"):
        v.plot_sequential_update(1, 1, [{"tp": 1, "fp": 1}], "recall")
    v.plot_posteriors(BayesianPRModel(prior="haldane").update(10, 0, 0))
    v.plot_posteriors(BayesianPRModel(prior="haldane").update(0, 10, 5))
    v.plot_posteriors(BayesianPRModel().update(10**12, 0, 0))
    hidden = v.plot_comparison([model(name="_hidden")], "precision")
    assert [t.get_text() for t in hidden.axes[0].get_legend().get_texts()] == [" _hidden"]
    counts = v.plot_prior_sensitivity(np.int8(80), np.int8(26), np.int8(20))
    assert counts.axes[1].get_title(loc="left") == "TP=800, FP=260, FN=200"
    assert len(v.plot_prior_sensitivity(8, 4, 3, np.array([[1.0, 1], [2, 2]])).axes) == 2
    many = v.plot_comparison([model(80 - i, name=f"m{i}") for i in range(8)])
    assert len(many.axes[0].lines) == 8
    assert len(v.plot_prior_sensitivity(8, 4, 3, [(1, 1), (5, 5)], "recall").axes) == 2
    ev = evaluate({i: [i] for i in range(90)}, {i: [i] for i in range(100)}, entities=range(100))
    assert v.plot_slice_posteriors(ev, {i: i % 2 for i in range(100)}).get_yticks().tolist() == [
        0,
        1,
    ]


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: visualization.plot_posteriors("m"), "str is no model"),
        (lambda: visualization.plot_posteriors(model(), n_points=0), "n_points=0"),
        (lambda: visualization.plot_comparison([1]), "int is no model"),
        (lambda: visualization.plot_comparison(model()), "give a list of one or more models"),
        (lambda: visualization.plot_sequential_update(1, 1, [3]), "is a int; give a dict"),
        (lambda: visualization.plot_prior_sensitivity(1, 1, 1, []), "give pairs such as"),
        (lambda: visualization.plot_prior_sensitivity(1, 1, 1, [1]), "give pairs such as"),
        (lambda: visualization.plot_prior_sensitivity(1, 1, 1, 5), "give pairs such as"),
        (lambda: visualization.plot_prior_sensitivity("8", 1, 1), "tp='8' is not a number"),
        (lambda: visualization.plot_prior_sensitivity(8, 1, None), "fn=None is not a number"),
        (lambda: visualization.plot_sequential_update(1, 1, 5), "give a list of dicts"),
        (lambda: visualization.plot_posteriors(model(), figsize="a"), "figsize='a': give width"),
        (lambda: visualization.plot_posteriors(model(), figsize=(-1, 2)), "figsize="),
        (lambda: visualization.plot_slice_posteriors(None, "a"), "NoneType is no evaluation"),
    ],
)
def test_what_is_refused(call, said):
    with pytest.raises(DataError, match=said):
        call()
