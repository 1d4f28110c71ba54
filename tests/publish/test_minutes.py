"""The minutes that a lesson states are those that the formula finds, and its core path fits into a school lesson."""

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from course_lib.content import Lesson, Task
from lessons import catalogue
from publish.minutes import minutes
from tests.conftest import ROOT

SAMPLE = Lesson("sample", 1, "Sample", "Why?", (5, 5), "you need nothing", {"double": Task("Double", 20, 2)})
PICTURE = new_output("display_data", {"image/png": "", "text/plain": "Figure: a line."})


def captioned(seen, folded):
    fold = f"<details><summary>The numbers</summary>{folded}</details>"
    markdown = f'<div class="course-caption"><p><em>{seen}</em></p>{fold}</div>'
    return new_output("display_data", {"text/markdown": markdown, "text/plain": f"{seen} {folded}"})


@pytest.mark.parametrize("lesson", catalogue.lessons(), ids=lambda lesson: lesson.name)
def test_a_lesson_states_its_minutes(lesson):
    notebook = nbformat.read(ROOT / "notebooks" / lesson.notebook, as_version=4)
    core, more = minutes(notebook, lesson)
    write = f"write minutes={core}, more={more} in its __init__.py, then make refresh"
    assert (core, more) == (lesson.minutes, lesson.more), write
    assert core[1] <= 45, "shorten the core path, or tag cells of it as optional"


def counted(*cells):
    return minutes(new_notebook(cells=list(cells)), SAMPLE)


def test_every_part_counts():
    words = new_markdown_cell("word " * 1800, id="words")
    lines = new_code_cell("x = 1\n" * 200, id="run-1")
    assert counted(words) == ((5, 10), None)
    assert counted(lines) == ((10, 20), None)
    assert counted(*[new_code_cell("my_guess = TODO", id=f"predict-{n}") for n in range(20)]) == ((15, 25), None)
    assert counted(*[new_code_cell("", id=f"run-{n}", outputs=[PICTURE]) for n in range(60)]) == ((20, 40), None)
    assert counted(new_code_cell('def double(): ...\ncheck("sample.double", double)', id="ex-1")) == ((15, 25), None)
    tables = [new_markdown_cell("| a | b |\n| --- | --- |\n| 1 | 2 |", id=f"table-{n}") for n in range(60)]
    assert counted(*tables) == ((15, 30), None)


def test_of_a_caption_the_sentence_counts_and_not_its_fold():
    long, short = "word " * 1800, "a line"
    assert counted(new_code_cell("", id="run-1", outputs=[captioned(long, short)])) == ((5, 10), None)
    assert counted(new_code_cell("", id="run-1", outputs=[captioned(short, long)])) == ((5, 5), None)


def test_plumbing_and_folded_cells_are_not_read():
    plumbing = new_code_cell("# plumbing: draw\n" + "x = 1\n" * 400, id="run-1")
    folded = new_code_cell("x = 1\n" * 400, id="run-2", metadata={"jupyter": {"source_hidden": True}})
    assert counted(plumbing, folded) == ((5, 5), None)


def test_optional_parts_are_counted_apart():
    core = new_markdown_cell("word " * 900, id="core")
    more = new_markdown_cell("word " * 3600, id="more", metadata={"tags": ["optional"]})
    assert counted(core, more) == ((5, 5), (15, 20))
