"""The pages in a second browser, where one is found: Firefox, as it is installed (Debian, Ubuntu: firefox-esr)."""

import json

import numpy as np
import pytest

from lessons import catalogue
from publish.site import pages
from tests.site import firefox, recorded
from tests.site.conftest import ALL, FEW, FEW_PAGES, NARROW
from tests.site.served import Served
from tests.site.test_browser import CUT_OFF, TOO_SMALL, TOO_WIDE, UNFOLD
from tests.site.test_components import error_of
from tests.site.test_sliders import SAME, recordings, some_states
from tests.site.walk import walk

LOADED = """
    course.players.forEach(one => one.load());
    while (!course.players.every(one => one.data)) await new Promise(done => setTimeout(done, 20));
"""
# A submission asks it for a few pages, .ci/long for all.
SHORT_AND_LONG = [pytest.param(False, id="few"), pytest.param(True, id="all", marks=pytest.mark.thorough)]
REPLIES = "return [...document.querySelectorAll('form.guess .reply')].map(one => one.textContent);"
KEEPS = "return JSON.parse(localStorage.getItem('ffn-course'));"


@pytest.fixture(scope="module")
def fox(tmp_path_factory):
    """Return a Firefox, or skip these tests and say why."""
    program = firefox.find()
    if not program:
        pytest.skip("no Firefox was found: install one, or name it, COURSE_FIREFOX=/path/to/firefox")
    running = firefox.Firefox(program, tmp_path_factory.mktemp("firefox"))
    yield running
    running.close()


@pytest.fixture
def opened(fox, site):
    """Return a function that opens a page; what the console and the network say against it fails the test."""
    fox.problems()

    def open_page(name):
        fox.open(f"{site.as_uri()}/{name}")
        return fox

    yield open_page
    assert fox.problems() == []


def test_its_complaints_are_heard(fox, site):
    fox.open((site / "index.html").as_uri())
    fox.run("console.error('a fault'); setTimeout(() => { throw new Error('thrown') }); return null")
    fox.run("new Image().src = 'http://192.0.2.1/a.png'; await new Promise(done => setTimeout(done, 300));")
    said = " ".join(fox.problems())
    assert "a fault" in said and "thrown" in said and "192.0.2.1/a.png" in said
    with pytest.raises(RuntimeError, match="nothing"):
        fox.run("throw new Error('nothing')")


@pytest.mark.parametrize("every", SHORT_AND_LONG)
def test_a_page_fits_a_phone_and_says_nothing_to_the_console(opened, every):
    for name in ALL if every else FEW_PAGES:
        page = opened(name)
        page.resize(1280, 900)
        page.resize(**NARROW)
        page.run(f"{UNFOLD}; await new Promise(requestAnimationFrame);")
        assert page.run("return [innerWidth, document.documentElement.scrollWidth]") == [390, 390], name
        for check in (TOO_SMALL, TOO_WIDE, CUT_OFF):
            assert page.run(f"return ({check})();") == [], name
        assert page.problems() == [], name


@pytest.mark.parametrize("every", SHORT_AND_LONG)
def test_the_page_shows_what_is_recorded(opened, site, every):
    for name, data in recordings(site, "*" if every else "bonus_experts").items():
        page = opened(pages.address(catalogue.lesson(name.partition("--")[0])))
        page.run(LOADED)
        for at in some_states(data, 3):
            named = {one["name"]: one["values"][place] for one, place in zip(data["controls"], at, strict=True)}
            layers, caption = recorded.state(data, named)
            shown = (
                f"const player = course.players.find((one) => one.figure.dataset.recording === {json.dumps(name)}); "
            )
            shown += f"player.take({list(at)}); "
            shown += f"return ({SAME})(player.figure, {json.dumps([layers, caption])});"
            assert page.run(shown) == [True, True, True], (name, named)


@pytest.mark.parametrize("every", SHORT_AND_LONG)
def test_a_lesson_goes_by_keyboard_and_is_remembered(opened, every):
    answered = 0
    opened("index.html").run("localStorage.clear();")
    opened("index.html").resize(1280, 800)
    for lesson in [lesson for lesson in catalogue.lessons() if every or lesson.name in FEW]:
        page = opened(pages.address(lesson))
        done = walk(lesson, page.press, page.run)
        answered += done["guesses"]
        assert len(page.run(KEEPS)["guesses"]) == answered
        for _ in range(3):  # on a busy machine a page loaded right after a write may still get the memory before it
            page.reload()
            replies = page.run(REPLIES)
            if replies and all(replies):
                break
        assert len(replies) == done["guesses"] and all(reply.startswith("◆ Exactly.") for reply in replies)
        assert len(page.run(KEEPS)["guesses"]) == answered
    told = opened("progress.html").run("return document.querySelector('main').textContent;")
    assert f"Your first guesses: {answered} of {answered} came near" in told
    assert ("Every guess is made and every question is answered." in told) == every


EXERCISE = "const box = document.querySelector('.exercise[data-exercise=\"start_here.double\"]'); "
REPLY = f"""
    {EXERCISE}
    while (box.getAttribute("aria-busy") === "true") await new Promise(done => setTimeout(done, 50));
    return box.querySelector(".reply").textContent;
"""


