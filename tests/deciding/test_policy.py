"""Policies: what they hold, and how they are saved and loaded."""

import math

import numpy as np
import pytest
from conftest import on_every_backend
from small_sweep import ROWS

from berx_gpu import DataError, Policy, decide


@on_every_backend
def test_policies_are_saved_and_loaded(tmp_path):
    path = tmp_path / "policy.json"
    for policy in (Policy(), Policy(0.5, True, 0.1, 3, 0.9, 0.2, -1.0), Policy(math.inf)):
        policy.save(path)
        assert Policy.load(path) == policy
    path.write_text('{"treshold": 1}')
    with pytest.raises(DataError, match="'treshold', which does not exist"):
        Policy.load(path)
    path.write_text("[]")
    with pytest.raises(DataError, match="no policy, but list"):
        Policy.load(path)
    path.write_text("{")
    with pytest.raises(DataError, match="no JSON"):
        Policy.load(path)


@on_every_backend
@pytest.mark.parametrize(
    "rules",
    [{"top_k": 0}, {"ratio": 0.0}, {"ratio": 1.1}, {"owner_margin": -1}, {"threshold": True},
     {"one_entity_per_target": 1}, {"min_best": "x"}],
)  # fmt: skip
def test_rules_out_of_range_are_refused(rules):
    with pytest.raises(DataError):
        Policy(**rules)


@on_every_backend
def test_a_policy_holds_plain_numbers(tmp_path):
    policy = Policy(threshold=np.float32(0.5), top_k=np.int64(3), min_best=np.float16(0.25))
    policy.save(tmp_path / "p.json")
    assert Policy.load(tmp_path / "p.json") == policy == Policy(0.5, top_k=3, min_best=0.25)
    nothing = Policy(threshold=math.nan)
    nothing.save(tmp_path / "p.json")
    assert len(decide(ROWS, Policy.load(tmp_path / "p.json"))) == 0


@on_every_backend
def test_a_margin_is_a_rule_of_owners():
    assert Policy(owner_margin=0.1) == Policy(one_entity_per_target=True, owner_margin=0.1)
    assert Policy(best_margin=0.1).rules() != Policy(best_margin=0.10000001).rules()


@on_every_backend
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"threshold": true}', "p.json: threshold=True"),
        ('{"threshold": "x"}', "p.json: threshold='x'"),
        ('{"top_k": 2.0}', "p.json: top_k=2.0"),
        ('{"threshold": 0.5, "threshold": 0.6}', "'threshold' twice"),
        ("[" * 100_000, "p.json is no JSON"),
    ],
)
def test_files_that_hold_no_policy(tmp_path, text, said):
    (tmp_path / "p.json").write_text(text)
    with pytest.raises(DataError, match=said):
        Policy.load(tmp_path / "p.json")
