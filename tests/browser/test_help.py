"""The help cell and the quiz without a mouse: no key leads away from them, in JupyterLab 4 and in Notebook 7."""

import pytest

from tests.browser.page import APPS

ID = "linear_limits.collapse"
SETUP = "from course_lib.desk import help_with, quiz"
# Keys that JupyterLab takes from a focused button unless they are kept from it: to other cells, into the editor, and
# commands that make and delete cells.
THROWN = ("ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Home", "End", "Enter", "a", "b", "d", "d", "x", "j", "k")


@pytest.mark.parametrize("app", APPS)
def test_no_key_throws_a_learner_to_another_cell(open_cells, app):
    quiz = 'quiz("linear_limits", "why-1")'
    cells = {"setup": SETUP, "above": "1", "help": f"help_with({ID!r})", "quiz": quiz, "below": "2"}
    course = open_cells(app, cells)
    course.run_all()
    for cell, name in (("help", "Solution"), ("quiz", "B · ")):
        button = course.locate(cell).get_by_role("button", name=name).first
        course.select(cell)
        course.tab_to(button)
        for key in THROWN:
            course.page.keyboard.press(key)
            assert button.evaluate("button => button === document.activeElement"), f"{key} takes the focus away"
        assert [one["id"] for one in course.state()["cells"]] == list(cells)
    course.page.keyboard.press("Escape")
    course.page.keyboard.press("ArrowDown")
    below = course.locate("below")
    assert "jp-mod-selected" in below.get_attribute("class") or "jp-mod-active" in below.get_attribute("class")
