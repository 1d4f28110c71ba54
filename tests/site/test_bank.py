"""The bank plays, is played with, and draws what the course computes; it shows no more than its lesson allows."""

import itertools
import json
import re

import numpy as np
import pytest

from course_lib import story
from course_lib.model import bank, numpy_ffn
from lessons import catalogue
from tests.site.conftest import NARROW
from tests.site.test_browser import CUT_OFF, TOO_SMALL, violations

BENDS = {"ReLU": numpy_ffn.relu, "GELU": numpy_ffn.gelu, "none": numpy_ffn.identity}
GUESS = catalogue.item("start_here.predict_bank")
KNOWN = [story.which_bank(0, GUESS).data, story.which_bank(1).data, story.which_bank(2).data]
LOUD = {"reduced_motion": "no-preference", "viewport": {"width": 1280, "height": 800}}
# Of a picture in each of these states: the height of each unit's bar, from its zero line, and what leaves the layer.
DRAWN = """(picture, [id, states]) => states.map(state => {
    course.playing[id].set(state);
    const zero = Number(picture.querySelector(".zero").getAttribute("y1"));
    const bars = Array.from(picture.querySelectorAll(".bar:not(.small)")).map(bar => {
        const [y, height] = ["y", "height"].map(name => Number(bar.getAttribute(name)));
        return y < zero ? zero - y : -height;
    });
    const box = picture.querySelector("svg").viewBox.baseVal;
    const inside = zero + Math.min(...bars) > 0 && zero - Math.min(...bars) < box.height;
    const stream = Array.from(picture.querySelectorAll(".stream text:not(.grip)"));
    return [bars, inside, stream.map(one => Number(one.textContent.replace("−", "-")))];
})"""


def shown(page, guess="A"):
    """Return the picture of a page that has one, once it is drawn, and answered if it asks."""
    picture = page.locator(".c-bank").first
    picture.locator(".lane[x1]").first.wait_for(state="attached")
    if guess and picture.locator(".card .option").first.is_visible():
        picture.locator(".card .option", has_text=guess).first.click()
    return picture


def stream(picture):
    """Return what leaves the layer in the row that is followed, as it is drawn."""
    said = picture.locator(".stream text:not(.grip)").all_text_contents()
    return [float(one.replace("−", "-") or 0) for one in said]


@pytest.mark.parametrize("size", [{"width": 1280, "height": 800}, NARROW], ids=["wide", "narrow"])
def test_bars_and_numbers_are_what_the_course_computes_at_the_ends_of_every_control(opened, size):
    picture = shown(opened("position-independence.html", viewport=size))
    ends = itertools.product((bank.ATTENTION, bank.FFN), range(5), range(8), (-story.MOST, 0.35, story.MOST))
    places = [None, *({"before": a, "word": b, "feature": c, "by": d} for a, b, c, d in ends)]
    states = [
        {"cue": cue, "bend": bend, "word": place["word"] if place else 4, "moved": place}
        for cue, bend, place in itertools.product(bank.CUES, BENDS, places)
    ]
    found = picture.evaluate(DRAWN, ["opening-component", states])
    longest = 0
    for state, (bars, inside, numbers) in zip(states, found, strict=True):
        moved = state["moved"]
        place = moved and (moved["before"], moved["word"] + 1, moved["feature"] + 1, moved["by"])
        way = bank.way(state["cue"], activation=BENDS[state["bend"]], moved=place)
        scale = 36 if size["width"] == 1280 else 30
        hidden = way.hidden[state["word"]]
        tall = np.abs(hidden) * scale > 2.01  # a lower bar is a line
        assert np.allclose(np.array(bars)[tall], scale * hidden[tall], rtol=0, atol=0.011), state
        assert np.all(np.abs(np.array(bars)[~tall]) <= 2.02) and inside, state
        assert np.allclose(numbers, way.stream[state["word"]], rtol=0, atol=0.00501), state
        longest = max(longest, *np.abs(bars))
    assert longest == pytest.approx(scale * 2.7)


