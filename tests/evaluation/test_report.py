"""The report of an evaluation."""

from frames import scored
from intervals import table

from berx_gpu import evaluate


def test_reports():
    ev = scored()
    assert str(ev).splitlines() == [
        "predictions",
        "macro F0.5  0.7083  95 % [0.1827, 0.9718] · 2 imperfect entities",
        "            predicting nothing 0.2500",
        "entities    4       1 singleton (0 linked) · others 0.6111",
        "links       2       2 true · 0 false · 7 missed",
        "pooled      P 1.0000  R 0.2222  F0.5 0.5882",
        "",
        "loss 0.2917        entities    loss",
        "nothing predicted         1  0.2500",
        "misses only               1  0.0417",
    ]
    assert "| nothing predicted | 1 | 0.2500 |" in ev.to_markdown()
    assert "<td>nothing predicted</td><td>1</td>" in ev._repr_html_()
    assert "<script>" not in evaluate({}, {}, entities=[1], name="<script>")._repr_html_()


def test_reports_show_the_limits_where_there_are_some():
    pred, truth, listed = table()
    ev = evaluate(pred, truth, entities=listed)
    sure = ev.interval()
    assert f"95 % [{sure.low:.4f}, {sure.high:.4f}] · " in str(ev)
    assert f"95 % [{sure.low:.4f}, {sure.high:.4f}] · " in ev.to_markdown()
    assert "95 %" not in str(evaluate({}, {"a": ["x"]}, entities=["a"]))
    assert str(sure).startswith(f"macro_fbeta {sure.estimate:.4f}, 95 % [{sure.low:.4f}, ")
