"""The package itself: a light import, and its names."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize("module", ["numba", "pandas", "pyarrow", "matplotlib", "scipy"])
def test_import_is_light(module):
    code = f"import sys, berx_gpu; sys.exit({module!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_a_misspelt_name_is_an_attribute_error():
    import berx_gpu

    with pytest.raises(AttributeError, match="no attribute 'evaluat'"):
        berx_gpu.evaluat  # noqa: B018
    assert set(berx_gpu.__all__) <= set(dir(berx_gpu))
