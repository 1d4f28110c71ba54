"""The minutes that a lesson states are those of the count, and its core path fits into a school lesson."""

import nbformat
import pytest

from lessons import catalogue
from publish.author import derived, minutes
from tests.conftest import ROOT

LIMIT = 45


def stored(lesson):
    return nbformat.read(ROOT / "notebooks" / lesson.notebook, as_version=4)


@pytest.mark.parametrize("lesson", catalogue.lessons(), ids=lambda lesson: lesson.name)
def test_a_lesson_states_its_minutes(lesson):
    core, more = minutes.minutes(stored(lesson), lesson)
    write = f"write minutes={core}, more={more} in its __init__.py, then make refresh"
    assert (core, more) == (lesson.minutes, lesson.more), write


@pytest.mark.parametrize("lesson", catalogue.lessons(), ids=lambda lesson: lesson.name)
def test_a_core_path_fits_into_a_school_lesson(lesson):
    notebook = stored(lesson)
    first = [cell.id for cell in notebook.cells].index("learn") if lesson.number else 0
    opened = any(
        "image/png" in one.get("data", {}) for cell in notebook.cells[:first] for one in cell.get("outputs", [])
    )
    room = 0 if opened or lesson.number == 0 else minutes.PICTURE  # for the picture that is to open it
    assert minutes.core(notebook, lesson) <= LIMIT - room, "shorten the core path, or tag cells of it as optional"


@pytest.mark.parametrize("lesson", catalogue.lessons(), ids=lambda lesson: lesson.name)
def test_an_optional_part_states_its_minutes(lesson):
    notebook = stored(lesson)
    sources = [cell.source for cell in notebook.cells]
    derived.state_minutes(notebook, lesson)
    assert [cell.source for cell in notebook.cells] == sources, "make refresh writes them"
