"""The language model that runs in a page computes what torch computes, and what one types is painted by it."""

import functools
import json
import re
from urllib.parse import unquote, urlparse

import numpy as np
import pytest
import torch

from course_lib.model import contexts, excerpts, language_model, reading
from publish.site import trained
from tests.conftest import ROOT
from tests.publish.giveaways import FORBIDDEN
from tests.site import node
from tests.site.conftest import NARROW
from tests.site.test_browser import CONTRAST, WIDE, violations

TEXTS = [
    "def read_",
    'class Bank:\n\tdef __init__(self, "river"):\n        self.reached = {~river}  # 100 %',
    excerpts.excerpt("B", 300).text,  # longer than a window
]
LOGITS = """([steps, off, strength]) => {
    const { model, own } = course.trained;
    const reader = new course.Reader(model);
    off.forEach((one, number) => one && reader.switch(number, true));
    let unit = null;
    for (const text of steps) {
        reader.set(model.encoded(text));
        if (reader.read() !== text.length) throw new Error("it stops before the end");
    }
    if (strength) {
        const v = model.toward(model.encoded(own.writes)[0]).map(one => strength * one);
        unit = { w: own.w, bias: own.bias, v };
    }
    const places = Array.from(steps[steps.length - 1], (_, place) => place);
    return [places.map(place => Array.from(model.logits(reader.row(place), unit, reader.off))),
            places.map(place => reader.row(place).hidden.map(one => Array.from(one)))];
}"""


@pytest.fixture(scope="module")
def in_page(tmp_path_factory):
    """Return a function that gives the logits (places, 97) and the hidden values (places, 3, 512) of a page."""
    path = tmp_path_factory.mktemp("site") / "weights.js"
    path.write_text(trained.script())

    @functools.cache
    def run(*steps, off=(False,) * 3, strength=0):
        found = node.run(LOGITS, [steps, off, strength], "base.js", "trained.js", path)
        return tuple(map(np.array, found))

    return run


