"""The pages in a browser: no barrier, nothing too wide, everything by keyboard, and what the browser remembers."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe

from course_lib import warm_up
from courseware.page.quiz import right_option
from lessons import catalogue
from publish.site import pages
from tests.site.conftest import ALL, FEW_PAGES, NARROW, PLANS, SOME_PAGES, TEACHERS

UNFOLD = "document.querySelectorAll('main details').forEach(fold => fold.open = true)"
WIDE = {"width": 1280, "height": 900}
# What depends on colours, and all the rest: colours do not change with the width of a page.
CONTRAST = {"runOnly": {"type": "rule", "values": ["color-contrast"]}}
ALL_RULES, NO_CONTRAST = {}, {"rules": {"color-contrast": {"enabled": False}}}
# Most elements of a page are parts of drawings, of which axe reads the name alone, words of code, which are looked at
# on one page, and letters of formulas, which have one colour: without them axe takes a fifth of the time.
SLIM = """() => {
    document.querySelectorAll("main svg").forEach(one => one.replaceChildren());
    document.querySelectorAll("main math").forEach(one => {
        const words = document.createElementNS("http://www.w3.org/1998/Math/MathML", "mtext");
        words.textContent = one.textContent;
        one.replaceChildren(words);
    });
    document.querySelectorAll("main pre.code code").forEach(one => one.textContent = one.textContent);
}"""
# A page of code is shown in strips of a drawing that is not seen, so their scale counts for its words.
TOO_SMALL = """() => Array.from(document.querySelectorAll("main svg text")).filter(text => text.checkVisibility())
    .map(text => {
        const figure = text.closest("figure");
        const strips = figure && figure.querySelector("svg.folded");
        const shown = strips && strips.checkVisibility() ? strips : text.ownerSVGElement;
        const size = parseFloat(getComputedStyle(text).fontSize) * shown.getScreenCTM().a;
        return [figure && figure.id, text.textContent, Math.round(10 * size) / 10];
    })
    .filter(one => one[2] < (innerWidth < 390 ? 9 : 10))"""
CUT_OFF = """() => Array.from(document.querySelectorAll("main svg:not(.folded) text"))
    .filter(text => text.textContent.trim() && !text.closest(".whole"))
    .map(text => [text, text.getBoundingClientRect(), text.ownerSVGElement.getBoundingClientRect()])
    .filter(([text, own, all]) => own.width && (own.left < all.left - 2 || own.right > all.right + 2
                                                || own.top < all.top - 2 || own.bottom > all.bottom + 2))
    .map(([text, own, all]) => [(text.closest("figure") || {}).id, text.textContent])"""
# Of a page of code the strips are seen; the drawing that they are taken from is wider than the screen.
TOO_WIDE = """() => Array.from(document.querySelectorAll("main .picture"))
    .map(one => [one, one.querySelector("svg.folded") || one])
    .filter(([one, seen]) => (seen === one && one.scrollWidth > one.clientWidth + 1)
                             || seen.getBoundingClientRect().right > innerWidth + 1)
    .map(([one]) => one.parentElement.id)"""
# Words that leave the box that is drawn around their middle: a closed line, as high as a few lines of text at most.
OUT_OF_ITS_BOX = """() => Array.from(document.querySelectorAll("main svg:not(.folded)")).flatMap(svg => {
    const boxes = Array.from(svg.querySelectorAll("path"))
        .filter(one => one.checkVisibility() && !one.closest("defs, clipPath") && one.getAttribute("d").endsWith("z"))
        .filter(one => getComputedStyle(one).stroke !== "none")
        .map(one => one.getBoundingClientRect()).filter(one => one.width > 8 && one.height > 8 && one.height < 60);
    const size = one => one.width * one.height;
    return Array.from(svg.querySelectorAll("text"))
        .filter(one => one.textContent.trim() && one.checkVisibility() && !one.closest("defs"))
        .map(one => [one, one.getBoundingClientRect()])
        .filter(([, own]) => {
            const x = (own.left + own.right) / 2, y = (own.top + own.bottom) / 2;
            const box = boxes.filter(one => one.left < x && x < one.right && one.top < y && y < one.bottom)
                .sort((one, other) => size(one) - size(other))[0];
            return box && (own.left < box.left - 0.5 || own.right > box.right + 0.5);
        })
        .map(([one]) => [(svg.closest("figure") || {}).id, one.textContent]);
})"""
# Tables that are wider than an A4 page between its margins.
BEYOND = """() => Array.from(document.querySelectorAll("main table"))
    .filter(one => one.checkVisibility() && one.getBoundingClientRect().width > innerWidth)
    .map(one => one.textContent.slice(0, 60))"""
# Words of drawings, which axe does not look at, whose contrast to the page is below 4.5; words in the page's own colour
# stand on something that is painted.
FAINT = """() => {
    const pixel = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
    const light = colour => {
        pixel.fillStyle = colour;
        pixel.fillRect(0, 0, 1, 1);
        const [r, g, b] = Array.from(pixel.getImageData(0, 0, 1, 1).data, one => one / 255).map(
            one => one <= 0.03928 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05;
    };
    const paper = getComputedStyle(document.body).backgroundColor;
    return Array.from(document.querySelectorAll("main svg text"))
        .map(one => [one, getComputedStyle(one).fill])
        .filter(([one, fill]) => one.textContent.trim() && fill !== paper && !one.closest("defs"))
        .map(([one, fill]) => [one.textContent, light(fill) / light(paper)])
        .filter(([, ratio]) => Math.max(ratio, 1 / ratio) < 4.5);
}"""
A4 = {"width": 718, "height": 1047}  # pixels of 1/96 inch, without margins of 1 cm
LETTER = {"width": 740, "height": 980}


def violations(page, rules=ALL_RULES, within="html") -> list[str]:
    """Return every violation of any weight, within what a selector names, as a readable line."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(Axe().axe_script)
    # it may not fetch files by itself, and need not describe what is right
    options = {"preload": False, "resultTypes": ["violations"], **rules}
    asked = "([within, options]) => axe.run(within, options).then(found => found.violations)"
    found = page.evaluate(asked, [within, options])
    return [f"{item['id']} ({item['impact']}): {node['html'][:160]}" for item in found for node in item["nodes"]]


def laid_out(page):
    """Wait until a change of the page's size has been drawn."""
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")


def test_every_page_fits_a_phone(folder_of, opened):
    """390 pixels wide, with everything unfolded."""
    page = opened("index.html", viewport=NARROW)
    for name in [*ALL, *TEACHERS[:2]]:  # teachers' pages are all built alike
        page.goto(f"{folder_of(name).as_uri()}/{name}")
        page.evaluate(UNFOLD)
        page.evaluate("document.querySelectorAll('details.toc').forEach(fold => fold.open = true)")
        laid_out(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"], name
        for check in (TOO_SMALL, TOO_WIDE, CUT_OFF, OUT_OF_ITS_BOX):
            assert page.evaluate(check) == [], name


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=() if name in {*FEW_PAGES, TEACHERS[1]} else pytest.mark.thorough)
        for name in [*ALL, *TEACHERS]
    ],
)
def test_a_page_has_no_barrier(opened, name):
    """On a phone; in the dark; on a wide screen."""
    page = opened(name, viewport=NARROW, color_scheme="light")
    if name == "search.html":
        page.locator("#words").fill("dead neurons")
    page.evaluate(UNFOLD)
    page.evaluate(SLIM)
    assert violations(page) == []
    page.emulate_media(color_scheme="dark")
    assert violations(page, CONTRAST) == []
    page.set_viewport_size(WIDE)
    laid_out(page)
    assert violations(page, NO_CONTRAST) == []


