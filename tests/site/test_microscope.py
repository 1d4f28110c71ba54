"""The language model that runs in a browser computes what torch computes, and what one types is painted by it."""

import base64
import functools
import json
import re
from urllib.parse import unquote, urlparse

import numpy as np
import pytest
import torch

from course_lib import microscope
from course_lib.components import FOLDER
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
    const { LanguageModel, Reader, given } = lens, model = new LanguageModel(given);
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
def script(tmp_path_factory):
    """Return a script with what the component computes and keeps, and the model."""
    path = tmp_path_factory.mktemp("component") / "microscope.js"
    parts = (f"...{components.source(name, FOLDER)}" for name in ("language_model", "microscope_state"))
    path.write_text(f"globalThis.lens = {{ {', '.join(parts)}, given: {json.dumps(microscope.data())} }};")
    return path


@pytest.fixture(scope="module")
def in_page(script):
    """Return a function that gives the logits (places, 97) and the hidden values (places, 3, 512) of the component."""

    @functools.cache
    def run(*steps, off=(), held="", strength=0):
        return tuple(map(np.array, node.run(LOGITS, [steps, off, held, strength], script)))

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
    names = microscope.names()
    assert [len(one) for one in names] == record["named"]["units"] and names[0][356][0] == "at '.'"
    assert {name for row in names for name, _ in row.values()} <= {context for _, context in microscope.WAITS.values()}


def fits(pattern, text):
    """Return at which characters a text up to there ends with a pattern."""
    return np.array([re.search(f"(?:{pattern})\\Z", text[: place + 1]) is not None for place in range(len(text))])


def test_an_answer_is_the_context_that_it_names():
    text = excerpts.excerpt("B", 2000)
    named = contexts.contexts(text)
    for words, (pattern, context) in microscope.WAITS.items():
        assert not context or np.array_equal(fits(pattern, text.text), named[context]), words


def test_the_script_is_small_and_plain():
    script = on_site.script()
    assert len(script) < 1.75e6 and script.isascii() and "</" not in script


# ---- what is kept

TEXT = on_site.CARD[0]
SIGNS = {"\n": "↵", " ": "␣"}
# What is kept after each of these steps: a state that is taken, an answer that is picked by its words, or another unit.
KEPT = """(steps) => {
    const state = new lens.State();
    state.load(lens.given);
    return steps.map((step) => {
        const { question } = state.guess;
        if (step === "another") state.take(state.specimen.another(state.now.ffn, state.now.unit));
        else if (typeof step === "string") state.pick(question.choices.find(([words]) => words === step));
        else state.take(step);
        while (!state.read());
        const { guess, now, lines, ringed } = state;
        const choices = guess.question ? guess.question.choices.map(([words]) => words) : [];
        return { ...guess, choices, now: { ...now }, lines, ringed, place: state.place, expected: state.expected() };
    });
}"""


def test_a_text_with_an_emoji_is_read_to_its_end(script):
    """An emoji is two characters of JavaScript."""
    assert node.run(KEPT, [{"text": "x = '😀'"}], script)[-1]["now"]["text"] == "x = '😀'"


def test_a_text_speaks_against_each_wrong_answer(script):
    """In the question with which the microscope begins and the next ones; the unit's values are those of torch."""
    units = set()
    for before in range(6):
        steps = [{}, *["another"] * before]
        asked = node.run(KEPT, steps, script)[-1]
        units.add(unit := (asked["now"]["ffn"], asked["now"]["unit"]))
        values, (name, f1) = microscope.strengths(TEXT, *unit), microscope.names()[unit[0] - 1][unit[1]]
        for answer, after in zip(asked["choices"], node.run(KEPT, steps + asked["choices"], script)[-4:], strict=True):
            pattern, context = microscope.WAITS[answer]
            found, place = fits(pattern, TEXT), after["ringed"]
            against = (found & (values < 0.05)) | (~found & (values >= 1 / 3))
            assert against.any() == (context != name) == (f"F1 of {f1:.2f}" not in after["sure"]), (unit, answer)
            end = "".join(SIGNS.get(one, one) for one in TEXT[max(0, place - 5) : place + 1])
            assert context == name or (against[place] and f"the end of “{end}”" in after["reply"])
    assert len(units) == 6


# Each step; and then where the ring is, the reply up to its first stop, whether it is sure, and how the card begins.
ASKED = [
    ({}, -1, "", False, "This"),
    ("any space", 5, "✗ Not yet", False, "This"),
    ({"off": "ffn 1"}, -1, "✗ Not yet", False, "This"),
    ({"off": ""}, 5, "✗ Not yet", False, "This"),
    ({"text": TEXT + "."}, -1, "", False, "This"),
    ("a space at the start of a line", 5, "✓ Correct", True, "This"),
    ({"text": TEXT}, -1, "✓ Correct.", True, "This"),
    ({"unit": 474}, -1, "", False, "None"),
    ({"unit": 324, "text": ""}, -1, "", False, "In t"),
]


