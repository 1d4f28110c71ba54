"""What a learner meets first: a picture that plays and asks, without scrolling, and answers to keyboard and mouse."""

import pytest

from tests.browser.page import APPS, errors

BAR = {"lab": 20, "notebook": 0}  # at the bottom of the window
HIGH = 900  # of a usual laptop's window
STATE = """
import ipywidgets
[one.state for one in ipywidgets.widgets.widget._instances.values() if getattr(one, "name", "") == "bank"][-1]
"""


@pytest.mark.parametrize("app", APPS)
def test_the_picture_plays_on_the_first_screen_and_is_played_with(open_lesson, app):
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

    course.select("opening")
    course.tab_to(picture.locator(".cue input:checked"))
    page.keyboard.press("ArrowRight")
    said.filter(has_text="vault 0.98").wait_for()
    course.tab_to(picture.locator("input[type=range]"))
    page.keyboard.press("Home")
    assert "bank is moved by −1" in said.inner_text()
    number = picture.locator(".number.enter").nth(2).bounding_box()
    x, y = number["x"] + number["width"] / 2, number["y"] + number["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y - 35, steps=3)
    page.mouse.up()
    assert "money is moved by +0.5" in said.inner_text()
    state = course.type_into("predict-1", STATE.strip())
    assert "'cue': 'money'" in state and "'feature': 2, 'by': 0.5" in state