def test_every_colour_of_code_can_be_read(opened):
    """On one page with every colour that the style sheet gives to code."""
    page = opened("build-the-ffn.html", viewport=WIDE)
    page.evaluate(UNFOLD)
    page.evaluate(SLIM.replace(".forEach(one => one.textContent = one.textContent)", ""))
    colours = "names => [...new Set(names.map(name => getComputedStyle(document.querySelector(name)).color))]"
    here = [name for name in ("pre .k", "pre .s2", "pre .mi", "pre .c1") if page.locator(name).count()]
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        assert len(page.evaluate(colours, here)) == 4
        assert violations(page, CONTRAST) == []


@pytest.mark.parametrize("name", ["index.html", "relu-vs-gelu.html", "expand-and-contract.html"])
def test_words_of_drawings_can_be_read(opened, name):
    page = opened(name, viewport=WIDE)
    page.evaluate(UNFOLD)
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        assert page.evaluate(FAINT) == []


def test_words_and_figures_are_in_the_typeface_of_the_page(opened):
    page = opened("linear-limits.html", viewport=WIDE)
    page.evaluate("document.fonts.ready")
    loaded = "Array.from(document.fonts).filter(one => one.status === 'loaded').map(one => [one.family, one.weight])"
    assert {("Course Text", "400"), ("Course Text", "600")} <= {
        (one[0].strip("'\""), one[1]) for one in page.evaluate(loaded)
    }
    client = page.context.new_cdp_session(page)
    client.send("DOM.enable")
    client.send("CSS.enable")
    root = client.send("DOM.getDocument", {"depth": 0})["root"]["nodeId"]
    for place in ("h1", "main > p", "#opening svg text", "form.guess button", "summary"):
        node = client.send("DOM.querySelector", {"nodeId": root, "selector": place})["nodeId"]
        used = client.send("CSS.getPlatformFontsForNode", {"nodeId": node})["fonts"]
        assert used and all(one["isCustomFont"] for one in used), (place, used)


