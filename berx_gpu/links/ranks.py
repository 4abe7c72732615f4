"""The place of each pair among the pairs of its entity, by score."""

from __future__ import annotations

from typing import Any

from berx_gpu.backends.backend import Backend
from berx_gpu.links.links import Links


def ranks(links: Links, backend: Backend, scores: Any = None, once: bool = False) -> Any:
    """Return the place of every present row among the targets of its entity, 1 the best.

    A repeated pair counts once, with its best score; its other rows get 0, and so do rows with a
    code of -1. Equal scores are ordered by target id, the smaller first, whatever the row order.

    Parameters
    ----------
    scores : array, optional
        Of the present rows; read from the frame when not given.
    once : bool
        Whether no pair is repeated.
    """
    scores = present_scores(links, backend) if scores is None else scores
    return backend.ranks(links.codes, scores, links.targets, once)


def present_scores(links: Links, backend: Backend) -> Any:
    """Return the scores of the present rows."""
    name, values = links.frame.scored
    scores = backend.scores(values, links.frame.where(name), links.present)
    return scores if links.present is None else scores[links.present]
