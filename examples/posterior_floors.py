"""Which classes clear a floor of precision, and how that depends on how many links were judged."""

import pandas as pd

from berx_gpu import BayesianPRModel, posteriors

FLOOR = 0.65
CLASSES = pd.DataFrame(
    {
        "type": ["company", "person", "product"],
        "tp": [80, 5, 300],
        "fp": [26, 6, 150],
        "fn": [20, 2, 90],
    }
)


def main() -> None:
    """Print both tables."""
    made = posteriors(CLASSES, floor=FLOOR).sort_values("precision_above", ascending=False)
    shown = ["type", "tp", "fp", "precision_mean", "precision_low", "precision_above"]
    print(made[shown].round(4).to_string(index=False))
    print(f"\n70 % of n links are right; P(precision > {FLOOR}):")
    for n in (10, 50, 100, 200, 500):
        sure = BayesianPRModel().update(tp=7 * n // 10, fp=3 * n // 10)
        print(f"{n:5}  {sure.prob_above_threshold(FLOOR, 'precision'):.3f}")


if __name__ == "__main__":
    main()
