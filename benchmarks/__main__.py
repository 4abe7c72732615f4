"""Run one workload: `python -m benchmarks NAME`; every result is one JSON line."""

import argparse

from benchmarks import startup

WORKLOADS = {"startup": startup.main}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("workload", choices=WORKLOADS)
    WORKLOADS[parser.parse_args().workload]()


if __name__ == "__main__":
    main()
