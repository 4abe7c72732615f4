"""Ids that would match only after stripping blanks or Unicode normalisation."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc


def count_look_alikes(pred: Any, truth: Any) -> int:
    """Count predicted ids that would be true ids after stripping blanks and Unicode NFC.

    Parameters
    ----------
    pred, truth : pandas text arrays
        Ids without missing ones; repeats do not count twice.

    Notes
    -----
    Almost no data set has an id that stripping or NFC changes, and one pass over the bytes shows
    it. Only when there are such ids are the distinct ids of both sides compared.
    """
    try:
        odd_truth = pc.unique(_odd(pa.chunked_array(pa.array(truth))))
        odd_pred = pc.unique(_odd(pa.chunked_array(pa.array(pred))))
        if not len(odd_truth) and not len(odd_pred):
            return 0
        plain_of_true = _plain(odd_truth)
        true_ids = pc.unique(pa.array(truth))
        stray = odd_pred.filter(pc.invert(pc.is_in(odd_pred, true_ids)))
        tidied = _plain(stray)
    except pa.ArrowInvalid:  # not UTF-8 at all: there is no Unicode form to compare
        return 0
    meets = pc.or_(pc.is_in(tidied, true_ids), pc.is_in(tidied, plain_of_true))
    count = int(pc.sum(meets).as_py() or 0)
    # The other way round: a plain predicted id whose only true partner is an odd one.
    partner = pc.unique(plain_of_true)
    partner = partner.filter(pc.invert(pc.is_in(partner, true_ids)))
    partner = partner.filter(pc.invert(pc.is_in(partner, odd_pred)))
    met = pc.is_in(partner, pc.unique(pa.array(pred)))
    return count + int(pc.sum(met).as_py() or 0)


def _plain(text: Any) -> Any:
    return pc.utf8_trim(pc.utf8_trim_whitespace(pc.utf8_normalize(text, "NFC")), "\ufeff")


def _odd(text: Any) -> Any:
    """Return the ids that `_plain` may change: not ASCII, or with a blank at an end."""
    blank = pc.not_equal(pc.ascii_trim_whitespace(text), text)
    return text.filter(pc.or_(pc.invert(pc.string_is_ascii(text)), blank))
