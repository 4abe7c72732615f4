"""`Policy`: which candidates become links."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np

from berx_gpu.encoding.scores import score_limit
from berx_gpu.errors import DataError
from berx_gpu.files import whole
from berx_gpu.options import number, whole_number


def _share(name: str, value: Any) -> float:
    share = number(name, value)
    if not 0 < share <= 1:
        raise DataError(f"{name}={value!r}: give a number above 0 and at most 1")
    return share


_FOUND: dict[str, Callable[[str, Any], float]] = {
    "threshold": lambda name, value: score_limit(name, value, nan=True),
    "owner_margin": lambda name, value: number(name, value, 0.0),
    "top_k": lambda name, value: whole_number(name, value, 1),
    "ratio": _share,
    "best_margin": lambda name, value: number(name, value, 0.0),
    "min_best": score_limit,
}
"""How the value of each rule is read."""


@dataclass(frozen=True)
class Policy:
    """Which scored candidates become links. The rules act in this order, the threshold last.

    Attributes
    ----------
    threshold : float, optional
        Keep pairs with at least this score; NaN keeps none.
    one_entity_per_target : bool
        A target stays only with the entity that scores it highest; ties go to the smaller entity
        id.
    owner_margin : float, optional
        And only if its best score exceeds that of any other entity by at least this much. Sets the
        rule above.
    top_k : int, optional
        At most so many targets per entity; ties at the cut go to the smaller target id.
    ratio : float, optional
        In (0, 1]: keep scores of at least this share of the entity's best; for scores from 0 up.
    best_margin : float, optional
        Keep scores of at least the entity's best less this much.
    min_best : float, optional
        An entity whose best score is below this links nothing.

    Raises
    ------
    DataError
        For a rule out of its range.

    Examples
    --------
    >>> from berx_gpu import Policy
    >>> Policy(threshold=0.5, top_k=3)
    Policy(threshold=0.5, top_k=3)
    """

    threshold: float | None = None
    one_entity_per_target: bool = False
    owner_margin: float | None = None
    top_k: int | None = None
    ratio: float | None = None
    best_margin: float | None = None
    min_best: float | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.one_entity_per_target, (bool, np.bool_)):
            raise DataError(
                f"one_entity_per_target={self.one_entity_per_target!r}: give True or False"
            )
        owned = bool(self.one_entity_per_target) or self.owner_margin is not None
        object.__setattr__(self, "one_entity_per_target", owned)
        for name, found in _FOUND.items():
            if (value := getattr(self, name)) is not None:
                object.__setattr__(self, name, found(name, value))

    def __repr__(self) -> str:
        said = (
            f"{f.name}={getattr(self, f.name)!r}"
            for f in fields(self)
            if getattr(self, f.name) not in (None, False)
        )
        return f"Policy({', '.join(said)})"

    def rules(self) -> str:
        """Return the rules before the threshold in words."""
        words = {
            "owner_margin": "owner by {}",
            "top_k": "top {}",
            "ratio": "≥ {} × best",
            "best_margin": "≥ best − {}",
            "min_best": "best ≥ {}",
        }
        said = [
            text.format(f"{getattr(self, n):.12g}")
            for n, text in words.items()
            if getattr(self, n) is not None
        ]
        if self.one_entity_per_target and self.owner_margin is None:
            said.insert(0, "one entity per target")
        return ", ".join(said) or "threshold only"

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the policy as JSON, whole or not at all."""
        values = {
            name: str(value) if isinstance(value, float) and not math.isfinite(value) else value
            for name, value in asdict(self).items()
        }
        whole.write_text(json.dumps(values, indent=2) + "\n", os.fspath(path))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Policy:
        """Read a policy that `save` wrote.

        Raises
        ------
        DataError
            When the file is missing, is no JSON object, or has a rule that does not exist.
        """
        text = whole.read_bytes(os.fspath(path))
        try:
            values = json.loads(text, object_pairs_hook=_no_name_twice)
        except (ValueError, RecursionError) as error:
            raise DataError(f"{path} is no JSON of a policy: {error}") from error
        if not isinstance(values, dict):
            raise DataError(f"{path} holds no policy, but {type(values).__name__}")
        known = {f.name for f in fields(cls)}
        if strange := sorted(set(values) - known):
            raise DataError(f"{path} has the rule {strange[0]!r}, which does not exist")
        for name, value in values.items():
            if value in ("inf", "-inf", "nan"):
                values[name] = float(value)
        try:
            return cls(**values)
        except DataError as error:
            raise DataError(f"{path}: {error}") from error


def _no_name_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    names = [name for name, _ in pairs]
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"it says {name!r} twice")
    return dict(pairs)
