"""Run one workload: `python -m benchmarks NAME`; every result is one JSON line."""

import argparse


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    workloads = parser.add_subparsers(dest="workload", required=True)
    workloads.add_parser("startup", help="how long the first answer takes")
    score = workloads.add_parser("score", help="evaluate against the best peers")
    score.add_argument("--ids", choices=["dense", "sparse", "text"], default="dense")
    score.add_argument("--size", choices=["small", "full"], default="small")
    curve = workloads.add_parser("sweep", help="sweep against the best peers")
    curve.add_argument("--size", choices=["small", "full", "large"], default="small")
    sure = workloads.add_parser("intervals", help="bootstrap replicates against the best peers")
    sure.add_argument("--size", choices=["small", "full"], default="small")
    covered = workloads.add_parser("coverage", help="how often intervals cover the truth")
    covered.add_argument("--repeats", type=int, default=2000)
    workloads.add_parser("posterior", help="a million Beta posteriors")
    judged = workloads.add_parser("judgements", help="judged pairs against matchbox-db")
    judged.add_argument("path", nargs="?", help="its matchbox/common/eval.py")
    workloads.add_parser("gpu", help="one table of what a card does")
    workloads.add_parser("plan", help="in how many parts a GPU works")
    options = parser.parse_args()
    if options.workload == "startup":
        from benchmarks import startup

        startup.main()
    elif options.workload == "gpu":
        from benchmarks import gpu

        gpu.main()
    elif options.workload == "plan":
        from benchmarks import plan

        plan.main()
    elif options.workload == "judgements":
        from benchmarks import judgements

        judgements.main(options.path)
    elif options.workload == "posterior":
        from benchmarks import posterior

        posterior.main()
    elif options.workload == "intervals":
        from benchmarks import intervals

        intervals.main(options.size)
    elif options.workload == "coverage":
        from benchmarks import coverage

        coverage.main(options.repeats)
    elif options.workload == "sweep":
        from benchmarks import sweep

        sweep.main(options.size)
    else:
        from benchmarks import score as scoring

        scoring.main(options.ids, options.size)


if __name__ == "__main__":
    main()
