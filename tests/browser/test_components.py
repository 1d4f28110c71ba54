"""A component in a running notebook: it appears, and its handles move by keyboard and by mouse."""

import re

import numpy as np
import pytest

from lessons import catalogue
from tests.browser.axe import violations
from tests.browser.page import APPS, errors
from tests.browser.test_pictures import THEME
from tests.site.test_components import drag, error_of, points_of

STATE = """
import ipywidgets
[one.state for one in ipywidgets.widgets.widget._instances.values() if getattr(one, "name", "") == "curve"][-1]
"""
PAINTED = """theme => {
    const canvas = document.querySelector('.c-microscope .sheet canvas');
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    return (document.body.dataset.jpThemeLight === 'true') === (theme === 'Light') && data.some(Boolean);
}"""


def test_the_microscope_of_lesson_14(open_lesson):
    course = open_lesson("lab", catalogue.lesson("build_microscope").notebook)
    assert errors(course.run_all()) == []
    lens = course.locate("explore-microscope").locator(".c-microscope")
    said = lens.locator(".said")
    said.filter(has_text="FFN 1, unit 282 fires at 3 of 143 characters").wait_for()
    assert lens.get_by_role("button", name="Copy link").count() == 0  # there is no page to lead to
    for theme in ("Dark", "Light"):
        course.page.evaluate(THEME, theme)
        course.page.wait_for_function(PAINTED, arg=theme)
    lens.locator("textarea").click()
    course.page.keyboard.press("Control+a")
    course.page.keyboard.type("import numpy")
    for key in ("Enter", "Shift+Enter"):
        course.page.keyboard.press(key)
    assert lens.locator("textarea").input_value() == "import numpy\n\n"
    for key in ("Backspace", "Backspace"):
        course.page.keyboard.press(key)
    course.page.keyboard.type(" as np")
    lens.locator("[type=range]").press("End")
    lens.locator(".writes .after").filter(has_text="with our own unitimport numpy as np").wait_for()


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

    drag(course.page, ends.nth(1), -60, 40)
    points = points_of(ends)
    assert points[1][0] < -0.3 and points[1][1] < 0
    assert toy.locator(".count b").inner_text() == error_of(points)
    said = course.type_into("predict-1", STATE.strip())
    kept = np.array([[float(x), float(y)] for x, y in re.findall(r"\[(-?[\d.]+), (-?[\d.]+)\]", said)])
    assert np.abs(kept - points).max() < 0.006

    outside = [one for one in requests if not one.startswith(("data:", "blob:", course.server["address"], "ws://127"))]
    assert outside == []


def test_what_is_run_with_shift_and_enter_stays_in_sight(open_lesson):
    course = open_lesson("lab", catalogue.lesson("start_here").notebook)
    course.page.set_viewport_size({"width": 1366, "height": 768})
    course.select("opening")
    course.page.keyboard.press("Shift+Enter")
    picture = course.locate("opening").locator(".c-bank")

    def whole():
        panel, box = course.page.locator(".jp-WindowedPanel-outer").first.bounding_box(), picture.bounding_box()
        assert panel["y"] <= box["y"] and box["y"] + box["height"] <= panel["y"] + panel["height"]

    picture.locator(".card").wait_for()
    course.patiently(whole)


REAL = """
from course_lib.desk import explore
from course_lib.microscope import microscope
from course_lib.model import real
smol = real.open_model()
explore(microscope("The river reached the bank", ffn=9, unit=702, model=smol))
"""


@pytest.mark.parametrize("app", APPS)
def test_the_microscope_on_a_real_model(open_cells, app):
    course = open_cells(app, {"look": REAL})
    assert errors(course.run_all()) == []
    lens, press = course.locate("look").locator(".c-real_microscope"), course.page.keyboard.press
    values = lens.locator(".own small")
    assert (
        values.all_inner_texts() == ["0", "−2.9", "−0.2", "0", "−3.4"] and lens.locator(".next u:visible").count() == 0
    )
    lens.locator("textarea").click()
    press("Control+a")
    course.page.keyboard.type("The money reached the bank. Money")
    lens.locator(".place", has_text="after “Money”").wait_for()
    press("Control+a")
    course.page.keyboard.type("A river bank")
    lens.locator(".own li").nth(3).wait_for(state="detached")
    lens.locator(".about", has_text="FFN 9, unit 702 is −").wait_for()

    selected = course.page.locator(".jp-Cell.jp-mod-selected").count()
    field = lens.get_by_role("slider", name="Units of FFN 9")
    course.tab_to(field)
    press("ArrowRight")
    assert "unit 703" in field.get_attribute("aria-valuetext") and "unit 702 at 0" in lens.inner_text()
    press("Enter")
    course.tab_to(lens.get_by_label("unit 703 at 0"))
    press("Space")
    lens.locator(".instead", has_text="With unit 703 at 0 it expects").wait_for()
    lens.get_by_role("button", name="Set to 0").press("Enter")
    lens.locator(".instead", has_text="number (507, 1229) of FFN 12 at 0").wait_for()
    assert (
        lens.locator(".next u:visible").count() == 5
        and course.page.locator(".jp-Cell.jp-mod-selected").count() == selected
    )
    lens.get_by_role("status").filter(has_text="The model expects").wait_for(state="attached")
    for theme in ("Dark", "Light"):
        course.page.evaluate(THEME, theme)
        course.page.wait_for_timeout(300)
        assert violations(course.page) == []
    course.page.set_viewport_size({"width": 700, "height": 900})
    assert lens.evaluate("one => one.scrollWidth <= one.clientWidth")