class Editor:
    """The exercise of lesson 00 on a page, used by keyboard."""

    def __init__(self, page):
        self.page = page
        self.do(
            "box.scrollIntoView();"
            "while (!box.querySelector('.cm-content')) await new Promise(done => setTimeout(done, 50));"
            "box.querySelector('.cm-content').focus();"
        )

    def do(self, body):
        """Run JavaScript with the exercise as `box`."""
        return self.page.run(EXERCISE + body)

    def check(self, *lines):
        """Type lines in place of what is there, and ask for a check; the editor indents what follows a colon."""
        self.do("box.querySelector('.cm-content').focus();")
        for place, line in enumerate(lines):
            self.page.press("Enter" if place else "Ctrl+a", *line)
        self.page.press("Ctrl+Enter")
        self.do("while (!box.hasAttribute('aria-busy')) await new Promise(done => setTimeout(done, 50));")

    @property
    def reply(self):
        """What is said once nothing runs any more."""
        return self.page.run(REPLY)


def test_code_is_typed_checked_stopped_and_kept_and_the_next_visit_needs_no_network(fox, site):
    assert list(site.glob("python/*/pyodide.js")), "the site was built without Python: is there a network?"
    fox.problems()
    with Served(site) as server:
        address = server.at("start-here.html")
        fox.open(address)
        fox.run("localStorage.clear(); await navigator.serviceWorker.ready;")
        fox.reload()
        editor = Editor(fox)
        editor.check("def double(x):", "return x + 2")
        assert "You added 2 to every value" in editor.reply
        editor.check("def double(x):", "while True:", "pass")
        editor.do("await new Promise(done => setTimeout(done, 1000)); box.querySelector('button.stop').click();")
        assert "Stopped. Your code is kept." in editor.reply
        editor.check("def double(x):", "return 2 * x")
        assert "✓ Correct." in editor.reply
        assert fox.run(KEEPS)["code"] == {"start_here.double": "def double(x):\n    return 2 * x"}
        fox.reload()
        Editor(fox).do("await new Promise(done => setTimeout(done, 2000));")  # what is on its way would be cut off
    fox.open(address)
    editor = Editor(fox)
    assert "return 2 * x" in editor.do("return box.querySelector('.cm-content').textContent;")
    fox.press("Ctrl+Enter")
    editor.do("while (!box.querySelector('.verdict')) await new Promise(done => setTimeout(done, 50));")
    assert "✓ Correct." in editor.reply
    assert fox.problems((*firefox.OWN, server.at(""))) == []


def drag(page, one, down):
    """Drag the middle of an element, an expression of JavaScript, by so many pixels."""
    middle = "[box.x + box.width / 2, box.y + box.height / 2].map(Math.round)"
    x, y = page.run(f"const box = ({one}).getBoundingClientRect(); return {middle};")
    steps = [
        {"type": "pointerMove", "x": x, "y": y},
        {"type": "pointerDown", "button": 0},
        {"type": "pointerMove", "x": x, "y": y + down},
        {"type": "pointerUp", "button": 0},
    ]
    mouse = {"type": "pointer", "id": "mouse", "actions": steps}
    page.send("input.performActions", context=page.context, actions=[mouse])


def test_the_microscope_reads_what_is_typed_and_breaks_a_line_where_it_paints_it(opened):
    page = opened("microscope.html")
    page.resize(**NARROW)
    said = "document.querySelector('.c-microscope .said').textContent"
    page.run(f"while (!{said}.startsWith('FFN')) await new Promise(requestAnimationFrame);")
    page.run("document.querySelector('textarea').focus();")
    page.press("Ctrl+a", *("self.x = Bank(); " * 4))
    page.run(f"while (!{said}.includes(' of 68 ')) await new Promise(requestAnimationFrame);")
    page.run("document.querySelector('.fields').closest('details').open = true;")
    page.run("document.querySelector('.fields canvas').focus();")
    page.press("Home", "Enter")
    page.run(f"while (!{said}.startsWith('FFN 1, unit 0 ')) await new Promise(requestAnimationFrame);")
    line = "const area = document.querySelector('textarea'), look = getComputedStyle(area), "
    line += "pen = document.createElement('canvas').getContext('2d'), left = parseFloat(look.paddingLeft); "
    line += "pen.font = `${look.fontSize} ${look.fontFamily}`; area.style.height = '0px'; "
    line += "const columns = Math.floor((area.clientWidth - 2 * left) / pen.measureText('0').width); "
    lines = "Math.round((area.scrollHeight - 2 * parseFloat(look.paddingTop)) / parseFloat(look.lineHeight))"
    assert page.run(f"{line} return {lines} - Math.ceil(68 / columns);") == 0


def test_the_line_of_lesson_01_moves(opened):
    page = opened("linear-limits.html")
    page.resize(1280, 900)
    toy = "const toy = document.querySelector('.component'); const all = toy.querySelectorAll('[role=slider]'); "
    page.run("document.querySelector('.component').scrollIntoView();")
    page.run("while (!document.querySelector('.c-curve [role=slider]')) await new Promise(requestAnimationFrame);")
    said = f"{toy} return [all[0].getAttribute('aria-valuenow'), toy.querySelector('.count b').textContent];"
    assert page.run(said) == ["0.50", "0.75"]
    page.run(f"{toy} all[0].focus();")
    page.press("Down", "Down")
    assert page.run(said) == ["0.46", error_of(np.array([[-np.pi, 0.46], [np.pi, 0.5]]))]
    drag(page, "document.querySelector('.c-curve [role=slider]')", 90)
    assert float(page.run(said)[0]) < 0
