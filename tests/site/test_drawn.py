"""Guesses that are drawn: what comes out is what the notebook prints, and the point that moves is the number typed."""

import re

import nbformat
import pytest

from courseware.environment import NOTEBOOKS
from courseware.guess import is_answer, reply_to
from lessons import catalogue
from publish.site import drawn, markdown, page_data, pages
from tests.site import node
from tests.site.conftest import NARROW
from tests.site.test_browser import CUT_OFF, FAINT, TOO_SMALL, laid_out, violations

DRAWN = {one.id: one for lesson in catalogue.lessons() for one in catalogue.predictions(lesson.name) if one.drawn}
EACH_KIND = {one.drawn.kind: id for id, one in reversed(DRAWN.items())}.values()  # the first of each kind
FIRST, SECOND = "expand_and_contract.predict_recall_2x", "expand_and_contract.predict_recall_4x"
# What a lesson prints of the whole curve or of the answer alone: the cell, and a pattern with the numbers in it.
PRINTED = {
    "linear_limits.predict_width": ("run-3", r"(\d+) units ([\d.]+) %"),
    FIRST: ("run-2-double", r"expansion (\S+): (\d+) of 100"),
    SECOND: ("run-2", r"expansion (\S+): (\d+) of 100"),
    "relu_vs_gelu.predict_lowest": ("run-2", r"(GELU)'s at x = (−[\d.]+)"),
    "parameter_share.predict_share": ("run-2", r"(ffn) .*: ([\d.]+) %"),
    "inside_a_language_model.predict_zeros": ("run-2", r"(FFN 2) \| [\d.]+ \| ([\d.]+)"),
}
TRUTH = "var(--input)"  # the colour of what comes out, on the page


def printed(prediction):
    """Return what the stored notebook prints of a drawn prediction: name or width -> number."""
    lesson = catalogue.lesson(prediction.id.partition(".")[0])
    cell, pattern = PRINTED[prediction.id]
    found = [one for one in nbformat.read(NOTEBOOKS / lesson.notebook, as_version=4).cells if one.id.startswith(cell)]
    outputs = [output for one in found for output in one.get("outputs", [])]
    text = "\n".join(one.get("text") or one.data.get("text/markdown") or one.data["text/plain"] for one in outputs)
    return {name: float(number.replace("−", "-")) for name, number in re.findall(pattern, text)}


@pytest.mark.parametrize("id", DRAWN)
def test_what_comes_out_at_the_point_is_the_answer(id):
    one = DRAWN[id]
    asked = drawn.asked(one)
    assert abs(asked - one.answer) <= one.close * abs(one.answer)
    if one.kind == "choice":
        assert is_answer(one, asked)
    else:
        assert is_answer(one, round(asked, one.drawn.decimals))


@pytest.mark.parametrize("id", DRAWN)
def test_what_comes_out_is_what_the_notebook_prints(id):
    one, found = DRAWN[id], printed(DRAWN[id])
    line, dots = drawn.truth(id)
    if one.drawn.kind == "curve":
        scale = 16 if one.drawn.log else 1  # there the notebook names widths as multiples of 16 units
        known = {x: round(y, one.drawn.decimals) for x, y in line}
        assert found and {known[scale * float(name)] for name in found} == set(found.values())
        assert id == FIRST or len(found) == len(line)
        for x, y in line:
            seeds = [other for at, other in dots if at == x]
            assert len(seeds) >= 4 and sum(seeds) / len(seeds) == pytest.approx(y, abs=0.1)
    else:
        assert list(found.values()) == [round(drawn.asked(one), max(one.drawn.decimals, 2 * (one.kind == "choice")))]


@pytest.mark.parametrize("id", DRAWN)
def test_what_is_given_tells_nothing_that_is_asked(id):
    one = DRAWN[id]
    data = drawn.data(one)
    assert all(x < one.drawn.at for x, _ in data.get("given", ()))
    assert not is_answer(one, one.drawn.start) and one.drawn.known != one.answer
    followed = [other for other in DRAWN.values() if other.drawn.after and id.endswith(f".{other.drawn.after}")]
    for other in followed:
        assert max(x for x, _ in data["truth"]["line"]) < other.drawn.at
        assert max(one.drawn.axis) < other.drawn.at


