"""Which kind of error costs what: `error_budget`."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from typing import Any, NamedTuple

from berx_gpu.backends.backend import Backend
from berx_gpu.candidates.oracle import best
from berx_gpu.candidates.results import ErrorBudget
from berx_gpu.errors import DataError
from berx_gpu.evaluation.evaluation import Evaluation
from berx_gpu.evaluation.scores import Counts, Groups
from berx_gpu.evaluation.scoring import scored
from berx_gpu.inputs.pairs import Names
from berx_gpu.links.dropped import Dropped
from berx_gpu.links.how import Reading
from berx_gpu.links.links import Links
from berx_gpu.links.reading import Read, backend_of, read_links
from berx_gpu.links.sets_of_links import among_targets, labelled, true_links
from berx_gpu.links.truth import Truth
from berx_gpu.links.undirected import pairs_in


def error_budget(
    predictions: Any,
    *,
    candidates: Any,
    truth: Any,
    entities: Any = None,
    beta: float | None = None,
    entity: Names = "entity",
    target: Names = "target",
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
    how = Reading(entity, target, score, unknown_entities, nulls, ids, n_threads=n_threads)
    if isinstance(predictions, Evaluation):
        ev = predictions
        own = isinstance(truth, Truth) and truth._prepared is ev._counts.truth
        given = {"truth": None if own else truth, "entities": entities, "beta": beta,
                 "score": score, "threshold": threshold, "ids": ids}  # fmt: skip
        if named := [name for name, value in given.items() if value is not None]:
            raise DataError(f"the Evaluation has its own {named[0]}; leave {named[0]}= out")
    else:
        beta = 0.5 if beta is None else beta
        ev = scored(predictions, truth, entities, how, beta=beta, threshold=threshold)
    true = ev._counts.truth
    backend = backend_of(candidates, true, n_threads)
    found = read_links(candidates, "candidates", true, replace(how, score=None), backend)
    return _budget(ev, Read(true, *found, backend))


class _Errors(NamedTuple):
    """How many wrong links of each kind every entity has."""

    stolen: Any
    strange: Any
    to_other: Any
    to_nobody: Any
    absent: Any


def _budget(ev: Evaluation, candidates: Read) -> ErrorBudget:
    """Return the error budget of an evaluation and encoded candidates."""
    truth, pool, left_out, backend = candidates
    counts, xp = ev._counts, backend.xp
    links, every_true = counts.links, true_links(counts.truth, counts.links.frame)
    once, predicted = labelled(every_true, links, truth.n_entities, backend)
    _, retrieved = labelled(every_true, pool, truth.n_entities, backend)
    missed = once & ~predicted
    absent = missed & ~retrieved
    drawn, from_candidates = labelled(links, pool, truth.n_entities, backend)
    errors = _Errors(
        *_false_links(counts, every_true, backend),
        *_missed_links(counts, every_true, missed & retrieved, backend),
        _per_entity(truth.codes[absent], counts, backend),
    )
    return ErrorBudget(
        name=ev.name,
        beta=ev.beta,
        macro_fbeta=ev.macro_fbeta,
        oracle=best(candidates, ev.beta, 0.0).macro_fbeta,
        outside_candidates=pairs_in(drawn & ~from_candidates, links.codes, truth.undirected, xp),
        absent=pairs_in(absent, truth.codes, truth.undirected, xp),
        dropped=Dropped.of(truth, left_out),
        lines=_lines(ev, errors, backend),
    )


def _per_entity(codes: Any, counts: Counts, backend: Backend) -> Any:
    """Return how many of some rows each entity has."""
    return backend.xp.bincount(codes, minlength=len(counts.tp)).astype(backend.xp.int64)


def _false_links(counts: Counts, every_true: Links, backend: Backend) -> tuple[Any, Any]:
    """Count the false links of others than singletons: to targets of another entity, of nobody."""
    links = counts.links
    new, hit, _ = counts.truth.label(links, backend)
    false = backend.xp.flatnonzero(new & ~hit)
    owned = among_targets(links, false, every_true, backend)
    codes = links.codes[false]
    others = counts.n_true[codes] > 0
    stolen, strange = (
        _per_entity(codes[which & others], counts, backend) for which in (owned, ~owned)
    )
    return stolen, strange


def _missed_links(
    counts: Counts, every_true: Links, missed: Any, backend: Backend
) -> tuple[Any, Any]:
    """Count the missed candidates: whose target was given to another entity, or to nobody."""
    rows = backend.xp.flatnonzero(missed)
    given = among_targets(every_true, rows, counts.links, backend, listed=True)
    codes = every_true.codes[rows]
    to_other, to_nobody = (_per_entity(codes[which], counts, backend) for which in (given, ~given))
    return to_other, to_nobody


def _lines(ev: Evaluation, errors: _Errors, backend: Backend) -> dict[str, ErrorBudget.Line]:
    """Return the links of each kind of error, and what macro F gains without them alone."""
    tp, k, t = ev._counts.each
    single = t == 0
    stolen, strange, to_other, to_nobody, absent = errors

    def fixed(links: Any, hits: Any, made: Any) -> ErrorBudget.Line:
        groups = Groups(*backend.group(hits, made, t))
        after = groups.mean(backend.fbeta(*groups.counts, ev.beta))
        return ErrorBudget.Line(int(links.sum()), after - ev.macro_fbeta)

    def without(false: Any) -> ErrorBudget.Line:
        return fixed(false, tp, k - false)

    def with_(found: Any) -> ErrorBudget.Line:
        return fixed(found, tp + found, k + found)

    return {
        "false links on singletons": without(backend.xp.where(single, k, 0)),
        "other false links": without(stolen + strange),
        "false, target of another entity": without(stolen),
        "false, target of nobody": without(strange),
        "missed candidates": with_(to_other + to_nobody),
        "missed, given to another entity": with_(to_other),
        "missed, given to nobody": with_(to_nobody),
        "not in the candidates": with_(absent),
    }