def test_what_a_page_shows_grows_with_the_lessons(site):
    found = {}
    for path in sorted(site.glob("*.html")):
        given = re.search(r'id="course-data"[^>]*>(.*?)</script>', path.read_text("utf-8"), re.DOTALL)
        for id, one in json.loads(given[1]).get("components", {}).items() if given else ():
            if "reach" in one["data"]:
                assert one["data"] in KNOWN
                found[path.stem, id.removesuffix("-component")] = one["data"]["counter"] + one["data"]["rows"]
    assert found == {
        ("index", "opening"): 0,
        ("start-here", "opening"): 0,
        ("expand-and-contract", "opening"): 1,
        ("position-independence", "opening"): 2,
        ("review", "opening"): 2,
    }


def test_it_plays_once_can_be_paused_and_goes_on(opened):
    page = opened("start-here.html", **LOUD)
    picture = shown(page)
    picture.locator("svg").scroll_into_view_if_needed()
    play = picture.locator(".play")
    play.filter(has_text="Pause").click()
    before = picture.locator("svg").inner_html()
    page.wait_for_timeout(300)
    assert picture.locator("svg").inner_html() == before and not any(stream(picture))
    play.filter(has_text="Play").click()
    play.filter(has_text="Replay").wait_for(timeout=15000)
    assert stream(picture) == [1, 0.99, 0, 0.98, 0, 0, 0, 0]
    page.wait_for_function("document.querySelector('.c-bank .aloud').textContent.includes('leaves the layer')")
    page.wait_for_timeout(300)
    assert play.inner_text() == "↻ Replay"  # it has played once
    picture.locator(".step").click()
    play.filter(has_text="▶ Play").wait_for()
    assert "enters the layer" in picture.locator(".said").inner_text()


def test_with_reduced_motion_it_stands_still_and_steps(opened):
    picture = shown(opened("start-here.html"))
    assert picture.locator(".play").inner_text() == "↻ Replay"
    for words in (
        "enters the layer",
        "Attention:",
        "asks two questions",
        "The bend, ReLU",
        "Each unit writes",
        "leaves",
    ):
        picture.locator(".step").click()
        assert words in picture.locator(".said").inner_text()


def test_a_word_is_followed_by_mouse_and_by_keyboard_and_the_cue_changes_the_end(opened):
    page = opened("start-here.html")
    picture = shown(page)
    picture.locator(".cue input").nth(1).check(force=True)
    assert stream(picture) == [1, 0, 0.99, 0, 0.98, 0, 0, 0]
    words = picture.locator(".word")
    words.nth(1).click()
    assert (
        picture.locator(".said")
        .inner_text()
        .startswith("Each unit writes its value times 2, its output weight. That is added to the row: “money” leaves")
    )
    words.nth(4).focus()
    page.keyboard.press("Enter")
    assert words.nth(4).get_attribute("aria-pressed") == "true" and stream(picture)[0] == 1


def test_what_is_behind_a_number_moves_with_it(opened):
    page = opened("start-here.html")
    picture = shown(page)
    number = picture.locator(".number.enter").first
    number.scroll_into_view_if_needed()
    box = number.bounding_box()
    page.mouse.move(box["x"] + 20, box["y"] + 10)
    assert number.locator(".grip").evaluate("one => getComputedStyle(one).opacity") == "1"  # it shows that it moves
    page.mouse.down()
    page.mouse.move(box["x"] + 20, box["y"] + 10 - 35, steps=5)  # half of 1
    assert stream(picture)[3] > 1.5
    page.mouse.move(box["x"] + 20, box["y"] + 10 + 35, steps=5)
    assert stream(picture)[3] == 0 and picture.locator("output").inner_text() == "−0.5"
    page.mouse.up()
    picture.locator("input[type=range]").focus()
    page.keyboard.press("Home")
    assert stream(picture)[0] == 0
    picture.locator(".back").click()
    assert stream(picture) == [1, 0.99, 0, 0.98, 0, 0, 0, 0]
    picture.locator(".bend input").nth(1).check(force=True)  # none
    assert stream(picture)[4] == -1


