"""The links behind the score: which are false, and which are missing."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from berx_gpu.backends import select
from berx_gpu.backends.backend import Backend
from berx_gpu.encoding import keys
from berx_gpu.encoding.keys import aligned, same_kind
from berx_gpu.errors import DataError, rows, some
from berx_gpu.evaluation.scores import Scores
from berx_gpu.inputs import frames
from berx_gpu.inputs.columns import ARROW, Column, build_frame, take, to_arrow
from berx_gpu.links.how import Reading
from berx_gpu.links.links import Links
from berx_gpu.links.ranks import present_scores, ranks
from berx_gpu.links.reading import read_links
from berx_gpu.links.sets_of_links import labelled, true_links
from berx_gpu.options import whole_number


def false_links(
    ev: Scores, candidates: Any = None, records: Any = None, n: int | None = None
) -> Any:
    """Return the predicted pairs that are not true as a frame, the costliest first."""
    counts, truth = ev._counts, ev._counts.truth
    backend = truth.backend()
    links = counts.links
    new, hit, _ = truth.label(links, backend)
    chosen = _one_row_each(links, new, backend) & ~hit
    chosen = backend.to_host(chosen.nonzero()[0])
    gain = _gain(ev, counts.tp, counts.n_pred - 1, backend)
    codes, chosen, gained = _worst(links.codes, chosen, gain, n, backend)
    every_true = true_links(truth, links.frame)
    owner = _holder(links, chosen, every_true, backend)
    columns = [
        *_entity_columns(ev, codes),
        *_at(links.frame.target, _positions(links, chosen, backend)),
        *_score_columns(links, chosen, backend),
    ]
    if candidates is not None:
        own = _candidates(ev, candidates, None, backend)
        inside = backend.to_host(labelled(links, own, truth.n_entities, backend)[1])
        columns.append(("candidate", inside[chosen]))
    columns += [*_named("owner", _entity_columns(ev, owner)), ("gain", gained)]
    return _with_records(columns, len(links.frame.entity), records, ev)


def missed_links(
    ev: Scores, candidates: Any = None, records: Any = None, n: int | None = None
) -> Any:
    """Return the true pairs that were not predicted as a frame, the costliest first."""
    counts, truth = ev._counts, ev._counts.truth
    backend = truth.backend()
    links = counts.links
    every_true = true_links(truth, links.frame)
    once, predicted = labelled(every_true, links, truth.n_entities, backend)
    chosen = backend.to_host((once & ~predicted).nonzero()[0])
    gain = _gain(ev, counts.tp + 1, counts.n_pred + 1, backend)
    codes, chosen, gained = _worst(truth.codes, chosen, gain, n, backend)
    given = _holder(every_true, chosen, links, backend)
    columns = [*_entity_columns(ev, codes), *_at(truth.columns, chosen)]
    if candidates is not None:
        name = "score" if links.frame.score is None else links.frame.score[0]
        scored = name if frames.has_columns(candidates, [name]) else None
        own = _candidates(ev, candidates, scored, backend)
        columns += _as_candidates(every_true, chosen, own, backend)
    columns += [*_named("given_to", _entity_columns(ev, given)), ("gain", gained)]
    return _with_records(columns, len(links.frame.entity), records, ev)


def _one_row_each(links: Links, new: Any, backend: Backend) -> Any:
    """Mark one row of each distinct pair: where there are scores, the one with the best."""
    return new if links.frame.score is None else ranks(links, backend) > 0


def _gain(ev: Scores, tp: Any, n_pred: Any, backend: Backend) -> Any:
    """Return, per entity, what F would gain with other counts; asked where these can be."""
    counts = ev._counts
    before = backend.fbeta(*counts.each, ev.beta)
    after = backend.fbeta(tp, n_pred, counts.n_true, ev.beta)
    return backend.to_host(after - before)


def _worst(
    codes: Any, chosen: Any, gain: Any, n: int | None, backend: Backend
) -> tuple[Any, Any, Any]:
    """Return the codes, rows and gains of the chosen rows, highest gain first, at most n."""
    if n is not None:
        whole_number("n", n, 0)
    codes = backend.to_host(codes)[chosen]
    order = np.argsort(-gain[codes], kind="stable")[:n]
    return codes[order], chosen[order], gain[codes[order]]


def _positions(links: Links, chosen: Any, backend: Backend) -> Any:
    """Return which rows of the caller's frame some present rows are."""
    if links.present is None:
        return chosen
    return np.flatnonzero(backend.to_host(links.present))[chosen]


