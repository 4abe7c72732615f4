"""`Comparison` and `Comparisons`: what is said of two systems, and of many."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from berx_gpu.comparing import differences
from berx_gpu.comparing.figures import forest
from berx_gpu.comparing.pairing import LinkChanges, Paired
from berx_gpu.inputs.columns import to_rows
from berx_gpu.printing.printed import Printed, Table
from berx_gpu.printing.tables import aligned, metric_name, percent, share_text, slice_name


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Printed):
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
        return differences.by(self._paired, key, self.confidence_level, self.n_entities)

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
        return differences.outcomes(self._paired, self.n_entities)

    def plot(self, key: Any = None, *, ax: Any = None) -> Any:
        """Draw the difference, and that of each slice, with limits; see `plot_forest`."""
        title = f"{self.a} → {self.b}"
        lines = [("all", self.n_entities, self.delta, self.low, self.high)]
        rows = [] if key is None else to_rows(self.by(key))
        keys = list(rows[0])[: list(rows[0]).index("n_entities")] if rows else []
        title += f", by {', '.join(map(str, keys))}" if keys else ""
        measured = ("n_entities", "delta", "low_all", "high_all")
        lines += [(slice_name(row, keys), *(row[name] for name in measured)) for row in rows]
        return forest(lines, title, metric_name(self.metric, self.beta), self.confidence_level, ax)

    _left = 3

    def _tables(self) -> list[Table]:
        links = self.links
        added_false = links.added - links.added_true
        removed_false = links.removed - links.removed_true
        level = percent(self.confidence_level)
        rows = [
            ["", f"{self.a} → {self.b}", f"{self.n_entities:,} entities"],
            [
                metric_name(self.metric, self.beta),
                f"{share_text(self.estimate_a)} → {share_text(self.estimate_b)}",
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
        return [rows]

    def _below(self) -> list[str]:
        return ["", self.verdict]


@dataclass(frozen=True, eq=False, repr=False)
class Comparisons(Printed):
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
        out = super().to_dict()
        adjusted = zip(self.pairs, out.pop("p_holm"), strict=True)
        return {**out, "pairs": [{**pair.to_dict(), "p_holm": p} for pair, p in adjusted]}

    def plot(self, *, ax: Any = None) -> Any:
        """Draw the difference of every pair with its limits; see `plot_forest`."""
        title = "all pairs" if self.baseline is None else f"against {self.baseline}"
        lines = [(f"{p.a} → {p.b}", p.n_entities, p.delta, p.low, p.high) for p in self.pairs]
        return forest(lines, title, metric_name(self.metric, self.beta), self.confidence_level, ax)

    def _tables(self) -> list[Table]:
        systems = [
            ["system", metric_name(self.metric, self.beta)],
            *([n, share_text(v)] for n, v in self.systems.items()),
        ]
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
        return [systems, rows]

    def __str__(self) -> str:
        systems, pairs = self._tables()
        *cells, verdicts = zip(*pairs, strict=True)
        lines = aligned(list(zip(*cells, strict=True)))
        width = max(map(len, lines))
        told = [f"{a:{width}}  {b}" for a, b in zip(lines, verdicts, strict=True)]
        return "\n".join([*aligned(systems), "", *told])
