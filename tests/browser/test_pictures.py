"""Pictures in the browser: sharp, as wide where they move as where they stand still, and never too small."""

import pytest

from tests.browser.page import APPS, errors

CELLS = {
    "setup": "from course_lib.desk import Choice, Range, explore, show\n"
    "from courseware.page.caption import Caption\n"
    "from courseware.page.interactive import Interactive\n"
    "from courseware.page.style import LOW, blank\n"
    "def line():\n"
    "    figure, axes = blank(LOW)\n"
    "    curve = axes.plot([0, 1], [0, 1])[0]\n"
    "    def update(slope, kind):\n"
    '        caption = Caption(f"A {kind} line of slope {slope}.", f"It ends at (1, {slope}).")\n'
    '        return {"curve": {"data": ([0, 1], [0, slope])}}, caption\n'
    '    return Interactive(figure, update, {"curve": curve})',
    "still": 'show(line().figure, Caption("A line of slope 1.", "It ends at (1, 1)."))',
    "moving": 'explore(line(), slope=Range("slope", 1, 8, step=1, start=3), kind=Choice("kind", ("blue", "dark")))',
}
BOX = "img => { const box = img.getBoundingClientRect(); return [box.width, box.height, img.naturalWidth]; }"


def run(open_cells, app, cells=CELLS):
    """Run everything and wait for the slider."""
    course = open_cells(app, cells)
    assert errors(course.run_all()) == []
    course.page.locator(".widget-slider").wait_for()
    return course


def picture(course, cell):
    """Return the picture of a cell that can be seen, and wait for it."""
    found = course.locate(cell).locator("img").filter(visible=True)
    found.wait_for()
    return found


@pytest.mark.parametrize("app", APPS)
def test_size_on_the_page(open_cells, app):
    course = run(open_cells, app)
    course.page.set_viewport_size({"width": 1440, "height": 900})

    def wide(cell):
        assert picture(course, cell).evaluate(BOX) == pytest.approx([880, 297, 1760], abs=1)

    for cell in ("still", "moving"):
        course.patiently(wide, cell)
    styles = [
        course.locate(cell)
        .locator("em")
        .filter(visible=True)
        .evaluate(
            "words => { const style = getComputedStyle(words); "
            "return [style.fontStyle, style.fontSize, style.color, Math.round(words.getBoundingClientRect().left)]; }"
        )
        for cell in ("still", "moving")
    ]
    assert styles[0][:3] == styles[1][:3] and abs(styles[0][3] - styles[1][3]) <= 4
    box = course.locate("moving").locator(".course-live").bounding_box()
    assert box["height"] < 500  # control, picture and caption, of a window of 700 pixels


@pytest.mark.parametrize("app", APPS)
def test_words_stay_readable_in_a_narrow_window(open_cells, app):
    """At full size words of 9 points are 13.75 pixels high, and never less than half of that; the rest scrolls."""
    course = run(open_cells, app)
    course.page.set_viewport_size({"width": 420, "height": 700})

    def readable(cell):
        width, height, full = picture(course, cell).evaluate(BOX)
        assert width == 440 and width / height == pytest.approx(880 / 297, rel=0.01)
        column = picture(course, cell).evaluate("img => img.closest('.jp-OutputArea-output').clientWidth")
        assert column < width < full / 2

    for cell in ("still", "moving"):
        course.patiently(readable, cell)


@pytest.mark.parametrize("app", APPS)
def test_half_a_screen_holds_the_whole_picture(open_cells, app):
    course = run(open_cells, app)
    if app == "lab":  # start.py begins with this list closed
        course.page.evaluate("() => jupyterapp.shell.collapseLeft()")

    def whole(cell):
        width, _, _ = picture(course, cell).evaluate(BOX)
        area = picture(course, cell).evaluate(
            "img => img.closest('.jp-OutputArea-output').getBoundingClientRect().width"
        )
        assert 440 <= width <= area

    for wide in (820, 640):
        course.page.set_viewport_size({"width": wide, "height": 700})
        for cell in ("still", "moving"):
            course.patiently(whole, cell)
    if app == "lab":
        course.page.evaluate("() => jupyterapp.shell.expandLeft()")


THEME = "name => jupyterapp.commands.execute('apputils:change-theme', {theme: `JupyterLab ${name}`})"
GROUND = """async img => {
    const canvas = document.createElement('canvas'), one = canvas.getContext('2d');
    one.filter = getComputedStyle(img).filter;
    one.drawImage(img, 0, 0);
    return Array.from(one.getImageData(2, 2, 1, 1).data).slice(0, 3);
}"""


@pytest.mark.parametrize("app", APPS)
def test_in_the_dark_a_picture_stands_on_the_ground_of_the_page(open_cells, app):
    static = "import os\nos.environ['COURSE_STATIC'] = '1'\n" + CELLS["still"] + "\ndel os.environ['COURSE_STATIC']"
    course = run(open_cells, app, CELLS | {"stored": static})
    course.page.evaluate(THEME, "Dark")
    course.page.wait_for_function("document.body.dataset.jpThemeLight === 'false'")
    page = course.page.evaluate("getComputedStyle(document.body).getPropertyValue('--jp-layout-color0')")
    assert page.strip() == "#111"
    for cell in ("still", "moving", "stored"):
        assert picture(course, cell).evaluate(GROUND) == pytest.approx([0x11] * 3, abs=1)
    course.page.evaluate(THEME, "Light")
    course.page.wait_for_function("document.body.dataset.jpThemeLight === 'true'")
    for cell in ("still", "moving", "stored"):
        assert picture(course, cell).evaluate(GROUND) == [255] * 3


@pytest.mark.parametrize("app", APPS)
def test_a_click_fills_the_screen(open_cells, app):
    course = run(open_cells, app)
    picture(course, "still").click()
    course.page.wait_for_function("document.fullscreenElement?.tagName === 'IMG'")
    course.page.evaluate("document.fullscreenElement.click()")
    course.page.wait_for_function("!document.fullscreenElement")
