"""The bank plays, is played with, and draws what the course computes; it shows no more than its lesson allows."""

import itertools
import json
import re

import numpy as np
import pytest

from course_lib import story
from course_lib.components import FOLDER
from course_lib.model import bank, numpy_ffn
from courseware.page import components
from lessons import catalogue
from tests.site import node
from tests.site.conftest import NARROW
from tests.site.test_browser import CUT_OFF, TOO_SMALL, violations

BENDS = {"ReLU": numpy_ffn.relu, "GELU": numpy_ffn.gelu, "none": numpy_ffn.identity}
GUESS = catalogue.item("start_here.predict_bank")
KNOWN = [story.which_bank(0, GUESS).data, story.which_bank(1).data, story.which_bank(2).data]
# For each state: what the layer makes of it; and at two widths, in units, how high the first unit's bar is, how high
# and how low bars may be, and how far below the lowest one the questions stand.
MADE = """([data, states]) => states.map((state) => {
    const { values } = new bank.Played(data, state, {});
    const [asked, hidden] = [values.asked[state.word], values.hidden[state.word]];
    const bars = [1280, 390].map((wide) => {
        const { step, zero, high, low } = bank.layout(wide, data, values.words);
        const bar = bank.bar({ step, zero }, 0, 0, hidden[0], 0);
        const below = bank.beneath(step, asked) - Math.max(...asked.map((value) => -value)) * step;
        return [zero - bar.y, zero - bar.y - bar.height, zero - low, zero - high, below].map((place) => place / step);
    });
    return [values, bars];
})"""
# What is so after each act: ticks are milliseconds, all else is what a hand does. Then what was said and handed over.
PLAYED = """([data, given, calm, acts]) => {
    let time = 0;
    const told = [];
    const host = { draw() {}, speak: () => told.push(bank.sentence(played)), changed: (state) => told.push(state) };
    const played = new bank.Played(data, given, { matches: calm }, host, { now: () => time });
    const after = acts.map(([act, ...given]) => {
        if (act === "tick") time += given[0];
        played[act](...(act === "tick" ? [time] : given));
        const { progress, state, run, shown, feature, before } = played;
        const stream = shown.stream[state.word].map((value) => Math.round(100 * value) / 100);
        return { progress, state, runs: run !== null, stream, number: [feature, before], says: bank.sentence(played) };
    });
    return [after, told];
}"""
ANSWERS = [1, 0.99, 0, 0.98, 0, 0, 0, 0]  # what leaves the layer for "bank", of a river


@pytest.fixture(scope="module")
def in_node(tmp_path_factory):
    """Return a function that runs JavaScript with the modules of the bank that need no page."""
    path = tmp_path_factory.mktemp("node") / "bank.js"
    modules = [components.source(f"bank_{name}", FOLDER) for name in ("layout", "state", "words")]
    path.write_text(f"globalThis.bank = Object.assign({{}}, {', '.join(modules)});", encoding="utf-8")
    return lambda asked, *given: node.run(asked, given, path)


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


def test_it_computes_what_the_course_computes_at_the_ends_of_every_control(in_node):
    ends = itertools.product((bank.ATTENTION, bank.FFN), range(5), range(8), (-story.MOST, 0.35, story.MOST))
    places = [None, *({"before": a, "word": b, "feature": c, "by": d} for a, b, c, d in ends)]
    states = [
        {"cue": cue, "bend": bend, "word": place["word"] if place else 4, "moved": place}
        for cue, bend, place in itertools.product(bank.CUES, BENDS, places)
    ]
    for state, (values, bars) in zip(states, in_node(MADE, KNOWN[2], states), strict=True):
        moved = state["moved"]
        place = moved and (moved["before"], moved["word"] + 1, moved["feature"] + 1, moved["by"])
        way = bank.way(state["cue"], activation=BENDS[state["bend"]], moved=place)
        for name in ("weights", "mixed", "asked", "hidden", "added", "stream"):
            assert np.allclose(values[name], getattr(way, name), rtol=0, atol=1e-12), (state, name)
        value = way.hidden[state["word"]][0]
        for top, bottom, lowest, highest, below in bars:
            assert (top, bottom) == pytest.approx((max(value, 0), min(value, 0))) and below > 0.5, state
            assert lowest - 1e-9 <= bottom and top <= highest + 1e-9, state


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


