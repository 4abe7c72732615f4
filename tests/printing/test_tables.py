"""Numbers as reports print them."""

import math


def test_a_score_just_under_one_does_not_print_as_perfect():
    from berx_gpu.printing.tables import share_text as score

    assert score(0.99999) == "0.99999"
    assert score(0.99994) == "0.9999"
    assert score(1.0) == "1.0000"
    assert score(math.nan) == "-"
