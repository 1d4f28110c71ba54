"""What a learner meets first: a picture that moves, without scrolling."""

import pytest

from tests.browser.page import errors

BAR = {"lab": 20, "notebook": 0}  # at the bottom of the window
HIGH = 900  # of a usual laptop's window


@pytest.mark.parametrize("app", ("lab", "notebook"))
def test_the_picture_changes_on_the_first_screen(open_lesson, app):
    course = open_lesson(app, "00_start_here.ipynb")
    page = course.page
    page.set_viewport_size({"width": 1440, "height": HIGH})
    assert errors(course.run_all()) == []
    live = course.locate("opening").locator(".course-live")
    live.locator("img").wait_for()
    course.select("title")
    page.locator(".jp-WindowedPanel-outer").first.evaluate("panel => panel.scrollTo(0, 0)")
    page.wait_for_timeout(500)
    top = course.locate("title").bounding_box()["y"]
    picture = live.locator("img").bounding_box()
    assert 0 <= top < 250 and picture["y"] + picture["height"] <= HIGH - BAR[app], (top, picture)
    before = live.locator("img").get_attribute("src")
    live.get_by_role("button", name="money", exact=True).press("Enter")
    live.get_by_text("its row now holds bank 1, money 0.99").wait_for()
    assert live.locator("img").get_attribute("src") != before
