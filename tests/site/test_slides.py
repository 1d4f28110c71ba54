"""A lesson as slides: one page that asks for nothing; all is whole and large, and answers stand behind questions."""

import html
import itertools
import re
import tomllib

import nbformat
import pytest

from courseware.content import Prediction
from lessons import catalogue, cells, plans
from publish.site import pages, slides
from tests.conftest import NOTEBOOKS
from tests.site.conftest import SOME

SCREEN = {"width": 1280, "height": 720}  # of a small projector
WORDS = 24  # pixels, in text and in figures
MEASURE = """() => {
    const slide = Reveal.getCurrentSlide(), scale = Reveal.getScale(), small = [];
    const inside = slide.getBoundingClientRect();
    for (const text of slide.querySelectorAll("svg text")) {
        const matrix = text.getScreenCTM(), size = parseFloat(getComputedStyle(text).fontSize);
        if (size * Math.hypot(matrix.a, matrix.b) < WORDS) small.push(text.textContent);
    }
    const nodes = document.createTreeWalker(slide, NodeFilter.SHOW_TEXT);
    while (nodes.nextNode()) {
        const parent = nodes.currentNode.parentElement;
        if (!nodes.currentNode.textContent.trim() || !parent.offsetParent) continue;
        if (parent.closest("svg, math, .aloud")) continue;
        if (parseFloat(getComputedStyle(parent).fontSize) * scale < WORDS) small.push(nodes.currentNode.textContent);
    }
    const cut = [...slide.querySelectorAll("svg, p, li, pre, table, .formula")].filter((one) => {
        const box = one.getBoundingClientRect(), wide = one.clientWidth && one.scrollWidth > one.clientWidth + 2;
        return box.width && (wide || box.bottom > 721 || box.right > 1281 || box.top < -1 || box.left < -1);
    }).map((one) => one.textContent.slice(0, 60));
    const heading = slide.querySelector("h2"), size = getComputedStyle(slide).fontSize;
    const alone = heading !== null && slide.children.length === 1;
    return { small, cut, size, alone, words: slide.innerText, title: heading?.textContent };
}""".replace("WORDS", str(WORDS))

# Of painted code: the first and the last of its 96 columns that are seen, and where its titles begin.
SIDES = """() => {
    const code = Reveal.getCurrentSlide().querySelector(".picture.code svg");
    if (!code) return [];
    const texts = [...code.querySelectorAll("text")], mono = (text) => text.style.fontFamily.includes("monospace");
    const line = texts.find(mono), wide = line.getSubStringLength(0, 20) / 20, box = code.viewBox.baseVal;
    const column = (x) => Math.min(96, Math.max(0, (x - Number(line.getAttribute("x"))) / wide));
    const left = code.getBoundingClientRect().left;
    const titles = texts.filter((text) => !mono(text) && text.textContent.trim());
    return [[column(box.x), column(box.x + box.width), titles.map((text) => text.getBoundingClientRect().left - left)]];
}"""


@pytest.fixture(scope="module")
def deck(site, tmp_path_factory):
    """Return a function that writes a lesson's slides once; the site was built before, so its drawings are kept."""
    folder = tmp_path_factory.mktemp("slides")

    def write(lesson):
        path = folder / lesson.notebook.replace(".ipynb", ".html")
        if not path.is_file():
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(slides, "TO", folder)
                assert slides.main([lesson.name]) == 0
        return path

    return write


@pytest.fixture
def shown(deck, browser):
    """Return a function that opens a deck; console errors and requests fail the test at its end."""
    problems, pages = [], []

    def show(lesson):
        page = browser.new_page(viewport=SCREEN)
        pages.append(page)
        page.on("request", lambda asked: asked.url.startswith(("file:", "data:")) or problems.append(asked.url))
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("console", lambda said: said.type in ("error", "warning") and problems.append(said.text))
        page.goto(deck(lesson).as_uri())
        page.wait_for_function("window.Reveal?.isReady()")
        return page

    yield show
    for page in pages:
        page.close()
    assert problems == []