def test_the_check_sees_a_barrier(opened):
    page = opened("relu-vs-gelu.html")
    page.evaluate("document.querySelector('main').innerHTML += '<button></button><p style=\"color:#ccc\">pale</p>'")
    found = " ".join(violations(page))
    assert "button-name" in found and "color-contrast" in found
    page.set_viewport_size(NARROW)
    page.evaluate("document.querySelector('main svg text').style.fontSize = '4px'")
    page.evaluate("document.querySelector('main .picture svg text').setAttribute('transform', 'translate(-400 20)')")
    assert page.evaluate(CUT_OFF)
    page.evaluate("document.querySelector('main .picture').style.width = '900px'")
    assert page.evaluate(TOO_SMALL) and page.evaluate(TOO_WIDE) == ["opening"]
    page = opened("build-the-ffn.html", viewport=NARROW)
    page.evaluate(UNFOLD)
    page.evaluate("document.querySelectorAll('#run-1-bank text').forEach(one => one.style.fontSize = '30px')")
    assert ["run-1-bank", "1.00"] in page.evaluate(OUT_OF_ITS_BOX)


MARKED = """() => Array.from(document.querySelectorAll(".marked"))
    .map(one => [one.localName, one.textContent.replace(/\\s/g, "")])"""


def test_a_symbol_is_marked_wherever_it_stands(opened):
    """By a pointer on the figure, by the keyboard on the table, by a tap on the formula."""
    page = opened("build-the-ffn.html", viewport=WIDE)
    page.locator("#opening text", has_text="h: (4, 12)").hover()
    marked = page.evaluate(MARKED)
    assert ["text", "h:(4,12)"] in marked and ["text", "h"] in marked and marked.count(["mi", "h"]) == 2
    assert [words[:9] for name, words in marked if name == "tr"] == ["h=ReLU(z)"]
    page.mouse.move(0, 0)
    assert page.evaluate(MARKED) == []
    page.locator("td[tabindex='0']").nth(1).focus()  # W1, b1
    marked = page.evaluate(MARKED)
    assert {"W1", "b1", "W1:(3,12)", "+b1"} <= {words for _, words in marked}
    assert not {"W2", "b2", "W2:(12,3)"} & {words for _, words in marked}
    page.keyboard.press("Escape")
    assert page.evaluate(MARKED) == []
    page.locator(".formula msub").first.dispatch_event("click")
    assert ["msub", "W1"] in page.evaluate(MARKED)
    page.locator(".formula msub").first.dispatch_event("click")
    assert page.evaluate(MARKED) == []


