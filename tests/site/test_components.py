"""The line of lesson 01 on its page, opened as a file: dragged, moved by keyboard, and its number computed anew."""

import re

import numpy as np
import pytest

from course_lib.components import FOLDER
from courseware.page import components, widgets
from lessons.linear_limits import figures
from tests.site import node
from tests.site.conftest import NARROW

PAGE = "linear-limits.html"
X = np.linspace(-np.pi, np.pi, 128)


def points_of(handles):
    """Return where the handles say that they are, from left to right: the ends lie at −π and π."""
    found = []
    for said in handles.evaluate_all("all => all.map(one => one.getAttribute('aria-valuetext'))"):
        height, *x = (float(one.replace("−", "-")) for one in re.findall(r"−?\d+\.\d+", said))
        found.append([x[0] if x else np.pi * (1 if found else -1), height])
    return np.array(found)


def error_of(points):
    """Return the error of the line through these points, as the component writes it."""
    error = np.mean((np.interp(X, *points.T) - np.sin(X)) ** 2)
    return f"{error:.{4 if error < 0.01 else 2}f}"


def drag(page, handle, right, down):
    """Drag a handle by so many pixels."""
    box = handle.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + right, y + down, steps=3)
    page.mouse.up()


@pytest.mark.parametrize("size", [{"width": 1280, "height": 800}, NARROW], ids=["wide", "narrow"])
def test_a_line_to_drag_and_to_bend(opened, size):
    page = opened(PAGE, viewport=size)
    toy = page.locator(".c-curve")
    toy.scroll_into_view_if_needed()
    handles, number, says = toy.get_by_role("slider"), toy.locator(".count b"), toy.locator(".says")
    handles.nth(1).wait_for()
    assert not page.locator("#opening .picture").is_visible() and "0.2" not in toy.inner_text()
    assert page.evaluate("document.documentElement.scrollWidth") == size["width"]

    drag(page, handles.first, 25, 60)
    points = points_of(handles)
    assert points[0][1] < 0.2 and number.inner_text() == error_of(points)
    handles.last.focus()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Shift+ArrowUp")
    assert handles.last.get_attribute("aria-valuenow") == "0.72"
    points = points_of(handles)
    assert number.inner_text() == error_of(points) and "No straight line gets below 0.20" in says.inner_text()

    bend = toy.get_by_role("button", name="+ one bend")
    before = number.inner_text()
    bend.click()
    bend.click()
    assert number.inner_text() == before  # a bend alone changes nothing
    drag(page, handles.nth(1), 10, 30)
    handles.nth(2).focus()
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("Shift+ArrowUp")
    points = points_of(handles)
    assert len(points) == 4 and (np.diff(points[:, 0]) > 0).all() and number.inner_text() == error_of(points)
    page.wait_for_timeout(800)
    assert f"Mean squared error {number.inner_text()}." in toy.get_by_role("status").inner_text()

    bend.click()
    bend.click()
    assert bend.is_disabled() and handles.count() == 6
    page.keyboard.press("Enter")  # the button that was pressed last has the focus still
    assert "as many bends as it can have" in says.inner_text() and handles.count() == 6
    toy.get_by_role("button", name="Start again").click()
    assert handles.count() == 2 and number.inner_text() == "0.75"


LINE = """([data, ends, wanted]) => {
    const start = line.bent(line.bent(ends));
    const points = wanted.reduce((now, [x, y], at) => line.pulled(now, at, x, y), start);
    const stuck = [1, 3].map((at) => line.pulled(points, at, 9, 9)[at]);
    return [start, points, stuck, line.written(line.missed(data, points)), line.told(data, { points, tried: 9 })];
}"""


def test_two_bends_follow_the_curve_closely(tmp_path):
    """The best line with two bends, by least squares; and how far its points go."""
    path = tmp_path / "line.js"
    path.write_text(f"globalThis.line = {components.source('curve_line')};", encoding="utf-8")
    ends = [[-np.pi, 0.5], [np.pi, 0.5]]
    wanted = [[-np.pi, -0.12], [-1.48, -1.16], [1.48, 1.16], [np.pi, 0.12]]
    data = {"x": X.tolist(), "y": np.sin(X).tolist(), "best": 0.196, "most": 4}
    start, points, stuck, error, says = node.run(LINE, [data, ends, wanted], path)
    assert start == [ends[0], [-1.57, 0.5], [0, 0.5], ends[1]]  # the first of the widest parts, and then the widest
    assert points == wanted and error == error_of(np.array(wanted)) and float(error) < 0.006
    assert stuck == [[1.36, 1.5], [np.pi, 1.5]]  # 0.12 from its neighbour; an end only goes up and down
    assert says.startswith("Below 0.20: no straight line gets there")


