"""JSON lines of the score benchmark -> the Markdown table of the documentation.

`python -m benchmarks.table FILE...` reads what `python -m benchmarks score` printed.
"""

import json
import sys
from pathlib import Path


def table(lines: list[str]) -> str:
    """Return one row per kind of ids: our seconds, and how many times as long each peer took."""
    rows = [json.loads(line) for line in lines if line.strip()]
    kinds = list(dict.fromkeys(row["ids"] for row in rows))
    names = list(dict.fromkeys(row["contestant"] for row in rows))
    found = {(row["ids"], row["contestant"]): row for row in rows}
    out = [f"| | {' | '.join(kinds)} |", f"|---|{'---:|' * len(kinds)}"]
    for name in names:
        cells = []
        for kind in kinds:
            row = found.get((kind, name))
            if row is None:
                cells.append("–")
            elif name == "berx-gpu":
                cells.append(f"{row['median_s']:.2f} s")
            else:
                cells.append(f"{row['times_berx_gpu']:.2f} ×")
        out.append(f"| {name} | {' | '.join(cells)} |")
    growth = [found[kind, "berx-gpu"]["peak_growth_over_input"] for kind in kinds]
    shown = " | ".join(f"{value:.2f}" for value in growth)
    out.append(f"| peak growth of memory over the input | {shown} |")
    return "\n".join(out)


if __name__ == "__main__":
    print(table([line for name in sys.argv[1:] for line in Path(name).read_text().splitlines()]))