def _at(columns: list[Column], positions: Any) -> list[Column]:
    return [(name, take(values, positions)) for name, values in columns]


def _entity_columns(ev: Scores, codes: Any) -> list[Column]:
    """Return the entity ids at some positions of the list, missing at -1."""
    columns = ev._counts.truth.listed.key_columns
    if (codes >= 0).all():
        return _at(columns, codes)
    return [(name, _take_or_null(values, codes)) for name, values in columns]


def _take_or_null(values: Any, codes: Any) -> Any:
    if isinstance(values, ARROW):
        return take(values, pa.array(codes, mask=codes < 0))
    if hasattr(values, "to_arrow"):  # cuDF
        return take(values, np.maximum(codes, 0)).mask(codes < 0)
    if values.dtype.kind in "iub":
        values = values.convert_dtypes()  # integers and bools that can be missing
    return values.reset_index(drop=True).reindex(codes).reset_index(drop=True)


def _named(prefix: str, columns: list[Column]) -> list[Column]:
    """Return columns under a name of their own, with the old one behind it if there are several."""
    if len(columns) == 1:
        return [(prefix, columns[0][1])]
    return [(f"{prefix}_{name}", values) for name, values in columns]


def _score_columns(links: Links, chosen: Any, backend: Backend) -> list[Column]:
    """Return the score of some rows and their rank within the entity, where there are scores."""
    if links.frame.score is None:
        return []
    name, values = links.frame.score
    place = backend.to_host(ranks(links, backend))[chosen]
    return [(name, take(values, _positions(links, chosen, backend))), ("rank", place)]


def _table(links: Links, parts: list[Any], chosen: Any, backend: Backend) -> Any:
    """Return the target keys of some rows as a host frame, and the names of its columns."""
    names = [f"key{i}" for i in range(len(parts))]
    host = (backend.to_host(backend.take(part, chosen)) for part in parts)
    frame = pd.DataFrame(dict(zip(names, host, strict=True)))
    frame["row"] = np.arange(len(frame))
    return frame, names


def _holder(links: Links, chosen: Any, holders: Links, backend: Backend) -> Any:
    """Return the entity that some other pairs give the target of each chosen row to, or -1.

    Of several such pairs, the one with the best score counts, then the first entity of the list.
    """
    parts, others = keys.aligned(backend.xp, links.targets, holders.targets)
    if not parts or not len(chosen):
        return np.full(len(chosen), -1, np.int64)
    wanted, names = _table(links, parts, chosen, backend)
    listed = backend.to_host(holders.codes >= 0).nonzero()[0]
    held, _ = _table(holders, others, listed, backend)
    if len(names) == 1:
        held = held[held["key0"].isin(wanted["key0"])]
    held["code"] = backend.to_host(holders.codes)[listed[held["row"]]]
    by = ["code"]
    if holders.frame.score is not None:
        scores = backend.to_host(present_scores(holders, backend))[listed[held["row"]]]
        held["rank"] = pd.Series(scores, held.index).rank(ascending=False)
        by = ["rank", "code"]
    held = held.sort_values(by, kind="stable").drop_duplicates(names).drop(columns="row")
    met = wanted.merge(held, on=names)
    out = np.full(len(wanted), -1, np.int64)
    out[met["row"]] = met["code"]
    return out