def test_a_finger_moves_a_handle_and_not_the_page(opened):
    page = opened(PAGE, viewport=NARROW, has_touch=True)
    handle = page.locator(".c-curve").get_by_role("slider").first
    handle.scroll_into_view_if_needed()
    box, before = handle.bounding_box(), page.evaluate("scrollY")
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    finger = page.context.new_cdp_session(page)
    touches = [("touchStart", y), *(("touchMove", y + 10 * step) for step in range(1, 7)), ("touchEnd", None)]
    for kind, place in touches:
        points = [] if place is None else [{"x": x, "y": place}]
        finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    assert float(handle.get_attribute("aria-valuenow")) < -0.2 and page.evaluate("scrollY") == before


RIGHT = """([data, lines]) => lines.map((ends) => {
    const { right, best } = xor.moved(data, { ends: [[9, -9], ends[1]], best: 0 }, 0, ends[0]);
    return [right, best, xor.fits(data, ends).filter(Boolean).length];
})"""


def test_no_line_gets_all_four_points_of_xor(tmp_path):
    """For many lines, those through points among them: counted anew, in hundredths, which are exact."""
    draw = np.random.default_rng(0)
    ends = np.concatenate([draw.integers(-30, 131, (3000, 2, 2)), 100 * draw.integers(0, 2, (100, 2, 2))])
    (ax, ay), (bx, by) = ends[:, 0].T, ends[:, 1].T
    right = sum(
        (((bx - ax) * (100 * y - ay) - (by - ay) * (100 * x - ax)) > 0) == (x != y) for x in (0, 1) for y in (0, 1)
    )
    path = tmp_path / "xor.js"
    path.write_text(f"globalThis.xor = {components.source('xor_line', FOLDER)};", encoding="utf-8")
    shown = node.run(RIGHT, [figures.xor_toy().data, (ends / 100).tolist()], path)
    assert shown == [[count] * 3 for count in right] and set(right) == {1, 2, 3}


def test_a_line_between_the_points_of_xor_is_laid_by_hand(opened):
    page = opened(PAGE)
    toy = page.locator("#play-2 .c-xor")
    toy.scroll_into_view_if_needed()
    handles, (number, best) = toy.get_by_role("slider"), toy.locator(".count b").all()
    drag(page, handles.first, 0, -90)
    for keys in (["ArrowDown"] * 4, ["ArrowUp"] * 5):  # to where the line is right, and back again
        handles.last.focus()
        for key in keys:
            page.keyboard.press(f"Shift+{key}")
    assert (number.inner_text(), best.inner_text(), handles.last.get_attribute("aria-valuenow")) == (
        "2 of 4",
        "3",
        "0.70",
    )
    page.wait_for_timeout(800)
    assert (
        "2 of 4 points right: 0, 0 ✓; 0, 1 ✓; 1, 0 ✗; 1, 1 ✗. Best so far: 3." in toy.get_by_role("status").inner_text()
    )


def test_on_paper_it_is_its_still(opened):
    page = opened(PAGE)
    page.locator(".c-curve svg").wait_for()
    page.emulate_media(media="print")
    assert page.locator("#opening .picture").is_visible() and not page.locator(".c-curve").is_visible()
    assert "0.20" in page.locator("#opening figcaption").text_content()


ASKED = """() => {
    const heard = {}, sent = [];
    const element = { addEventListener: () => {}, append: () => {} };
    globalThis.document = { createElement: () => Object.create(element) };
    globalThis.style = "";
    globalThis.ResizeObserver = class { observe() {} };
    globalThis.addEventListener = () => {};
    const on = (name, call) => (heard[name] = call);
    const model = { get: (name) => (name === "answers" ? true : {}), on, send: (one) => sent.push(one) };
    globalThis.render = (box, data, state, changed, ask) => ["first", "second", "third"].forEach(ask);
    host.render({ model, el: element });
    const before = sent.map((one) => one.question);
    heard["msg:custom"]({ id: "of another view", answer: 0 });
    heard["msg:custom"]({ id: sent[0].id, answer: 1 });
    heard["msg:custom"]({ id: sent[0].id, answer: 1 });
    return [before, sent.map((one) => one.question)];
}"""


def test_one_question_is_under_way_and_the_last_one_follows(tmp_path):
    path = tmp_path / "host.js"
    path.write_text(widgets._HOST.replace("export default", "globalThis.host ="))
    assert node.run(ASKED, None, path) == [["first"], ["first", "third"]]
