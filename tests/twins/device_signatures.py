"""Write what cuDF and CuPy have of the names that the package uses: `device_signatures.json`.

Run in the environment of `.ci/gpu-check.txt`, with new names as arguments:

    python tests/twins/device_signatures.py cupy.unique cudf.Series.isin

A parameter is its name, its kind, whether it may be left out, and whether the library's own source
only raises NotImplementedError for it. What is written in C has no signature, and neither have
properties: null.
"""

import ast
import importlib
import inspect
import json
import os
import sys
import textwrap
from pathlib import Path

TABLE = Path(__file__).with_name("device_signatures.json")


def found(name):
    """Return the function, method or property of a dotted name."""
    os.environ.setdefault("RAPIDS_NO_INITIALIZE", "1")
    library, *path = name.split(".")
    thing = importlib.import_module(library)
    for step in path:
        if step == "str" and thing.__name__ == "Series":
            thing = importlib.import_module("cudf.core.accessors.string").StringMethods
        else:
            thing = (
                inspect.getattr_static(thing, step) if step == path[-1] else getattr(thing, step)
            )
    return thing


def described(name):
    """Return the parameters of a name as the table has them."""
    thing = found(name)
    function = getattr(thing, "__func__", thing)
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return None
    refused = only_raises(function)
    return [
        [p.name, p.kind.name, optional, optional and p.name in refused]
        for p in signature.parameters.values()
        for optional in [p.default is not p.empty]
    ]


def only_raises(function):
    """Return the parameters that the source looks at only to raise NotImplementedError."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(inspect.unwrap(function))))
    except (OSError, TypeError, SyntaxError):
        return set()
    names = set()
    for branch in (node for node in ast.walk(tree) if isinstance(node, ast.If)):
        if any(isinstance(s, ast.Raise) and "NotImplemented" in ast.dump(s) for s in branch.body):
            names |= {node.id for node in ast.walk(branch.test) if isinstance(node, ast.Name)}
    return names


def table(names):
    """Return the table of some names."""
    return {name: described(name) for name in sorted(names)}


if __name__ == "__main__":
    held = json.loads(TABLE.read_text()) if TABLE.exists() else {}
    rows = (f"{json.dumps(k)}: {json.dumps(v)}" for k, v in table({*held, *sys.argv[1:]}).items())
    TABLE.write_text("{\n" + ",\n".join(rows) + "\n}\n")