KEYS = ["Home", "End", "ArrowUp", "ArrowLeft", "Tab"]
LAID = """([keys, drawings]) => drawings.map(([prediction, guesses]) => guesses.map((guess) => {
    const { laidOut, scale } = course.drawing;
    const { afterKey, nearest } = scale(prediction);
    const [before, ...after] = [0, 0.5, 1].map((progress) =>
        laidOut(prediction, { guess, depth: null, told: true, progress }, 640));
    const shown = [before, ...after].map(({ ground, result }) => (ground + result).split("var(--input)").length - 1);
    return [nearest(before.value(...before.handle)), keys.map((key) => afterKey(key, guess)), shown];
}))"""


def test_the_point_lies_where_its_number_is_and_keys_move_it():
    scales = []
    for one in DRAWN.values():
        steps = range(round((one.high - one.low) / one.drawn.step) + 1) if not one.choices else ()
        scales.append(sorted(one.choices) or [one.low + one.drawn.step * number for number in steps])
    given = [{**page_data.prediction(one), "drawn": drawn.data(one)} for one in DRAWN.values()]
    scripts = ("base.js", "memory.js", "guess.js", "drawing.js")
    laid = node.run(LAID, [KEYS, list(zip(given, scales, strict=True))], *scripts)
    for scale, found in zip(scales, laid, strict=True):
        for at, (place, keys, (before, half, whole)) in enumerate(found):
            due = [scale[0], scale[-1], scale[min(at + 1, len(scale) - 1)], scale[max(at - 1, 0)]]
            assert [place, *keys[:-1]] == pytest.approx([scale[at], *due]) and keys[-1] is None
            assert before == 0 < half <= whole


# ---- on the page


def form_of(page, id):
    """Return the form of a prediction, and what moves in it."""
    form = page.locator(f'form[data-prediction="{id}"]')
    return form, form.get_by_role("slider")


def address(id):
    return pages.address(catalogue.lesson(id.partition(".")[0]))


def typed(form):
    """Return what the field or the chosen button of a form holds."""
    chosen = form.locator("input:checked")
    return float((chosen if chosen.count() else form.locator("input[type=text]")).evaluate("field => field.value"))


def middle(handle):
    box = handle.locator(".knob").bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def inside(form):
    return form.locator(".drawn svg").evaluate("svg => svg.outerHTML")


def other_guess(one):
    """Return an honest guess that is not the answer."""
    return {"linear_limits": 60, "relu_vs_gelu": -3, "inside_a_language_model": 0.7}.get(one.id.partition(".")[0], 40)


@pytest.mark.parametrize("id", EACH_KIND)
def test_the_point_is_the_number_that_is_typed_dragged_or_moved_by_keys(opened, id):
    one = DRAWN[id]
    page = opened(address(id))
    form, handle = form_of(page, id)
    handle.scroll_into_view_if_needed()
    assert handle.get_attribute("aria-valuetext") == "not drawn yet" and TRUTH not in inside(form)
    x, y = middle(handle)
    way = (0, -60) if one.drawn.kind == "curve" else (-90, 40) if one.drawn.kind == "dip" else (90, 0)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + way[0] / 2, y + way[1] / 2)
    page.mouse.move(x + way[0], y + way[1])
    page.mouse.up()
    guess = typed(form)
    assert guess == float(handle.get_attribute("aria-valuenow")) != one.drawn.start
    if one.kind == "choice":
        assert guess in one.choices
    else:
        assert middle(handle) == pytest.approx((x + way[0], y + way[1]), abs=3)
    before = middle(handle)
    if one.kind == "choice":
        form.locator(f'input[value="{other_guess(one)}"]').check()
    else:
        form.locator("input").fill(str(other_guess(one)))
    assert float(handle.get_attribute("aria-valuenow")) == other_guess(one) and middle(handle) != before
    handle.focus()
    page.keyboard.press("ArrowUp")
    now = typed(form)
    assert now > other_guess(one) and handle.get_attribute("aria-valuetext").startswith(f"{now:g}".replace("-", "−"))
    page.keyboard.press("ArrowLeft")
    assert TRUTH not in inside(form) and not form.locator(".reply").inner_text()
    page.keyboard.press("Enter")
    said = markdown.text(markdown.inline(reply_to(one, other_guess(one)).message))
    assert form.locator(".reply").inner_text() == f"◆ Guessed. {said}" and TRUTH in inside(form)
    page.reload()
    assert TRUTH in inside(form) and float(handle.get_attribute("aria-valuenow")) == other_guess(one)


