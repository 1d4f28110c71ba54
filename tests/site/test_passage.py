"""The passage computes the story's layer as the course does, and shows no more than its lesson allows."""

import html
import itertools
import json
import re

import numpy as np
import pytest

from course_lib.model import bank, numpy_ffn
from publish.site import passage
from tests.site import node
from tests.site.conftest import NARROW
from tests.site.test_browser import CUT_OFF, TOO_SMALL, violations

BENDS = {"ReLU": numpy_ffn.relu, "GELU": numpy_ffn.gelu, "none": numpy_ffn.identity}
PLACES = [None, *itertools.product((bank.ATTENTION, bank.FFN), (1, 2, 5), (1, 2, 6), (-2.5, -0.35, 0.8))]
WAYS = "([layer, asked]) => asked.map(one => course.passage.way(layer, one))"
ARRAYS = ("x", "weights", "mixed", "asked", "hidden", "added", "stream")


def test_the_page_computes_what_the_course_does():
    cases = list(itertools.product(bank.CUES, BENDS, PLACES))
    asked = [{"cue": cue, "bend": bend, "moved": place and moved(*place)} for cue, bend, place in cases]
    layer = json.loads(json.dumps(passage.numbers()))
    found = node.run(WAYS, [layer, asked], "base.js", "passage-numbers.js")
    assert len(found) == len(cases) == 2 * 3 * (1 + 2 * 3 * 3 * 3)
    for one, (cue, bend, place) in zip(found, cases, strict=True):
        way = bank.way(cue, activation=BENDS[bend], moved=place)
        assert tuple(one["words"]) == way.words
        for name in ARRAYS:
            assert np.allclose(one[name], getattr(way, name), rtol=0, atol=1e-6), (name, cue, bend, place)


def moved(before, word, feature, by):
    return {"before": before, "word": word - 1, "feature": feature - 1, "by": by}


@pytest.mark.parametrize("z", [-8.5, -3.0, -0.75, -1e-9, 0.0, 0.3, 2.0, 8.5, 40.0])
def test_gelu_is_exact_everywhere(z):
    assert node.run("z => course.passage.BENDS.GELU(z)", z, "base.js", "passage-numbers.js") == pytest.approx(
        float(numpy_ffn.gelu(z)), abs=1e-12
    )


@pytest.mark.parametrize(
    ("source", "lifted"),
    [
        ("which_bank()", 0),
        ("which_bank(lifted=2)", 2),
        ("which_bank(1)\n", 1),
        ("from a import b\n\nwhich_bank()", 0),
        ("which_bank()\nx = 1", None),
    ],
)
def test_a_cell_that_ends_with_the_story_becomes_a_stage(source, lifted):
    assert passage.lifted(source) == lifted


def test_what_a_stage_shows_grows_with_the_lessons(site):
    """GELU after lesson 02, the count after 04's first guess, weights after its exercise, rows after 05's."""
    shown = {}
    for path in sorted(site.glob("*.html")):
        for id, data in re.findall(r'class="passage" id="([\w-]+)" data-passage="([^"]*)"', path.read_text("utf-8")):
            given = json.loads(html.unescape(data))
            assert given["layer"] == json.loads(json.dumps(passage.numbers()))
            shown[path.stem, id] = [
                "GELU" in given["shows"]["bends"],
                *list(given["shows"].values())[1:],
                given["upto"],
            ]
    no, yes = False, True
    assert shown == {
        ("index", "opening"): [no, no, no, no, 2],
        ("start-here", "opening"): [no, no, no, no, None],
        ("expand-and-contract", "opening"): [yes, no, no, no, None],
        ("expand-and-contract", "lift"): [yes, yes, no, no, None],
        ("position-independence", "opening"): [yes, yes, yes, no, None],
        ("position-independence", "lift"): [yes, yes, yes, yes, None],
        ("parameter-share", "opening"): [yes, yes, yes, yes, None],
        ("review", "opening"): [yes, yes, yes, yes, None],
    }


AT = "course.passages[0].at"
RESTS = "() => course.passages[0].at > 0 && !course.passages[0].frame"
VALUES = """name => Array.from(document.querySelectorAll(`.passage:first-of-type .number.${name} text`))
    .map(one => Number(one.textContent.replace("−", "-")))"""
LOUD = {"reduced_motion": "no-preference", "viewport": {"width": 1280, "height": 800}}


def stream(page):
    """Return what leaves the layer in the row that is followed, as it is drawn."""
    return page.locator(".passage").first.evaluate(f"figure => ({VALUES})('stream')")


def test_it_plays_once_can_be_paused_and_goes_on(opened):
    page = opened("start-here.html", **LOUD)
    page.locator(".passage svg").scroll_into_view_if_needed()
    page.wait_for_function(f"{AT} > 0.5")
    page.locator(".passage .play", has_text="Pause").click()
    at = page.evaluate(AT)
    assert 0.5 < at < 6
    page.wait_for_timeout(300)
    assert page.evaluate(AT) == at
    page.locator(".passage .play", has_text="Play").click()
    page.wait_for_function(RESTS, timeout=15000)
    assert page.evaluate(AT) == 6 and stream(page) == [1, 0.99, 0, 0.98, 0, 0, 0, 0]
    page.wait_for_function("document.querySelector('.passage .aloud').textContent.includes('leaves the layer')")
    page.wait_for_timeout(300)
    assert page.evaluate(AT) == 6  # once
    page.locator(".passage .step").click()
    page.wait_for_function(RESTS)
    assert page.evaluate(AT) == 1


