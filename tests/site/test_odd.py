"""What readers type, store and paste that nobody planned: odd guesses, damaged memories, addresses made by hand."""

import json
import math
from dataclasses import replace

import pytest

from courseware.guess import READ
from lessons import catalogue
from publish.site import pages
from tests.site import node
from tests.site.conftest import SOME_PAGES
from tests.site.test_browser import TOO_SMALL
from tests.site.test_parity import expected
from whywrong.task import Fault

LESSON, DEPTH, ATTENTION = "linear-limits.html", "linear_limits.predict_depth", "linear_limits.predict_attention"
SHAPES = [
    "2 x 3",
    "2×3",
    "2 X 3",
    "2 by 3",
    "2*3",
    "2; 3",
    "(2 3)",
    "[2, 3]",
    "(2,3)",
    "2,3,",
    "2x10x9",
    "2by3",
    "two",
]
# What Python reads as a number, and what it reads as something else or not at all.
SUMS = [
    "6*6 + 6",
    "2 ** 10",
    "-2**2",
    "2**-1",
    "2**3**2",
    "(1 + 2) * 3",
    "8*(6*6+6)",
    "1/3",
    "+-3",
    "1e3",
    " .5 ",
    "5e-1",
    "+0.50",
    "1_000",
    "7 / 2 / 2",
]
NO_SUMS = [
    "",
    "(2",
    "2)",
    "2 3",
    "2 **",
    "*2",
    "1,5,2",
    "50 %",  # of what is not said
    "1½",
    "eight",
    "NaN",
    "1e",
    "0x10",
    "2^3",
    "(" * 9999,
]
SEND = """([id, typed]) => {
    const form = document.querySelector(`form.guess[data-prediction="${id}"]`);
    form.querySelector("input").value = typed;
    form.querySelector("button").click();
    return form.querySelector(".reply").textContent;
}"""
TYPED = """typed => typed.map((text) => {
    try { return course.typed({ kind: "number" }, text); } catch (fault) { return fault.message; }
})"""


def started(page) -> bool:
    """Tell whether the page's script came to its end: its last table is made, and a press of Delete is heard."""
    return page.evaluate("!document.querySelector('[data-live]')?.textContent.includes('may run its scripts')")


def restart(page, stored: str) -> None:
    """Open the page again in a browser that remembers this."""
    page.evaluate("stored => localStorage.setItem('ffn-course', stored)", stored)
    page.reload()


def test_a_shape_may_be_typed_as_in_the_notebook(opened):
    (one, *_) = [one for one in catalogue.predictions("build_the_ffn") if one.kind == "shape"]
    page = opened("build-the-ffn.html")
    for typed in SHAPES:
        page.evaluate("localStorage.clear()")
        page.reload()
        wanted, near = expected(one, typed)
        said = " ".join(page.evaluate(SEND, [one.id, typed]).split())
        if near is None:
            wanted = wanted.replace("as a tuple of whole", "as whole")
        sign = "○ Not attempted yet." if near is None else "◆ Exactly." if near else "◆ Guessed."
        assert said == f"{sign} {wanted}", typed


def test_a_number_may_be_a_calculation_as_in_the_notebook():
    phone = ("−3", "–3", "- 3", "“-3”", "‘−3’")  # as a phone writes them
    found = node.run(TYPED, [*SUMS, *NO_SUMS, *phone, "+1,024.5"], "base.js", "guess.js")
    sums, none, written = found[: len(SUMS)], found[len(SUMS) : -len(phone) - 1], found[-len(phone) - 1 :]
    assert all(math.isclose(one, eval(text)) for one, text in zip(sums, SUMS, strict=True)), sums
    assert [one for one in none if "must be a number" not in str(one)] == [] and len(none) == len(NO_SUMS)
    assert written == [-3, -3, -3, -3, -3, 1024.5]


@pytest.mark.parametrize("high", [None, 1, 100])
def test_a_comma_a_share_and_a_half_are_read_as_in_quotes_in_a_cell(high):
    """What can mean one number only: the page and the cell agree, and both refuse the rest."""
    asked = replace(
        next(one for one in catalogue.predictions("linear_limits") if one.kind == "number"), high=high, low=None
    )

    def in_a_cell(text):
        try:
            return READ["number"](asked, text)
        except Fault:
            return None

    texts = [
        "0,5",
        "0,500",
        "-0,25",
        "0,125",
        "½",
        "¾",
        "50 %",
        "12,5%",
        "7 %",
        "-3 %",
        "½ %",
        "1,5,2",
        "%",
        ",5",
        "50 % 2",
    ]
    wanted = [in_a_cell(text) for text in texts]
    (found,) = node.run(
        """([high, texts]) => [texts.map((text) => {
            try { return course.typed({ kind: "number", high }, text); } catch { return null; }
        })]""",
        [high, texts],
        "base.js",
        "guess.js",
    )
    assert found == wanted and wanted[:6] == [0.5, 0.5, -0.25, 0.125, 0.5, 0.75]
    assert wanted[6:8] == {None: [None, None], 1: [0.5, 0.125], 100: [50, 12.5]}[high]


