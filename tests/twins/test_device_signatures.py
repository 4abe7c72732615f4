"""The table of signatures is that of the installed cuDF and CuPy.

This runs in the environment of `.ci/gpu-check.txt`; elsewhere it is not collected.
"""

import json

from device_signatures import TABLE, table


def test_the_table_is_what_is_installed():
    held = json.loads(TABLE.read_text())
    assert table(held) == held
