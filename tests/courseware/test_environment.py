"""The environment check names what is missing in plain words, with the cure, and needs nothing but Python itself."""

import os
import subprocess
import sys

import nbformat
import pytest
from nbclient import NotebookClient

from courseware import environment
from tests.conftest import NOTEBOOKS

HIDE = """
import sys

class Hidden:
    '''Finds no package of the names given, as if they were not installed.'''

    def __init__(self, finder):
        self.finder = finder

    def find_spec(self, name, path=None, target=None):
        return None if name.partition('.')[0] in {hidden!r} else self.finder.find_spec(name, path, target)

sys.meta_path[:] = [Hidden(finder) for finder in sys.meta_path]
"""


def run(code, hidden=(), folder=NOTEBOOKS, **variables):
    """Run code in a fresh process in which some packages are not installed."""
    command = [sys.executable, "-c", HIDE.format(hidden=tuple(hidden)) + code]
    environment = {**os.environ, "PYTHONIOENCODING": "utf-8", **variables}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, encoding="utf-8", timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def progress(tmp_path, monkeypatch):
    """A folder that can be written, whatever the tests were started with."""
    monkeypatch.setenv("COURSE_PROGRESS", str(tmp_path / "progress.json"))


def test_every_missing_package_is_named(progress):
    """The check runs where numpy, filelock and psutil are missing too."""
    shown = run("from courseware import environment; environment.report()", hidden=environment.NEEDED)
    expected = [
        f"The package {name} ({purpose}) is missing. {environment.FIX}" for name, purpose in environment.NEEDED.items()
    ]
    assert shown.splitlines() == expected
    assert environment.FIX.endswith("%pip install -c ../constraints.txt -e ..")


def test_nothing_but_python_is_loaded(progress):
    code = """
from courseware import environment
environment.problems()
own = {name.partition('.')[0] for name in sys.modules} - set(sys.stdlib_module_names) - {'__main__'}
print(*sorted(name for name in own if not name.startswith(('__editable__', '_distutils', 'sitecustomize'))))
"""
    assert run(code) == "courseware\n"


@pytest.mark.parametrize(
    ("version", "fine"), [((3, 10, 14), False), ((3, 11, 0), True), ((3, 14), True), ((4, 0), True)]
)
def test_python_version(version, fine, monkeypatch, progress):
    monkeypatch.setattr(sys, "version_info", version)
    expected = [] if fine else ["Python 3.11 or newer is needed, but this is Python 3.10."]
    assert environment.problems() == expected


def test_folder_that_cannot_be_written(tmp_path, monkeypatch, capsys):
    folder = tmp_path / "missing"
    monkeypatch.setenv("COURSE_PROGRESS", str(folder / "progress.json"))
    sentence = f"The folder {folder} cannot be written to, so your progress is lost when you close a notebook."
    assert environment.problems() == [sentence]
    environment.report()
    assert capsys.readouterr().out == f"{sentence}\n"


HIDING = ["torch.py", "numpy/__init__.py", "lessons.py", "whywrong.py"]


@pytest.mark.parametrize("file", HIDING)
def test_a_file_that_hides_a_package_is_named(file, tmp_path):
    """In a kernel, whose own folder comes before the packages, but after Python's library."""
    for name in (file, "random.py", "start.py", "mine.py", "notes/torch.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("import course_lib")])
    client = NotebookClient(notebook, allow_errors=True, resources={"metadata": {"path": tmp_path}})
    client.execute()
    (error,) = notebook.cells[0].outputs
    path, name = tmp_path / file.partition("/")[0], file.removesuffix(".py").partition("/")[0]
    assert error.evalue == f"{path} hides the package {name}: rename it, then restart the kernel."