def test_the_first_guess_is_called_as_the_notebook_calls_it(opened):
    page = opened(LESSON)
    form = page.locator(f"form[data-prediction='{ATTENTION}']")
    for word in ("exactly", "no"):
        form.locator(f"input[value='\"{word}\"']").check()
        form.locator("button").click()
    assert "(Your first guess, exactly, is the one that is kept.)" in form.locator(".reply").inner_text()


DAMAGED = [
    "null",
    "5",
    "[]",
    '"x"',
    "{",
    '{"guesses": null}',
    '{"guesses": "abc"}',
    '{"quiz": null}',
    json.dumps({"guesses": {DEPTH: 5, ATTENTION: None, "review.predict_layer": {"guess": None}}}),
    json.dumps({"guesses": {DEPTH: {"guess": {"A": "true"}}, ATTENTION: {"guess": [1]}}}),
    json.dumps({"guesses": {DEPTH: {"guess": "forty"}, "review.predict_layer": {"guess": {'A"]': "true"}}}}),
]


def test_a_damaged_memory_stops_no_page(opened):
    page = opened(LESSON)
    for stored in DAMAGED:
        restart(page, stored)
        assert page.locator(".score").inner_text() == "Your score: 0 of 5." and started(page), stored
        assert page.locator("#predict-1 .reply").inner_text() == ""
        page.evaluate(SEND, [DEPTH, "336"])
        page.reload()
        assert page.locator("#predict-1 input").input_value() == "336"
        for other in ("index.html", "review.html", "progress.html") if stored in DAMAGED[-4:] else ():
            page.goto(page.url.rpartition("/")[0] + f"/{other}")
            assert started(page) and page.locator(".begin[href*=':']").count() == 0, stored
            if other == "progress.html":
                assert "Your first guesses: 0 of 1 came near" in page.locator("main").inner_text()
        page.goto(page.url.rpartition("/")[0] + f"/{LESSON}")


def test_guesses_of_a_former_version_are_not_counted(opened):
    page = opened("progress.html")
    restart(page, json.dumps({"guesses": {"gone.predict": {"guess": 1, "near": True}, DEPTH: {"guess": 336}}}))
    assert "Your first guesses: 0 of 1 came near" in page.locator("main").inner_text()


def test_a_full_browser_keeps_what_is_done_until_the_page_is_closed(opened):
    page = opened(LESSON)
    page.evaluate(
        "() => { Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError'); }; }"
    )
    page.mouse.wheel(0, 900)
    page.wait_for_timeout(900)  # the place of reading cannot be stored either, which is no loss
    told = page.get_by_role("alert")
    assert told.count() == 0
    page.evaluate(SEND, [DEPTH, "336"])
    assert "does not store what you do here" in told.inner_text() and told.bounding_box()["y"] == 0
    assert "(Your first guess, 336, is" in page.evaluate(SEND, [DEPTH, "42"])
    for question in page.locator(".question").all():
        for option in question.locator(".option").all():
            option.click()
    assert page.locator(".score").inner_text() == "Your score: 5 of 5."
    assert (
        "1 of 4 guesses, 0 of 3 exercises and 6 of 6 quiz questions"
        in page.locator("[data-live=progress]").inner_text()
    )


def test_a_table_follows_what_another_tab_does(opened):
    table = opened("progress.html")
    other = table.context.new_page()
    other.goto(table.url.replace("progress.html", LESSON))
    other.evaluate(SEND, [DEPTH, "42"])
    table.wait_for_function("document.querySelector('main').textContent.includes('1 of 1 came near')", timeout=5_000)
    table.evaluate("document.querySelectorAll('[data-live]').forEach(box => box.textContent = 'old')")
    table.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', {persisted: true}))")  # as after Back
    assert "1 of 1 came near" in table.locator("main").inner_text()
    other.locator(".quiz:has(.score) .option").nth(1).click()
    assert other.locator(".score").inner_text() == "Your score: 1 of 5."
    table.locator("button.delete").click()
    table.locator("button.delete").click()
    other.wait_for_function("document.querySelector('.score').textContent === 'Your score: 0 of 5.'", timeout=5_000)


