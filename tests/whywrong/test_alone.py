"""The library stands alone: it imports no more than it says, and its README's example prints what stands there."""

import ast
import re
import subprocess
import sys

import pytest

from courseware import packing
from tests.conftest import ROOT

FOLDER = ROOT / "whywrong"
FILES = packing.files(("whywrong",))
README = (FOLDER / "README.md").read_text(encoding="utf-8")
ALLOWED = sys.stdlib_module_names | {"numpy", "psutil", "whywrong"}


def imported(code: str) -> set[str]:
    """Return the packages that a module imports, wherever it does."""
    nodes = [*ast.walk(ast.parse(code))]
    found = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    found |= {"." * node.level + (node.module or "") for node in nodes if isinstance(node, ast.ImportFrom)}
    return {name.partition(".")[0] for name in found}


@pytest.mark.parametrize("name", [name for name in FILES if name.endswith(".py")])
def test_it_imports_numpy_psutil_and_python_alone(name):
    code = (ROOT / name).read_text(encoding="utf-8")
    assert imported(code) <= ALLOWED
    assert not re.search(r"course_lib|lessons", code)
    assert not imported(f"{code}\ndef f():\n    import torch.nn\n") <= ALLOWED


def test_the_example_prints_what_the_readme_says(tmp_path):
    """In a folder with nothing but the library."""
    (example, ready), (says,) = (
        re.findall(rf"^```{kind}\n(.*?)^```$", README, re.M | re.S) for kind in ("python", "text")
    )
    (tmp_path / "whywrong").symlink_to(FOLDER)
    assert ready == "assert faults(TASK) == []\n"
    (tmp_path / "example.py").write_text(example + ready, encoding="utf-8")
    command = [sys.executable, "-I", "-c", "import sys, runpy; sys.path[0:0] = ['.']; runpy.run_path('example.py')"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert (done.stdout, done.stderr) == (says, "")


def test_every_module_is_on_the_page():
    table = "\n".join(line for line in README.splitlines() if line.startswith("|"))
    assert set(re.findall(r"`(\w+\.\w+)`", table)) == {
        name.rpartition("/")[2] for name in FILES if name.endswith((".py", ".toml"))
    } - {"__init__.py", "pyproject.toml"}
