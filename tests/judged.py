"""A few judged pairs, the clusters that they show, and a model."""

import pandas as pd

JUDGED = pd.DataFrame({"shown": [100, 100], "endorsed": [101, 3]})
EXPANSION = pd.DataFrame({"root": [100, 101], "leaves": [[1, 2, 3], [1, 2]]})
MODEL = pd.DataFrame({"root": [9, 9, 8], "leaf": [1, 2, 3]})
