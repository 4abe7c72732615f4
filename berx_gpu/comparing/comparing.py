"""Which system is better: paired comparison by entity, and where the difference comes from."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from berx_gpu.comparing.pairing import Paired, check_evaluation, differences, link_changes, paired
from berx_gpu.comparing.results import Comparison, Comparisons
from berx_gpu.errors import DataError, counted, one_of, some
from berx_gpu.evaluation.bootstrap import Draws, sign_flip_p
from berx_gpu.evaluation.evaluation import Evaluation
from berx_gpu.evaluation.interval import MACRO_METRICS
from berx_gpu.evaluation.limits import limits_of_mean, student
from berx_gpu.options import confidence
from berx_gpu.printing.tables import one_line


def compare(
    a: Evaluation,
    b: Evaluation,
    *,
    metric: str = "macro_fbeta",
    confidence_level: float = 0.95,
    n_resamples: int = 10_000,
    rng: Any = None,
) -> Comparison:
    """Return how much better a second system is than a first on the same entities and truth.

    Parameters
    ----------
    a, b : Evaluation
        Of the same entities, in any order, with the same true pairs and the same β.
    metric : str, default "macro_fbeta"
        Or ``"macro_fbeta_non_singleton"``, ``"macro_precision"``, ``"macro_recall"``.
    confidence_level : float, default 0.95
    n_resamples : int, default 10_000
        Sign flips of the p-value, from 100 up.
    rng : int or numpy.random.Generator, optional
        Seed of the sign flips, reported in the result.

    Returns
    -------
    Comparison

    Raises
    ------
    DataError
        When entities, truth or β differ, or for fewer than two entities.

    Notes
    -----
    Entities are paired by id. The limits of the mean difference are the bounded ones, with one
    entity that was not seen at either end, where all or nothing changes: few entities that differ
    do not make a claim about others. The verdict comes from these limits alone. The p-value is of
    the test that the systems are exchangeable, which is not that the mean difference is 0.

    Examples
    --------
    >>> from berx_gpu import compare, evaluate
    >>> truth = {i: [i] for i in range(200)}
    >>> old = evaluate({i: [i] for i in range(0, 200, 2)}, truth, entities=range(200), name="old")
    >>> new = evaluate({i: [i] for i in range(180)}, truth, entities=range(200), name="new")
    >>> print(compare(old, new, rng=0))
                old → new              200 entities
    macro F0.5  0.5000 → 0.9000        +0.4000, 95 % [+0.3107, +0.4824]
    entities    90 better · 10 worse   100 equal · sign-flip p 0.0001
    links       90 added · 10 removed  added 90 true, 0 false · removed 10 true, 0 false
    <BLANKLINE>
    new is better than old
    """
    level = confidence(confidence_level)
    draws = Draws.of(n_resamples, rng)
    return _compared(paired(a, b, metric), metric, level, draws)


def compare_all(
    systems: Mapping[str, Evaluation] | Sequence[Evaluation],
    *,
    baseline: str | None = None,
    metric: str = "macro_fbeta",
    confidence_level: float = 0.95,
    n_resamples: int = 10_000,
    rng: Any = None,
) -> Comparisons:
    """Return many systems compared in pairs, with limits and p-values for all pairs at once.

    Parameters
    ----------
    systems : mapping of str to Evaluation, or list of Evaluation
        A list takes the evaluations' own names.
    baseline : str, optional
        Compare every other system with this one, named before the results were seen; without it,
        every pair.
    metric, confidence_level, n_resamples, rng
        As in `compare`.

    Returns
    -------
    Comparisons

    Raises
    ------
    DataError
        As in `compare`, for two systems of one name, and for fewer than two systems.

    Notes
    -----
    To compare all others with the best of the same data is to choose after looking: more than one
    in eight such families then claims a difference that is none. So there is no such option.

    Examples
    --------
    >>> from berx_gpu import compare_all, evaluate
    >>> truth = {i: [i] for i in range(200)}
    >>> made = {n: {i: [i] for i in range(n)} for n in (100, 180, 182)}
    >>> systems = {f"to {n}": evaluate(p, truth, entities=range(200)) for n, p in made.items()}
    >>> [pair.verdict for pair in compare_all(systems, baseline="to 180", rng=0).pairs]
    ['no clear difference between to 180 and to 182', 'to 100 is worse than to 180']
    """
    named = dict(systems) if isinstance(systems, Mapping) else _named(systems)
    for name in named:
        if not isinstance(name, str):
            raise DataError(f"a system is called {name!r}; give names that are text")
    if len(named) < 2:
        raise DataError(f"{counted(len(named), 'system', 'systems')}: give two or more to compare")
    for name, ev in named.items():
        check_evaluation(ev, f"system {name!r}")
    if baseline is not None and not (isinstance(baseline, str) and baseline in named):
        said = repr(baseline) if isinstance(baseline, str) else f"a {type(baseline).__name__}"
        raise DataError(f"baseline={said} is no system; there are {some(named, 9)}")
    one_of("metric", metric, MACRO_METRICS)
    level = confidence(confidence_level)
    draws = Draws.of(n_resamples, rng)
    ranked = sorted(named, key=lambda name: -getattr(named[name], metric))
    if baseline is None:
        chosen = [(b, a) for a, b in itertools.combinations(ranked, 2)]
    else:
        chosen = [(baseline, other) for other in ranked if other != baseline]
    each = level ** (1 / len(chosen))
    pairs = [
        _compared(paired(named[a], named[b], metric), metric, each, draws, (a, b))
        for a, b in chosen
    ]
    adjusted = _holm([pair.p_value for pair in pairs])
    return Comparisons(
        systems={name: getattr(named[name], metric) for name in ranked},
        metric=metric,
        beta=pairs[0].beta,
        confidence_level=level,
        baseline=baseline,
        pairs=[_with_verdict(pair, p, 1 - level) for pair, p in zip(pairs, adjusted, strict=True)],
        p_holm=adjusted,
    )


def _named(systems: Sequence[Evaluation]) -> dict[str, Evaluation]:
    """Return evaluations by their own names, or raise when two share one."""
    if not isinstance(systems, (list, tuple)):
        raise DataError(
            f"systems is a {type(systems).__name__}; give a mapping of names to evaluations"
        )
    for ev in systems:
        check_evaluation(ev, "systems")
    named = {ev.name: ev for ev in systems}
    if len(named) < len(systems):
        names = [ev.name for ev in systems]
        twice = next(name for name in names if names.count(name) > 1)
        raise DataError(
            f"{names.count(twice)} systems are called {twice!r}; give a mapping of names to "
            "evaluations"
        )
    return named


def _compared(
    both: Paired,
    metric: str,
    level: float,
    draws: Draws,
    names: tuple[str, str] | None = None,
) -> Comparison:
    a, b = both.a, both.b
    difference = differences(both)[both.counted]
    n = len(difference)
    if n < 2:
        raise DataError(
            f"{metric} is over {counted(n, 'entity', 'entities')}; to compare takes two or more"
        )
    values, count = np.unique(difference, return_counts=True)
    low, high = _limits(values, count, level)
    normal_low, normal_high, error = student((values + 1) / 2, np.ones(len(values)), count, level)
    made = Comparison(
        a=a.name if names is None else names[0],
        b=b.name if names is None else names[1],
        metric=metric,
        beta=a.beta,
        estimate_a=getattr(a, metric),
        estimate_b=getattr(b, metric),
        delta=getattr(b, metric) - getattr(a, metric),
        low=low,
        high=high,
        confidence_level=level,
        normal_low=2 * normal_low - 1,
        normal_high=2 * normal_high - 1,
        standard_error=2 * error,
        p_value=sign_flip_p(values, count, draws, a._counts.truth.backend()),
        **draws._asdict(),
        n_entities=n,
        better=int((difference > 0).sum()),
        worse=int((difference < 0).sum()),
        equal=int((difference == 0).sum()),
        links=link_changes(both),
        verdict="",
        _paired=both,
    )
    return _with_verdict(made, made.p_value, 1 - level)


def _limits(values: Any, count: Any, level: float) -> tuple[float, float]:
    """Return the bounded limits of a mean of numbers in [-1, 1]."""
    low, high = limits_of_mean((values + 1) / 2, count, level)
    return 2 * low - 1, 2 * high - 1


def _with_verdict(made: Comparison, p: float, alpha: float) -> Comparison:
    """Return a comparison with its verdict in words, which the limits decide."""
    a, b = one_line(made.a), one_line(made.b)
    if made.low > 0:
        verdict = f"{b} is better than {a}"
    elif made.high < 0:
        verdict = f"{b} is worse than {a}"
    elif made.better == made.worse == 0:
        verdict = f"{a} and {b} score the same on every entity"
    elif p < alpha:
        word = "better" if made.delta > 0 else "worse"
        verdict = f"{b} is {word} than {a} on these entities; too few differ to generalise"
    else:
        verdict = f"no clear difference between {a} and {b}"
    return replace(made, verdict=verdict)


def _holm(p_values: Sequence[float]) -> list[float]:
    """Return Holm's adjusted p-values."""
    adjusted, highest = [0.0] * len(p_values), 0.0
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    for rank, i in enumerate(order):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[i]))
        adjusted[i] = highest
    return adjusted
