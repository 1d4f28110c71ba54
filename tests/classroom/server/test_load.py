"""The load test itself, with five learners for a minute: nobody fails, and whoever fails is counted."""

import asyncio
import re

import nbformat

from classroom.server import load
from course_lib.lessons import catalogue
from tests.conftest import ROOT


def test_answered_fills_in_every_answer():
    lesson = catalogue.lesson("position_independence")
    cells = nbformat.read(ROOT / "notebooks" / lesson.notebook, as_version=4).cells
    sources = load.answered(lesson, [cell.source for cell in cells if cell.cell_type == "code"])
    assert len(sources) > 30 and not any(re.search(r"^\w+ = TODO", one, re.MULTILINE) for one in sources)
    assert "my_numbers = 8" in sources and any("def rowwise" in source and "check(" in source for source in sources)


def test_five_learners_for_a_minute():
    lesson = catalogue.lesson("position_independence")
    cells = nbformat.read(ROOT / "notebooks" / lesson.notebook, as_version=4).cells
    sources = load.answered(lesson, [cell.source for cell in cells if cell.cell_type == "code"])
    with load.Server(5) as server:
        measured = asyncio.run(load.simulate(server, sources, 60))
    print(load.table(measured, 5))
    assert measured.failures == []
    assert len(measured.ready) == 5 and len(measured.cells) > 5 * 4 and measured.megabytes > 5 * 100


def test_a_cell_that_raises_is_a_failure():
    with load.Server(1) as server:
        measured = asyncio.run(load.simulate(server, ["print(1)", "raise ValueError('no')"], 30))
    assert len(measured.failures) == 1 and "ValueError: no" in measured.failures[0]
