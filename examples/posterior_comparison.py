"""Whether a candidate beats what runs today, when each was judged on a sample of its own."""

from berx_gpu import BayesianPRModel, Metric, compare_models


def main() -> None:
    """Print how likely the candidate is better in each metric."""
    new = BayesianPRModel("candidate", "sample of May").update(tp=172, fp=28, fn=35)
    old = BayesianPRModel("today's", "sample of May").update(tp=160, fp=40, fn=30)
    for metric in Metric:
        found = compare_models(new, old, metric)
        print(
            f"{metric.value:9}  P(candidate better) {found['prob_a_better']:.3f}  difference "
            f"{found['mean_diff']:+.3f} [{found['ci_low']:+.3f}, {found['ci_high']:+.3f}]"
        )


if __name__ == "__main__":
    main()