@pytest.mark.parametrize(
    "hash", ["%", "100%", "explore-units?units=%", "explore-units?units=999", "%E0%A4%A", "explore-units?UNITS=7&x"]
)
def test_an_address_made_by_hand_stops_no_page(opened, hash):
    page = opened(f"{LESSON}#{hash}")
    page.evaluate("course.players.forEach(player => player.load())")
    page.wait_for_function("course.players[0].data")
    assert page.locator(".player output").inner_text() == "4" and started(page)
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator("details.experiment:not([open])").count() == 0  # what is set up last works


def test_a_state_pasted_into_an_open_page_is_shown(opened):
    page = opened(LESSON)
    for units in ("9", "11"):  # before the recording is there, and afterwards
        page.evaluate("units => { location.hash = `explore-units?units=${units}`; }", units)
        page.wait_for_function(
            "units => document.querySelector('.player .said').textContent.startsWith(units)", arg=units, timeout=5_000
        )
        assert page.locator(".player output").inner_text() == units
        assert page.locator(".player").evaluate("one => one.getBoundingClientRect().top < innerHeight")


def test_a_slider_moved_before_its_recording_is_there_is_followed(opened):
    page = opened(LESSON)
    page.evaluate("() => { course.players[0].load = () => {}; }")
    page.locator(".player input").press("End")
    page.wait_for_timeout(500)  # the time after which the state is read out
    page.evaluate("delete course.players[0].load; course.players[0].load()")
    page.wait_for_function("location.hash === '#explore-units?units=16'", timeout=5_000)
    assert page.locator(".player .said").inner_text().startswith("16 hidden units")
    assert any(said.startswith("16 hidden units") for said in page.locator(".aloud").all_inner_texts())


def test_a_slider_that_the_browser_sets_back_agrees_with_its_picture(opened):
    """Back from another page: the browser puts the slider where it was, and the address may name no state."""
    page = opened(LESSON)
    page.locator(".player input").press("End")
    page.wait_for_function("location.hash === '#explore-units?units=16'")
    page.evaluate("history.replaceState(null, '', '#explore-units')")
    page.goto(page.url.replace(LESSON, "progress.html").partition("#")[0])
    page.go_back()
    page.wait_for_function("course.players[0].data")
    place = int(page.locator(".player input").input_value())
    assert page.locator(".player .said").inner_text().startswith(f"{place + 1} hidden units")
    assert page.locator(".player output").inner_text() == str(place + 1)


def test_a_recording_that_did_not_come_is_asked_for_again(opened):
    page = opened(LESSON)
    page.evaluate("course.players[0].load()")
    script = page.locator("script[src^='recordings/']")
    assert script.count() == 1 and page.evaluate("course.players[0].loading")
    script.evaluate("one => one.dispatchEvent(new Event('error'))")
    page.evaluate("course.players[0].load()")
    assert script.count() == 2


def test_the_pages_of_this_file_are_those_of_the_course():
    assert pages.address(catalogue.lesson("linear_limits")) == LESSON
    assert {DEPTH, ATTENTION} <= {one.id for one in catalogue.predictions("linear_limits")}


SPACED = """() => {  // the distances that a reader may set: WCAG 2.2, 1.4.12
    const style = document.createElement("style");
    style.textContent = "* { line-height: 1.5 !important; letter-spacing: 0.12em !important;"
        + " word-spacing: 0.16em !important; } p { margin-bottom: 2em !important; }";
    document.head.append(style);
}"""


@pytest.mark.parametrize("name", SOME_PAGES)
def test_a_lesson_fits_an_enlarged_screen_and_wider_letters(opened, name):
    """320 pixels are what 1280 leave at 400 %."""
    page = opened(name, viewport={"width": 320, "height": 256})
    page.evaluate("document.querySelectorAll('main details').forEach(fold => fold.open = true)")
    assert page.evaluate("document.documentElement.scrollWidth") <= 320 and page.evaluate(TOO_SMALL) == []
    page.set_viewport_size({"width": 390, "height": 844})
    page.evaluate(SPACED)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_words_in_a_drawing_keep_the_width_that_it_was_drawn_for(opened):
    """A reader's wider letters would leave the boxes and the marks that they stand on."""
    lengths = "() => Array.from(document.querySelectorAll('main svg text'), one => one.getComputedTextLength())"
    page = opened("inside-a-language-model.html", viewport={"width": 390, "height": 844})
    before, high = page.evaluate(lengths), "document.querySelector('main').getBoundingClientRect().height"
    as_it_is = page.evaluate(high)
    page.evaluate(SPACED)
    assert page.evaluate(high) > 1.1 * as_it_is and len(before) > 50
    assert page.evaluate(lengths) == before
