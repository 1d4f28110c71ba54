"""The language model that runs in a browser computes what torch computes, and what one types is painted by it."""

import functools
import json
import re
from urllib.parse import unquote, urlparse

import numpy as np
import pytest
import torch

from course_lib import microscope
from course_lib.model import contexts, excerpts, language_model, reading
from courseware.page import components
from publish.site import microscope as on_site
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
LOGITS = """([steps, off, held, strength]) => {
    const { LanguageModel, Reader, given } = lens;
    const model = (lens.model ??= new LanguageModel(given));
    const reader = new Reader(model);
    reader.switch(off, held);
    for (const text of steps) {
        reader.set(text);
        if (reader.read() !== text.length) throw new Error("it stops before the end");
    }
    const { w, bias, writes } = given.own;
    const v = model.toward(model.characters.indexOf(writes)).map(one => strength * one);
    const places = Array.from(steps[steps.length - 1], (_, place) => place);
    return [places.map(place => Array.from(reader.logits(place, strength ? { w, bias, v } : null))),
            places.map(place => reader.row(place).hidden.map(one => Array.from(one)))];
}"""


@pytest.fixture(scope="module")
def in_page(tmp_path_factory):
    """Return a function that gives the logits (places, 97) and the hidden values (places, 3, 512) of the component."""
    path = tmp_path_factory.mktemp("component") / "microscope.js"
    inside = components.source("microscope").replace("return { style, render };", "return _language_model;")
    path.write_text(f"globalThis.lens = {inside};\nlens.given = {json.dumps(microscope.data())};")

    @functools.cache
    def run(*steps, off=(), held="", strength=0):
        return tuple(map(np.array, node.run(LOGITS, [steps, off, held, strength], path)))

    return run


def in_torch(text, model=None, off=(), held=None):
    """Return the logits of torch in the windows of `reading.read`: of the first all count, of others one half.

    off: sub-layers that return 0; held: (ffn, unit), a hidden value that is set to 0.
    """
    model = model or language_model.trained()
    hooks = [reading._changed(model, name, torch.zeros_like) for name in off]
    if held:
        hooks.append(reading._changed(model, f"hidden {held[0]}", lambda h: h.index_fill(2, torch.tensor(held[1]), 0)))
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


@pytest.mark.parametrize("off", ["ffn 1", "ffn 3", "attention 1", "attention 2"])
def test_what_is_off_writes_nothing(in_page, off):
    there = in_torch(TEXTS[1], off=[off])
    assert abs(there - in_torch(TEXTS[1])).max() > 1
    np.testing.assert_allclose(in_page(TEXTS[1], off=(off,))[0], there, atol=1e-4, rtol=0)


def test_a_unit_can_be_held_at_0(in_page):
    there = in_torch(TEXTS[1], held=(1, 356))
    assert abs(there - in_torch(TEXTS[1])).max() > 0.1
    np.testing.assert_allclose(in_page(TEXTS[1], held="1.356")[0], there, atol=1e-4, rtol=0)


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


def test_names_are_those_that_the_lesson_finds():
    record = language_model.record()["seeds"]["0"]["lesson"]
    names, found = microscope.units()
    assert [len(one) for one in names] == record["named"]["units"] and names[0][356][0] == "at '.'"
    for ffn, row in enumerate(names, 1):  # a named unit is among the best for its context, but for a crowded one
        missing = [unit for unit, (name, _) in row.items() if (ffn, unit) not in [one[:2] for one in found[name]]]
        assert len(missing) <= 1, missing


def test_units_are_found_on_part_a_and_judged_on_part_b():
    words, (a, b) = "after 'self'", (reading.of_part(part) for part in excerpts.PARTS)
    on_a, on_b = (
        contexts.contexts(excerpts.excerpt(part, reading.LENGTH))[words][read.places]
        for part, read in zip(excerpts.PARTS, (a, b), strict=True)
    )
    tried = []
    for ffn, (h_a, h_b) in enumerate(zip(a.hidden, b.hidden, strict=True), 1):
        for unit in range(512):
            limits = [share * np.quantile(h_a[:, unit], 0.998) for share in contexts.THRESHOLDS]
            scores = [contexts.f1(h_a[:, unit] > limit, on_a) for limit in limits]
            best = int(np.argmax(scores))
            tried.append((-scores[best], ffn, unit, contexts.f1(h_b[:, unit] > limits[best], on_b)))
    for found, (_, ffn, unit, score) in zip(microscope.units()[1][words], sorted(tried)[:5], strict=True):
        assert found == (ffn, unit, pytest.approx(score))


