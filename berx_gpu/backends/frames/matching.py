"""Matching by joins and group-bys: one source for cuDF and pandas.

cuDF promises no row order after a join or `drop_duplicates`, joins nulls to nulls, and turns
integers into floats in outer joins. So keys hold no nulls here, joins are inner, a row number
travels along wherever the order matters, and results are written back by it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from berx_gpu.backends.backend import Counts, Labels
from berx_gpu.backends.frames.libraries import Libraries
from berx_gpu.backends.plan import id_bytes, plan


class Prepared(NamedTuple):
    """True pairs ready to be matched: n entities, codes and target parts of the rows."""

    n: int
    codes: Any
    parts: list[Any]
    n_true: Any
    repeats: int


class Index(NamedTuple):
    """The entity list ready for look-ups; `twice` counts repeated entities."""

    parts: list[Any]
    twice: int


def index(libs: Libraries, parts: list[Any]) -> Index:
    """Return the entity list in a form for look-ups."""
    return Index(parts, int(repeats(libs, parts).sum()))


def lookup(libs: Libraries, listed: list[Any], parts: list[Any]) -> tuple[Any, int]:
    """Return the position in the list of every row or -1, an int32 array, and how many have none.

    Parameters
    ----------
    listed, parts : list of key parts
        The same number of columns on both sides, without missing ids; `listed` has no repeats.
    """
    xp = libs.xp
    n = len(parts[0])
    codes = xp.full(n, -1, xp.int32)
    names = [f"key{i}" for i in range(len(parts))]
    right = _numbered(libs, names, listed, "code")
    made = plan("lookup", n, id_bytes(parts), libs.free())
    known = 0
    for low in range(0, n, made.rows) if n else ():
        some = parts
        if made.parts > 1:
            some = [libs.take(part, slice(low, low + made.rows)) for part in parts]
        met = _numbered(libs, names, some, "row").merge(right, on=names, how="inner")
        codes[met["row"].values + low] = met["code"].values
        known += len(met)
    return codes, n - known


def repeats(libs: Libraries, parts: list[Any]) -> Any:
    """Return a mask of the rows whose key stood in an earlier row, or in a later one.

    One row of each distinct key is left out of the mask; which one is the library's choice.
    """
    if not parts:  # a side without any id has no columns
        return libs.xp.zeros(0, bool)
    names = [f"key{i}" for i in range(len(parts))]
    frame = _numbered(libs, names, parts, "row")
    mask = libs.xp.ones(len(frame), bool)
    mask[frame.drop_duplicates(subset=names)["row"].values] = False
    return mask


def prepare(libs: Libraries, n: int, codes: Any, parts: list[Any]) -> Prepared:
    """Return true pairs ready to be matched, each once; codes of -1 are passed over."""
    codes, parts = _known(libs, codes, parts)
    kept = ~repeats(libs, [codes, *parts])
    n_true = libs.xp.bincount(codes[kept], minlength=n).astype(libs.xp.int64)
    parts = [libs.take(part, kept) for part in parts]
    return Prepared(n, codes[kept], parts, n_true, len(kept) - int(kept.sum()))


def match(libs: Libraries, truth: Prepared, codes: Any, parts: list[Any]) -> Counts:
    """Count, per entity, the distinct predicted targets and those that are true.

    Parameters
    ----------
    truth : Prepared
        Its target parts are in step with `parts`; pairs that stand there twice do no harm.
    codes : int32 array
        Entity of each predicted row; rows with -1 are passed over.
    parts : list of key parts

    Notes
    -----
    Entities are taken in ranges of codes, so that a piece fits in memory. In a piece each target
    gets a number, a pair becomes one integer (entity << 32 | target), and a row is a hit when its
    integer is among the true ones: no join on the entity alone, whose output could be quadratic.
    """
    xp, n = libs.xp, truth.n
    pred = _known(libs, codes, parts)
    true_pairs = _known(libs, truth.codes, truth.parts)
    tp, n_pred = xp.zeros(n, xp.int64), xp.zeros(n, xp.int64)
    for low, high in ranges(libs, "match", n, pred, true_pairs):
        mine, true = _piece(libs, pred, low, high), _piece(libs, true_pairs, low, high)
        if not len(mine[0]):
            continue
        pairs, wanted = _pack(libs, mine, true)
        pairs = pairs.drop_duplicates()
        hit = pairs.isin(wanted).values
        piece_codes = (pairs.values >> 32) - low
        n_pred[low:high] = xp.bincount(piece_codes, minlength=high - low)
        tp[low:high] = xp.bincount(piece_codes[hit], minlength=high - low)
    return Counts(tp, n_pred, len(pred[0]) - int(n_pred.sum()))


def label(libs: Libraries, truth: Prepared, codes: Any, parts: list[Any]) -> Labels:
    """Mark the rows of distinct pairs, of true ones and of repeated ones.

    Which row of a repeated pair is the new one is the library's choice. The parameters are those
    of `match`.
    """
    xp = libs.xp
    new, hit, again = (xp.zeros(len(codes), bool) for _ in Labels._fields)
    rows = xp.flatnonzero(codes >= 0)
    if not len(rows):
        return Labels(new, hit, again)
    pred = _known(libs, codes, parts)
    true_pairs = _known(libs, truth.codes, truth.parts)
    for low, high in ranges(libs, "label", truth.n, pred, true_pairs):
        here = rows[(pred[0] >= low) & (pred[0] < high)]
        if not len(here):
            continue
        mine, true = _piece(libs, pred, low, high), _piece(libs, true_pairs, low, high)
        pairs, wanted = _pack(libs, mine, true)
        hit[here] = pairs.isin(wanted).values
        frame = libs.frames.DataFrame({"pair": pairs, "row": here})
        new[frame.drop_duplicates(subset=["pair"])["row"].values] = True
        twice = pairs[xp.asarray(~new[here])]
        again[here] = pairs.isin(twice).values
    return Labels(new, hit, again)


def group(libs: Libraries, tp: Any, n_pred: Any, n_true: Any) -> tuple[Any, ...]:
    """Return the distinct (tp, n_pred, n_true) as arrays, and how many entities have each."""
    xp = libs.xp
    made, real = int(n_pred.max()) + 1, int(n_true.max()) + 1
    # tp is at most n_true, so the three are the digits of one number under 2**63 if this is.
    if made * real * real < 2**63:
        number, size = xp.unique((n_pred * real + n_true) * real + tp, return_counts=True)
        rest, hits = number // real, number % real
        return hits, rest // real, rest % real, size.astype(xp.int64)
    sides, which = xp.unique(n_pred, return_inverse=True)
    number, size = xp.unique((which * real + n_true) * real + tp, return_counts=True)
    rest, hits = number // real, number % real
    return hits, sides[rest // real], rest % real, size.astype(xp.int64)


def _known(libs: Libraries, codes: Any, parts: list[Any]) -> tuple[Any, list[Any]]:
    known = codes >= 0
    if bool(known.all()):
        return codes, parts
    return codes[known], [libs.take(part, known) for part in parts]


def _numbered(libs: Libraries, names: list[str], parts: list[Any], number: str) -> Any:
    columns = dict(zip(names, map(libs.here, parts), strict=True))
    return libs.frames.DataFrame({**columns, number: libs.xp.arange(len(parts[0]))})


def ranges(
    libs: Libraries, step: str, n: int, *sides: tuple[Any, list[Any]]
) -> list[tuple[int, int]]:
    """Return ranges of the codes of n entities whose rows fit the memory, one after the other."""
    n_rows = sum(len(side[0]) for side in sides)
    made = plan(step, n_rows, max(id_bytes(side[1]) for side in sides), libs.free()).parts
    width = -(-n // min(n, made))
    return [(low, min(low + width, n)) for low in range(0, n, width)]


def _piece(
    libs: Libraries, side: tuple[Any, list[Any]], low: int, high: int
) -> tuple[Any, list[Any]]:
    codes, targets = side
    inside = (codes >= low) & (codes < high)
    if bool(inside.all()):
        return side
    return codes[inside], [libs.take(part, inside) for part in targets]


def _pack(libs: Libraries, *sides: tuple[Any, list[Any]]) -> list[Any]:
    """Return each side's pairs as a Series of int64, equal exactly where the pairs are equal."""
    xd, xp = libs.frames, libs.xp
    number: Any = None
    for columns in zip(*(targets for _, targets in sides), strict=True):
        joined = xd.concat([xd.Series(libs.here(part)) for part in columns], ignore_index=True)
        codes, values = xd.factorize(joined)
        # Two columns of fewer than 2**31 distinct values each make one int64 without overflow.
        if number is None:
            number = codes.astype(xp.int64)
        else:
            number, _ = xd.factorize(xd.Series(number * len(values) + codes))
            number = number.astype(xp.int64)
    packed, start = [], 0
    for codes, _ in sides:
        end = start + len(codes)
        packed.append(xd.Series((codes.astype(xp.int64) << 32) | number[start:end]))
        start = end
    return packed