def _as_candidates(every_true: Links, chosen: Any, own: Links, backend: Backend) -> list[Column]:
    """Return whether each missed pair is a candidate, and its score and rank among these."""
    same_kind(every_true.targets, own.targets)
    parts, others = aligned(backend.xp, every_true.targets, own.targets)
    wanted, names = _table(every_true, parts, chosen, backend)
    wanted["code"] = backend.to_host(every_true.codes)[chosen]
    place = None if own.frame.score is None else backend.to_host(ranks(own, backend))
    counted = backend.to_host(own.codes >= 0) if place is None else place > 0
    held, _ = _table(own, others, counted.nonzero()[0], backend)
    held["at"] = counted.nonzero()[0]
    held["code"] = backend.to_host(own.codes)[held["at"]]
    keys = [*names, "code"]
    held = held.drop(columns="row").drop_duplicates(keys)
    met = wanted.merge(held, on=keys)
    at = np.full(len(wanted), -1, np.int64)
    at[met["row"]] = met["at"]
    columns: list[Column] = [("candidate", at >= 0)]
    if own.frame.score is not None and place is not None:
        name, values = own.frame.score
        found, rank, known = np.full(len(at), -1, np.int64), np.zeros(len(at), np.int64), at >= 0
        found[known], rank[known] = _positions(own, at[known], backend), place[at[known]]
        ranked = pd.Series(rank).astype("Int64").mask(~known)
        columns += [(name, _take_or_null(values, found)), ("rank", ranked)]
    return columns


def _candidates(ev: Scores, candidates: Any, score: Hashable | None, backend: Backend) -> Links:
    truth, frame = ev._counts.truth, ev._counts.links.frame
    names = [[name for name, _ in side] for side in (frame.entity, frame.target)]
    if not frames.has_columns(candidates, [*names[0], *names[1]]):
        names = [["entity"], ["target"]]
    how = Reading(names[0], names[1], score, unknown_entities="drop", nulls="drop")
    return read_links(candidates, "candidates", truth, how, backend)[0]


def _with_records(columns: list[Column], n_keys: int, records: Any, ev: Scores) -> Any:
    """Return the frame of some links, beside each id what a frame of records says of it."""
    if records is None:
        return build_frame(columns, ev._counts.library)
    sides = records if isinstance(records, tuple) else (records, records)
    if len(sides) != 2:
        raise DataError("records is a tuple; give one frame, or two: of entities and of targets")
    if n_keys != 1:
        raise DataError("records= needs an entity key and a target key of one column each")
    for (name, ids), side in zip(columns[:2], sides, strict=True):
        columns = [*columns, *_record_columns(str(name), ids, side, ev._counts.truth.ids)]
    return build_frame(columns, ev._counts.library)


def _record_columns(name: str, values: Any, records: Any, ids: str) -> list[Column]:
    """Return the columns of a frame of records for some ids, missing where there is no record."""
    (key_name, key), *others = frames.read_frame(records, "records")[1]
    backend = select.select(key)
    encoded = backend.encode(key, f"records column {key_name!r}", ids)
    wanted = backend.encode(values, f"column {name!r}", ids)
    keys.same_kind((wanted,), (encoded,))
    if encoded.missing is not None:
        raise DataError(
            f"records column {key_name!r}, the first, holds {rows(int(encoded.missing.sum()))} "
            "without an id; drop them"
        )
    parts, listed = keys.aligned(backend.xp, (wanted,), (encoded,))
    again = backend.to_host(backend.repeats(listed))
    if again.any():
        first = int(again.argmax())
        raise DataError(
            f"records column {key_name!r}, the first, holds {rows(int(again.sum()))} with an id "
            f"that another has, first at row {first} "
            f"({some(to_arrow(take(key, [first]), '').to_pylist())}); give one row per id"
        )
    at = np.full(len(values), -1, np.int64)
    if len(values) and len(key):
        at = backend.to_host(backend.lookup(backend.index(listed), parts)[0]).astype(np.int64)
    return [(f"{name}_{label}", _take_or_null(texts, at)) for label, texts in others]
