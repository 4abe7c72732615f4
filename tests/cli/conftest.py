"""The small tasks that commands are tried on."""

import pytest


@pytest.fixture
def files(tmp_path):
    """Return a folder with a small task as text files."""
    (tmp_path / "pred.csv").write_text("entity,target,score\na,x,0.9\na,z,0.2\nb,y,0.8\n")
    (tmp_path / "truth.csv").write_text("entity,target\na,x\nb,y\nb,w\n")
    (tmp_path / "entities.csv").write_text("entity,side\na,n\nb,s\nc,\n")
    return tmp_path


@pytest.fixture
def sweep_files(tmp_path):
    """Return a folder with scored candidates, their truth and a policy."""
    (tmp_path / "c.csv").write_text("entity,target,score\na,x,0.9\na,x,0.8\na,q,0.4\nb,y,0.6\n")
    (tmp_path / "t.csv").write_text("entity,target\na,x\nb,y\n")
    (tmp_path / "e.csv").write_text("entity,region\na,n\nb,s\nc,s\n")
    (tmp_path / "p.json").write_text('{"threshold": 0.5}')
    return tmp_path
