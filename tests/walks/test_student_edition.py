"""The student edition: packed by a teacher, unpacked elsewhere, and used by its own README alone."""

import shutil
import zipfile

import pytest

from tests.publish.clones import edit
from tests.walks import environments
from tests.walks.browser import opened
from tests.walks.pages import HANDBOOK, STUDENTS, Block, walked


@pytest.fixture(scope="module")
def learner(desk):
    """An empty folder of a learner who has nothing but the file."""
    folder = desk / "a learner"
    folder.mkdir()
    return folder


def unpack(course, folder):
    with zipfile.ZipFile(course / "dist" / "ffn-course-student.zip") as packed:
        packed.extractall(folder)
    (unpacked,) = folder.iterdir()
    assert unpacked.name == "ffn-course"
    environments.share(unpacked)
    return unpacked


@walked(HANDBOOK, "make student")
def test_it_is_packed(terminal, course, learner):
    terminal.folder = course
    assert "without solutions" in terminal.type("make student")
    unpacked = unpack(course, learner)
    assert (unpacked / "README.md").read_text(encoding="utf-8") == STUDENTS.text
    assert not list(unpacked.rglob("solutions.py"))


@walked(STUDENTS, Block("Start"))
def test_the_first_day(terminal, learner):
    terminal.folder = learner / "ffn-course"
    program = terminal.start(Block("Start"))
    opened(program)
    assert program.stop() == 2
    edit(terminal.folder / "my_notebooks" / "00_start_here.ipynb", ex_1_check="def double(x):\n    return 2 * x")


@walked(STUDENTS, Block("A newer zip file"), "make update")
@walked(HANDBOOK, "make update", "make student")
def test_a_newer_file(terminal, course, learner):
    terminal.folder = course
    lesson = course / "notebooks" / "00_start_here.ipynb"
    edit(lesson, restart="## What you have seen")
    terminal.type("make student")
    old = learner / "ffn-course"
    terminal.folder = old
    shutil.rmtree(old / ".venv")  # as the table of what does not work says

    (learner / "new").mkdir()
    new = unpack(course, learner / "new")
    shutil.move(old / "my_notebooks", new / "my_notebooks")
    terminal.folder = new
    program = terminal.start(Block("A newer zip file"))
    opened(program)
    assert program.stop() == 2
    assert "00_start_here.ipynb: 1 cell renewed" in program.said and "kept in my_notebooks/" in program.said
    mine = (new / "my_notebooks" / lesson.name).read_text(encoding="utf-8")
    assert "## What you have seen" in mine and "return 2 * x" in mine
    assert "Your copies are up to date." in terminal.type("make update")
