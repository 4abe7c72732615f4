"""The house rules: import-linter's contracts hold, and what is peculiar to this house."""

import ast
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import berx_gpu

ROOT = Path(__file__).parent.parent
PACKAGE = sorted((ROOT / "berx_gpu").rglob("*.py"))
KERNELS = sorted((ROOT / "kernels").glob("*.py"))
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
MAX_LINES, MAX_BODY = 400, 50

MAY_IMPORT_KERNELS = {
    "berx_gpu/backends/cpu/": ("_cpu", "_rows"),
    "berx_gpu/backends/cuda.py": ("_cuda",),
    "berx_gpu/backends/draws.py": ("_rows",),
    "berx_gpu/sets.py": ("_rows",),
    "kernels/_jit.py": (),
    "kernels/_memory.py": ("_jit",),
    "_rows.py": ("_rows", "_jit", "_memory"),
    "_cpu.py": ("_rows", "_jit", "_memory"),
    "_cuda.py": ("_rows",),
}
"""Which files may import which kernels, by how their names end."""


def own_imports(path):
    """Return what a file imports from `berx_gpu` itself and from its kernels."""
    found = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            module = node.module or ""
            if module in ("berx_gpu", "berx_gpu.kernels"):
                found += [f"{module}.{alias.name}" for alias in node.names]
            elif module.startswith("berx_gpu.kernels") or (
                module.startswith("berx_gpu") and path.parent.name == "kernels"
            ):
                found.append(module)
    return found


def broken_kernel_imports(paths, root):
    """Return every import of a kernel, or of the package itself, that has no place there."""
    broken = []
    for path in paths:
        name = path.relative_to(root).as_posix()
        rooms = [ends for room, ends in MAY_IMPORT_KERNELS.items() if room in name]
        allowed = rooms[0] if rooms else ()
        broken += [
            f"{name} imports {module}"
            for module in own_imports(path)
            if not (module.startswith("berx_gpu.kernels.") and module.endswith(allowed or "?"))
            and (name, module) != ("berx_gpu/cli/app.py", "berx_gpu.__version__")
        ]
    return broken


def lint(root):
    """Return what import-linter says of each contract."""
    done = subprocess.run(
        [sys.executable, "-c", "from importlinter.cli import lint_imports_command as c; c()",
         "--no-cache"],
        cwd=root, env={**os.environ, "PYTHONPATH": str(root)}, capture_output=True, text=True,
    )  # fmt: skip
    return dict(re.findall(r"^(.*?) (KEPT|BROKEN)", done.stdout, re.M)) or done.stdout + done.stderr


def test_every_contract_holds():
    names = [contract["name"] for contract in PYPROJECT["tool"]["importlinter"]["contracts"]]
    assert lint(ROOT) == dict.fromkeys(names, "KEPT")


FAULTS = {
    "layers": ("inputs/plain.py", "from berx_gpu.sweeping import sweeping"),
    "backends": ("backends/plan.py", "from berx_gpu.backends.cpu import rules"),
    "links": ("links/links.py", "from berx_gpu.links import reading"),
    "evaluation": ("evaluation/limits.py", "from berx_gpu.evaluation import scoring"),
    "sweeping": ("sweeping/curve.py", "from berx_gpu.sweeping import results"),
    "circles": ("inputs/objects.py", "from berx_gpu.inputs import columns"),
    "gpu": ("links/truth.py", "import cupy"),
    "figures": ("comparing/figures.py", "import matplotlib"),
    "command": ("options.py", "import click"),
}


def test_a_planted_fault_breaks_each_contract(tmp_path):
    shutil.copytree(ROOT / "berx_gpu", tmp_path / "berx_gpu", ignore=lambda *_: ["__pycache__"])
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for file, line in FAULTS.values():
        with (tmp_path / "berx_gpu" / file).open("a") as out:
            out.write(f"{line}\n")
    contracts = PYPROJECT["tool"]["importlinter"]["contracts"]
    assert [contract["id"] for contract in contracts] == list(FAULTS)
    assert lint(tmp_path) == {contract["name"]: "BROKEN" for contract in contracts}
    shutil.copytree(ROOT / "berx_gpu", tmp_path / "berx_gpu", dirs_exist_ok=True)
    (tmp_path / "berx_gpu" / "helpers.py").write_text('"""A room without a layer."""\n')
    assert lint(tmp_path)[contracts[0]["name"]] == "BROKEN"