@pytest.mark.parametrize("lesson", SOME)
def test_every_slide_is_whole_and_large_enough(shown, lesson):
    page, sizes = shown(lesson), {}
    for number in range(page.evaluate("Reveal.getTotalSlides()")):
        page.evaluate(f"Reveal.slide({number})")
        page.wait_for_function(f"Reveal.getIndices().h === {number}")
        measured = page.evaluate(MEASURE)
        assert measured["small"] == [] and measured["cut"] == [] and not measured["alone"], (number, measured)
        sizes.setdefault(measured["title"], []).append(measured["size"])
    used = {int(size.removesuffix("px")) for found in sizes.values() for size in found}
    assert min(used) == 32 and max(used) >= 48  # few words are larger than many
    asked = [found for title, found in sizes.items() if title and title.startswith("Question ")]
    assert asked and all(question == answer for question, answer in asked)  # nothing jumps when the answer comes


def test_painted_code_is_seen_from_end_to_end(shown):
    """A page of long lines stands on two slides; one begins and ends between two characters; titles stand on both."""
    page, seen = shown(catalogue.lesson("inside_a_language_model")), []
    for number in range(page.evaluate("Reveal.getTotalSlides()")):
        page.evaluate(f"Reveal.slide({number})")
        page.wait_for_function(f"Reveal.getIndices().h === {number}")
        seen += [(number, *found) for found in page.evaluate(SIDES)]
    cut = [(one, two) for one, two in itertools.pairwise(seen) if one[2] < 96]
    assert len(cut) >= 2
    for (first, *left, _), (second, *right, told) in cut:
        assert second == first + 1
        assert (left[0], right[1]) == (0, 96) and 0 < right[0] < left[1] < 96
        for column in (left[1], right[0]):
            assert column == pytest.approx(round(column), abs=0.1)  # of a character
        assert told and min(told) >= 0


def test_by_keys_the_answer_comes_after_its_question(shown):
    lesson = catalogue.lesson("position_independence")
    question = catalogue.questions(lesson.name)[1]  # of the exit ticket
    right = next(option for option in question.options if option.right)
    page = shown(lesson)
    seen = []
    for _ in range(page.evaluate("Reveal.getTotalSlides()")):
        seen.append(page.evaluate(MEASURE)["words"])
        page.keyboard.press("ArrowRight")
    asked = next(place for place, text in enumerate(seen) if question.prompt in text)
    assert right.reason not in seen[asked] and right.reason in seen[asked + 1] and right.text in seen[asked]
    guess = catalogue.predictions(lesson.name)[0]
    answers = [place for place, text in enumerate(seen) if guess.right in text]
    assert answers and answers[0] > next(place for place, text in enumerate(seen) if "40 output numbers" in text)


def test_a_slider_moves_on_a_slide(shown):
    page = shown(catalogue.lesson("linear_limits"))
    player = page.locator(".player").first
    number = player.evaluate("one => Reveal.getIndices(one.closest('section')).h")
    page.evaluate(f"Reveal.slide({number})")
    before, told = player.locator("svg").inner_html(), player.locator(".said").inner_text()
    player.locator("input[type=range]").first.focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function(
        "([svg, before]) => svg.innerHTML !== before", arg=[player.locator("svg").element_handle(), before]
    )
    assert player.locator(".said").inner_text() != told
    assert page.evaluate("Reveal.getIndices().h") == number


def test_split_keeps_everything_and_repeats_the_head_of_a_table():
    rows = [f"| row {number} | {'words ' * 12}|" for number in range(30)]
    parts = slides.split("One paragraph.\n\n| a | b |\n| --- | --- |\n" + "\n".join(rows))
    assert len(parts) > 2 and all("| a | b |\n| --- | --- |\n| row" in part for part in parts)
    assert [line for part in parts for line in part.splitlines() if line.startswith("| row")] == rows
    assert slides.split("- one\n- two") == ["- one\n- two"]


def words(text):
    """Return the letters and digits of Markdown or HTML, which both write their marks in other ways."""
    return re.findall(r"\w+", html.unescape(re.sub(r"<[^>]*>", " ", text)))