def test_an_answer_holds_for_its_text_and_nothing_is_asked_that_it_cannot_tell(script):
    for (step, *wanted), kept in zip(ASKED, node.run(KEPT, [step for step, *_ in ASKED], script), strict=True):
        says = kept["reply"].partition(". ")[0]
        assert [kept["ringed"], says, kept["sure"] != "", kept["wants"][:4]] == wanted, step


def test_what_makes_no_sense_is_not_taken(script):
    odd = {"text": TEXT * 9, "ffn": 4, "unit": "", "own": "41", "off": "ffn 3,river,attention 1,ffn 1", "held": "4.1"}
    (taken,) = node.run(KEPT, [odd], script)
    known = {"text": (TEXT * 9)[:240], "ffn": 2, "unit": 473, "own": 0, "off": "ffn 1,ffn 3,attention 1", "held": ""}
    assert taken["now"] == known and taken["place"] == 239


def test_what_is_written_before_and_after_a_change(script):
    own, off = node.run(KEPT, [{"own": 40}, {"own": 0, "off": "ffn 1", "held": "1.3"}], script)
    assert (
        own["lines"][1][:2] == ["with our own unit", "self"] and own["expected"][0][0] == own["lines"][1][2][0] == "i"
    )
    assert [line[0] for line in off["lines"]] == ["as it is", "FFN 1 off, FFN 1, unit 3 at 0"]
    for (_, _, words), silent in zip(off["lines"], ([], ["ffn 1"]), strict=True):
        text = TEXT
        for letter in words.replace("↵", "\n"):
            text += language_model.CHARACTERS[in_torch(text, off=silent)[-1].argmax()]
            assert text[-1] == letter


REAL = """(hidden) => {
    const state = new lens.State({ ffns: 3, units: 4, features: 6 });
    const answer = { at: 1, tokens: ["The", " river"], hidden, written: [21, 0.4, 0.8], entry: 5.875 };
    const entry = [0, 9, 1], off = "unit,ffn,river";
    state.take({ text: "The river", ffn: 2, unit: "1", off, entry, value: "-0.5" });
    state.know({ ...answer, expected: [[" bank", 0.996, null]], instead: null });
    const before = [state.now, state.tokens, state.shares, state.scale, state.instead, state.about.join("")];
    state.know({ ...answer, expected: [[" bank", 0.996, 0.004]], instead: ["\\n", 0.3] });
    state.pointed = 2;
    return [...before, state.instead, state.about.join(""), state.aloud];
}"""
REAL_SAYS = """full colour is 4.0, the largest value without the first token (there 1,200). 2 lie within ±0.05, 1 is 0.

FFN 2, unit 1 is 0 at “river”.
With FFN 2 off and unit 1 at 0 and number (0, 1) of FFN 1 at −0.50 it expects “↵” first, with 30 %.
FFN 2, unit 2 is −4.0 at “river”, where you point.
FFN 2, unit 2: The 9.0, river −4.0. The model expects ␣bank 100 %, then < 1 %."""


def test_the_microscope_on_a_real_model_says_what_it_is_told(tmp_path):
    path = tmp_path / "real.js"
    path.write_text(f"globalThis.lens = {components.source('real_microscope_state', FOLDER)};")
    hidden = np.array([[-1200, 1, 9, 1], [2, 0.04, -4, 0]], "<f2")
    now, tokens, shares, *said = node.run(REAL, base64.b64encode(hidden).decode(), path)
    known = {"text": "The river", "ffn": 2, "unit": 1, "off": "ffn,unit"}
    assert now == known | {"entry": [1, 0, 1], "value": -0.5}
    assert [words for *_, words in tokens] == ["1.0", "0"]
    assert shares == [["× 21", 1, True], ["40 %", 0.5, False], ["80 %", 1, True]]
    for words, wanted in zip(said, REAL_SAYS.split("\n"), strict=True):
        assert wanted in words and bool(wanted) == bool(words)


# ---- in a browser

FIRST_PAGE = 400_000  # bytes, before anyone touches it
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


def test_the_ring_is_where_the_reply_says(opened):
    page = at_work(opened, viewport=WIDE)
    page.locator("[value='ffn 1']").check()
    page.locator(".choices button", has_text="any space").click()
    wide, high, left, top = page.evaluate(LETTER)
    edge = pixels(page, ".sheet canvas")[int(top + high / 2), int(left + 5 * wide) - 1 : int(left + 5 * wide) + 2]
    assert "“class␣”" in page.locator(".reply").inner_text() and edge[:, 0].max() > 150


