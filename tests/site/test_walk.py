"""Every lesson by keyboard alone: its guesses, its experiments, its sliders, its quiz."""

import pytest

from lessons import catalogue
from publish.site import pages
from tests.site.conftest import SOME
from tests.site.test_sliders import NAMES
from tests.site.walk import walk

KEYS = {"Down": "ArrowDown"}


def walked(page, lesson) -> dict[str, int]:
    """Walk through an open page."""
    return walk(
        lesson,
        lambda *keys: [page.keyboard.press(KEYS.get(key, key)) for key in keys],
        lambda body: page.evaluate(f"async () => {{ {body} }}"),
    )


@pytest.mark.parametrize("lesson", SOME)
def test_a_lesson_goes_by_keyboard(opened, lesson):
    done = walked(opened(pages.address(lesson)), lesson)
    assert done["guesses"] == len(catalogue.predictions(lesson.name)) > 0
    assert (done["questions"] > 0) is bool(catalogue.questions(lesson.name))
    assert (done["controls"] > 0) is (lesson.name in NAMES)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("broken", "says"),
    [
        ("document.querySelectorAll('#predict-1 input').forEach(one => one.tabIndex = -1)", "never comes here"),
        ("document.querySelectorAll('.option').forEach(one => one.disabled = true)", "never comes here"),
        ("document.querySelectorAll('.player input').forEach(one => one.disabled = true)", "never comes here"),
        ("course.players.forEach(one => one.draw = () => {})", "4 hidden units"),
        (
            "document.querySelector('main')"
            ".insertAdjacentHTML('beforeend', '<details class=experiment data-for=no></details>')",
            "stays closed",
        ),
    ],
)
def test_a_page_that_does_not_go_by_keyboard_is_seen(opened, broken, says):
    page = opened("linear-limits.html")
    page.evaluate(broken)
    with pytest.raises(AssertionError, match=says):
        walked(page, catalogue.lesson("linear_limits"))
