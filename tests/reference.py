"""A slow scorer for entity-resolution output, meant as an oracle for tests.

Each entity is handled alone, with Python sets for its targets and exact fractions for every
quotient, so that a result can be verified by reading the code. Floats appear only in what is
returned. Nothing outside the standard library is used, and nothing is optimised.

Ids are compared with Python's ``==``; in particular ``1``, ``1.0`` and ``True`` are one id here,
and text never equals a number. Callers who want stricter kinds must not mix them in one call.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isnan, nan
from typing import Literal

OUTCOMES = (
    "perfect",
    "nothing predicted",
    "misses only",
    "extras only",
    "both",
    "singleton linked",
)

Row = tuple[Hashable, Hashable]


class Refused(ValueError):
    """The input breaks a rule, or an option has a value that does not exist."""


@dataclass(frozen=True, eq=False)
class Reference:
    """Every number of one scoring run.

    ``beta`` is kept as the exact value of the argument, and ``zero_division`` as given, because
    ``slices`` and ``losses`` go back to the counts instead of using the rounded F values.
    """

    beta: Fraction
    zero_division: float

    # One (entity, tp, n_pred, n_true, fbeta) per listed entity, in the order of the list.
    per_entity: list[tuple[Hashable, int, int, int, float]]

    n_entities: int
    n_singletons: int
    singletons_linked: int
    tp: int
    n_pred: int
    n_true: int

    macro_fbeta: float
    macro_precision: float
    macro_recall: float
    macro_fbeta_non_singleton: float
    precision: float
    recall: float
    pooled_fbeta: float
    empty_baseline: float
    break_even: float

    # All six are numbers of rows.
    prediction_repeats: int
    truth_repeats: int
    prediction_nulls: int
    truth_nulls: int
    unknown_entities: int
    truth_outside: int


@dataclass(frozen=True, eq=False)
class Slice:
    """The numbers of the entities that share one slice value."""

    n_entities: int
    n_singletons: int
    tp: int
    n_pred: int
    n_true: int
    macro_fbeta: float
    precision: float
    recall: float
    links_per_entity: float
    loss_share: float


# Formulas over counts, all exact.


def fbeta_exact(tp: int, n_pred: int, n_true: int, beta: float | Fraction) -> Fraction:
    """F of one entity; two empty sets agree completely and give 1."""
    if n_pred == 0 and n_true == 0:
        return Fraction(1)
    b2 = Fraction(beta) ** 2
    return (1 + b2) * tp / (b2 * n_true + n_pred)


def precision_exact(tp: int, n_pred: int, n_true: int) -> Fraction:
    """Share of one entity's predicted targets that are true."""
    if n_pred == 0:
        return Fraction(1) if n_true == 0 else Fraction(0)
    return Fraction(tp, n_pred)


def recall_exact(tp: int, n_pred: int, n_true: int) -> Fraction:
    """Share of one entity's true targets that were predicted."""
    if n_true == 0:
        return Fraction(1) if n_pred == 0 else Fraction(0)
    return Fraction(tp, n_true)


def break_even(tp: int, n_pred: int, n_true: int, beta: float | Fraction) -> float:
    """True links needed per false link for a batch of both to leave F as it is."""
    d = Fraction(beta) ** 2 * n_true + n_pred
    if d == tp:
        return nan
    return float(tp / (d - tp))


def outcome(tp: int, n_pred: int, n_true: int) -> str:
    """Which of the six outcomes one entity has."""
    if n_true == 0:
        return "perfect" if n_pred == 0 else "singleton linked"
    if n_pred == 0:
        return "nothing predicted"
    has_misses = tp < n_true
    has_extras = tp < n_pred
    if has_misses and has_extras:
        return "both"
    if has_misses:
        return "misses only"
    if has_extras:
        return "extras only"
    return "perfect"


def _sum(values: Iterable[Fraction]) -> Fraction:
    # Equal values are counted first: the result is the same, and big fractions stay bearable.
    total = Fraction(0)
    for value, times in Counter(values).items():
        total += value * times
    return total


def _mean(values: list[Fraction]) -> Fraction:
    return _sum(values) / len(values)


def _ratio(numerator: int, denominator: int, zero_division: float) -> float:
    if denominator == 0:
        return zero_division
    return float(Fraction(numerator, denominator))


# Reading the input.