def test_a_unit_is_chosen_by_keyboard_and_stands_in_the_link(opened):
    page = at_work(opened, viewport=WIDE)
    page.locator(".all summary").click()
    page.locator("textarea").focus()
    page.keyboard.press("Control+A")
    page.keyboard.type("import numpy as np")
    settled(page, "FFN 2, unit 473 fires at 0 of 18")
    for name, words in (("ffn", "1"), ("unit", "140")):
        page.locator(f"[name={name}]").fill(words)
    field = page.locator(".fields canvas").first
    field.focus()
    page.keyboard.press("ArrowRight")
    assert page.locator(".about").inner_text().startswith("FFN 1, unit 141 is 0.")
    assert field.get_attribute("aria-valuetext").startswith("FFN 1, unit 141")
    assert page.locator("[name=unit]").input_value() == "140"  # not before Enter
    page.keyboard.press("Enter")
    settled(page, "FFN 1, unit 141 fires at 2 of 18")
    page.locator("[value='ffn 3']").check()
    page.locator("[value=held]").check()
    page.evaluate("navigator.clipboard.writeText = words => (window.copied = words, Promise.resolve())")
    page.locator(".link button").click()
    link = page.evaluate("copied")
    page.goto("about:blank")
    page.goto(link)
    settled(page, "FFN 1, unit 141 fires at 0 of 18")  # it is held at 0
    assert page.locator("textarea").input_value() == "import numpy as np"
    assert page.locator("[value='ffn 3']").is_checked() and page.locator("[value=held]").is_checked()


def test_bars_follow_what_is_typed_and_where_the_caret_stands(opened):
    page, p = at_work(opened), np.exp(in_torch(TEXT))
    p /= p.sum(axis=1, keepdims=True)
    assert page.evaluate(EXPECTED)[0] == [first(p[-1]), f"{100 * p[-1].max():.0f} %"]
    edges = [page.locator(f".{one}").bounding_box() for one in ("switches", "writes", "next")]
    assert max(one["y"] + one["height"] for one in edges) - min(one["y"] for one in edges) < 400
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
    page.locator(".all summary").click()
    page.wait_for_timeout(200)
    field, step = pixels(page, ".fields canvas"), page.locator(".fields canvas").first.bounding_box()["width"] / 32
    for unit in range(0, 512, 7):
        red, green, *_ = field[int((unit // 32 + 0.5) * step), int((unit % 32 + 0.5) * step)]
        strength = microscope.strengths(TEXT, 1, unit)[-1]
        assert green - red > 8 if strength > 0.1 else strength > 0 or abs(green - red) < 5, unit
    page.locator(".fields canvas").first.hover(position={"x": (99 % 32 + 0.5) * step, "y": (99 // 32 + 0.5) * step})
    assert page.locator(".about").inner_text().startswith("FFN 1, unit 99")


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


def test_a_finger_finds_room_and_reads_of_taps(opened):
    page = at_work(opened, viewport={"width": 320, "height": 700}, has_touch=True, is_mobile=True)
    page.locator(".all summary").click()
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    parts = page.locator("#microscope").locator("button, label.pill, summary, [type=number]").filter(visible=True)
    assert parts.count() > 30
    for box in (one.bounding_box() for one in parts.all()):
        assert min(box["width"], box["height"]) >= 24 and box["x"] >= 0 and box["x"] + box["width"] <= 320
    assert page.get_by_text("Tap a number").is_visible() and not page.get_by_text("Point at a cell").is_visible()
    strongest = page.locator(".best").first.locator("button").first
    unit = strongest.inner_text()
    last = microscope.strengths(TEXT, 1)[-1]
    assert last[int(unit)] == last.max()
    strongest.tap()
    settled(page, f"FFN 1, unit {unit} fires")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_has_no_barrier_and_fits_a_phone(opened, scheme):
    page = at_work(opened, "#microscope?own=40", viewport=NARROW, color_scheme=scheme)
    choices, reply = page.locator(".choices button"), page.locator(".reply")
    for answer in ("any space", "a space at the start"):
        choices.filter(has_text=answer).click()
        assert 0 <= reply.bounding_box()["y"] <= NARROW["height"] - 20
    page.locator(".sure summary").click()
    assert choices.filter(visible=True).count() == 1 and "an F1 of" in page.locator(".sure p").inner_text()
    page.locator(".all summary").click()
    assert violations(page, within="#microscope") == []
    assert page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"]
    page = opened("index.html", viewport=NARROW, color_scheme=scheme)
    assert violations(page, CONTRAST, within=".glimpse") == []


def test_nothing_that_is_said_gives_a_guess_away():
    for part in (on_site.card(), on_site.page("", ""), components.source("microscope", FOLDER)):
        words = " ".join(re.sub(r"<[^>]+>", " ", part).split())
        assert [id for id, pattern, _ in FORBIDDEN if re.search(pattern, words)] == []
