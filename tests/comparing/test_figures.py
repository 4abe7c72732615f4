"""Names in the lines and figures of a comparison."""

import io

from two_systems import N, both

from berx_gpu import compare, compare_all


def test_names_fit_into_a_line_and_a_figure():
    a, b = both()
    wide = str(compare_all({"plain name": a, "\u65e5\u672c": b}, rng=0)).split("\n")
    assert abs(wide[1].index("0.") - wide[2].index("0.")) == 2  # two letters of two columns each
    made = compare_all({"one\ntwo": a, "$x_{$": b, "three": a}, rng=0)
    assert "one two" in made.pairs[-1].verdict + made.pairs[0].verdict
    lines = str(made).split("\n")[-3:]
    assert len(lines) == 3
    made.plot().figure.savefig(io.BytesIO())
    made.pairs[0].plot(dict.fromkeys(range(N), "$y_{$")).figure.savefig(io.BytesIO())
    assert "99.99999999 %" in str(compare(a, b, confidence_level=0.9999999999, rng=0))
