"""The house rules, checked from the source text: who may import what, and how long a file is."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
DOORS = {
    "truth": 0,
    "sets": 0,
    "scoring": 1,
    "breakdown": 2,
    "candidates": 2,
    "budget": 3,
    "wrong_links": 4,
    "checking": 1,
    "resampling": 3,
    "comparing": 4,
    "cross_fitting": 4,
    "curve_limits": 4,
    "posterior": 3,
    "entity_posterior": 3,
    "posterior_figures": 4,
    "judgements": 0,
    "clusters": 0,
    "policy": 1,
    "sweeping": 4,
    "curves": 3,
    "visualization": 5,
}
"""Each door with its floor: a door may import doors of lower floors."""

LIBRARIES = {"click", "numba", "numpy", "pandas", "pyarrow", "scipy", "cudf", "cupy", "matplotlib"}
ROOMS = {
    "__init__": set(),
    "errors": set(),
    "_tables": set(),
    "_summary": {"_tables", "errors"},
    "results": {"_summary", "_tables", "errors"},
    "candidate_results": {"_tables", "errors", "results"},
    "_sweep_tables": {"_tables"},
    "sweep_parts": {"_tables"},
    "sweep_results": {"_sweep_tables", "_tables", "errors", "sweep_parts"},
    "_versions": set(),
    "_bounded": set(),
    "_quadrature": set(),
    "_beta": {"_quadrature", "errors"},
    "_f_posterior": {"_beta", "_quadrature"},
    "_posterior_options": {"_options", "errors"},
    "posterior_model": {
        "_beta",
        "_bootstrap",
        "_f_posterior",
        "_options",
        "_posterior_options",
        "_tables",
        "errors",
    },
    "posterior": {
        "_beta",
        "_f_posterior",
        "_columns",
        "_frames",
        "_options",
        "_posterior_options",
        "errors",
        "posterior_model",
        "_backends.select",
    },
    "entity_posterior": {
        "_beta",
        "_columns",
        "_options",
        "_posterior_options",
        "errors",
        "posterior_model",
        "results",
    },
    "reconciliation": {"_tables"},
    "_numbered": {"_columns", "_encode", "errors"},
    "_judged": {"_columns", "_encode", "_frames", "_lists", "_numbered", "errors"},
    "judgements": {"_judged", "_numbered", "errors"},
    "cluster_results": {"_tables"},
    "clusters": {
        "_clusters",
        "_columns",
        "_encode",
        "_numbered",
        "_options",
        "_sums",
        "cluster_results",
        "errors",
    },
    "_drawing": {"_tables", "errors"},
    "posterior_figures": {
        "_beta",
        "_columns",
        "_drawing",
        "_options",
        "_posterior_options",
        "errors",
        "posterior_model",
        "results",
    },
    "_bootstrap": {"errors", "_backends.select"},
    "interval_results": {"_tables"},
    "comparison_results": {"_tables"},
    "curve_limits": {
        "_bootstrap",
        "_columns",
        "_options",
        "errors",
        "sweep_parts",
        "sweep_results",
    },
    "cross_fitting": {
        "_columns",
        "_options",
        "_sums",
        "errors",
        "interval_results",
        "results",
        "sweep_results",
    },
    "_pairing": {
        "_encode",
        "_encoded",
        "comparison_results",
        "errors",
        "resampling",
        "results",
        "truth",
    },
    "comparing": {
        "_bootstrap",
        "_columns",
        "_options",
        "_pairing",
        "_sums",
        "_tables",
        "comparison_results",
        "errors",
        "results",
    },
    "resampling": {
        "_bootstrap",
        "_bounded",
        "_columns",
        "_options",
        "_progress",
        "_sums",
        "errors",
        "interval_results",
        "results",
    },
    "_scores": {"_columns", "_encode", "errors"},
    "policy": {
        "_columns",
        "_encoded",
        "_links",
        "_options",
        "_pairs",
        "_ranks",
        "errors",
        "results",
        "_backends.select",
    },
    "visualization": {
        "_columns",
        "_drawing",
        "_options",
        "_tables",
        "comparison_results",
        "errors",
        "results",
        "sweep_results",
    },
    "curves": {
        "_columns",
        "_encoded",
        "_scores",
        "errors",
        "_backends.select",
        "_links",
        "_options",
        "results",
        "sweep_parts",
        "sweep_results",
    },
    "sweeping": {
        "_columns",
        "_encoded",
        "_frames",
        "_links",
        "_options",
        "_pairs",
        "_ranks",
        "_scores",
        "errors",
        "results",
        "sweep_parts",
        "sweep_results",
        "_backends.select",
    },
    "_progress": set(),
    "_sums": set(),
    "_columns": {"errors", "_backends.select"},
    "_lists": {"_columns", "errors", "_backends.select"},
    "_plain": {"_columns", "errors"},
    "_options": {"_columns", "_pairs", "errors", "_backends.select"},
    "_frames": {"_columns", "errors", "_backends.select"},
    "_pairs": {"_columns", "_frames", "_lists", "_plain", "errors", "_backends.select"},
    "_encode": {"_columns", "errors"},
    "list_files": {"errors"},
    "files": {"errors"},
    "pair_files": {"_columns", "_encode", "_pairs", "files", "list_files", "errors"},
    "_report": {
        "_summary",
        "_tables",
        "candidate_results",
        "files",
        "interval_results",
        "results",
    },
    "_cli_inputs": {
        "errors",
        "files",
        "pair_files",
        "_columns",
        "_links",
        "_pairs",
        "_report",
        *DOORS,
    },
    "_cli_score": {"_cli_inputs", "errors", "files", "_report", *DOORS},
    "_cli_candidates": {"_cli_inputs", "_report", "_tables", "errors", "files", *DOORS},
    "_cli_check": {"_cli_inputs", "errors", *DOORS},
    "_cli_judge": {"_cli_inputs", "_tables", "errors", "files", *DOORS},
    "_cli_posterior": {
        "_cli_inputs",
        "_options",
        "_tables",
        "errors",
        "_posterior_options",
        "files",
        "posterior_model",
        *DOORS,
    },
    "_cli_compare": {"_cli_inputs", "_report", "_tables", "errors", "files", *DOORS},
    "_cli_sweep": {
        "_cli_inputs",
        "_columns",
        "_report",
        "_tables",
        "errors",
        "files",
        "pair_files",
        *DOORS,
    },
    "cli": {
        "_cli_candidates",
        "_cli_check",
        "_cli_compare",
        "_cli_judge",
        "_cli_posterior",
        "_cli_score",
        "_cli_sweep",
        "_progress",
        "errors",
    },
    "__main__": {"cli"},
    "_clusters": {"_columns", "_frames", "_lists", "_pairs", "errors"},
    "_encoded": {"_encode", "_pairs", "errors", "_backends.select"},
    "truth": {
        "_clusters",
        "_encoded",
        "_columns",
        "_pairs",
        "_encode",
        "errors",
        "_backends.select",
    },
    "_links": {"_encode", "_encoded", "_pairs", "truth", "errors", "_backends.select"},
    "_ranks": {"_columns", "_encode", "_links", "_backends.select"},
    "candidates": {
        "_columns",
        "_encoded",
        "_frames",
        "_links",
        "_lists",
        "_options",
        "_pairs",
        "_ranks",
        "_sums",
        "candidate_results",
        "errors",
        "results",
        "_backends.select",
    },
    "budget": {
        "_encode",
        "_encoded",
        "_links",
        "_pairs",
        "_sums",
        "candidate_results",
        "errors",
        "results",
        "_backends.select",
    },
    "checking": {
        "_columns",
        "_encode",
        "_encoded",
        "_pairs",
        "_tables",
        "errors",
        "_backends.select",
    },
    "wrong_links": {
        "_columns",
        "_encode",
        "_frames",
        "_links",
        "_options",
        "_pairs",
        "_ranks",
        "errors",
        "results",
        "_backends.select",
    },
    "scoring": {
        "_columns",
        "_links",
        "_options",
        "_pairs",
        "_sums",
        "results",
        "errors",
        "_backends.select",
    },
    "breakdown": {"_columns", "_sums", "reconciliation", "results", "errors"},
    "sets": {"kernels.fbeta_rows"},
    "_backends.__init__": set(),
    "_backends.select": {"errors"},
    "_backends.draws": set(),
    "_backends.frames": {"_sums", "_backends.plan"},
    "_backends.curves": {
        "_sums",
        "_backends.frames",
        "_backends.matching",
        "_backends.threads",
    },
    "_backends.rules": {"_encode", "_scores", "_backends.frames", "_backends.plan"},
    "_backends.rules_cpu": {
        "_encode",
        "_backends.matching",
        "_backends.rules",
        "_backends.threads",
    },
    "_backends.plan": set(),
    "_backends.threads": {"_progress"},
    "_backends.matching": {"_encode", "_backends.frames", "_backends.threads"},
    "_backends.cpu": {
        "_encode",
        "_scores",
        "_backends.curves",
        "_backends.draws",
        "_backends.frames",
        "_backends.matching",
        "_backends.rules_cpu",
        "_backends.select",
        "_backends.threads",
    },
    "_backends.cuda": {
        "_encode",
        "_scores",
        "_backends.draws",
        "_backends.frames",
        "_backends.plan",
        "_backends.rules",
        "_backends.select",
        "errors",
    },
}
"""What each room imports from the package when it is loaded; doors and kernels are added below."""

MAX_LINES = 400


def package_files(root):
    return sorted((root / "berx_gpu").rglob("*.py")) + sorted((root / "kernels").glob("*.py"))


def room_of(path, root):
    relative = path.relative_to(root)
    parts = relative.with_suffix("").parts
    return ".".join(parts[1:] if parts[0] == "berx_gpu" else parts)


def imports(tree):
    """Yield (module, is it loaded with the file, is it for type checkers only)."""

    def walk(node, late, typing):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Import):
                for alias in child.names:
                    yield alias.name, not late, typing
            elif isinstance(child, ast.ImportFrom):
                assert child.level == 0, "imports are absolute"
                for alias in child.names:
                    yield f"{child.module}.{alias.name}", not late, typing
            else:
                for_types = isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test)
                is_late = late or isinstance(child, (ast.FunctionDef, ast.Lambda))
                yield from walk(child, is_late, typing or for_types)

    yield from walk(tree, late=False, typing=False)


def inner(module, rooms):
    """Return the room that an imported name is in or of."""
    name = module.removeprefix("berx_gpu.")
    while name and name not in rooms:
        name = name.rpartition(".")[0]
    return name


def allowed(room):
    """Return the rooms that a room may load with itself."""
    if room.startswith("kernels."):
        kind = room.rpartition("_")[2]
        base = {"rows", "_jit", "_memory"}
        return {"cpu": base, "cuda": {"rows"}, "rows": base}.get(kind, set())
    lower = {door for door in DOORS if DOORS[door] < DOORS.get(room, 0)}
    return ROOMS[room] | lower


def problems(root):
    """Return every broken rule under a folder, in words."""
    files = [
        p for p in package_files(root) if not p.is_symlink() and "berx_gpu/kernels" not in str(p)
    ]
    rooms = {room_of(p, root) for p in files}
    found = []
    for path in files:
        room, text = room_of(path, root), path.read_text()
        if text.count("\n") > MAX_LINES:
            found.append(f"{room} has over {MAX_LINES} lines")
        if not room.startswith("kernels.") and room not in ROOMS:
            found.append(f"{room} is a room that the house does not know")
            continue
        for module, loaded, typing in imports(ast.parse(text)):
            top = module.split(".")[0]
            if top in ("cudf", "cupy") and room != "_backends.cuda":
                found.append(f"{room} imports {top}")
            cuda = room.endswith("_cuda") or room == "_backends.cuda"
            if module.startswith("numba.cuda") and not cuda:
                found.append(f"{room} imports numba.cuda")
            if room in ("__init__", "errors") and top in LIBRARIES and loaded and not typing:
                found.append(f"{room} loads {top}")
            if top != "berx_gpu" or typing:
                continue
            found += broken_inner(room, inner(module, rooms), loaded)
    return found


def broken_inner(room, other, loaded):
    if room == "__init__" or not other or other == room:
        return []
    if other.startswith("kernels."):
        if room.startswith("kernels."):
            name = other.removeprefix("kernels.")
            kind = name if name.startswith("_") else name.rpartition("_")[2]
            return [] if kind in allowed(room) else [f"{room} imports {other}"]
        ours = {
            "_backends.cpu": ("_cpu", "_rows"),
            "_backends.matching": "_cpu",
            "_backends.curves": "_cpu",
            "_backends.rules_cpu": "_cpu",
            "_backends.cuda": "_cuda",
            "_backends.draws": "_rows",
            "sets": "_rows",
        }.get(room)
        return [] if ours and other.endswith(ours) else [f"{room} imports {other}"]
    if not loaded and (
        # A result imports its door when asked, select its backend, the command line what it runs.
        (room in ("results", "_summary", "sweep_results", "comparison_results") and other in DOORS)
        or (room in ("_backends.select", "_versions") and other.startswith("_backends."))
        or (room == "_versions" and other == "errors")
        or (room == "policy" and other == "files")  # a policy reads and writes itself
        or (room.startswith("_cli_") and other in allowed(room))
    ):
        return []
    return [] if other in allowed(room) else [f"{room} imports {other}"]


def test_the_house_is_in_order():
    assert problems(ROOT) == []


FAULTS = [
    ("berx_gpu/scoring.py", "import cudf", "scoring imports cudf"),
    ("berx_gpu/_backends/frames.py", "import cupy", "_backends.frames imports cupy"),
    ("berx_gpu/truth.py", "from numba import cuda", "truth imports numba.cuda"),
    ("berx_gpu/truth.py", "from berx_gpu import scoring", "truth imports scoring"),
    ("berx_gpu/scoring.py", "from berx_gpu._backends import cpu", "scoring imports _backends.cpu"),
    (
        "berx_gpu/scoring.py",
        "from berx_gpu.kernels import fbeta_cpu",
        "scoring imports kernels.fbeta_cpu",
    ),
    ("berx_gpu/results.py", "from berx_gpu import scoring", "results imports scoring"),
    ("berx_gpu/_encode.py", "from berx_gpu import _pairs", "_encode imports _pairs"),
    ("berx_gpu/__init__.py", "import pandas", "__init__ loads pandas"),
    (
        "kernels/fbeta_rows.py",
        "from berx_gpu.kernels import fbeta_cpu",
        "kernels.fbeta_rows imports kernels.fbeta_cpu",
    ),
    ("kernels/fbeta_cpu.py", "import berx_gpu.scoring", "kernels.fbeta_cpu imports scoring"),
    ("berx_gpu/helpers.py", "", "helpers is a room that the house does not know"),
    ("berx_gpu/errors.py", "#\n" * 400, "errors has over 400 lines"),
]


@pytest.mark.parametrize(("file", "line", "said"), FAULTS)
def test_a_broken_rule_is_found(tmp_path, file, line, said):
    for path in package_files(ROOT):
        if "berx_gpu/kernels" not in str(path):
            copy = tmp_path / path.relative_to(ROOT)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_text(path.read_text())
    target = tmp_path / file
    text = target.read_text() if target.exists() else '"""A room."""\n'
    target.write_text(text + line + "\n")
    assert problems(tmp_path) == [said]


def functions(path):
    """Return the public functions of a file as {name: (parameters, what its loops do)}."""
    found = {}
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            loops = [n for n in ast.walk(node) if isinstance(n, ast.For)]
            names = [a.arg for a in node.args.args]
            found[node.name] = (names, [ast.unparse(loop.body) for loop in loops])
    return found


def unlike_twins(root):
    """Return the CUDA kernels that are not the loop of their CPU twin, in words."""
    found = []
    for path in sorted((root / "kernels").glob("*_cuda.py")):
        twin = path.with_name(path.name.replace("_cuda", "_cpu"))
        theirs = functions(twin) if twin.exists() else {}
        for name, ours in functions(path).items():
            if theirs.get(name) != ours:
                found.append(f"{path.stem}.{name} is not {twin.stem}.{name} on a grid")
    return found


def test_cuda_kernels_have_the_source_of_their_twins():
    assert unlike_twins(ROOT) == []


def test_a_kernel_with_its_own_formula_is_found(tmp_path):
    (tmp_path / "kernels").mkdir()
    for path in (ROOT / "kernels").glob("fbeta_*.py"):
        text = path.read_text()
        if path.stem == "fbeta_cuda":
            assert "beta)" in text
            text = text.replace("beta)", "2 * beta)")
        (tmp_path / "kernels" / path.name).write_text(text)
    assert unlike_twins(tmp_path) == ["fbeta_cuda.fbeta is not fbeta_cpu.fbeta on a grid"]


def test_kernels_are_no_package_of_their_own():
    assert not (ROOT / "kernels" / "__init__.py").exists()
    assert (ROOT / "berx_gpu" / "kernels").resolve() == (ROOT / "kernels").resolve()


def test_public_names_are_listed_for_type_checkers():
    import berx_gpu

    text = (ROOT / "berx_gpu" / "__init__.py").read_text()
    typed = re.findall(r"import (\w+) as \1\b", text)
    assert sorted(typed) == sorted(set(berx_gpu.__all__) - {"__version__"})
    for name in berx_gpu.__all__:
        assert getattr(berx_gpu, name) is not None


def test_nothing_branches_on_a_backends_name():
    for path in package_files(ROOT):
        assert not re.search(r"backend\.name\s*(==|!=|in)\b", path.read_text()), path
