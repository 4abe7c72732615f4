"""Fit a model, print what its counts say of precision, recall and F, and draw the posteriors.

`python examples/posterior_basics.py [FILE.png]`
"""

import sys

from berx_gpu import BayesianPRModel
from berx_gpu.visualization import plot_posteriors


def main(figure: str | None = None) -> None:
    """Print the summary of one model; with a file, draw it too."""
    model = BayesianPRModel("linker v2", "labelled sample").update(tp=80, fp=26, fn=20)
    print(model)
    print(f"F0.5, true links shared: {model.f_stats(beta=0.5)}")
    low, high = model.highest_density("precision")
    print(f"the shortest 95 % interval of precision: [{low:.4f}, {high:.4f}]")
    if figure is not None:
        plot_posteriors(model).savefig(figure, dpi=110)


if __name__ == "__main__":
    main(*sys.argv[1:])
