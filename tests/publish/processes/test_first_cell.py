"""What a lesson's first cell tells where the course is missing leads to the course, when it is done as told."""

import json
import os
import shutil
import venv
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from courseware import environment
from tests.conftest import NOTEBOOKS, ROOT
from tests.publish.clones import git


@pytest.mark.parametrize("alone", [False, True])
def test_the_first_cell(tmp_path, monkeypatch, alone):
    """In a kernel whose Python lacks the course the first cell says what to type, there or alone in a folder."""
    root = tmp_path / "the course"
    listed = git(
        ROOT,
        "ls-files",
        "--",
        "course_lib",
        "courseware",
        "lessons",
        "whywrong",
        "notebooks",
        "*.txt",
        "*.toml",
        "LICENSE",
        "README.md",
    )
    for name in listed.splitlines():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, root / name)
    own = tmp_path / "own python"
    venv.create(own, symlinks=os.name != "nt")
    (packages,) = own.glob("lib/*/site-packages")
    installed = Path(nbformat.__file__).parents[1]
    (packages / "those_of_the_tests.pth").write_text(f"{installed}\n")  # all but the course, which is a .pth itself
    kernels = tmp_path / "share" / "jupyter" / "kernels" / "own"
    kernels.mkdir(parents=True)
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path / "share" / "jupyter"))
    argv = [str(own / "bin" / "python"), "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    (kernels / "kernel.json").write_text(json.dumps({"argv": argv, "display_name": "own"}))

    resources = {"metadata": {"path": tmp_path if alone else root / "notebooks"}}

    def said(*cells):
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
        client = NotebookClient(notebook, kernel_name="own", timeout=300, allow_errors=True, resources=resources)
        client.execute(env={**os.environ, "COURSE_PROGRESS": str(tmp_path / "progress.json")})
        return notebook.cells[-1].outputs

    setup = next(
        c.source for c in nbformat.read(NOTEBOOKS / "01_linear_limits.ipynb", as_version=4).cells if c.id == "setup"
    )
    (error,) = said(setup)
    show = "print(course_lib.__file__)"
    if alone:
        assert "This notebook is one file of a course" in error.evalue and "../" not in error.evalue
        git(root, "init", "--quiet")
        git(root, "add", ".")
        git(root, "commit", "--quiet", "-m", "All")
        where = said(error.evalue.partition("\n\n")[2].replace("ADDRESS", f"'{root}'"), setup, show)
        assert where[0].text.startswith(str(packages))
    else:
        assert error.evalue == environment.FIX
        said(error.evalue.rpartition(": ")[2])
        assert said(setup, show)[0].text.strip() == str(root / "course_lib" / "__init__.py")
