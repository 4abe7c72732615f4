"""Checks without a truth."""

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from plain_pairs import ENTITIES, frame, pairs

from berx_gpu import check

pytestmark = pytest.mark.usefixtures("backend")


@given(pairs, pairs, st.sets(st.integers(0, 5)))
def test_a_check_counts_each_fault(rows, candidates, targets):
    listed = ENTITIES[:3]
    found = check(
        frame(rows),
        entities=listed,
        candidates=frame(candidates),
        targets=pd.Series(sorted(targets), dtype="int64"),
    )
    kept = [r for r in rows if r[0] in listed]
    assert found.findings == {
        "repeats": len(kept) - len(set(kept)),
        "nulls": 0,
        "unknown_entities": len(rows) - len(kept),
        "unknown_targets": sum(t not in targets for _, t in set(kept)),
        "outside_candidates": len(set(kept) - set(candidates)),
        "shared_targets": sum(
            len({e for e, u in kept if u == t}) > 1 for t in {t for _, t in kept}
        ),
        "empty_entities": sum(all(e != f for f, _ in kept) for e in listed),
    }
    assert (found.n_rows, found.n_pairs, found.n_entities) == (len(rows), len(set(kept)), 3)


def test_a_check_needs_no_entities_and_shows_examples():
    found = check([("a", "x"), ("b", "x"), ("b", None), (None, "y")])
    assert found.findings["nulls"] == 2
    assert found.findings["shared_targets"] == 1
    assert found.examples == {"shared_targets": ["x"]}
    assert found.n_entities == 2
    assert "unknown_entities" not in found.findings
    listed = pd.DataFrame({"entity": ["a", "b", "c"], "side": ["n", None, "n"]})
    found = check({"a": ["x", "y"], "b": []}, entities=listed)
    rows = found.to_dict()["slices"]["side"]
    assert rows == [
        {"side": "n", "n_entities": 2, "empty_share": 0.5, "links_per_entity": 1.0},
        {"side": None, "n_entities": 1, "empty_share": 1.0, "links_per_entity": 0.0},
    ]
    assert "empty entities" in str(found)
