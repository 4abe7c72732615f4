"""Which kind of error costs what: `error_budget`."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from typing import Any

from berx_gpu import _encode, _pairs
from berx_gpu._backends import select
from berx_gpu._encoded import both_listed
from berx_gpu._links import Links, backend_of
from berx_gpu._sums import Groups
from berx_gpu.candidate_results import ErrorBudget
from berx_gpu.candidates import best, read_candidates
from berx_gpu.errors import DataError
from berx_gpu.results import Dropped, Evaluation
from berx_gpu.scoring import evaluate


def error_budget(
    predictions: Any,
    *,
    candidates: Any,
    truth: Any,
    entities: Any = None,
    beta: float | None = None,
    entity: _pairs.Names = "entity",
    target: _pairs.Names = "target",
    score: Hashable | None = None,
    threshold: float | None = None,
    unknown_entities: str = "error",
    nulls: str = "error",
    ids: str | None = None,
    n_threads: int | None = None,
) -> ErrorBudget:
    """Return what macro F would gain if one kind of error alone were fixed.

    Parameters
    ----------
    predictions : pairs, or Evaluation
        What was predicted. An `Evaluation` brings its own truth and β.
    candidates : DataFrame, Arrow stream, mapping or list of tuples
        The pairs that the predictions were chosen from.
    truth, entities, beta, entity, target, score, threshold, unknown_entities, nulls, ids, n_threads
        As in `evaluate`; an `Evaluation` has all of them already, and `truth` is then None.

    Returns
    -------
    ErrorBudget
        A line per kind of error: how many links, and the gain in macro F if these alone were
        mended. Gains do not add up, because F is not linear. The whole loss is split in two: what
        no choice among the candidates could have avoided, and the rest. Where pairs have no
        direction, a link counts for each of its listed records.

    Raises
    ------
    DataError
        As in `evaluate`.

    Examples
    --------
    >>> from berx_gpu import error_budget
    >>> budget = error_budget(
    ...     {"a": ["x"], "b": ["y"]},
    ...     candidates={"a": ["x", "z"], "b": ["y"]},
    ...     truth={"a": ["x", "z"], "b": []},
    ...     entities=["a", "b"],
    ... )
    >>> round(budget["false links on singletons"].gain, 4)
    0.5
    >>> round(budget["missed, given to nobody"].gain, 4)
    0.0833
    """
    if isinstance(predictions, Evaluation):
        ev = predictions
        given = {
            "truth": None if truth is ev._counts.truth else truth,
            "entities": entities,
            "beta": beta,
            "score": score,
            "threshold": threshold,
            "ids": ids,
        }
        if named := [name for name, value in given.items() if value is not None]:
            raise DataError(f"the Evaluation has its own {named[0]}; leave {named[0]}= out")
    else:
        ev = evaluate(
            predictions,
            truth,
            entities=entities,
            beta=0.5 if beta is None else beta,
            entity=entity,
            target=target,
            score=score,
            threshold=threshold,
            unknown_entities=unknown_entities,
            nulls=nulls,
            ids=ids,
            n_threads=n_threads,
        )
    scored = ev._counts.truth
    backend = backend_of(candidates, scored, n_threads)
    links, dropped = read_candidates(
        candidates, scored, backend, entity, target, None, unknown_entities, nulls
    )
    return budget(ev, links, dropped, backend)


def budget(
    ev: Evaluation, candidates: Links, dropped: Dropped, backend: select.Backend
) -> ErrorBudget:
    """Return the error budget of an evaluation and encoded candidates."""
    counts, xp = ev._counts, backend.xp
    truth, links = counts.truth, counts.links
    n = truth.n_entities
    tp, k, t = counts.tp, counts.n_pred, counts.n_true

    def per_entity(codes: Any) -> Any:
        return xp.bincount(codes, minlength=n).astype(xp.int64)

    new, hit, _ = truth._label(links.codes, links.targets, backend)
    false = xp.flatnonzero(new & ~hit)
    owned = among_targets(links, false, truth._codes, truth._targets, backend)
    false_codes = links.codes[false]
    on_singleton = t[false_codes] == 0
    stolen = per_entity(false_codes[owned & ~on_singleton])
    strange = per_entity(false_codes[~owned & ~on_singleton])

    every_true = true_links(ev)
    once, predicted = labelled(every_true, links, n, backend)
    _, retrieved = labelled(every_true, candidates, n, backend)
    missed = xp.flatnonzero(once & ~predicted & retrieved)
    given = among_targets(every_true, missed, links.codes, links.targets, backend, listed=True)
    to_other = per_entity(truth._codes[missed[given]])
    to_nobody = per_entity(truth._codes[missed[~given]])
    absent = per_entity(truth._codes[once & ~predicted & ~retrieved])
    drawn, from_candidates = labelled(links, candidates, n, backend)

    def gain(hits: Any, made: Any) -> float:
        groups = Groups(*backend.group(hits, made, t))
        return groups.mean(backend.fbeta(groups.tp, groups.n_pred, groups.n_true, ev.beta)) - (
            ev.macro_fbeta
        )

    single = t == 0
    free = xp.where(single, 0, k)
    found = to_other + to_nobody
    kinds = [
        ("false links on singletons", int(k[single].sum()), gain(tp, free)),
        ("other false links", int((stolen + strange).sum()), gain(tp, k - stolen - strange)),
        ("false, target of another entity", int(stolen.sum()), gain(tp, k - stolen)),
        ("false, target of nobody", int(strange.sum()), gain(tp, k - strange)),
        ("missed candidates", int(found.sum()), gain(tp + found, k + found)),
        (
            "missed, given to another entity",
            int(to_other.sum()),
            gain(tp + to_other, k + to_other),
        ),
        ("missed, given to nobody", int(to_nobody.sum()), gain(tp + to_nobody, k + to_nobody)),
        ("not in the candidates", int(absent.sum()), gain(tp + absent, k + absent)),
    ]
    top = best(candidates, truth, backend, dropped, ev.beta, 0.0).macro_fbeta
    outside, missing = (
        _pairs_in(mask, codes, truth.undirected, xp)
        for mask, codes in (
            (drawn & ~from_candidates, links.codes),
            (once & ~predicted & ~retrieved, truth._codes),
        )
    )
    return ErrorBudget(
        name=ev.name,
        beta=ev.beta,
        macro_fbeta=ev.macro_fbeta,
        oracle=top,
        outside_candidates=outside,
        absent=missing,
        dropped=dropped,
        lines={name: ErrorBudget.Line(count, value) for name, count, value in kinds},
    )


def _pairs_in(mask: Any, codes: Any, undirected: bool, xp: Any) -> int:
    """Return how many pairs the rows of a mask are, one row per direction."""
    both = int((mask & both_listed(codes, xp)).sum()) if undirected else 0
    return int(mask.sum()) - both // 2


def true_links(ev: Evaluation) -> Links:
    """Return all true pairs as links; they have no scores."""
    truth = ev._counts.truth
    frame = replace(ev._counts.links.frame, score=None)
    return Links(frame, truth._codes, truth._targets, None)


def labelled(links: Links, among: Links, n: int, backend: select.Backend) -> tuple[Any, Any]:
    """Mark one row of each distinct pair of some links, and the rows that stand in others too."""
    _encode.same_kind(links.targets, among.targets)
    parts, others = _encode.aligned(backend.xp, links.targets, among.targets)
    once, inside, _ = backend.label(backend.prepare(n, among.codes, others), links.codes, parts)
    return once, inside


def among_targets(
    links: Links,
    rows: Any,
    codes: Any,
    targets: tuple[_encode.Key, ...],
    backend: select.Backend,
    listed: bool = False,
) -> Any:
    """Mark which of some rows have a target that any of the given pairs has.

    With `listed`, only pairs whose code is not -1 count.
    """
    xp = backend.xp
    parts, others = _encode.aligned(xp, links.targets, targets)
    mine = [backend.take(part, rows) for part in parts]
    zeros = xp.zeros(len(codes), xp.int32)
    place = xp.where(codes >= 0, zeros, xp.int32(-1)) if listed else zeros
    held = backend.prepare(1, place, others)
    return backend.label(held, xp.zeros(len(rows), xp.int32), mine)[1]
