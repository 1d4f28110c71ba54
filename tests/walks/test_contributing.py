"""Who writes lessons: CONTRIBUTING.md, and the handbook about its pages."""

import pytest

from tests.publish.clones import git
from tests.walks.browser import ask, opened
from tests.walks.pages import CONTRIBUTING, HANDBOOK, walked


@pytest.fixture
def in_course(terminal, course):
    """A terminal in a clone."""
    terminal.folder = course
    return terminal


@walked(CONTRIBUTING, "python3 start.py --published")
def test_the_published_lessons_are_opened(in_course, course):
    program = in_course.start("python3 start.py --published")
    address = opened(program)
    assert ask(address, "api/contents/notebooks")["type"] == "directory"
    assert program.stop() == 2
    assert not (course / "my_notebooks").exists()


@walked(HANDBOOK, "make plans")
@walked(CONTRIBUTING, "make refresh ARGS=notebooks/03_build_the_ffn.ipynb")
def test_what_is_written_by_commands_is_as_stored(in_course, course):
    in_course.type("make plans")
    in_course.type("make refresh ARGS=notebooks/03_build_the_ffn.ipynb")
    assert git(course, "status", "--porcelain") == ""
    assert (course / "build" / "plans" / "build_the_ffn.md").is_file()
