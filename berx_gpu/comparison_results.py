"""Frozen result classes of comparisons: fields, printing and `to_dict`."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields
from typing import TYPE_CHECKING, Any

from berx_gpu._tables import aligned, as_html, as_json, markdown, metric_name, percent, score

if TYPE_CHECKING:
    from berx_gpu.results import Evaluation


@dataclass(frozen=True)
class LinkChanges:
    """How many links a second system has and a first has not, and the other way round.

    Attributes
    ----------
    kept, kept_true : int
        Links of both systems, and the true ones of them.
    added, added_true : int
        Links that only the second has.
    removed, removed_true : int
        Links that only the first has.
    """

    kept: int
    kept_true: int
    added: int
    added_true: int
    removed: int
    removed_true: int


@dataclass(frozen=True, eq=False)
class Comparison:
    """How much better a second system is than a first, on the same entities.

    Attributes
    ----------
    a, b : str
        Names of the first and of the second system.
    metric : str
    beta : float
    estimate_a, estimate_b : float
    delta : float
        estimate_b - estimate_a.
    low, high : float
        Bounded limits of delta.
    confidence_level : float
    normal_low, normal_high : float
        Student's limits of the mean difference, for comparison.
    standard_error : float
    p_value : float
        Of the test that the two systems are exchangeable, by flipping signs.
    n_resamples, seed : int
        Of this test.
    n_entities, better, worse, equal : int
        Entities that the metric is over; those where the second system scores higher, lower, the
        same.
    links : LinkChanges
    verdict : str
        What the limits, and nothing else, allow to say.
    """

    a: str
    b: str
    metric: str
    beta: float
    estimate_a: float
    estimate_b: float
    delta: float
    low: float
    high: float
    confidence_level: float
    normal_low: float
    normal_high: float
    standard_error: float
    p_value: float
    n_resamples: int
    seed: int
    n_entities: int
    better: int
    worse: int
    equal: int
    links: LinkChanges
    verdict: str
    _paired: Paired = field(repr=False)

    def by(self, key: Any) -> Any:
        """Return where the difference comes from, by slices of the entities.

        Parameters
        ----------
        key : str, mapping, Series or list of these
            As in `Evaluation.by`.

        Returns
        -------
        DataFrame
            One row per slice: the key, n_entities, estimate_a, estimate_b, delta, its bounded
            limits for the slice alone (low, high) and for all slices at once (low_all, high_all),
            better, worse, and delta_overall, the slice's part of the whole difference. A slice
            without an entity that the metric is over has NaN, and so have limits of one entity.

        Examples
        --------
        >>> from berx_gpu import compare, evaluate
        >>> truth = {"a": ["x"], "b": ["y"]}
        >>> one, two = (evaluate(p, truth, entities=["a", "b"]) for p in ({"a": ["x"]}, truth))
        >>> compare(one, two).by({"a": "north", "b": "south"})[["slice", "delta", "better"]]
           slice  delta  better
        0  north    0.0       0
        1  south    1.0       1
        """
        from berx_gpu import comparing

        return comparing.by(self, key)

    def outcomes(self) -> Any:
        """Return what became of the entities of each outcome.

        Returns
        -------
        DataFrame
            outcome_a, outcome_b (see `Evaluation.losses`), n_entities, and delta_overall, their
            part of the whole difference, the largest gain first.

        Examples
        --------
        >>> from berx_gpu import compare, evaluate
        >>> truth = {"a": ["x"], "b": ["y"]}
        >>> one, two = (evaluate(p, truth, entities=["a", "b"]) for p in ({"a": ["x"]}, truth))
        >>> compare(one, two).outcomes()
                   outcome_a outcome_b  n_entities  delta_overall
        0  nothing predicted   perfect           1            0.5
        1            perfect   perfect           1            0.0
        """
        from berx_gpu import comparing

        return comparing.outcomes(self)

    def plot(self, key: Any = None, *, ax: Any = None) -> Any:
        """Draw the difference, and that of each slice, with limits; see `plot_forest`."""
        from berx_gpu import visualization

        return visualization.plot_forest(self, key, ax=ax)

    def to_dict(self) -> dict[str, Any]:
        """Return the attributes as valid JSON."""
        names = [f.name for f in fields(self) if not f.name.startswith("_")]
        out = {name: getattr(self, name) for name in names}
        return {n: as_json(asdict(v) if n == "links" else v) for n, v in out.items()}

    def _rows(self) -> list[list[str]]:
        links = self.links
        added_false = links.added - links.added_true
        removed_false = links.removed - links.removed_true
        level = percent(self.confidence_level)
        return [
            ["", f"{self.a} → {self.b}", f"{self.n_entities:,} entities"],
            [
                metric_name(self.metric, self.beta),
                f"{score(self.estimate_a)} → {score(self.estimate_b)}",
                f"{self.delta:+.4f}, {level} [{self.low:+.4f}, {self.high:+.4f}]",
            ],
            [
                "entities",
                f"{self.better:,} better · {self.worse:,} worse",
                f"{self.equal:,} equal · sign-flip p {self.p_value:.2g}",
            ],
            [
                "links",
                f"{links.added:,} added · {links.removed:,} removed",
                f"added {links.added_true:,} true, {added_false:,} false · "
                f"removed {links.removed_true:,} true, {removed_false:,} false",
            ],
        ]

    def __str__(self) -> str:
        return "\n".join([*aligned(self._rows(), left=3), "", self.verdict])

    __repr__ = __str__

    def to_markdown(self) -> str:
        """Return the comparison as a Markdown table, and the verdict."""
        return f"{markdown(self._rows())}\n\n{self.verdict}"

    def _repr_html_(self) -> str:
        return as_html([*self._rows(), ["verdict", self.verdict, ""]])


@dataclass(frozen=True, eq=False)
class Paired:
    """Two evaluations, and NumPy arrays in the order of the first one's entities.

    `first` and `second` are what each adds to the metric, `counted` which entities it is over, and
    `codes` where the entities of the first are in the list of the second.
    """

    a: Evaluation
    b: Evaluation
    first: Any
    second: Any
    counted: Any
    codes: Any


@dataclass(frozen=True, eq=False)
class Comparisons:
    """Many systems, compared in pairs whose limits and p-values hold for all pairs at once.

    Attributes
    ----------
    systems : dict of str to float
        The metric of each system, the best first.
    metric : str
    beta : float
    confidence_level : float
        For all pairs at once.
    baseline : str or None
        The system that all others are compared with; None when all pairs are.
    pairs : list of Comparison
        Their limits are at the level that each needs for all to hold (Šidák).
    p_holm : list of float
        Holm's adjusted p-value of each pair.
    """

    systems: dict[str, float]
    metric: str
    beta: float
    confidence_level: float
    baseline: str | None
    pairs: list[Comparison]
    p_holm: list[float]

    def to_dict(self) -> dict[str, Any]:
        """Return the systems and the pairs as valid JSON."""
        pairs = [
            {**pair.to_dict(), "p_holm": p} for pair, p in zip(self.pairs, self.p_holm, strict=True)
        ]
        out = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "p_holm"}
        return {name: as_json(value) for name, value in out.items()} | {"pairs": pairs}

    def plot(self, *, ax: Any = None) -> Any:
        """Draw the difference of every pair with its limits; see `plot_forest`."""
        from berx_gpu import visualization

        return visualization.plot_forest(self, ax=ax)

    def _system_rows(self) -> list[list[str]]:
        return [
            ["system", metric_name(self.metric, self.beta)],
            *([n, score(v)] for n, v in self.systems.items()),
        ]

    def _pair_rows(self) -> list[list[str]]:
        level = f"{percent(self.confidence_level)} for all {len(self.pairs)}"
        rows = [["pair", "delta", level, "Holm p", "better", "worse", "verdict"]]
        for pair, p in zip(self.pairs, self.p_holm, strict=True):
            rows.append(
                [
                    f"{pair.a} → {pair.b}",
                    f"{pair.delta:+.4f}",
                    f"[{pair.low:+.4f}, {pair.high:+.4f}]",
                    f"{p:.2g}",
                    f"{pair.better:,}",
                    f"{pair.worse:,}",
                    pair.verdict,
                ]
            )
        return rows

    def __str__(self) -> str:
        *cells, verdicts = zip(*self._pair_rows(), strict=True)
        lines = aligned(list(zip(*cells, strict=True)))
        width = max(map(len, lines))
        pairs = [f"{a:{width}}  {b}" for a, b in zip(lines, verdicts, strict=True)]
        return "\n".join([*aligned(self._system_rows()), "", *pairs])

    __repr__ = __str__

    def to_markdown(self) -> str:
        """Return both tables as Markdown."""
        return f"{markdown(self._system_rows())}\n\n{markdown(self._pair_rows())}"

    def _repr_html_(self) -> str:
        return as_html(self._system_rows()) + as_html(self._pair_rows())
