"""A saved notebook, opened again: with its kernel every control lives; without it a picture or the answers stand in."""

import subprocess
import sys

import pytest

from lessons import catalogue
from tests.browser.page import APPS, errors

CELLS = {
    "setup": "import numpy as np\n"
    "from course_lib.desk import Choice, Range, explore, help_with, quiz\n"
    "from courseware.page.caption import Caption\n"
    "from courseware.page.interactive import Interactive\n"
    "from courseware.page.style import LOW, blank\n"
    "figure, axes = blank(LOW)\n"
    "curve = axes.plot([0, 1], [0, 1])[0]\n"
    "def update(slope):\n"
    '    data = {"curve": {"data": ([0, 1], [0, slope])}}\n'
    '    return data, Caption(f"A line of slope {slope}.", f"It ends at (1, {slope}).")',
    "slider": 'explore(Interactive(figure, update, {"curve": curve}), slope=Range("slope", 0, 1, step=0.1, start=0.5))',
    "quiz": 'quiz("linear_limits", "why-1")',
    "help": 'help_with("start_here.double")',
}
GARBAGE = ("model not found", "VBox(", "HBox(", "Error displaying widget")
((_, QUESTION),) = catalogue.asked("linear_limits", "why-1")
RIGHT = next(place for place, option in enumerate(QUESTION.options) if option.right)
HINT = catalogue.item("start_here.double").hints[0]


def seen(page, root=".jp-Notebook"):
    """Return the words that can be seen; innerText leaves out what is hidden."""
    words = page.locator(root).first.inner_text()
    assert not any(one in words for one in GARBAGE), words
    return words


def pictures(page):
    """Return the names of the pictures that can be seen."""
    found = page.locator(".jp-OutputArea-output img").all()
    return [one.get_attribute("alt") or one.get_attribute("title") for one in found if one.is_visible()]


def used(open_cells, app):
    """Run everything, answer the question, ask for a hint, and save."""
    course = open_cells(app, CELLS)
    assert errors(course.run_all()) == []
    course.locate("quiz").locator("button.course-option").nth(RIGHT).click()
    course.locate("quiz").locator(".course-live").get_by_text(QUESTION.options[RIGHT].reason).wait_for()
    course.locate("help").get_by_role("button", name="Hint").click()
    course.locate("help").locator(".course-live").get_by_text(HINT).wait_for()
    course.patiently(only_controls, course.page)
    course.select("setup")
    course.save()
    return course


def only_controls(page):
    """See that everything lives, and that nothing stands in for it."""
    page.locator(".widget-slider").wait_for()
    assert len(pictures(page)) == 1 and page.locator(".widget-image").is_visible()
    assert page.locator(".course-live").count() == 3
    assert not any(one.is_visible() for one in page.locator(".course-fallback").all())
    assert "Run this cell again" not in seen(page)


def only_what_stands_in(page, root=".jp-Notebook"):
    """See the picture, the question with its answers and the hint, and no control and no garbage."""
    page.get_by_text("Run this cell again for the slider.").wait_for()
    words = seen(page, root)
    assert pictures(page) == ["A line of slope 0.5. It ends at (1, 0.5)."]
    assert "A line of slope 0.5." in words and "It ends at (1, 0.5)." not in words  # folded
    for again in ("the slider.", "the buttons.", "its buttons."):
        assert words.count(f"Run this cell again for {again}") == 1
    assert f"✓ Correct, {'ABCDEF'[RIGHT]}: {QUESTION.options[RIGHT].reason}" in words
    assert "Answers to this question" in words
    wrong = next(option for option in QUESTION.options if not option.right)
    assert all(option.text.replace("`", "") in words for option in QUESTION.options) and wrong.reason not in words
    assert HINT.replace("`", "") in words.replace("`", "")
    assert not any(one.is_visible() for one in page.locator(".jupyter-widgets").all())


@pytest.mark.parametrize("app", APPS)
def test_the_next_day(open_cells, app):
    course = used(open_cells, app)
    course.page.reload()
    course.wait_for_kernel()
    course.patiently(only_controls, course.page)

    course.shut_down()
    course.page.goto("about:blank")
    course.open()
    # The dead views come after a while; textContent has what is hidden, too.
    course.page.wait_for_function(
        "document.querySelector('.jp-Notebook').textContent.split('model not found').length > 3"
    )
    course.patiently(only_what_stands_in, course.page)
    course.page.get_by_text("The numbers", exact=True).click()
    course.page.get_by_text("It ends at (1, 0.5).").wait_for()

    assert errors(course.run_all()) == []
    course.patiently(only_controls, course.page)


@pytest.mark.parametrize("app", APPS)
def test_after_a_restart_of_the_kernel(open_cells, app):
    course = used(open_cells, app)
    course.page.evaluate("() => jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart()")
    course.patiently(only_what_stands_in, course.page)


@pytest.mark.parametrize("app", APPS)
def test_a_notebook_that_is_not_trusted(open_cells, app):
    course = used(open_cells, app)
    course.shut_down()
    course.page.goto("about:blank")
    text = course.path.read_text(encoding="utf-8")
    course.path.write_text(text.replace('"setup"', '"begin"'), encoding="utf-8")  # as sent by somebody else
    course.open()
    course.patiently(only_what_stands_in, course.page)


def test_the_exported_page(open_cells, tmp_path):
    course = used(open_cells, "lab")
    command = [sys.executable, "-m", "nbconvert", "--to", "html", "--output-dir", str(tmp_path), str(course.path)]
    subprocess.run(command, check=True, capture_output=True)
    course.page.goto((tmp_path / f"{course.path.stem}.html").as_uri())
    course.patiently(only_what_stands_in, course.page, "main")