def in_torch(text, model=None, off=(False,) * 3):
    """Return the logits of torch in the windows of `reading.read`: of the first all count, of others one half."""
    model = model or language_model.trained()
    hooks = [
        block.ffn.register_forward_hook(lambda module, given, output: torch.zeros_like(output))
        for block, one in zip(model.blocks, off, strict=True)
        if one
    ]
    half, rows = model.seq_len // 2, []
    for place in range(len(text)):
        start = max(0, place // half - 1) * half
        rows.append((start, place - start))
    windows = {start: torch.from_numpy(language_model.encoded(text[start : start + 2 * half])) for start, _ in rows}
    with torch.no_grad():
        logits = {start: model(codes[None])[0].numpy() for start, codes in windows.items()}
    for hook in hooks:
        hook.remove()
    return np.array([logits[start][place] for start, place in rows])


@pytest.mark.parametrize("text", TEXTS)
def test_the_logits_are_those_of_torch(in_page, text):
    np.testing.assert_allclose(in_page(text)[0], in_torch(text), atol=1e-4, rtol=0)


def test_hidden_values_are_those_of_the_lesson(in_page):
    """Of the places of part B that count, and a text longer than a window."""
    seen, half = reading.of_part("B"), 64
    here = in_page(TEXTS[2])[1]
    for number, h in enumerate(seen.hidden):
        np.testing.assert_allclose(here[half:, number], h[: 300 - half], atol=1e-3, rtol=0)


@pytest.mark.parametrize("before", ["", TEXTS[2], TEXTS[2][:100] + "x" + TEXTS[2][100:], TEXTS[2][:129]])
def test_what_is_kept_while_one_types_changes_nothing(in_page, before):
    text = TEXTS[2][:200]
    for found, anew in zip(in_page(before, text), in_page(text), strict=True):
        assert np.array_equal(found, anew)


@pytest.mark.parametrize("number", [0, 1, 2])
def test_an_ffn_that_is_off_writes_nothing(in_page, number):
    off = tuple(one == number for one in range(3))
    there = in_torch(TEXTS[1], off=off)
    assert abs(there - in_torch(TEXTS[1])).max() > 1
    np.testing.assert_allclose(in_page(TEXTS[1], off=off)[0], there, atol=1e-4, rtol=0)


def test_the_unit_of_ones_own_is_that_of_section_4(in_page):
    seen = reading.of_part("A")
    here = contexts.ends_with(excerpts.excerpt("A", 8200).text, "self")[seen.places]
    model = language_model.trained()
    rows, gain = model.read_out.weight.numpy(), model.norm.weight.numpy()
    v = (rows[language_model.CODES["i"]] - rows.mean(axis=0)) * gain
    edited = reading.widened(model, *reading.unit_for(seen.inputs[2], here), 40 * v / np.linalg.norm(v))
    text = "def close(self):\n    self"
    there = in_torch(text, edited)
    np.testing.assert_allclose(in_page(text, strength=40)[0], there, atol=1e-4, rtol=0)
    assert (
        language_model.CHARACTERS[there[-1].argmax()] == "i" != language_model.CHARACTERS[in_torch(text)[-1].argmax()]
    )


def test_the_names_are_those_that_the_lesson_finds():
    record = language_model.record()["seeds"]["0"]["lesson"]
    assert [len(one) for one in trained.known().names] == record["named"]["units"]
    assert trained.known().names[0][357][0] == "at '.'"
    assert trained.known().best[2] == "after 'self', above 2.2" and round(trained.known().best[3], 2) == 0.94


def test_the_script_is_small_and_plain():
    script = trained.script()
    assert len(script) < 1.75e6 and script.isascii() and "</" not in script
    about = json.loads(script[len("course.weights(") : script.index(', "', script.index('"writes"'))])
    assert about["characters"] == language_model.CHARACTERS


# ---- in a browser

LESSON, FIRST = "inside-a-language-model.html", "index.html"
FIRST_PAGE = 400_000  # bytes, before anyone touches it
LEVELS = "Array.from(document.querySelectorAll('.paint span')).map(one => Number(one.dataset.level))"
KNOWN = "words => document.querySelector('.typing .said').textContent.startsWith(words)"
EXPECTED = """() => Array.from(document.querySelectorAll('.next li'))
    .map(one => [one.querySelector('b').textContent, one.querySelector('span').textContent])"""


def in_lesson(opened, address=LESSON, **options):
    """Return the page of lesson 10 with its field open, and what it looks into computed."""
    page = opened(address, **options)
    page.evaluate("document.querySelector('#typing').closest('details').open = true")
    page.locator("#typing").scroll_into_view_if_needed()
    page.wait_for_function(KNOWN, arg="FFN")  # it is said when all is computed
    return page


def test_the_first_page_is_light_until_it_is_touched(opened):
    page, asked = opened("404.html"), []
    page.on("request", lambda one: asked.append(one.url))
    page.goto(page.url.replace("404.html", FIRST))
    page.locator("#type").scroll_into_view_if_needed()
    page.wait_for_timeout(500)
    names = {unquote(urlparse(one).path) for one in asked if one.startswith("file:")}
    assert any(one.endswith("typing.js") for one in names) and not any("weights" in one for one in names)
    assert sum((ROOT / one).stat().st_size for one in names) <= FIRST_PAGE


def test_one_unit_paints_what_is_typed_on_the_first_page(opened):
    page = opened(FIRST, viewport=NARROW)
    text, ffn, unit = trained.FIRST_PAGE
    before = page.evaluate(LEVELS)
    assert len(before) == len(text) and max(before) == 3
    page.locator("#type textarea").focus()
    page.wait_for_function(f"(course.typing[0].strengths || []).length === {len(text)}")
    assert page.evaluate(LEVELS) == before
    np.testing.assert_allclose(
        page.evaluate("course.typing[0].strengths"), trained.strengths(text, ffn, unit), atol=1e-4
    )
    page.keyboard.type(" So: is it")  # who comes by the keyboard is at its end
    page.wait_for_function(KNOWN, arg="It fires at 3 of 37 characters")
    levels = page.evaluate(LEVELS)
    assert levels[: len(text)] == before and [place for place, one in enumerate(levels[len(text) :]) if one] == [5, 8]
    assert "character 36, “i”" in page.locator("#type .painted-list").inner_text()
    page.keyboard.type(" é")
    page.wait_for_function("document.querySelector('#type .said').textContent.includes('plain ASCII')")


def test_a_unit_is_chosen_by_keyboard_and_stands_in_the_link(opened):
    page = in_lesson(opened, viewport=WIDE)
    page.locator("#typing textarea").focus()
    page.keyboard.press("Control+A")
    page.keyboard.type("import numpy as np")
    page.wait_for_function(KNOWN, arg="FFN 2, unit 474 fires at")
    for words in ("1", "142"):
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.type") == "number"
        page.keyboard.press("Control+A")
        page.keyboard.type(words)
    page.keyboard.press("Tab")
    assert page.locator(".about-unit").inner_text() == "at 'm', F1 0.97"
    painted = page.evaluate(LEVELS)
    assert painted[1] == painted[9] == 3 and sum(one == 3 for one in painted) == 2
    page.wait_for_function("location.hash.includes('142')")
    page.reload()
    assert page.locator("#typing textarea").input_value() == "import numpy as np"
    page.wait_for_function(KNOWN, arg="FFN 1, unit 142 fires at")
    assert page.evaluate(LEVELS) == painted


def test_a_character_shows_its_strongest_units_and_what_comes_next(opened):
    page = in_lesson(opened)
    text = trained.IN_LESSON[0]
    p = np.exp(in_torch(text))
    p /= p.sum(axis=1, keepdims=True)
    first = [language_model.CHARACTERS[one] for one in p.argmax(axis=1)]
    bars = page.evaluate(EXPECTED)
    assert bars[0] == [first[-1], f"{100 * p[-1].max():.0f} %"] and len(bars) == 5
    page.locator("#typing textarea").focus()
    for _ in range(7):
        page.keyboard.press("ArrowLeft")
    place = len(text) - 8
    page.wait_for_function("document.querySelector('.what-is-chosen').textContent.includes('character 26')")
    bars = page.evaluate(EXPECTED)
    assert bars[0][0] == {" ": "␣"}.get(first[place], first[place])
    strongest = page.locator(".strongest button:visible")
    assert strongest.count() == 10
    name = strongest.nth(3).locator("b").inner_text()
    strongest.nth(3).focus()
    page.keyboard.press("Enter")
    page.wait_for_function(KNOWN, arg=f"{name} fires at")
    page.locator(".paint span").nth(10).evaluate("one => one.scrollIntoView({ block: 'center' })")
    box = page.locator(".paint span").nth(10).bounding_box()
    page.mouse.click(box["x"] + 2, box["y"] + 8)
    assert "character 11" in page.locator(".what-is-chosen").first.inner_text()


def test_a_cell_is_a_unit(opened):
    page = in_lesson(opened, viewport=WIDE)
    field = page.locator("#typing canvas").nth(2)
    field.scroll_into_view_if_needed()
    box = field.bounding_box()
    step = box["width"] / 64
    field.click(position={"x": 27.5 * step, "y": 5.5 * step})
    values = [page.locator(f"[name={name}]").input_value() for name in ("ffn", "unit")]
    assert values == ["3", str(5 * 64 + 28)]
    drawn = """() => {
        const field = document.querySelectorAll("canvas")[2];
        const pixels = field.getContext("2d").getImageData(0, 0, field.width, field.height).data;
        const step = field.width / 64;
        const at = unit => 4 * (Math.floor((Math.floor(unit / 64) + 0.5) * step) * field.width
                                + Math.floor((unit % 64 + 0.5) * step));
        return Array.from(course.typing[0].wanted[2], (one, unit) => [one, ...pixels.slice(at(unit), at(unit) + 3)]);
    }"""
    strengths, red, green, blue = np.array(page.evaluate(drawn)).T
    fires = strengths > 0.05
    assert 5 < fires.sum() < 100 and (green - red)[fires].min() > 20 and abs(green - red)[strengths == 0].max() < 5
    strongest = strengths.argmax()
    assert (red[strongest], green[strongest], blue[strongest]) == (0, 158, 115)  # the greenest there is


def test_the_unit_of_ones_own_writes_more_the_longer_its_column(opened):
    page = in_lesson(opened)
    assert page.evaluate(EXPECTED)[0][0] == "."
    page.locator("#typing-own").focus()
    page.keyboard.press("End")
    bars = page.evaluate(EXPECTED)
    assert bars[0][0] == "i" and int(bars[0][1].split()[0]) > 90
    page.keyboard.press("Home")
    assert page.evaluate(EXPECTED)[0][0] == "."


def test_an_ffn_can_be_switched_off_after_its_guess_alone(opened):
    page = in_lesson(opened)
    switches = page.locator("#typing .off")
    assert not switches.is_visible()
    page.locator("[data-prediction='inside_a_language_model.predict_removed'] input").nth(1).check()
    page.locator("[data-prediction='inside_a_language_model.predict_removed'] button").click()
    page.locator(".to-switches").click()
    assert switches.is_visible() and page.evaluate("document.activeElement.closest('.off') !== null")
    p = np.exp(in_torch(trained.IN_LESSON[0], off=(True, False, False))[-1])
    first = language_model.CHARACTERS[p.argmax()]
    assert first != page.evaluate(EXPECTED)[0][0]
    page.keyboard.press("Space")
    page.wait_for_function(f"first => ({EXPECTED})()[0][0] === first", arg={"\n": "↵", " ": "␣"}.get(first, first))
    assert page.locator("#typing .is-off").count() == 1
    page.reload()
    page.evaluate("document.querySelector('#typing').closest('details').open = true")
    assert switches.is_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_has_no_barrier_and_fits_a_phone(opened, scheme):
    page = in_lesson(opened, viewport=NARROW, color_scheme=scheme)
    page.evaluate("course.typing[0].switches()")
    page.evaluate("document.querySelector('#typing details').open = true")
    page.wait_for_function(KNOWN, arg="FFN 2")
    assert violations(page, within="#typing") == []
    assert page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]
    page = opened(FIRST, viewport=NARROW, color_scheme=scheme)
    assert violations(page, CONTRAST, within="#type") == []


def test_nothing_that_is_said_gives_a_guess_away():
    parts = [trained.invitation("", ""), *(trained.after(trained.LESSON, id, "") for id in trained.PLACES)]
    assert all(parts)
    for part in parts:
        words = " ".join(re.sub(r"<[^>]+>", " ", part).split())
        assert [id for id, pattern, _ in FORBIDDEN if re.search(pattern, words)] == []
