"""What a report of a fault shows."""

import pandas as pd

from berx_gpu import show_versions


def test_versions_name_what_is_installed(capsys):
    show_versions()
    lines = dict(line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines())
    assert lines["pandas"] == pd.__version__
    assert lines["GPU"].startswith(("none: ", "NVIDIA"))
    assert "berx-gpu" in lines
