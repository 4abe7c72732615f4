"""Links as a policy decides them."""

import pytest
from small_sweep import ROWS

from berx_gpu import Policy, decide

pytestmark = pytest.mark.usefixtures("backend")


def test_a_best_score_that_no_float_reaches():
    assert len(decide(ROWS, Policy(min_best=10**400))) == 0
