"""What a learner meets first: a picture that plays and asks, without scrolling."""

import pytest

from tests.browser.page import APPS, errors

BAR = {"lab": 20, "notebook": 0}  # at the bottom of the window
HIGH = 900  # of a usual laptop's window


@pytest.mark.parametrize("app", APPS)
def test_the_picture_plays_on_the_first_screen(open_lesson, app):
    course = open_lesson(app, "00_start_here.ipynb")
    page = course.page
    page.set_viewport_size({"width": 1440, "height": HIGH})
    assert errors(course.run_all()) == []
    picture = course.locate("opening").locator(".c-bank")
    said = picture.locator(".said")
    course.select("title")
    page.locator(".jp-WindowedPanel-outer").first.evaluate("panel => panel.scrollTo(0, 0)")
    said.filter(has_text="asks two questions").wait_for(timeout=30000)
    picture.locator(".card .option").first.click()
    said.filter(has_text="shore 0.98").wait_for(timeout=30000)
    page.keyboard.press("Enter")  # on the button, which has the focus: the bend goes
    said.filter(has_text="vault −1").wait_for(timeout=30000)
    page.keyboard.press("Enter")
    assert course.locate("opening").locator("img").filter(visible=True).count() == 0  # what stands in for it is hidden
    top = course.locate("title").bounding_box()["y"]
    low = said.bounding_box()
    assert 0 <= top < 250 and low["y"] + low["height"] <= HIGH - BAR[app], (top, low)
