"""Two systems to compare, over the same entities."""

import numpy as np
import pandas as pd

from berx_gpu import evaluate

N = 300
_rng = np.random.default_rng(5)
TRUE = pd.DataFrame({"entity": _rng.integers(0, N, 2 * N), "target": range(2 * N)})
FALSE = pd.DataFrame({"entity": _rng.integers(0, N, 40), "target": range(10_000, 10_040)})
ONE = pd.concat([TRUE.sample(frac=0.8, random_state=0), FALSE[:25]], ignore_index=True)
TWO = pd.concat([TRUE.sample(frac=0.9, random_state=1), FALSE[15:]], ignore_index=True)


def both(**options):
    return (
        evaluate(ONE, TRUE, entities=range(N), name="one", **options),
        evaluate(TWO, TRUE, entities=range(N), name="two", **options),
    )


def small(pred=(("a", "x"),), true=(("a", "x"), ("b", "y")), listed=("a", "b"), **options):
    return evaluate(list(pred), list(true), entities=list(listed), **options)
