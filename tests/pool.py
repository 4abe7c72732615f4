"""A pool of scored candidates, and which of them are true."""

import numpy as np
import pandas as pd

N = 120
_rng = np.random.default_rng(2)
POOL = pd.DataFrame(
    {
        "entity": _rng.integers(0, N, 900),
        "target": _rng.integers(0, 150, 900),
        "score": _rng.integers(0, 60, 900) / 60,
    }
).drop_duplicates(["entity", "target"])
TRUE = POOL[_rng.random(len(POOL)) < POOL["score"] / 2][["entity", "target"]]
