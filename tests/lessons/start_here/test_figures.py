"""A picture that moves is the first thing that a learner meets."""

import subprocess
import sys

import nbformat

from lessons import cells
from tests.conftest import NOTEBOOKS

CELLS = nbformat.read(NOTEBOOKS / "00_start_here.ipynb", as_version=4).cells
FIRST_SCREEN = 130  # words above the picture, that of the title among them


def test_the_picture_stands_on_the_first_screen():
    place = next(place for place, cell in enumerate(CELLS) if cell.id == "opening")
    words = sum(len(cell.source.split()) for cell in CELLS[:place])
    assert words <= FIRST_SCREEN and "image/png" in CELLS[place].outputs[0].data
    assert [cell.cell_type for cell in CELLS[:place]] == ["markdown"] * place and cells.hidden(CELLS[place])
    heading = CELLS[1].source
    assert CELLS[1].cell_type == "markdown" and "**Shift+Enter**" in heading


def test_the_lesson_starts_without_torch_and_draws_only_when_asked():
    sources = [cell.source for cell in CELLS if cell.id in ("opening", "setup", "environment")]
    assert len(sources) == 3
    code = "\n".join(sources) + "\nimport sys; print('torch' in sys.modules, 'matplotlib.pyplot' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout.rstrip().endswith("False False")
