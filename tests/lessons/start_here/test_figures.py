"""The emblem moves, keeps what a lesson asks for covered, and is the first thing that a learner meets."""

import subprocess
import sys

import nbformat
import numpy as np
import pytest

from course_lib.page.interactive import Explorer, Range
from lessons.start_here import figures
from tests.conftest import NOTEBOOKS
from tests.page.figure_rules import drawn_texts, moving_problems

CELLS = nbformat.read(NOTEBOOKS / "00_start_here.ipynb", as_version=4).cells
FIRST_SCREEN = 130  # words above the picture, that of the title among them


def shown(emblem):
    return [np.asarray(image.get_array()) for image in emblem.moving["images"]]


def test_every_panel_but_the_covered_one_moves():
    emblem = figures.emblem()
    assert moving_problems(emblem, [{"degrees": degrees} for degrees in (0, 90, 345)]) == []
    emblem.move(degrees=0)
    before = shown(emblem)
    emblem.move(degrees=90)
    assert [values.shape for values in before] == [(4, 8), (4, 32), (4, 8)]
    assert all(np.abs(new - old).min(axis=1).max() > 0 for old, new in zip(before, shown(emblem), strict=True))
    assert len({image.get_clim() for image in emblem.moving["images"]}) == 1
    most = max(np.abs(values).max() for values in shown(emblem))
    assert most <= emblem.moving["images"][0].get_clim()[1]


def test_the_stage_that_lesson_04_asks_about_is_covered():
    emblem = figures.emblem()
    covered = emblem.figure.axes[figures.NAMES.index(figures.COVERED)]
    assert not covered.get_images() and not covered.lines
    assert "?" in {text.get_text() for text, _ in drawn_texts(emblem.figure)}
    for degrees in (0, 180):
        assert "zero" not in emblem.move(degrees=degrees).replace("blue below zero, blank for zero", "")


def test_the_picture_stands_on_the_first_screen():
    place = next(place for place, cell in enumerate(CELLS) if cell.id == "emblem")
    words = sum(len(cell.source.split()) for cell in CELLS[:place])
    assert words <= FIRST_SCREEN and "image/png" in CELLS[place].outputs[0].data
    heading = CELLS[1].source
    assert CELLS[1].cell_type == "markdown" and "**Shift+Enter**" in heading


def test_a_move_costs_little():
    explorer = Explorer(figures.emblem(), degrees=Range("turn (degrees)", 0, 345, step=15, start=0))
    first = explorer.png()
    explorer.set(degrees=15)
    assert explorer.png() != first
    assert explorer.interactive.figure.get_size_inches()[1] * 110 <= 300


def test_the_lesson_starts_without_torch_and_draws_only_when_asked():
    sources = [cell.source for cell in CELLS if cell.id in ("setup", "environment", "imports", "emblem")]
    assert len(sources) == 4
    code = "\n".join(sources) + "\nimport sys; print('torch' in sys.modules, 'matplotlib.pyplot' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout.rstrip().endswith("False False")


@pytest.mark.parametrize(("option", "words"), [({"tokens": 0}, "tokens must be"), ({"d_ff": 0.5}, "d_ff must be")])
def test_errors(option, words):
    with pytest.raises((TypeError, ValueError), match=words):
        figures.emblem(**option)
