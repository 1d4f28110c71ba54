"""The minutes that a lesson states are those of the count, and its core path fits into a school lesson."""

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from course_lib.content import Lesson, Task
from lessons import catalogue
from publish import derived, minutes
from tests.conftest import ROOT

LIMIT = 45
SAMPLE = Lesson("sample", 1, "Sample", "Why?", (5, 5), "you need nothing", {"double": Task("Double", 20, 2)})
PICTURE = new_output("display_data", {"image/png": "", "text/plain": "Figure: a line."})
OPTIONAL = {"tags": ["optional"]}


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


def counted(*cells):
    return round(minutes.core(new_notebook(cells=list(cells)), SAMPLE), 3)


def test_every_part_counts():
    assert counted(new_markdown_cell("word " * 10 * minutes.WORDS, id="words")) == 10
    assert counted(new_code_cell("x = 1\n\n" * 150, id="run-1")) == 10
    assert counted(*[new_code_cell("my_guess = TODO", id=f"predict-{n}") for n in range(15)]) == 11.5
    assert counted(*[new_code_cell("", id=f"run-{n}", outputs=[PICTURE]) for n in range(60)]) == 30
    assert counted(new_code_cell('def double(): ...\ncheck("sample.double", double)', id="ex-1")) == 30.133


def sample(*cells):
    return new_notebook(cells=[new_markdown_cell("word " * minutes.WORDS, id="core"), *cells])


def test_optional_parts_are_counted_apart():
    first = new_markdown_cell("## Optional: one?\n\n" + "word " * 10 * minutes.WORDS, id="one", metadata=OPTIONAL)
    more = new_markdown_cell("word " * 650, id="more", metadata=OPTIONAL)
    second = new_markdown_cell("## Optional: two?", id="two", metadata=OPTIONAL)
    between = new_markdown_cell("word " * minutes.WORDS, id="between")
    notebook = sample(first, more, between, second)
    assert minutes.minutes(notebook, SAMPLE) == ((5, 5), (15, 20))
    assert minutes.parts(notebook, SAMPLE) == {"one": (15, 20), "two": (5, 5)}
    for _ in range(2):  # a second time changes nothing
        derived.state_minutes(notebook, SAMPLE)
        assert notebook.cells[1].source.startswith("## Optional: one?\n\n*15–20 minutes*\n\nword")
        assert notebook.cells[4].source == "## Optional: two?\n\n*5 minutes*"


@pytest.mark.parametrize(
    ("count", "said"), [(44.4, (45, 60)), (43, (45, 60)), (42.4, (40, 60)), (3, (5, 5)), (0, (5, 5))]
)
def test_a_span_runs_from_the_count_to_a_slow_reader(count, said):
    assert minutes.span(count) == said