@pytest.mark.parametrize("name", SOME_PAGES)
def test_a_table_of_symbols_finds_its_formula(opened, name):
    """By the keyboard, row by row: each is marked itself, and most of them in a formula, too."""
    page, found = opened(name), []
    count = page.locator("td[tabindex='0']").count()
    for place in range(count):
        page.locator("td[tabindex='0']").nth(place).focus()
        marked = page.evaluate(MARKED)
        assert any(name == "tr" for name, _ in marked), place
        found.append(page.locator(".formula .marked").count() > 0)
    short = {pages.address(one) for one in catalogue.lessons() if one.number in (0, 11) or one.after is not None}
    assert sum(found) >= count / 2 and (count > 2 or name in short)  # 00, the review and the builds need no such table


def test_a_lesson_goes_by_keyboard(opened):
    """Guess, look at the experiment, move the slider, answer the quiz: with Tab, Enter, Space and arrows alone."""
    page = opened("linear-limits.html")

    def tab_to(selector, limit=400):
        for _ in range(limit):
            page.keyboard.press("Tab")
            if page.evaluate("selector => document.activeElement.matches(selector)", selector):
                return
        raise AssertionError(f"Tab never reaches {selector}")

    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the text"
    tab_to("#predict-1 input")
    page.keyboard.type("42")
    page.keyboard.press("Enter")
    assert "You guessed 42, and that is right." in page.locator("#predict-1 .reply").inner_text()
    fold = page.locator("details.experiment").first
    assert fold.get_attribute("open") is not None
    assert fold.locator(".printed").is_visible()
    done = page.locator(".toc .done")
    assert done.count() == 0  # the section has a question, too
    for option in fold.locator(".option").all():
        option.click()
    assert done.all_inner_texts() == ["1. What do eight linear layers do that one cannot?"]
    tab_to(".player input[type=range]")
    said = page.locator(".player .said")
    page.wait_for_function("course.players[0].data")
    for key, words in (("ArrowRight", "5 hidden"), ("End", "16 hidden"), ("Home", "1 hidden unit")):
        page.keyboard.press(key)
        page.wait_for_function(
            "words => document.querySelector('.player .said').textContent.startsWith(words)", arg=words
        )
    assert said.inner_text().startswith("1 hidden unit")
    page.wait_for_function("document.querySelector('.player .aloud').textContent.startsWith('1 hidden')")
    tab_to(".quiz:has(.score) .option")
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    assert page.locator(".quiz:has(.score) .reply").first.inner_text().startswith("✓ Correct, B:")
    assert page.locator(".score").inner_text() == "Your score: 1 of 5."


def test_what_is_out_of_sight_rests_while_a_slider_moves_and_nothing_shifts(opened):
    page = opened("linear-limits.html", viewport=NARROW)
    page.evaluate(UNFOLD)
    tops = (
        "() => Array.from(document.querySelectorAll('main h2, main > *')).map(one => one.getBoundingClientRect().top)"
    )
    page.locator(".player input").first.scroll_into_view_if_needed()
    before = page.evaluate(tops)
    page.locator(".player input").first.focus()
    resting = "document.querySelectorAll('main > [style*=content-visibility]').length"
    assert page.evaluate(resting) > 20
    laid_out(page)
    assert page.evaluate(tops) == pytest.approx(before, abs=6)  # of many thousand pixels
    page.goto(page.url.partition("#")[0] + "#quiz")
    assert abs(page.evaluate("document.getElementById('quiz').getBoundingClientRect().top")) < 40
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.evaluate(resting) == 0


