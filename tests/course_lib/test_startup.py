"""In the course's folders a NameError says what to do after a restart, and elsewhere nothing changes."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from course_lib import startup
from lessons import catalogue
from tests.conftest import NOTEBOOKS, ROOT


def test_the_first_lesson_marks_a_folder():
    assert catalogue.lessons()[0].notebook == startup.FIRST_LESSON
    assert (NOTEBOOKS / startup.FIRST_LESSON).is_file() and startup.ROOT == ROOT


def test_folders(tmp_path):
    for folder in (ROOT, NOTEBOOKS, ROOT / "my_notebooks", ROOT / "publish"):
        assert startup.of_the_course(folder)
    copies = tmp_path / "copies"
    (copies / "deeper").mkdir(parents=True)
    for folder in (tmp_path, copies, ROOT.parent, Path("/")):
        assert not startup.of_the_course(folder)
    (copies / startup.FIRST_LESSON).write_text("")
    assert startup.of_the_course(copies) and not startup.of_the_course(tmp_path)


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """An environment with the start-up file; its packages are those of the tests."""
    folder = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    asked = [str(python), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    packages = Path(subprocess.run(asked, check=True, capture_output=True, text=True).stdout.strip())
    (packages / "tests.pth").write_text("\n".join([str(ROOT), *filter(None, sys.path)]), encoding="utf-8")
    subprocess.run([str(python), "-m", "course_lib.startup"], check=True, cwd=ROOT)
    return python


def outputs(python, folder, *sources):
    """Run cells in a new kernel of an environment; return the error of the last one as text, and all outputs."""
    kernel = folder / "kernels" / "python3"
    kernel.mkdir(parents=True, exist_ok=True)
    argv = [str(python), "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    spec = {"argv": argv, "display_name": "x", "language": "python"}
    (kernel / "kernel.json").write_text(json.dumps(spec))
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in sources])
    client = NotebookClient(
        notebook, kernel_name="python3", allow_errors=True, resources={"metadata": {"path": folder}}
    )
    client.create_kernel_manager().kernel_spec_manager.kernel_dirs = [str(folder / "kernels")]
    client.execute()
    return [output for cell in notebook.cells for output in cell.outputs]


def test_in_a_kernel(environment, tmp_path):
    (tmp_path / startup.FIRST_LESSON).write_text("")
    sources = ("memorise(4)", "def f():\n    print(a)\n    a = 1\nf()", "1 / 0", "[n for n in dir() if 'install' in n]")
    exercise = ("from course_lib.desk import check", 'def double(x)\n    return x\ncheck("start_here.double", double)')
    missing, early, other, names, reply = outputs(environment, tmp_path, *sources, *exercise)
    assert (missing.ename, missing.evalue) == ("NameError", "name 'memorise' is not defined")
    assert startup.SENTENCE in missing.traceback[-1]
    assert "memorise(4)" in re.sub(r"\x1b\[[0-9;]*m", "", "".join(missing.traceback))  # without its colours
    assert early.ename == "UnboundLocalError" and other.ename == "ZeroDivisionError"
    assert not any(startup.SENTENCE in "".join(error.traceback) for error in (early, other))
    assert names.data["text/plain"] == "[]"  # nothing is left in the learner's names
    assert "Python cannot read line 1 of your code" in reply.data["text/plain"]  # and there is no traceback


def test_a_file_that_hides_all_of_the_course_is_named(environment, tmp_path):
    (tmp_path / "course_lib.py").write_text("")
    hidden, other = outputs(environment, tmp_path, "from course_lib.desk import check", "import no_such")
    assert "course_lib.py beside this notebook hides the course: rename it" in "".join(hidden.traceback)
    assert other.ename == "ModuleNotFoundError" and "course_lib.py" not in "".join(other.traceback)


def test_in_a_kernel_elsewhere(environment, tmp_path):
    (missing,) = outputs(environment, tmp_path, "memorise(4)")
    assert missing.ename == "NameError" and startup.SENTENCE not in "".join(missing.traceback)


def test_an_environment_that_cannot_be_written(tmp_path, capsys):
    (tmp_path / "etc").write_text("a file")
    assert startup.main(str(tmp_path)) == 0
    assert "cannot be written" in capsys.readouterr().out
