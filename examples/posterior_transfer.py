"""Does a model hold what it promised, on data from elsewhere? Stable, unclear, and shifted."""

from berx_gpu import BayesianPRModel, consistency_test, transfer_test

ELSEWHERE = {"stable": (78, 22), "unclear": (14, 6), "shifted": (7, 12)}


def main() -> None:
    """Print both tests for three samples."""
    ref = BayesianPRModel("linker", "test set").update(tp=80, fp=20)
    for name, (tp, fp) in ELSEWHERE.items():
        new = BayesianPRModel("linker", name).update(tp=tp, fp=fp)
        known, both = transfer_test(ref, new), consistency_test(ref, new)
        print(
            f"{name:8}  {known['mu_ref']:.3f} against {known['mu_eval']:.3f}  "
            f"S {known['S']:.4f} ({'in' * known['inconsistent']}consistent)  "
            f"p {both['p_value']:.4f} ({'in' * both['inconsistent']}consistent)"
        )


if __name__ == "__main__":
    main()