def test_it_plays_once_can_be_paused_and_goes_on(in_node):
    acts = [["play", 0], ["tick", 1700], ["toggle"], ["tick", 9e3], ["toggle"], ["tick", 9e3], ["step"], ["tick", 900]]
    (_, _, paused, same, goes, ends, steps, stepped), told = in_node(PLAYED, KNOWN[1], None, False, acts)
    assert paused == same and not paused["runs"] and paused["progress"] == pytest.approx(2) and goes["runs"]
    assert (ends["progress"], ends["runs"], ends["stream"]) == (6, False, ANSWERS)
    assert (steps["progress"], stepped["progress"], stepped["runs"]) == (0, 1, False)
    assert ["leaves the layer with" in words for words in told] == [True, False] and told[1] == stepped["says"]


def test_with_reduced_motion_it_steps(in_node):
    words = ("enters the layer", "Attention:", "asks two questions", "The bend, ReLU", "Each unit writes", "leaves")
    _, told = in_node(PLAYED, KNOWN[1], None, True, [["step"]] * 7)
    assert all(part in said for part, said in zip(words, told, strict=False))


def test_a_number_is_moved_within_its_bounds_and_another_word_puts_it_back(in_node):
    acts = [["pick", 0, "attention"], ["drag", 0, -35], ["drag", 0.9, 35], ["pick", 1, "FFN"], ["shift", -0.5]]
    acts += [["follow", 1], ["tick", 9e3], ["change", {"cue": "money"}]]
    acts += [["tick", 175], ["tick", 175], ["set", {"cue": "river", "bend": "GELU", "word": 1}]]
    acts += [["pick", 1, "attention"], ["shift", -0.5]]
    after, _ = in_node(PLAYED, KNOWN[2], None, False, acts)
    moves = [one["state"]["moved"] and one["state"]["moved"]["by"] for one in after]
    assert moves == [None, -0.5, 1, None, -0.5, *[None] * 7, -0.5]
    assert after[1]["says"].startswith("In the row of “bank”, bank is moved by −0.5 before attention. 1 of 5 rows")
    assert after[4]["says"].startswith("In the row of “bank”, river is moved by −0.5 after attention. 1 of 5 rows")
    assert (after[5]["number"], after[5]["progress"], after[5]["runs"]) == ([1, "FFN"], 0, True)
    assert [one["stream"][1:3] for one in after[7:10]] == [[1.2, 0], [0.6, 0.6], [0, 1.2]]  # it glides there
    assert (after[10]["progress"], after[10]["runs"]) == (3, True)  # another bend plays from there
    assert "Every row of the stream moves." in after[-1]["says"]


def test_a_word_is_followed_by_keyboard_and_the_cue_changes_the_end(opened):
    page = opened("start-here.html")
    picture = shown(page)
    picture.locator(".cue input").nth(1).check(force=True)
    assert stream(picture) == [1, 0, 0.99, 0, 0.98, 0, 0, 0]
    words = picture.locator(".word")
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
    picture.locator(".back").click()
    assert stream(picture) == [1, 0.99, 0, 0.98, 0, 0, 0, 0]
    picture.locator(".bend input").nth(1).check(force=True)  # none
    assert stream(picture)[4] == -1
    heights = picture.locator(".bar").evaluate_all("bars => bars.map((bar) => bar.getAttribute('height'))")
    assert heights == ["17.65", "18"]


def test_no_more_is_there_than_a_lesson_has_guessed(opened):
    picture = shown(opened("start-here.html"))
    assert picture.locator(".other, .small, .where, .mark").count() == 0
    assert picture.locator(".counter").text_content() == ""
    page = opened("position-independence.html")
    picture = shown(page)
    picture.locator(".word").nth(1).click()
    picture.locator(".where input").nth(1).check(force=True)
    picture.locator("input[type=range]").focus()
    page.keyboard.press("ArrowRight")
    assert picture.locator(".mark.moves").count() == 1


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