def test_kernels_are_imported_where_they_belong(tmp_path):
    assert broken_kernel_imports(PACKAGE + KERNELS, ROOT) == []
    for name, line in (
        ("kernels/fbeta_rows.py", "from berx_gpu.kernels import fbeta_cpu"),
        ("kernels/fbeta_cpu.py", "from berx_gpu.evaluation import scoring"),
        ("berx_gpu/evaluation/scoring.py", "from berx_gpu.kernels import fbeta_rows"),
        ("berx_gpu/links/truth.py", "from berx_gpu import evaluate"),
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(line)
        assert len(broken_kernel_imports([path], tmp_path)) == 1, name


def too_long(path):
    """Return a file and its functions that are longer than a reader can hold, in words."""
    text = path.read_text()
    if text.count("\n") > MAX_LINES:
        yield f"{path} has over {MAX_LINES} lines"
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef) and path.parent.name != "kernels":
            body = node.body[ast.get_docstring(node) is not None :]
            if body and body[-1].end_lineno - body[0].lineno >= MAX_BODY:
                yield f"{path}: {node.name} has over {MAX_BODY} lines"


def test_files_and_functions_are_short(tmp_path):
    folders = ("berx_gpu", "kernels")
    files = [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]
    assert [said for path in files for said in too_long(path)] == []
    long = tmp_path / "long.py"
    long.write_text("def f():\n" + "    x = 1\n" * MAX_BODY + "\n" * MAX_LINES)
    assert len(list(too_long(long))) == 1
    long.write_text("def f():\n" + "    x = 1\n" * (MAX_BODY + 1) + "\n" * MAX_LINES)
    assert len(list(too_long(long))) == 2


def functions(path):
    """Return the public functions of a file as {name: (parameters, what its loops do)}."""
    found = {}
    for node in ast.parse(path.read_text()).body if path.exists() else ():
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            loops = [n for n in ast.walk(node) if isinstance(n, ast.For)]
            names = [a.arg for a in node.args.args]
            found[node.name] = (names, [ast.unparse(loop.body) for loop in loops])
    return found


def unlike_twins(kernels):
    """Return the CUDA kernels that are not the loop of their CPU twin, in words."""
    found = []
    for path in sorted(kernels.glob("*_cuda.py")):
        twin = path.with_name(path.name.replace("_cuda", "_cpu"))
        theirs = functions(twin)
        found += [
            f"{path.stem}.{name} is not {twin.stem}.{name} on a grid"
            for name, ours in functions(path).items()
            if theirs.get(name) != ours
        ]
    return found


def test_cuda_kernels_have_the_source_of_their_twins(tmp_path):
    assert unlike_twins(ROOT / "kernels") == []
    for path in (ROOT / "kernels").glob("fbeta_*.py"):
        text = path.read_text()
        (tmp_path / path.name).write_text(
            text.replace("beta)", "2 * beta)") if path.stem == "fbeta_cuda" else text
        )
    assert unlike_twins(tmp_path) == ["fbeta_cuda.fbeta is not fbeta_cpu.fbeta on a grid"]


def test_every_folder_is_packaged_and_kernels_are_no_package_of_their_own():
    folders = {p.parent.relative_to(ROOT).as_posix().replace("/", ".") for p in PACKAGE}
    assert sorted({*folders, "berx_gpu.kernels"}) == PYPROJECT["tool"]["setuptools"]["packages"]
    assert not (ROOT / "kernels" / "__init__.py").exists()
    assert (ROOT / "berx_gpu" / "kernels").resolve() == (ROOT / "kernels").resolve()


def test_public_names_are_listed_for_type_checkers():
    text = (ROOT / "berx_gpu" / "__init__.py").read_text()
    typed = re.findall(r"import (\w+) as \1\b", text)
    assert sorted(typed) == sorted(set(berx_gpu.__all__) - {"__version__"})
    for name in berx_gpu.__all__:
        assert getattr(berx_gpu, name) is not None


def test_nothing_branches_on_a_backends_name():
    branch = re.compile(r"backend\.name\s*(==|!=|in)\b")
    assert [path for path in PACKAGE + KERNELS if branch.search(path.read_text())] == []