def test_what_is_no_guess_shows_nothing(opened):
    page = opened("linear-limits.html")
    form, handle = form_of(page, "linear_limits.predict_width")
    for text in ("", "many", "140"):
        form.locator("input").fill(text)
        handle.press("Enter")
        assert form.locator(".reply").inner_text().startswith("○ Not attempted yet.") and TRUTH not in inside(form)


def test_what_came_out_grows_and_with_reduced_motion_it_stands(opened):
    id = "linear_limits.predict_width"
    page = opened(address(id), reduced_motion="no-preference")
    form, _ = form_of(page, id)
    form.locator("input").fill("60")
    page.evaluate("""() => {
        const still = document.querySelector("form[data-prediction$=predict_width] .still");
        window.lengths = [];
        const look = () => {
            const line = still.querySelector('path[stroke="var(--input)"]');
            if (line) lengths.push(Math.round(line.getTotalLength()));
            requestAnimationFrame(look);
        };
        look();
    }""")
    form.get_by_role("button", name="Show me").click()
    page.wait_for_timeout(700)
    halfway = page.evaluate("lengths.at(-1)")
    page.wait_for_timeout(1500)
    lengths = page.evaluate("lengths")
    assert lengths == sorted(lengths) and len(set(lengths)) > 5
    assert 0.2 * lengths[-1] < halfway < lengths[-1]
    page = opened(address(id))
    form, _ = form_of(page, id)
    form.locator("input").fill("60")
    form.get_by_role("button", name="Show me").click()
    line = form.locator('path[stroke="var(--input)"]')
    assert line.evaluate("line => Math.round(line.getTotalLength())") == lengths[-1]


def test_of_two_guesses_the_second_shows_the_first_result_only_after_it(opened):
    page = opened(address(FIRST))
    (first, _), (second, handle) = form_of(page, FIRST), form_of(page, SECOND)
    known = second.locator('circle[fill="var(--quiet)"]')
    assert known.count() == 3 and TRUTH not in inside(second)
    first.locator("input").fill("40")
    first.get_by_role("button", name="Show me").click()
    assert known.count() == 4 and TRUTH not in inside(second)
    assert handle.get_attribute("aria-valuetext") == "not drawn yet"
    assert float(handle.get_attribute("aria-valuenow")) == round(drawn.asked(DRAWN[FIRST]))


@pytest.mark.parametrize("id", DRAWN)
def test_a_drawing_has_no_barrier_and_fits_a_phone(opened, id):
    """In the light and in the dark; axe, which takes long, looks at one drawing of each kind."""
    page = opened(address(id), viewport=NARROW)
    form, _ = form_of(page, id)
    for told in (False, True):
        if told and DRAWN[id].choices:
            form.locator("input").first.check()
        elif told:
            form.locator("input").fill(str(other_guess(DRAWN[id])))
        if told:
            form.get_by_role("button", name="Show me").click()
        page.evaluate("document.querySelectorAll('main figure').forEach(one => one.remove())")
        laid_out(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]
        assert page.evaluate(TOO_SMALL) == [] and page.evaluate(CUT_OFF) == []
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            assert page.evaluate(FAINT) == []
            if id in EACH_KIND:
                assert violations(page, within="form:has(.drawn)") == []
