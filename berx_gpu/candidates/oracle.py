"""The best that any choice among the candidates can score."""

from __future__ import annotations

from typing import Any

from berx_gpu.evaluation.evaluation import Evaluation
from berx_gpu.evaluation.scoring import evaluated
from berx_gpu.inputs.pairs import Names
from berx_gpu.links.dropped import Dropped
from berx_gpu.links.how import Reading
from berx_gpu.links.reading import Read, read
from berx_gpu.links.undirected import pairs_in
from berx_gpu.options import beta_of, number


def oracle(
    candidates: Any,
    truth: Any,
    *,
    entities: Any = None,
    beta: float = 0.5,
    entity: Names = "entity",
    target: Names = "target",
    unknown_entities: str = "error",
    nulls: str = "error",
    ids: str | None = None,
    zero_division: float = 0.0,
    n_threads: int | None = None,
) -> Evaluation:
    """Return the best that any choice among the candidates can score.

    Parameters
    ----------
    candidates : DataFrame, Arrow stream, mapping or list of tuples
        The (entity, target) pairs that a matcher may choose from; further columns are ignored.
    truth, entities, beta, entity, target, unknown_entities, nulls, ids, zero_division, n_threads
        As in `evaluate`.

    Returns
    -------
    Evaluation
        Of the prediction that is the true pairs among the candidates, and nothing for singletons.

    Raises
    ------
    DataError
        As in `evaluate`.

    Examples
    --------
    >>> from berx_gpu import oracle
    >>> ev = oracle([("a", "x"), ("b", "q")], {"a": ["x", "y"], "b": []}, entities=["a", "b"])
    >>> round(ev.macro_fbeta, 4)
    0.9167
    """
    beta = beta_of(beta)
    zero_division = number("zero_division", zero_division, nan=True)
    how = Reading(entity, target, None, unknown_entities, nulls, ids, n_threads=n_threads)
    return best(read(candidates, "candidates", truth, entities, how), beta, zero_division)


def best(candidates: Read, beta: float, zero_division: float) -> Evaluation:
    """Return the evaluation of the true pairs among encoded candidates."""
    truth, links, left_out, backend = candidates
    new, hit, _ = truth.label(links, backend)
    distinct = pairs_in(new, links.codes, truth.undirected, backend.xp)
    mine = links.only(hit, backend)
    tp = truth.match(mine, backend).tp
    return evaluated(
        truth,
        mine,
        tp,
        tp,
        Dropped.of(truth, left_out, links.count() - distinct),
        backend,
        beta=beta,
        zero_division=zero_division,
        name="oracle",
        threshold=None,
    )
