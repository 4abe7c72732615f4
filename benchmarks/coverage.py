"""How often intervals cover the truth, and how wide they are: our own code, simulated."""

import json
from typing import Any

import numpy as np

from benchmarks.populations import POPULATIONS
from berx_gpu.arithmetic import bounded
from berx_gpu.backends.cpu import backend as cpu
from berx_gpu.evaluation import bootstrap
from berx_gpu.evaluation.limits import student
from berx_gpu.kernels import fbeta_cpu

CELLS = [
    ("macro F", "brief", 50),
    ("macro F", "brief", 500),
    ("macro F", "brief", 20_000),
    ("macro F", "clean", 500),
    ("macro F", "heavy", 500),
    ("macro F", "heavy", 5_000),
    ("macro F", "few huge failures", 200),
    ("macro F", "few huge failures", 1_000),
    ("macro F", "right or wrong", 100),
    ("non-singleton macro F", "heavy", 500),
    ("pooled precision", "brief", 500),
    ("pooled precision", "heavy", 500),
    ("pooled precision", "a rare hub", 300),
    ("difference", "brief", 500),
    ("difference", "few huge failures", 500),
]
METHODS = ("bounded", "bca", "percentile", "normal")
_POPULATION = 1_000_000


def main(repeats: int, seed: int = 0) -> None:
    """Print one JSON line for each population, size and metric, and then the table."""
    rows = []
    for metric, name, n in CELLS:
        row = {
            "metric": metric,
            "population": name,
            "n": n,
            **_cell(metric, name, n, repeats, seed),
        }
        rows.append(row)
        print(json.dumps({"workload": "coverage", "repeats": repeats, **row}), flush=True)
    print(table(rows))


def table(rows: list[dict[str, Any]]) -> str:
    """Return coverage and mean width of every cell as Markdown."""
    lines = [f"| | n (imperfect) | {' | '.join(METHODS)} |", f"|---|---:|{'---:|' * len(METHODS)}"]
    for row in rows:
        cells = [f"{row[m]['coverage']:.3f}, {row[m]['width']:.4f}" for m in METHODS]
        size = f"{row['n']:,} ({row['imperfect']:.0f})"
        lines.append(f"| {row['metric']}, {row['population']} | {size} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _units(metric: str, name: str, rng: Any) -> tuple[Any, Any, Any, float]:
    """Return the distinct units of a large population: num, den, shares, and the scale of limits.

    A difference is that of two systems with the same truth, moved from [-1, 1] to [0, 1].
    """
    tp, n_pred, n_true = (part.astype(np.int64) for part in POPULATIONS[name](rng, _POPULATION))
    f = np.empty(len(tp))
    fbeta_cpu.fbeta(tp, n_pred, n_true, 0.5, f)
    num, den = f, np.ones(len(f))
    if metric == "non-singleton macro F":
        num, den = f * (n_true > 0), (n_true > 0).astype(float)
    elif metric == "pooled precision":
        num, den = tp.astype(float), n_pred.astype(float)
    elif metric == "difference":  # a second system that mends one flaw in four
        better = np.where(rng.random(len(f)) < 0.25, 1.0, f)
        num = (better - f + 1) / 2
    seen, which = np.unique(np.stack([num, den])[:, den > 0], axis=1, return_inverse=True)
    shares = np.bincount(which.ravel()) / (den > 0).sum()
    return seen[0], seen[1], shares, 2.0 if metric == "difference" else 1.0


def _cell(metric: str, name: str, n: int, repeats: int, seed: int) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    num, den, shares, scale = _units(metric, name, rng)
    truth = (num * shares).sum() / (den * shares).sum()
    backend = cpu.backend(1)
    found: dict[str, list[tuple[bool, float]]] = {method: [] for method in METHODS}
    imperfect = 0
    for repeat in range(repeats):
        count = rng.multinomial(n, shares)
        some = count > 0
        a, b, c = num[some], den[some], count[some].astype(float)
        perfect = 0.5 if metric == "difference" else 1.0
        imperfect += int(c[a != perfect * b].sum())
        for method in METHODS:
            low, high = _limits(method, metric, a, b, c, repeat, backend)
            found[method].append((low <= truth <= high, scale * (high - low)))
    out: dict[str, Any] = {
        method: {
            "coverage": float(np.mean([covered for covered, _ in made])),
            "width": float(np.mean([width for _, width in made])),
        }
        for method, made in found.items()
    }
    return {"imperfect": imperfect / repeats, **out}


def _limits(
    method: str, metric: str, num: Any, den: Any, count: Any, seed: int, backend: Any
) -> tuple[float, float]:
    if method == "bounded":
        mean = metric != "pooled precision"
        far = 1.0 if mean else float(np.sqrt((den * den * count).sum() / count.sum()))
        return bounded.limits(num, den, count, far, 0.95)
    if method == "normal":
        return student(num, den, count, 0.95)[:2]
    return bootstrap.limits(method, num, den, count, 0.95, bootstrap.Draws(2000, seed), backend)[:2]