def test_an_answer_in_a_warm_up_changes_nothing_in_the_quiz(opened, site):
    page = opened("linear-limits.html")
    ask = '[data-question="linear_limits.hundred-layers"]'
    page.locator(f"{ask} .option").nth(1).click()
    page.goto(f"{site.as_uri()}/relu-vs-gelu.html")
    box = page.locator(".warm-up")
    assert box.locator(".right, .verdict, .score").count() == 0
    box.locator("summary").first.click()
    for _, question in warm_up.asked("relu_vs_gelu"):
        right = right_option(question)
        asked = box.locator(f'[data-question="{question.id}"]')
        asked.locator(".option").nth(right).click()
        assert asked.locator(".reply").inner_text().startswith(f"✓ Correct, {'ABC'[right]}:")
        assert box.locator(".question:visible").count() == 1
        box.locator(".turn").click()
    assert (
        f"0 of {len(catalogue.questions('relu_vs_gelu'))} quiz questions"
        in page.locator("[data-live=progress]").inner_text()
    )  # those of its own lesson
    page.goto(f"{site.as_uri()}/linear-limits.html")
    assert page.locator('[data-question="linear_limits.most-starts-failed"] .right').count() == 0
    assert "1 of 6 quiz questions" in page.locator("[data-live=progress]").inner_text()


def test_a_page_is_remembered_until_it_is_deleted(opened, site):
    page = opened("linear-limits.html")
    form = page.locator("#predict-1")
    for guess in ("336", "42"):
        form.locator("input").fill(guess)
        form.locator("button").click()
    assert "(Your first guess, 336, is the one that is kept.)" in form.locator(".reply").inner_text()
    for wrong_then_right in (0, 1):
        page.locator(".quiz:has(.score) .option").nth(wrong_then_right).click()
    question = page.locator(".quiz:has(.score) [data-question]").first.get_attribute("data-question")
    assert page.evaluate("id => course.memory.kept.checks[id]", question) == {"status": "correct", "attempts": 2}
    page.locator("#recap").scroll_into_view_if_needed()
    page.wait_for_function("localStorage.getItem('ffn-course-place')")
    page.reload()
    assert form.locator("input").input_value() == "336"
    assert page.locator("details.experiment").first.get_attribute("open") is not None
    assert page.locator(".score").inner_text() == "Your score: 1 of 5."
    page.goto(f"{site.as_uri()}/index.html")
    assert page.locator(".begin").get_attribute("href").startswith("linear-limits.html#")
    assert page.locator(".begin").inner_text() == "Continue: 01 · Why are linear layers not enough?"
    page.goto(f"{site.as_uri()}/parameter-share.html#recap")  # a look ahead
    page.wait_for_function("localStorage.getItem('ffn-course-place').startsWith('parameter')")
    page.goto(f"{site.as_uri()}/index.html")
    assert page.locator(".begin").get_attribute("href") == "linear-limits.html"
    page.goto(f"{site.as_uri()}/progress.html")
    card = page.locator("[data-lesson=linear_limits]")
    assert card.locator(".done").inner_text() == "2 of 13 done" and page.locator(".begun").count() == 1
    assert "Your first guesses: 0 of 1 came near" in page.locator("main").inner_text()
    page.locator("button.delete").click()
    page.locator("button.delete").click()
    assert page.evaluate("localStorage.length") == 0
    assert "No guess has been made yet" in page.locator("main").inner_text()


def test_what_is_no_guess_is_not_kept(opened):
    page = opened("linear-limits.html")
    for typed in ("", "many", "1 2", "1/0", "0x10"):
        page.locator("#predict-1 input").fill(typed)
        page.locator("#predict-1 button").click()
        assert page.locator("#predict-1 .reply").inner_text().startswith("○ Not attempted yet."), typed
        assert page.evaluate("JSON.parse(localStorage.getItem('ffn-course'))?.guesses ?? {}") == {}
        assert page.locator("details.experiment").first.get_attribute("open") is None