def test_a_unit_says_its_sum(opened):
    picture = shown(opened("review.html"))
    picture.locator(".unit").first.focus()
    assert "1 · 1 + 0.99 · 1 − 1.5 = 0.49 → 0.49" in picture.locator(".said").inner_text()
    picture = shown(opened("start-here.html"))
    picture.locator(".unit").first.focus()
    assert "gives 0.49" in picture.locator(".said").inner_text()
    assert "1.5" not in picture.locator(".said").inner_text()


def test_no_more_is_there_than_a_lesson_has_guessed(opened):
    picture = shown(opened("start-here.html"))
    assert picture.locator(".other, .small, .where, .mark").count() == 0
    assert picture.locator(".counter").text_content() == ""
    picture = shown(opened("expand-and-contract.html"))
    assert picture.locator(".other, .where, .mark").count() == 0
    assert picture.locator(".counter").text_content() == "9 of 10 units off"
    page = opened("position-independence.html")
    picture = shown(page)
    picture.locator(".word").nth(1).click()
    for place, says, moving in ((0, "Every row of the stream moves.", 5), (1, "1 of 5 rows of the stream moves.", 1)):
        picture.locator(".where input").nth(place).check(force=True)
        picture.locator("input[type=range]").focus()
        page.keyboard.press("ArrowRight")
        assert picture.locator(".mark.moves").count() == moving and says in picture.locator(".said").inner_text()


@pytest.mark.parametrize(
    "size", [{"width": 1280, "height": 800}, {"width": 1440, "height": 900}, NARROW], ids=["1280", "1440", "390"]
)
def test_the_first_page_asks_answers_in_sight_and_takes_the_bend_away(opened, size):
    page = opened("index.html", viewport=size)
    picture = shown(page, guess="")
    wide = size["width"] > 1000

    def in_sight(*places):
        boxes = [page.locator(one).first.bounding_box() for one in places]
        return all(box["y"] >= 0 and box["y"] + box["height"] <= size["height"] for box in boxes)

    if wide:
        assert in_sight(".card .open", ".c-bank svg", ".c-bank .said", ".c-bank .does")
    assert "asks two questions" in picture.locator(".said").inner_text() and picture.locator(".bend").is_hidden()
    assert not any(stream(picture)) and picture.locator(".empty text").all_text_contents() == ["?"] * 8
    picture.locator(".unit").first.focus()
    assert "leaves" not in picture.locator(".said").inner_text()
    page.locator(".card .option").nth(2).click()
    reply = page.locator(".card .reply:visible")  # and, once the bend is gone, what then comes out
    answer = f"◆ Guessed. {GUESS.replies[1].says} {GUESS.right}"
    assert reply.all_inner_texts() == [answer]
    assert stream(picture)[3:5] == [0.98, 0] and picture.locator(".bend").is_visible()
    assert in_sight(".c-bank svg", ".card .reply", ".card .bendless", ".c-bank .said", *[".c-bank .does"] * wide)
    page.keyboard.press("Enter")  # on the button, which has the focus
    assert stream(picture)[3:5] == [0.98, -1] and reply.all_inner_texts() == [answer, story.picture.UNBENT]
    picture.locator(".cue input").nth(1).check(force=True)
    assert reply.all_inner_texts() == [story.picture.PAST]  # it no longer fits
    picture.locator(".cue input").first.check(force=True)
    picture.locator(".bend input").first.check(force=True)
    assert page.locator(".bendless").inner_text() == "Take the bend away" and stream(picture)[4] == 0
    page.reload()
    assert reply.all_inner_texts() == [answer]  # as it was left
    page.goto(page.url.replace("index", "start-here"))
    assert shown(page).locator(".card .reply").first.inner_text() == answer
    assert page.locator("form.guess input:checked").get_attribute("value") == '"C"'


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["index.html", "position-independence.html"])
def test_it_has_no_barrier(opened, name, scheme):
    page = opened(name, viewport=NARROW, color_scheme=scheme)
    shown(page)
    assert violations(page, within=".c-bank") == []
    assert page.evaluate(CUT_OFF) == [] and page.evaluate(TOO_SMALL) == []


def test_without_scripts_its_still_stands_there(opened):
    page = opened("start-here.html", java_script_enabled=False)
    assert page.locator("#opening .picture svg").first.is_visible()