def _is_missing(key: Hashable) -> bool:
    if key is None:
        return True
    if isinstance(key, float):
        return isnan(key)
    if isinstance(key, tuple):
        return any(_is_missing(part) for part in key)
    return False


def _check_entities(entities: list[Hashable]) -> None:
    if not entities:
        raise Refused("entities is empty")
    missing = [i for i, entity in enumerate(entities) if _is_missing(entity)]
    if missing:
        raise Refused(f"entities has {len(missing)} missing ids, the first in row {missing[0]}")
    seen: set[Hashable] = set()
    for entity in entities:
        if entity in seen:
            raise Refused(f"entities repeats {entity!r}")
        seen.add(entity)


def _without_missing(rows: list[Row], side: str, nulls: str) -> list[Row]:
    bad = [
        i for i, (entity, target) in enumerate(rows) if _is_missing(entity) or _is_missing(target)
    ]
    if bad and nulls == "error":
        raise Refused(f"{side} has {len(bad)} rows with a missing id, the first is row {bad[0]}")
    skip = set(bad)
    return [row for i, row in enumerate(rows) if i not in skip]


@dataclass(frozen=True, eq=False)
class _Side:
    """The targets of each listed entity on one side, and the rows that were left out."""

    targets: dict[Hashable, set[Hashable]]
    unknown: list[Row]
    nulls: int
    repeats: int

    @property
    def n(self) -> int:
        """How many pairs of listed entities there are."""
        return sum(map(len, self.targets.values()))


def _side(rows: Iterable[Row], side: str, entities: list[Hashable], nulls: str) -> _Side:
    # First step: rows with a missing id.
    given = list(rows)
    present = _without_missing(given, side, nulls)

    # Second step: rows whose entity is not in the list.
    listed = set(entities)
    known = [row for row in present if row[0] in listed]
    unknown = [row for row in present if row[0] not in listed]

    # Third step: repeats vanish by putting the targets of each entity in a set.
    targets: dict[Hashable, set[Hashable]] = {entity: set() for entity in entities}
    for entity, target in known:
        targets[entity].add(target)
    repeats = len(known) - sum(map(len, targets.values()))
    return _Side(targets, unknown, len(given) - len(present), repeats)


def _check_options(beta: float | Fraction, unknown_entities: str, nulls: str) -> None:
    if unknown_entities not in ("error", "drop"):
        raise Refused(f"unknown_entities must be 'error' or 'drop': {unknown_entities!r}")
    if nulls not in ("error", "drop"):
        raise Refused(f"nulls must be 'error' or 'drop': {nulls!r}")
    if not 1e-100 <= beta <= 1e100:
        raise Refused(f"beta must lie in [1e-100, 1e100]: {beta!r}")


def _check_known(unknown: list[Row]) -> None:
    if unknown:
        first = list(dict.fromkeys(entity for entity, _ in unknown))[:3]
        raise Refused(
            f"{len(unknown)} prediction rows have an entity outside the list, "
            f"such as {', '.join(repr(entity) for entity in first)}; "
            "unknown_entities='drop' ignores them"
        )


def score(
    predictions: Iterable[Row],
    truth: Iterable[Row],
    entities: Iterable[Hashable],
    *,
    beta: float | Fraction = 0.5,
    unknown_entities: Literal["error", "drop"] = "error",
    nulls: Literal["error", "drop"] = "error",
    zero_division: float = 0.0,
) -> Reference:
    """Score predicted (entity, target) rows against true ones over the listed entities."""
    _check_options(beta, unknown_entities, nulls)
    entity_list = list(entities)
    _check_entities(entity_list)
    predicted = _side(predictions, "predictions", entity_list, nulls)
    true = _side(truth, "truth", entity_list, nulls)
    if unknown_entities == "error":
        _check_known(predicted.unknown)
    counts = [
        (
            len(predicted.targets[e] & true.targets[e]),
            len(predicted.targets[e]),
            len(true.targets[e]),
        )
        for e in entity_list
    ]
    return _scored(entity_list, counts, predicted, true, Fraction(beta), float(zero_division))