def test_without_scripts_everything_can_be_read(opened):
    page = opened("linear-limits.html", java_script_enabled=False)
    assert not page.locator("form.guess").first.is_visible() and not page.locator(".controls").first.is_visible()
    assert page.locator(".player svg").is_visible() and "4 hidden units" in page.locator(".player .said").inner_text()
    assert page.locator(".without-scripts").first.is_visible()
    page.locator(".quiz:has(.score) .answers summary").first.click()
    assert "✓ Correct, B" in page.locator(".quiz:has(.score) .answers").first.inner_text()


def test_a_printed_lesson_is_short_and_has_no_forms(opened):
    """What Chromium prints: an A4 page holds a good part of the lesson, and no button is left."""
    page = opened("linear-limits.html")
    printed = page.pdf(format="A4")
    count = len(re.findall(rb"/Type\s*/Page\b", printed))
    assert printed.startswith(b"%PDF") and 6 <= count <= 12
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    shown = page.locator("main").inner_text()
    assert "Together the eight layers are one function." in shown and "one layer of 42 numbers" in shown
    assert not any(words in shown for words in ("↺", "Hint 1 of 3", "Your score"))


def test_a_teacher_s_plan_is_printed_on_one_page(opened):
    page = opened(PLANS[0])
    page.emulate_media(media="print")
    for name in PLANS:
        page.goto(page.url.rpartition("/")[0] + f"/{name}")
        sheet, lab = page.locator(".plan").all()  # the second one is the lab hour's
        for paper in (A4, LETTER):
            page.set_viewport_size(paper)
            plan = sheet.bounding_box()
            assert plan["y"] + plan["height"] <= paper["height"] and plan["width"] <= paper["width"], name
            assert lab.bounding_box()["height"] <= paper["height"]
        held = sheet.inner_text()
        assert all(words in held for words in ("45 minutes", "25 minutes", "On the board", "Without network or server"))
        assert "Lab hour" in lab.inner_text()
        assert page.locator(".plan + h2").evaluate("one => getComputedStyle(one).breakBefore") == "page"


@pytest.mark.parametrize("name", SOME_PAGES)
def test_a_lesson_prints_as_a_handout(opened, name):
    page = opened(name, color_scheme="dark", viewport=A4)
    page.emulate_media(media="print", color_scheme="dark")
    order = "[...document.querySelectorAll('main *')].map(one => one.id || one.className).join()"
    before = page.evaluate(order)
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    for selector in (
        "form.guess button",
        ".reply",
        ".controls",
        ".help",
        "body > header",
        ".plumbing",
    ):
        assert not any(one.is_visible() for one in page.locator(selector).all()), selector
    assert all(one.is_visible() for one in page.locator(".claim legend").all())
    assert page.evaluate(BEYOND) == []
    folds = page.locator("details.experiment")
    assert folds.count() and all(fold.get_attribute("open") is not None for fold in folds.all())
    assert page.locator("main > .results:last-child details.experiment").count() == folds.count()
    assert all(one.is_visible() for one in page.locator("form.guess input[type=text]").all())  # a line to write on
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert all(fold.get_attribute("open") is None for fold in folds.all())
    assert page.evaluate(order) == before


def test_a_half_is_copied(opened):
    half = catalogue.half("linear_limits.xor_weights")
    page = opened("linear-limits.html", permissions=["clipboard-read", "clipboard-write"])
    fold = page.locator(".help details", has=page.locator("summary", has_text="Start from half")).first
    assert not fold.locator("pre").is_visible()
    fold.locator("summary").focus()
    page.keyboard.press("Enter")
    assert fold.locator("pre").inner_text().strip() == half
    page.keyboard.press("Tab")  # to its button
    page.keyboard.press("Enter")
    fold.get_by_role("button", name="Copied").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == half