@pytest.mark.parametrize("lesson", catalogue.lessons()[2:], ids=lambda lesson: lesson.name)
def test_a_warm_up_is_on_no_slide(lesson):
    notebook = nbformat.read(NOTEBOOKS / lesson.notebook, as_version=4)
    place = [cell.id for cell in notebook.cells].index("warm-up")
    without = nbformat.from_dict({**notebook, "cells": notebook.cells[:place] + notebook.cells[place + 1 :]})
    assert slides.slides(lesson, notebook, {}) == slides.slides(lesson, without, {})


@pytest.mark.parametrize("lesson", SOME)
def test_every_prediction_is_asked_before_anything_tells_it(lesson):
    notebook = nbformat.read(NOTEBOOKS / lesson.notebook, as_version=4)
    made = [" ".join(words(one)) for one in slides.slides(lesson, notebook, {})[0]]
    before = None
    for cell in notebook.cells:  # read without the course's reader of cells, which the slides use
        if cell.cell_type == "markdown":
            before = cell
        elif re.match(r"\w+ = TODO", cell.source) and "optional" not in cell.metadata.get("tags", []):
            asked = pages.source(before)
        elif checked := re.match(r"check\(\"([\w.]+)\"", cell.source):
            item = catalogue.item(checked[1])
            told = f"Answer {' '.join(words(item.title))} "
            if isinstance(item, Prediction) and item.kind != "claims" and any(one.startswith(told) for one in made):
                question = " ".join(words(re.findall(r"(?:[^.?]|\.(?!\s))*\?", asked)[-1]))
                place = next(number for number, one in enumerate(made) if one.startswith(told))
                assert question and any(question in one for one in made[:place]), (item.id, question)


@pytest.mark.parametrize("lesson", SOME)
def test_slides_follow_the_plan_and_tell_it_in_their_notes(lesson):
    notebook = nbformat.read(NOTEBOOKS / lesson.notebook, as_version=4)
    rows = tomllib.loads((catalogue.FOLDER / lesson.name / "plan.toml").read_text("utf-8"))["plan45"]
    made, begin = slides.slides(lesson, notebook, {})[0], 0
    noted = [" ".join(words(" ".join(re.findall(r'<aside class="notes">(.*?)</aside>', one)))) for one in made]
    places = []
    for minutes, what, _, _ in rows:
        said = " ".join(words(f"Minutes {begin} to {begin + minutes}: {what}"))
        places += [place for place, one in enumerate(noted) if one.startswith(said)]
        begin += minutes
    assert begin == 45 and places == sorted(places) and len(places) > len(rows) / 2
    for place, one in enumerate(made):
        if "Answer: " in one.partition("</h2>")[0]:
            assert "If they say" in noted[place] and "If they say" not in re.sub(r"<aside.*?</aside>", "", one)


NEXT = re.compile(r"<(pre|table|figure|ul|ol|math|p)\b")  # what can follow a colon


@pytest.mark.parametrize("lesson", SOME)
def test_no_slide_speaks_of_what_is_not_on_it(lesson):
    made, _ = slides.slides(lesson, nbformat.read(NOTEBOOKS / lesson.notebook, as_version=4), {})
    for number, one in enumerate(made):
        seen = re.sub(r"<aside.*?</aside>", "", one, flags=re.DOTALL)
        for found in re.finditer(r"<(?:p|li)\b[^>]*>(.*?)</(?:p|li)>", seen, re.DOTALL):
            said = html.unescape(re.sub(r"<[^>]*>", "", found[1])).strip()
            assert not said.endswith(":") or NEXT.search(seen, found.end()), (number, said)
            assert not re.search(r"\b(the|these|those) (\w+ )?\w+ (above|below)(?! \d)\b", said), (number, said)


def test_the_class_that_a_plan_reads_line_by_line_is_on_a_slide():
    found = 0
    for lesson in catalogue.lessons():
        notebook = nbformat.read(NOTEBOOKS / lesson.notebook, as_version=4)
        sources = {cell.id: cell.source for cell in notebook.cells}
        for step in plans.of_votes(lesson.name):
            if "line by line" in step.how:
                made = [" ".join(words(one)) for one in slides.slides(lesson, notebook, {})[0]]
                (code,) = [sources[id] for id in step.cells if sources[id].startswith("class ")]
                assert any(" ".join(words(html.escape(code))) in one for one in made), (lesson.name, step.what)
                found += 1
    assert found == 1