def _scored(
    entities: list[Hashable],
    counts: list[tuple[int, int, int]],
    predicted: _Side,
    true: _Side,
    beta: Fraction,
    zero_division: float,
) -> Reference:
    f_values = [fbeta_exact(*count, beta) for count in counts]
    f_others = [f for f, (_, _, n_true) in zip(f_values, counts, strict=True) if n_true > 0]
    singletons = [n_pred for _, n_pred, n_true in counts if n_true == 0]
    tp, n_pred, n_true = sum(count[0] for count in counts), predicted.n, true.n
    if n_pred == 0 and n_true == 0:
        pooled_fbeta = zero_division
    else:
        pooled_fbeta = float(fbeta_exact(tp, n_pred, n_true, beta))
    return Reference(
        beta=beta,
        zero_division=zero_division,
        per_entity=[
            (entity, *count, float(f))
            for entity, count, f in zip(entities, counts, f_values, strict=True)
        ],
        n_entities=len(entities),
        n_singletons=len(singletons),
        singletons_linked=sum(1 for linked in singletons if linked > 0),
        tp=tp,
        n_pred=n_pred,
        n_true=n_true,
        macro_fbeta=float(_mean(f_values)),
        macro_precision=float(_mean([precision_exact(*count) for count in counts])),
        macro_recall=float(_mean([recall_exact(*count) for count in counts])),
        macro_fbeta_non_singleton=float(_mean(f_others)) if f_others else nan,
        precision=_ratio(tp, n_pred, zero_division),
        recall=_ratio(tp, n_true, zero_division),
        pooled_fbeta=pooled_fbeta,
        empty_baseline=float(Fraction(len(singletons), len(entities))),
        break_even=break_even(tp, n_pred, n_true, beta),
        prediction_repeats=predicted.repeats,
        truth_repeats=true.repeats,
        prediction_nulls=predicted.nulls,
        truth_nulls=true.nulls,
        unknown_entities=len(predicted.unknown),
        truth_outside=len(true.unknown),
    )


# Breakdowns of a result.


def _slice_key(value: Hashable) -> Hashable:
    # A NaN would not equal itself as a dictionary key, so every missing value becomes None.
    if isinstance(value, tuple):
        return tuple(_slice_key(part) for part in value)
    return None if _is_missing(value) else value


def slices(
    reference: Reference,
    values: Sequence[Hashable],
) -> dict[Hashable, Slice]:
    """Split a result by one value per entity, given in the order of the entities.

    Missing values form a slice of their own under ``None``, which comes last; the others are in
    order of first appearance.
    """
    if len(values) != reference.n_entities:
        raise Refused(f"{len(values)} values for {reference.n_entities} entities")

    members: dict[Hashable, list[tuple[int, int, int]]] = {}
    for value, (_, tp, n_pred, n_true, _) in zip(values, reference.per_entity, strict=True):
        key = _slice_key(value)
        members.setdefault(key, []).append((tp, n_pred, n_true))
    if None in members:
        members[None] = members.pop(None)

    loss_of: dict[Hashable, Fraction] = {}
    for key, counts in members.items():
        loss_of[key] = _sum(1 - fbeta_exact(*count, reference.beta) for count in counts)
    total_loss = _sum(loss_of.values())

    result: dict[Hashable, Slice] = {}
    for key, counts in members.items():
        n = len(counts)
        tp = sum(count[0] for count in counts)
        n_pred = sum(count[1] for count in counts)
        n_true = sum(count[2] for count in counts)
        result[key] = Slice(
            n_entities=n,
            n_singletons=sum(1 for count in counts if count[2] == 0),
            tp=tp,
            n_pred=n_pred,
            n_true=n_true,
            macro_fbeta=float(_mean([fbeta_exact(*count, reference.beta) for count in counts])),
            precision=_ratio(tp, n_pred, reference.zero_division),
            recall=_ratio(tp, n_true, reference.zero_division),
            links_per_entity=float(Fraction(n_pred, n)),
            loss_share=float(loss_of[key] / total_loss) if total_loss else 0.0,
        )
    return result


def losses(reference: Reference) -> dict[str, tuple[int, float]]:
    """For each outcome, how many entities have it and what they cost the macro F."""
    lost: dict[str, list[Fraction]] = {name: [] for name in OUTCOMES}
    for _, tp, n_pred, n_true, _ in reference.per_entity:
        f = fbeta_exact(tp, n_pred, n_true, reference.beta)
        lost[outcome(tp, n_pred, n_true)].append(1 - f)
    return {name: (len(ls), float(_sum(ls) / reference.n_entities)) for name, ls in lost.items()}
