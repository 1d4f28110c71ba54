"""The page of lesson 15: it never opens the model, and draws what the record holds."""

import os
import subprocess
import sys

import nbformat

from lessons import cells
from lessons.real_model import LESSON
from tests.conftest import NOTEBOOKS, ROOT
from tests.lessons.real_model.test_without_the_part import HIDDEN


def test_its_figures_are_drawn_from_the_record_where_the_part_is_not_installed(tmp_path):
    (tmp_path / "sitecustomize.py").write_text(HIDDEN)
    code = (
        "from courseware.environment import NOTEBOOKS; from publish.site import capture; "
        f"print(*sorted(capture.run(NOTEBOOKS / {LESSON.notebook!r})))"
    )
    paths = os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path), str(ROOT)])}
    done = subprocess.run([sys.executable, "-c", code], env=paths, cwd=tmp_path, capture_output=True, text=True)
    notebook = nbformat.read(NOTEBOOKS / LESSON.notebook, as_version=4)
    drawn = {cell.id for cell in notebook.cells if cells.on_model(cell) and cells.drawn(cell.source)}
    assert not done.returncode and len(drawn) == 5, done.stderr
    assert drawn <= set(done.stdout.split())