def test_the_script_is_small_and_plain():
    script = on_site.script()
    assert len(script) < 1.75e6 and script.isascii() and "</" not in script


# ---- in a browser

FIRST_PAGE = 400_000  # bytes, before anyone touches it
TEXT = on_site.CARD[0]
SIGNS = {"\n": "↵", " ": "␣"}
EXPECTED = """() => Array.from(document.querySelectorAll('.next li'))
    .sort((one, other) => one.style.getPropertyValue('--rank') - other.style.getPropertyValue('--rank'))
    .map(one => [one.querySelector('b').textContent, one.querySelector('span').textContent])"""
EXPECTS = f"first => ({EXPECTED})()[0][0] === first"
PIXELS = """selector => {
    const canvas = document.querySelector(selector);
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    return [canvas.height, canvas.width, Array.from(data)];
}"""
LETTER = """() => {
    const look = getComputedStyle(document.querySelector('textarea'));
    const pen = document.createElement('canvas').getContext('2d');
    pen.font = `${look.fontSize} ${look.fontFamily}`;
    return [pen.measureText('0').width, ...[look.lineHeight, look.paddingLeft, look.paddingTop].map(parseFloat)];
}"""


def pixels(page, selector):
    """Return what a canvas shows, (rows, columns, 4), at one pixel to a CSS pixel."""
    height, width, values = page.evaluate(PIXELS, selector)
    return np.array(values).reshape(height, width, 4)


def at_work(opened, query="", **options):
    """Return the page of the microscope when it has computed what it shows."""
    page = opened(f"{on_site.PAGE}{query}", **options)
    settled(page)
    return page


def settled(page, words="FFN"):
    page.locator("#microscope .said", has_text=words).wait_for()


def first(logits):
    """Return the likeliest character as it is shown."""
    one = language_model.CHARACTERS[logits.argmax()]
    return SIGNS.get(one, one)


def test_the_first_page_is_light_and_leads_to_the_microscope(opened):
    page, asked = opened("404.html"), []
    page.on("request", lambda one: asked.append(one.url))
    page.goto(page.url.replace("404.html", "index.html"))
    page.locator(".glimpse").scroll_into_view_if_needed()
    page.wait_for_timeout(500)
    names = {unquote(urlparse(one).path) for one in asked if one.startswith("file:")}
    assert not any("weights" in one or "component-microscope" in one for one in names)
    assert sum((ROOT / one).stat().st_size for one in names) <= FIRST_PAGE
    painted = page.locator(".glimpse pre span").count()
    page.locator(".glimpse a").click()
    settled(page, f"FFN 2, unit 473 fires at {painted} of {len(TEXT)}")
    assert page.locator("textarea").input_value() == TEXT and 10 < painted < 20
    assert "after only spaces in its line, F1 0.89" in page.locator(".about").inner_text()


def test_a_unit_is_chosen_by_keyboard_and_stands_in_the_link(opened):
    page = at_work(opened, viewport=WIDE)
    page.locator("textarea").focus()
    page.keyboard.press("Control+A")
    page.keyboard.type("import numpy as np")
    settled(page, "FFN 2, unit 473 fires at 0 of 18")
    for name, words in (("ffn", "1"), ("unit", "140")):
        page.locator(f"[name={name}]").fill(words)
    field = page.locator(".fields canvas").first
    field.focus()
    page.keyboard.press("ArrowRight")
    assert page.locator(".about").inner_text().endswith("at 'm', F1 0.97")
    assert field.get_attribute("aria-valuetext").startswith("FFN 1, unit 141")
    assert page.locator("[name=unit]").input_value() == "140"  # not before Enter
    page.keyboard.press("Enter")
    settled(page, "FFN 1, unit 141 fires at 2 of 18")
    page.locator("[value='ffn 3']").check()
    page.locator("[name=held]").check()
    page.evaluate("navigator.clipboard.writeText = words => (window.copied = words, Promise.resolve())")
    page.locator(".link button").click()
    link = page.evaluate("copied")
    page.goto("about:blank")
    page.goto(link)
    settled(page, "FFN 1, unit 141 fires at 0 of 18")  # it is held at 0
    assert page.locator("textarea").input_value() == "import numpy as np"
    assert page.locator("[value='ffn 3']").is_checked() and page.locator("[name=held]").is_checked()


