"""A component in a running notebook: it appears, and its handles move by keyboard and by mouse."""

import re

import numpy as np

from lessons import catalogue
from tests.browser.page import errors
from tests.site.test_components import error_of, points_of

STATE = """
import ipywidgets
[one.state for one in ipywidgets.widgets.widget._instances.values() if getattr(one, "name", "") == "curve"][-1]
"""


def test_the_line_of_lesson_01(open_lesson, requests):
    course = open_lesson("lab", catalogue.lesson("linear_limits").notebook)
    assert errors(course.run_all()) == []
    toy = course.locate("opening").locator(".c-curve")
    ends = toy.get_by_role("slider")
    ends.first.scroll_into_view_if_needed()
    assert course.locate("opening").locator("img").filter(visible=True).count() == 0  # what stands in for it is hidden

    course.select("opening")
    course.tab_to(ends.first)
    selected = course.page.locator(".jp-Cell.jp-mod-selected").count()
    for key in ("ArrowDown", "Shift+ArrowDown", "Shift+ArrowDown"):
        course.page.keyboard.press(key)
    assert course.page.locator(".jp-Cell.jp-mod-selected").count() == selected  # JupyterLab took none of these keys
    toy.get_by_role("button", name="+ one bend").click()
    assert ends.count() == 3 and ends.first.get_attribute("aria-valuetext") == "height 0.08"

    box = ends.nth(1).bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    course.page.mouse.move(x, y)
    course.page.mouse.down()
    course.page.mouse.move(x - 60, y + 40, steps=3)
    course.page.mouse.up()
    points = points_of(ends)
    assert points[1][0] < -0.3 and points[1][1] < 0
    assert toy.locator(".error b").inner_text() == error_of(points)
    said = course.type_into("predict-1", STATE.strip())
    kept = np.array([[float(x), float(y)] for x, y in re.findall(r"\[(-?[\d.]+), (-?[\d.]+)\]", said)])
    assert np.abs(kept - points).max() < 0.006

    outside = [one for one in requests if not one.startswith(("data:", "blob:", course.server["address"], "ws://127"))]
    assert outside == []
