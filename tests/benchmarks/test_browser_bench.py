"""From a key press to the changed picture, in the browser: `explore` beside plain `interact` with the same picture."""

import statistics

from tests.benchmarks.timing import OF_TIMES, Table, report
from tests.browser.test_lessons import has_controls
from tests.conftest import NOTEBOOKS

# Resolve with the milliseconds from the next key press until an image below the element has another, decoded source.
WATCH = """element => { window.changed = new Promise(resolve => {
    let start;
    addEventListener('keydown', () => { start = performance.now(); }, {once: true, capture: true});
    const look = async () => {
        const image = element.querySelector('img');
        if (image && image.src !== window.lastSource && image.complete && image.naturalWidth) {
            window.lastSource = image.src;
            await image.decode().catch(() => null);
            resolve(performance.now() - start);
        } else requestAnimationFrame(look);
    };
    window.lastSource = element.querySelector('img')?.src;
    look();
}); return true; }"""

RESULT = """Promise.race([window.changed, new Promise((_, fail) => setTimeout(
    () => fail(new Error('no new picture in 10 seconds')), 10000))])"""

SAME = """
import ipywidgets
from IPython.display import display as show_in_page
def drawn(number):
    again = figures.fits_by_width(curve_x, curve_y, fits, units)
    again.move(units=number)
    show_in_page(again.figure)
ipywidgets.interact(drawn, number=ipywidgets.BoundedIntText(value=4, min=1, max=16, continuous_update=True));
"""


def one_press(course, area, number):
    """Move the first control of an area by keyboard, back and forth, and return the milliseconds to the new picture."""
    boxes, buttons = area.locator("input[type=number]"), area.locator("button.widget-toggle-button")
    if boxes.count():
        boxes.first.focus()
        at_its_end = boxes.first.evaluate("box => Number(box.value) >= Number(box.max)")
        key = "ArrowDown" if number % 2 or at_its_end else "ArrowUp"
    else:
        buttons.nth(number % 2).focus()
        key = "Space"
    area.evaluate(WATCH)
    course.page.keyboard.press(key)
    time = course.page.evaluate(RESULT)
    course.page.wait_for_timeout(100)
    return time


def milliseconds(course, *cells, presses=20):
    """Move the first control of each cell in turn, and return the median time of each to its new picture."""
    areas = []
    for cell in map(course.locate, cells):
        live = cell.locator(".course-live")
        areas.append(live if live.count() else cell)  # what plain interact shows is not wrapped
    times = [[one_press(course, area, number) for area in areas] for number in range(presses)]
    return [statistics.median(own) for own in zip(*times[4:], strict=True)]


def test_every_slider(open_lesson):
    table = Table("Key press to changed picture in the browser (ms, median)", "explore", allowance=OF_TIMES)
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        course = open_lesson("lab", path.name)
        state = course.run_all()
        for cell in state["cells"]:
            if has_controls(cell["source"]):
                table.add(path.stem, *milliseconds(course, cell["id"]), goal=50)
        course.shut_down()
    report(table)