def test_bars_follow_what_is_typed_and_where_the_caret_stands(opened):
    page, p = at_work(opened), np.exp(in_torch(TEXT))
    p /= p.sum(axis=1, keepdims=True)
    assert page.evaluate(EXPECTED)[0] == [first(p[-1]), f"{100 * p[-1].max():.0f} %"]
    page.locator("textarea").focus()
    for _ in range(7):
        page.keyboard.press("ArrowLeft")
    page.wait_for_function(EXPECTS, arg=first(p[-8]))
    page.keyboard.press("Control+End")
    page.keyboard.type(".é")
    page.wait_for_function(EXPECTS, arg=first(in_torch(TEXT + ".?")[-1]))
    page.wait_for_function("document.querySelector('.said').textContent.includes('plain ASCII')")


def test_a_cell_is_a_unit_and_paints_the_text(opened):
    page = at_work(opened, viewport=WIDE)
    field, step = pixels(page, ".fields canvas"), page.locator(".fields canvas").first.bounding_box()["width"] / 32
    for unit in range(0, 512, 7):
        red, green, *_ = field[int((unit // 32 + 0.5) * step), int((unit % 32 + 0.5) * step)]
        strength = microscope.strengths(TEXT, 1, unit)[-1]
        assert green - red > 8 if strength > 0.1 else strength > 0 or abs(green - red) < 5, unit
    page.locator(".fields canvas").first.hover(position={"x": (99 % 32 + 0.5) * step, "y": (99 // 32 + 0.5) * step})
    assert page.locator(".about").inner_text().startswith("FFN 1, unit 99")
    wide, high, left, top = page.evaluate(LETTER)
    row = pixels(page, ".sheet canvas")[int(top + high / 2), :, 3]
    painted = [row[int(left + (place + 0.5) * wide)] > 0 for place in range(11)]
    assert painted == list(microscope.strengths(TEXT, 1, 99)[:11] >= 0.05) and painted[6]  # the B of Bank


def test_a_long_line_is_painted_where_it_is_broken(opened):
    page, text = at_work(opened, "#microscope?ffn=1&unit=99", viewport=NARROW), "self.x = Bank(); " * 7
    page.locator("textarea").fill(text)
    settled(page, f"of {len(text)} characters")
    wide, high, left, top = page.evaluate(LETTER)
    columns = int((page.locator("textarea").evaluate("one => one.clientWidth") - 2 * left) / wide)
    rows, sheet = -(-len(text) // columns), pixels(page, ".sheet canvas")
    assert page.locator("textarea").evaluate("one => one.scrollHeight") == round(rows * high + 2 * top)
    seen = [sheet[int(top + 1.5 * high), int(left + (at + 0.5) * wide), 3] > 0 for at in range(columns)]
    there = microscope.strengths(text, 1, 99)[columns : 2 * columns] >= 0.05
    assert seen == list(there) and any(seen)


def test_the_unit_of_ones_own_changes_what_is_written(opened):
    page = at_work(opened)
    assert page.evaluate(EXPECTED)[0][0] == "."
    page.locator("[type=range]").focus()
    page.keyboard.press("End")
    assert page.evaluate(EXPECTED)[0][0] == "i"
    page.wait_for_function("document.querySelector('.writes').textContent.includes('with it: selfile')")
    page.keyboard.press("Home")
    assert page.evaluate(EXPECTED)[0][0] == "."


def test_units_are_found_and_parts_switched_off(opened):
    page = at_work(opened)
    page.locator("select").select_option("at a capital letter")
    settled(page, "FFN 1, unit 99")
    rows = page.locator(".found button").all_inner_texts()
    assert len(rows) == 5 and " ".join(rows[0].split()) == "FFN 1, unit 99 F1 0.94"
    page.locator("[value='attention 1']").check()
    page.wait_for_function(EXPECTS, arg=first(in_torch(TEXT, off=["attention 1"])[-1]))
    assert first(in_torch(TEXT)[-1]) != first(in_torch(TEXT, off=["attention 1"])[-1])


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_has_no_barrier_and_fits_a_phone(opened, scheme):
    page = at_work(opened, "#microscope?find=in+brackets&own=40", viewport=NARROW, color_scheme=scheme)
    assert violations(page, within="#microscope") == []
    assert page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]
    page = opened("index.html", viewport=NARROW, color_scheme=scheme)
    assert violations(page, CONTRAST, within=".glimpse") == []


def test_nothing_that_is_said_gives_a_guess_away():
    for part in (on_site.card(), on_site.page("", ""), components.source("microscope")):
        words = " ".join(re.sub(r"<[^>]+>", " ", part).split())
        assert [id for id, pattern, _ in FORBIDDEN if re.search(pattern, words)] == []
