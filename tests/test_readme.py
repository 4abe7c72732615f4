"""Every example of the README runs and prints what it shows."""

import doctest
import re
import shlex
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()


def test_python_examples(monkeypatch):
    monkeypatch.chdir(ROOT)
    blocks = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    source = "\n".join(blocks)
    test = doctest.DocTestParser().get_doctest(source, {}, "README", "README.md", 0)
    runner = doctest.DocTestRunner()
    runner.run(test)
    assert len(test.examples) > 20
    assert runner.failures == 0


def commands():
    """Yield (command, what it prints) of the console blocks."""
    for block in re.findall(r"```console\n(.*?)```", README, flags=re.DOTALL):
        for part in block.split("$ ")[1:]:
            command, _, output = part.partition("\n")
            yield command, output


@pytest.mark.parametrize(("command", "output"), [c for c in commands() if c[0].startswith("berx")])
def test_shell_examples(command, output):
    done = subprocess.run(
        shlex.split(command), cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert done.stdout == output


def test_the_set_up_commands_are_those_that_ci_runs():
    told = [command for command, _ in commands()]
    script = (ROOT / ".ci" / "run").read_text()
    assert "pip install -e '.[test]' && pytest" in told
    assert "readme_command" in script


def test_links_and_paths_exist():
    rooms = "|".join(p.name for p in (ROOT / "berx_gpu").iterdir() if p.is_dir())
    pages = README + (ROOT / "docs" / "how_it_works.md").read_text()
    named = rf"(?<![\w./-])((?:berx_gpu|tests|examples|docs|{rooms})/[\w./]*\w)"
    for path in re.findall(named, pages):
        assert any((base / path).exists() for base in (ROOT, ROOT / "berx_gpu")), path