@pytest.mark.parametrize("lesson", SOME)
def test_the_votes_of_a_plan_are_on_its_slides_below_the_question(lesson):
    notebook = nbformat.read(NOTEBOOKS / lesson.notebook, as_version=4)
    made, _ = slides.slides(lesson, notebook, {})
    shown = [
        re.findall(r"<li>(.*?)</li>", found) for found in re.findall(r'<ul class="votes">(.*?)</ul>', "".join(made))
    ]
    named = [found for step in plans.of_votes(lesson.name) if (found := plans.votes(step.how))]
    replies = [catalogue.item(cells.checked(cell)) for cell in notebook.cells if cells.role(cell) == cells.Role.REPLY]
    chosen = [words(" ".join(map(str, item.choices))) for item in replies if item.choices]
    assert (shown or not named) and all("?" in one or "Vote" in one for one in made if 'class="votes"' in one)
    for found in named:
        same = [
            one
            for one in (*map(words, map(" ".join, shown)), *chosen)
            if set(one) >= set(words(" ".join(found))) - {"a"}
        ]
        assert same, found


def test_votes_are_read_from_what_a_plan_says():
    read = {
        "Vote 40, 8, 5 or 1 for the FFN. Then more": ["40", "8", "5", "1"],
        "Vote on (2, 10, 512) or (20, 2048)": ["(2, 10, 512)", "(20, 2048)"],
        "In the head. Vote on 0.3, 3, 30, 300. Then ask": ["0.3", "3", "30", "300"],
        "Vote on 100, 75, 25 % or less. This": ["100", "75", "25 % or less"],
        "Vote 1 to 4. Then": ["1", "2", "3", "4"],
        "Vote on the damage; then read the table": [],
        "Then vote on the count: few work at one character, but how many anywhere?": [],
        "Two votes, before 2 and before 4": [],
    }
    assert {how: plans.votes(how) for how in read} == read


def test_a_table_that_the_class_fills_is_empty_first():
    lesson = catalogue.lesson("position_independence")
    made, _ = slides.slides(lesson, nbformat.read(NOTEBOOKS / lesson.notebook, as_version=4), {})
    tables = [one for one in made if "passes the shuffle test" in one]
    assert len(tables) == 2 and "<td>yes</td>" in tables[1] and "<td>yes</td>" not in tables[0]


def test_the_notes_open_in_a_window_of_their_own(deck, browser):
    path = deck(catalogue.lesson("position_independence"))
    page = browser.new_page()
    page.goto(path.as_uri())
    page.wait_for_function("window.Reveal?.isReady()")
    page.keyboard.press("ArrowRight")
    with page.expect_popup() as opened:
        page.keyboard.press("s")
    window = opened.value
    window.wait_for_function("() => document.body.innerText.includes('Minutes 0 to 5')", timeout=15_000)
    assert not page.locator("aside.notes").first.is_visible()


def test_optional_parts_are_left_out():
    lesson = catalogue.lesson("position_independence")
    path = NOTEBOOKS / lesson.notebook
    made, _ = slides.slides(lesson, nbformat.read(path, as_version=4), {})
    assert not any("two black boxes" in one for one in made) and any("Shuffle the words" in one for one in made)


def test_the_letters_of_what_moves_are_in_the_fonts(monkeypatch):
    seen = {}
    monkeypatch.setattr(slides.fonts, "rules", lambda letters: seen.update(letters) or "")
    data = {"controls": [], "layers": [{"texts": ["<text>Ж</text>"]}], "captions": {"texts": ["Ю"]}}
    slides.deck(catalogue.lesson("linear_limits"), ["<section>one</section>"], {"a": data})
    assert {"Ж", "Ю"} <= seen["figure"]


def test_an_unknown_lesson_is_named(capsys):
    assert slides.main(["5x"]) == 2
    assert "no lesson '5x'. The lessons are 00, 01" in capsys.readouterr().err
