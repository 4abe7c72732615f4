"""The memory plan of cards of several sizes, as the table of the README."""

from berx_gpu.backends.plan import plan

CARDS = (24, 48, 80, 141)
PAIRS = (100_000_000, 300_000_000, 1_000_000_000)
_GB = 10**9
_ID = 8


def held(step: str, pairs: int) -> int:
    """Return the bytes of the frames and of the codes that a call holds all the time."""
    score = 4 if step == "curve" else 0
    return pairs * (2 * _ID + score + 4)


def table() -> str:
    """Return parts, and the most memory in use, for int64 ids on each card."""
    lines = ["| | pairs | " + " | ".join(f"{card} GB" for card in CARDS) + " |"]
    lines.append("|---|---:|" + "---:|" * len(CARDS))
    for name, step in (("score", "match"), ("sweep", "curve")):
        for pairs in PAIRS:
            cells = []
            for card in CARDS:
                kept = held(step, pairs)
                free = card * _GB - kept
                made = plan(step, pairs, _ID, free)
                fits = f"{made.parts}, {(kept + made.peak) / _GB:.0f} GB"
                cells.append(fits if made.peak <= free else "–")
            lines.append(f"| {name} | {pairs // 10**6} M | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main() -> None:
    """Print the table."""
    print(table())
