"""Who writes lessons: CONTRIBUTING.md, and the handbook about its pages."""

import re

import pytest

from tests.walks.browser import ask, opened
from tests.walks.claims import walked
from tests.walks.pages import CONTRIBUTING, HANDBOOK, Block


@pytest.fixture
def in_course(terminal, course):
    """A terminal in a clone."""
    terminal.folder = course
    return terminal


def changed(course) -> str:
    from tests.publish.clones import git

    return git(course, "status", "--porcelain")


@walked(CONTRIBUTING, Block("Contributing", 0))
def test_the_room_of_a_lesson(in_course, course):
    folder, *lines = in_course.read(Block("Contributing", 0)).splitlines()
    names = [name for line in lines for name in re.split(r"\s{2,}", line.strip())[0].split(", ") if name != "…"]
    assert len(names) == 8 and all((course / folder / name).is_file() for name in names)


@walked(CONTRIBUTING, "python3 start.py --published")
def test_the_published_lessons_are_opened(in_course, course):
    program = in_course.start("python3 start.py --published")
    address = opened(program)
    assert ask(address, "api/contents/notebooks")["type"] == "directory"
    assert program.stop() == 2
    assert not (course / "my_notebooks").exists()


@walked(HANDBOOK, "make plans")
def test_the_plan_of_a_lesson_is_edited(in_course, course):
    in_course.type("make plans")
    assert changed(course) == ""
    source = course / "lessons" / "build_the_ffn" / "plan.toml"
    text = source.read_text(encoding="utf-8")
    minutes = re.search(r'"[^"\n]{30,}"', text)[0]
    source.write_text(text.replace(minutes, f'"Changed here. {minutes[1:]}', 1), encoding="utf-8")
    in_course.type("make plans")
    assert "Changed here." in (course / "build" / "plans" / "build_the_ffn.md").read_text(encoding="utf-8")
    source.write_text(text, encoding="utf-8")


@walked(CONTRIBUTING, "make refresh ARGS=notebooks/03_build_the_ffn.ipynb")
def test_one_lesson_is_refreshed(in_course, course):
    quiz = course / "lessons" / "build_the_ffn" / "predictions.toml"
    assert quiz.is_file()
    in_course.type("make refresh ARGS=notebooks/03_build_the_ffn.ipynb")
    assert changed(course) == ""  # the stored lesson is what it makes
