"""The help cell and the quiz, used without a mouse, in JupyterLab 4 and in Notebook 7."""

import json

import pytest

from lessons import catalogue
from tests.browser.page import APPS, errors
from tests.courseware.page.samples import CORRECT, NOT_YET

ID = "linear_limits.collapse"
SETUP = "from course_lib.desk import help_with, quiz"
# Keys that JupyterLab takes from a focused button unless they are kept from it: to other cells, into the editor, and
# commands that make and delete cells.
THROWN = ("ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Home", "End", "Enter", "a", "b", "d", "d", "x", "j", "k")


def wait(course, words, cell):
    """Wait until words can be seen in a cell."""
    course.locate(cell).locator(".course-live").get_by_text(words).first.wait_for()


def press(course, button, key="Space"):
    """Go to a button with Tab and press it."""
    course.tab_to(button)
    course.page.keyboard.press(key)


@pytest.mark.parametrize("app", APPS)
def test_help_by_keyboard(open_cells, app):
    course = open_cells(app, {"setup": SETUP, "above": "1", "help": f"help_with({ID!r})", "below": "2"})
    assert errors(course.run_all()) == []
    item, cell = catalogue.item(ID), course.locate("help")
    more, solution = (cell.get_by_role("button", name=name) for name in ("Hint", "Solution"))
    more.wait_for()
    assert not any(hint in cell.inner_text() for hint in item.hints) and "def collapse" not in cell.inner_text()

    course.select("help")
    press(course, more, "Enter")
    wait(course, item.hints[0], "help")
    assert item.hints[1] not in cell.inner_text()
    course.page.keyboard.press("Space")  # the button kept the focus
    wait(course, item.hints[1], "help")
    course.page.keyboard.press("Space")
    wait(course, item.hints[2], "help")
    assert item.hints[0] in cell.inner_text() and "def collapse" not in cell.inner_text()
    press(course, solution)
    wait(course, "def collapse", "help")
    assert item.hints[0] in cell.inner_text()

    stored = json.dumps(course.cell("help")["outputs"])
    assert "def collapse" not in stored


@pytest.mark.parametrize("app", APPS)
def test_nothing_is_revealed_when_all_is_run_again(open_cells, app):
    course = open_cells(app, {"setup": SETUP, "help": f"help_with({ID!r})"})
    course.run_all()
    button = course.locate("help").get_by_role("button", name="Hint")
    button.click()
    wait(course, catalogue.item(ID).hints[0], "help")
    assert errors(course.run_all()) == []
    button.wait_for()

    def nothing_shown():
        shown = course.locate("help").inner_text() + json.dumps(course.cell("help")["outputs"], ensure_ascii=False)
        assert not any(hint in shown for hint in catalogue.item(ID).hints)

    course.patiently(nothing_shown)


@pytest.mark.parametrize("app", APPS)
def test_no_key_throws_a_learner_to_another_cell(open_cells, app):
    quiz = 'quiz("linear_limits", 1, 1)'
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


@pytest.mark.parametrize("app", APPS)
def test_quiz_by_keyboard(open_cells, server, app):
    question, *others = catalogue.questions("linear_limits")
    (server["folder"] / "progress.json").unlink(missing_ok=True)
    course = open_cells(app, {"setup": SETUP, "quiz": 'quiz("linear_limits")'})
    assert errors(course.run_all()) == []
    cell, total = course.locate("quiz").locator(".course-live"), 1 + len(others)
    wait(course, f"Your score: 0 of {total}.", "quiz")
    right = next(place for place, option in enumerate(question.options) if option.right)
    wrong = next(place for place, option in enumerate(question.options) if not option.right)
    buttons = cell.locator("button.course-option")
    course.select("quiz")

    def answered(place, lead):
        assert f"{lead}, {'ABCDEF'[place]}:" in cell.inner_text()
        assert buttons.nth(place).inner_text().startswith(lead[0])
        reply = cell.locator(".course-verdict", has_text=question.options[place].reason).bounding_box()
        last = buttons.nth(len(question.options) - 1).bounding_box()
        below = cell.get_by_text(others[0].prompt).bounding_box()["y"]
        assert 0 <= reply["y"] - last["y"] - last["height"] < 20 < below - reply["y"] - reply["height"]

    for place, lead in sorted([(wrong, NOT_YET), (right, CORRECT)]):
        press(course, buttons.nth(place))
        wait(course, question.options[place].reason, "quiz")
        course.patiently(answered, place, lead)
    wait(course, f"Your score: 1 of {total}.", "quiz")
    widths = {round(button.bounding_box()["width"]) for button in buttons.all()}
    assert len(widths) == 1 and widths.pop() > 500

    course.type_into("quiz", 'quiz("linear_limits")  # again')
    wait(course, f"Your score: 1 of {total}.", "quiz")

    def remembered():
        assert buttons.nth(right).inner_text().startswith("✓") and not buttons.nth(wrong).inner_text().startswith("✗")

    course.patiently(remembered)