def test_with_reduced_motion_it_stands_still_and_steps(opened):
    page = opened("start-here.html")
    assert page.evaluate(AT) == 6
    for step, words in enumerate(
        ("enters the layer", "Attention:", "asks two questions", "The bend, ReLU", "units write", "leaves"), 1
    ):
        page.locator(".passage .step").click()
        assert page.evaluate("[course.passages[0].at, course.passages[0].frame]") == [step, 0]
        assert words in page.locator(".passage .said").inner_text()


def test_a_word_is_followed_by_mouse_and_by_keyboard_and_the_cue_changes_the_end(opened):
    page = opened("start-here.html")
    page.locator(".passage .cue input").nth(1).check(force=True)
    assert stream(page) == [1, 0, 0.99, 0, 0.98, 0, 0, 0]
    words = page.locator(".passage .word")
    words.nth(1).click()
    assert page.locator(".passage .said").inner_text().startswith("That is added to the row: “money” leaves")
    words.nth(4).focus()
    page.keyboard.press("Enter")
    assert words.nth(4).get_attribute("aria-pressed") == "true" and stream(page)[0] == 1


def test_what_is_behind_a_number_moves_with_it(opened):
    page = opened("start-here.html")
    number = page.locator(".passage .number.enter").first
    number.scroll_into_view_if_needed()
    box = number.bounding_box()
    page.mouse.move(box["x"] + 20, box["y"] + 10)
    page.mouse.down()
    page.mouse.move(box["x"] + 20, box["y"] + 10 - 35, steps=5)  # half of 1
    first = stream(page)
    page.mouse.move(box["x"] + 20, box["y"] + 10 + 35, steps=5)
    assert first == pytest.approx([1.5, 1, 0, 2, 0, 0, 0, 0], abs=0.01) or first[3] > 1.5
    assert stream(page)[3] == 0 and page.locator(".passage .slider output").inner_text() == "−0.5"
    page.mouse.up()
    page.locator(".passage .slider input").focus()
    page.keyboard.press("Home")
    assert stream(page)[0] == -1
    page.locator(".passage .reset").click()
    assert stream(page) == [1, 0.99, 0, 0.98, 0, 0, 0, 0]
    page.locator(".passage .bend input").nth(1).check(force=True)  # none
    assert stream(page)[4] == -1


def test_a_unit_says_its_sum(opened):
    page = opened("review.html")
    page.locator(".passage .unit").first.focus()
    assert "1 · 1 + 0.99 · 1 − 1.5 = 0.49 → 0.49" in page.locator(".passage .said").inner_text()
    page = opened("start-here.html")
    page.locator(".passage .unit").first.focus()
    assert "1.5" not in page.locator(".passage .said").inner_text()


def test_before_the_guess_no_other_row_and_no_count_are_there(opened):
    page = opened("expand-and-contract.html")
    assert page.locator("#opening .other, #opening .small, #opening .where, #opening .mark").count() == 0
    assert page.locator("#opening .counter").text_content() == ""
    page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    page.wait_for_function("document.querySelector('#lift .counter').textContent === '9 of 10 units off'")
    page = opened("parameter-share.html")
    page.locator(".passage .word").nth(1).click()
    page.locator(".passage .slider input").focus()
    page.keyboard.press("ArrowRight")
    assert page.locator(".passage .mark.moves").count() == 5
    assert "Every row of the stream moves." in page.locator(".passage .said").inner_text()
    page.locator(".passage .where input").nth(1).check(force=True)
    page.locator(".passage .slider input").focus()
    page.keyboard.press("ArrowRight")
    assert "1 of 5 rows of the stream moves." in page.locator(".passage .said").inner_text()
    assert page.locator(".passage .mark.moves").count() == 1


def test_the_first_page_asks_first_and_any_answer_lifts_the_cover(opened):
    page = opened("index.html", viewport={"width": 1280, "height": 800})
    stage = page.locator(".passage svg").bounding_box()
    assert (
        stage["y"] < 220
        and stage["y"] + stage["height"] < 760
        and stage["height"] * stage["width"] > 0.5 * 1280 * 800 * 0.8
    )
    assert page.evaluate(AT) == 3 and page.locator(".passage .bend").is_hidden()
    assert not any(stream(page)) and page.locator(".passage .plus text", has_text="+0.98").count() == 0
    assert "→" not in page.locator(".passage .said").inner_text()
    page.locator(".passage .unit").first.focus()
    assert "leaves" not in page.locator(".passage .said").inner_text()
    page.locator(".asks .option").nth(2).click()
    assert page.evaluate(AT) == 6 and stream(page)[3] == 0.98
    assert page.locator(".passage .bend").is_visible()
    assert page.locator(".asks .reply").inner_text().startswith("✗ Not yet, C:")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["index.html", "parameter-share.html"])
def test_the_stage_has_no_barrier(opened, name, scheme):
    page = opened(name, viewport=NARROW, color_scheme=scheme)
    assert violations(page, within=".passage") == []
    assert page.evaluate(CUT_OFF) == [] and page.evaluate(TOO_SMALL) == []


def test_the_stage_is_drawn_at_sixty_frames_a_second(opened):
    """The median of the time between two drawings: at least 50 a second."""
    page = opened("parameter-share.html", **LOUD)
    gaps = page.evaluate(
        """async () => {
            const one = course.passages[0], times = [];
            one.play(0);
            await new Promise(done => {
                const next = now => {
                    times.push(now);
                    one.frame && times.length < 120 ? requestAnimationFrame(next) : done();
                };
                requestAnimationFrame(next);
            });
            return times.slice(1).map((time, at) => time - times[at]).sort((a, b) => a - b);
        }"""
    )
    assert len(gaps) > 50 and gaps[len(gaps) // 2] < 20


def test_without_scripts_the_recorded_picture_stands_there(opened):
    page = opened("start-here.html", java_script_enabled=False)
    assert page.locator(".passage noscript svg").is_visible()
