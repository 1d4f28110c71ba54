"""A lesson's page runs the reader's code and checks it: typed and pressed as a reader does, over a small web server."""

import json
import re
import shutil
import zipfile
from contextlib import ExitStack

import pytest
from playwright.sync_api import expect

from course_lib.desk import grade
from courseware import __version__
from lessons import catalogue, in_numpy
from publish.site import build, pages
from tests.conftest import ROOT
from tests.golden.cells import answer, names_of
from tests.site.conftest import NARROW
from tests.site.served import FILTERED, Served
from tests.site.test_browser import UNFOLD, violations

WAIT = 60_000  # milliseconds: the machine may be busy
OFFERED = {
    lesson.name: [
        f"{lesson.name}.{module}"
        for module in lesson.exercises
        if f"{lesson.name}.{module}" not in in_numpy.NEEDS_TORCH
    ]
    for lesson in catalogue.lessons()
}
# A submission runs the solutions of one lesson; .ci/long those of all.
WITH_CODE = [
    pytest.param(lesson, id=name, marks=() if name == "bonus_experts" else pytest.mark.thorough)
    for lesson in catalogue.lessons()
    if OFFERED[name := lesson.name]
]


@pytest.fixture(scope="module")
def served(site):
    """The site for learners on a port of this computer; without the parts of Python there is nothing to test."""
    assert list(site.glob("python/*/pyodide.js")), "the site was built without Python: is there a network?"
    with Served(site) as server:
        yield server


@pytest.fixture
def visit(browser, served):
    """Return a function that opens a page; errors in the console and requests elsewhere fail the test at its end.

    python: whether it may start; starting it takes longer than most of what is tested. clock: of the page, to be moved.
    """
    contexts, problems, here = [], [], (served.at(""), "data:", "blob:")

    def harmless(request):
        """Nothing goes elsewhere, and nothing of the reader's goes to the server."""
        return request.url.startswith(here) and request.method == "GET" and "?" not in request.url

    def open_page(name, context=None, python=True, clock=False, **options):
        if context is None:
            blocked = {} if python else {"service_workers": "block"}
            context = browser.new_context(**{"reduced_motion": "reduce"} | blocked | options)
            contexts.append(context)
            if not python:
                context.route(WORKER, lambda route: route.fulfill(body="", content_type="text/javascript"))
        page = context.new_page()
        if clock:
            page.clock.install()
        page.on("request", lambda one: None if harmless(one) else problems.append(f"{one.method} {one.url}"))
        page.on("pageerror", lambda error: problems.append(f"{name}: {error}"))
        page.on("console", lambda said: problems.append(said.text) if said.type == "error" else None)
        page.goto(served.at(name))
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert problems == []


class Box:
    """One exercise on a page, as a reader uses it."""

    def __init__(self, page, id):
        self.page, self.all = page, page.locator(f'.exercise[data-exercise="{id}"]')
        self.all.scroll_into_view_if_needed()
        self.all.locator(".cm-content").wait_for(timeout=WAIT)

    def type(self, code):
        """Replace what stands in the editor by keyboard."""
        self.all.locator(".cm-content").click()
        self.page.keyboard.press("Control+a")
        self.page.keyboard.insert_text(code)

    def press(self, name):
        """Press a button and return what is said then."""
        self.all.locator(f"button.{name}").click()
        return self.reply()

    def reply(self):
        """Return what is said once nothing runs any more."""
        self.page.wait_for_function(
            "box => box.getAttribute('aria-busy') !== 'true'", arg=self.all.element_handle(), timeout=3 * WAIT
        )
        return " ".join(self.all.locator(".reply").inner_text().split())

    @property
    def code(self):
        return self.all.locator(".cm-content").inner_text()

    def becomes(self, code):
        """Wait until the editor shows code: what another tab stores arrives a moment later."""
        expect(self.all.locator(".cm-content")).to_have_text(code, use_inner_text=True, timeout=WAIT)


def plain(text):
    """Return a sentence as it is read on the page, without the marks of code."""
    return " ".join(text.replace("`", "").split())


WORKER = "**/python-worker.js"
DOUBLE = "start_here.double"
COLLAPSE = "linear_limits.collapse"
RIGHT = "def double(x):\n    return 2 * x\n"
WRONG = "def double(x):\n    return x + 2\n"


def test_two_tabs_take_over_what_the_other_stores_and_delete_nothing_of_it(visit):
    """Also where one of them could not store for a while, and where an editor was emptied."""
    page = visit("linear-limits.html", python=False)
    boxes = Box(page, COLLAPSE), Box(page, "linear_limits.is_affine")
    other = visit("linear-limits.html", page.context)
    typed, guess = "def collapse(W1, b1, W2, b2):\n    return 1", "form.guess:has(input[type=text])"
    Box(other, COLLAPSE).type(typed)
    other.locator(guess).first.locator("input").fill("0.3")
    other.locator(guess).first.locator("button").click()
    other.locator(".quiz:not(.warm-up) .option").first.click()
    assert not page.workers and other.workers  # Python is started where an editor has been touched
    page.bring_to_front()
    boxes[0].becomes(typed)
    assert page.locator(guess).first.locator("input").input_value() == "0.3"
    page.locator(".quiz:not(.warm-up) .option").nth(1).click()

    def kept():
        return json.loads(page.evaluate("localStorage.getItem('ffn-course')"))

    assert kept()["code"] == {COLLAPSE: typed} and len(kept()["guesses"]) == 1
    page.evaluate("() => { window.set = Storage.prototype.setItem; }")
    page.evaluate("() => { Storage.prototype.setItem = () => { throw new Error('full'); }; }")
    boxes[1].type("x = 1")
    page.locator(".not-stored").wait_for()
    Box(other, COLLAPSE).type("pass")
    page.wait_for_function("(localStorage.getItem('ffn-course') ?? '').includes('pass')")
    page.evaluate("() => { Storage.prototype.setItem = window.set; }")
    page.evaluate("localStorage.setItem('ffn-course', localStorage.getItem('ffn-course').replace('pass', 'unheard'))")
    assert boxes[1].code == "x = 1"
    boxes[1].type("")
    assert kept()["code"] == {COLLAPSE: "unheard", "linear_limits.is_affine": ""}
    assert page.locator(".not-stored").count() == 0
    page.reload()
    assert Box(page, "linear_limits.is_affine").code.strip() == ""


def test_what_is_pasted_is_straightened_in_a_step_of_its_own(visit):
    page = visit("start-here.html")
    box = Box(page, DOUBLE)
    paste = """(editor, text) => {
        const clipboardData = new DataTransfer();
        clipboardData.setData("text/plain", text);
        editor.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
    }"""
    box.type("# 😀\n")
    box.all.locator(".cm-content").evaluate(paste, RIGHT.replace("    ", "\u00a0").replace("*", "×"))
    pasted = box.code
    assert "pasted: no-break space to a space, multiplication sign to *. ✓ Correct." in box.press("check")
    assert "return 2 * x" in box.code
    box.all.locator(".cm-content").focus()
    page.keyboard.press("Control+z")
    assert box.code == pasted
    assert "(no-break space)" in box.press("run")  # undone, it is left as it is
    box.all.locator(".cm-content").focus()
    page.keyboard.press("Control+z")
    assert box.code.strip() == "# 😀"


def test_half_of_a_solution_replaces_code_and_loses_none(visit):
    id = next(id for id in OFFERED["linear_limits"] if catalogue.half(id))
    page = visit("linear-limits.html", python=False)
    box, help_ = Box(page, id), page.locator(f'.help[data-for="{id}"]')
    help_.locator("details.half summary").click()
    help_.locator("details.half pre").evaluate("pre => pre.textContent = 'übersetzt'")  # as a browser that translates
    put = help_.get_by_role("button", name="Put it into the editor")
    put.click()
    assert box.code.split() == catalogue.half(id).split()
    box.type("mine = 1")
    put.click()
    assert box.code.split() == catalogue.half(id).split()
    box.press("earlier")
    assert box.code == "mine = 1"
    box.press("reset")
    other = Box(visit("linear-limits.html", page.context), id)
    other.press("earlier")
    assert other.code == "mine = 1"
    box.becomes("mine = 1")
    other.type("theirs = 2")
    box.becomes("theirs = 2")
    box.all.locator(".cm-content").focus()
    page.keyboard.press("Control+z")  # takes back what the other page has typed
    assert box.code == "mine = 1"
    other.becomes("mine = 1")
    page.keyboard.type("x")
    page.keyboard.press("Control+y")
    assert "theirs = 2" not in box.code
    box.press("earlier")
    other.becomes("theirs = 2")
    for number in range(3):
        assert help_.locator("details.solution").is_hidden()
        help_.locator("details.hint summary").nth(number).click()
    help_.locator("details.solution summary").evaluate("words => (words.textContent = 'Lösung')")
    help_.locator("details.solution summary").click()
    kept = json.loads(page.evaluate("localStorage.getItem('ffn-course')"))["checks"]
    assert kept[id]["hints"] == 4  # three hints and the half; the solution is none
    assert (
        page.evaluate("""document.querySelectorAll(
        "pre:not([translate]), code:not([translate]), math:not([translate]), main input[type=text]:not([translate])"
    ).length""")
        == 0
    )


@pytest.mark.parametrize("lesson", WITH_CODE)
def test_every_exercise_takes_its_solution(visit, lesson):
    """The worked cells one after the other; and the starter as it stands is no answer."""
    page = visit(pages.address(lesson))
    for id in OFFERED[lesson.name]:
        box = Box(page, id)
        assert "Not attempted yet" in box.press("check") or "TODO" in box.code
        code, _ = catalogue.worked(id)
        box.type(pages.as_shown(id, code))
        assert "✓ Correct." in box.press("check"), id


GOES_WRONG = {
    "def double(x)\n    return x": "Python cannot read",
    "pass": "`double`",
    "def double(x):\n    return input()": "",
    "def double(x):\n    exit()": "",
    "raise ValueError('no')": "ValueError",
    "def double(x):\n    return [0] * 10**9": "memory",
}


def test_an_exercise_is_typed_checked_stopped_and_kept_on_a_phone_without_a_barrier(visit):
    """With long lines in the code, in what it prints and in what is shown of a case; by keyboard, too."""
    page = visit("start-here.html", clock=True, viewport=NARROW)
    page.evaluate(UNFOLD)
    page.locator(f'[data-exercise="{DOUBLE}"] > pre').evaluate("starter => starter.focus({preventScroll: true})")
    page.wait_for_function("document.activeElement.matches('.cm-content')")  # the key Tab comes before the editor does
    box = Box(page, DOUBLE)
    label = box.all.locator(".cm-content").get_attribute("aria-label")
    assert label.startswith(f"Your code for: {catalogue.ids(catalogue.lesson('start_here'))[DOUBLE]}.")
    assert "to leave the editor press Escape, then Tab" in label

    def look(*says):
        assert all(one in box.reply() for one in says)
        assert page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"], says
        for scheme in ("dark", "light"):
            page.emulate_media(color_scheme=scheme)
            assert violations(page, within=".exercise") == [], (scheme, says)

    box.type(f'def double(x):  # "{100 * "x"}"\n    print("{"wide " * 40}")\n    return x + 2\n')
    box.press("check")
    verdict = grade(DOUBLE, answer(WRONG, names_of("start_here")), 0)
    look("✗ Not yet.", plain(verdict.message))
    copy = box.all.get_by_role("button", name="Copy all of this")
    page.evaluate("void (navigator.clipboard.writeText = words => (window.copied = words, Promise.resolve()))")
    copy.click()
    page.evaluate("void (navigator.clipboard.writeText = () => Promise.reject())")
    box.all.get_by_role("button", name="Copied").click()
    text = box.all.locator("textarea").evaluate("field => field.value.slice(field.selectionStart, field.selectionEnd)")
    assert text == page.evaluate("copied")
    for one in (f"version {__version__}", DOUBLE, "return x + 2", plain(verdict.message)):
        assert one in text.replace("\n", " ")
    look("✗ Not yet.")
    box.type("show_case('start_here.double')")
    assert "'x'" in box.press("run")
    box.type(f'print("hello {"wide " * 40}")\n{RIGHT}\nnp.arange(200.0)')
    box.press("run")
    look("hello", "The value of its last line:")
    box.type(RIGHT)
    page.keyboard.press("Control+Enter")
    box.all.locator(".reply", has_text="✓ Correct.").wait_for(timeout=WAIT)
    look(f"✓ Correct. {plain(catalogue.item(DOUBLE).right)}")
    kept = json.loads(page.evaluate("localStorage.getItem('ffn-course')"))
    solved = {"status": "correct", "met": [verdict.key], "attempts": 2, "hints": 3}  # all is unfolded
    assert kept["checks"][DOUBLE] == solved
    box.all.locator(".cm-content").focus()
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "check"

    for code, says in GOES_WRONG.items():
        box.type(code)
        said = box.press("check")
        assert plain(says) in said and len(said) > 70, code  # with the button that copies
        assert "Traceback" not in said and "pyodide" not in said.lower(), said
    box.type("def double(x):\n    while True:\n        pass\n")
    box.all.locator("button.check").click()
    box.all.locator("button.stop").click()
    look("Stopped. Your code is kept.")
    box.type("pass")
    box.press("check")  # Python is there again
    box.type("def double(x):\n    while True:\n        pass\n")
    box.all.locator("button.check").click()
    page.wait_for_timeout(500)
    page.clock.fast_forward(10_000)
    assert "ran for 10 seconds and was stopped" in box.reply()
    box.type(RIGHT)
    assert "✓ Correct." in box.press("check")
    page.reload()
    box = Box(page, DOUBLE)
    assert "return 2 * x" in box.code and box.reply() == "✓ Correct. You have solved this exercise."
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert "return 2 * x" in (printed := box.all.inner_text()) and "✓ Correct." in printed and "TODO" not in printed
    page.emulate_media(media="screen")
    page.goto(page.url.replace("start-here", "progress"))
    page.locator("button.delete").dblclick()
    assert "Exercises whose code goes, too: 1." in page.locator("button.delete + [role=status]").inner_text()
    assert page.evaluate("'ffn-course' in localStorage")
    page.locator("button.delete").click()
    assert page.evaluate("localStorage.length") == 0
    page.go_back()
    assert "return 2 * x" not in Box(page, DOUBLE).code


BYTES, PLAIN = {"type": "application/octet-stream"}, {"type": "text/plain"}
MISSING = {"status": 404}


def policy(rules):
    """Return what a server answers that sends a policy with its files, and with its pages."""
    return {"headers": {"Content-Security-Policy": f"default-src 'self' 'unsafe-inline' data:; {rules}"}}


def worker(does, rest=""):
    """Return what stands in the place of the worker, a file of JavaScript."""
    return {"python-worker": {"type": "text/javascript", "body": f"{does}\n{rest}".encode()}}


def fails(error):
    """Return a worker whose browser fails to start WebAssembly."""
    rest = (ROOT / "publish" / "site" / "static" / "python-worker.js").read_text(encoding="utf-8")
    return worker(f"WebAssembly.instantiateStreaming = async () => {{ throw {error}; }};", rest)


HANDBOOK = (ROOT / "classroom" / "README.md").read_text(encoding="utf-8")
WASM = "script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval';"
RUNS = {
    "types": {".wasm": BYTES, ".whl": PLAIN, ".zip": PLAIN},
    "scripts": {"python-worker": PLAIN, "python/": PLAIN},
    "pages isolated, and no scripts": {".html": {"headers": {"Cross-Origin-Embedder-Policy": "require-corp"}}},
    "policy": {"": {"headers": dict([re.search("(Content-Security-Policy): (.+)", HANDBOOK).groups()])}},
}
# What a server, its policy, Pyodide or the browser says -> what the page says.
NOT_STARTED = {
    "no worker": ({"python-worker": MISSING}, "static/python-worker.js is missing on this server."),
    "no wheel": ({".whl": MISSING}, "python/*.whl is missing on this server."),
    "not allowed": ({"numpy": {"status": 403}}, "did not send python/*.whl. Perhaps you must sign in"),
    "busy": ({"numpy": {"status": 503}}, "answered 503 in place of python/*.whl:"),
    "refused": ({"numpy": {"status": 451}}, "answered 451 in place of python/*.whl. Try again in a minute. Tell"),
    "signed out": (
        {"numpy": {"status": 302, "headers": {"Location": "http://localhost:1/"}}},
        "did not send python/*.whl. Perhaps you must sign in again",
    ),
    "packed": ({".wasm": {"type": "application/wasm", "body": b"\x1f\x8b"}}, ".wasm arrived cut short or changed."),
    "filtered": ({"numpy": FILTERED}, "Something else came in place of python/*.whl: perhaps"),
    "filtered worker": ({"python-worker": FILTERED}, "else came in place of static/python-worker.js: perhaps"),
    "no WebAssembly": ({"": policy("script-src 'self' 'unsafe-inline'")}, "script-src must allow 'wasm-unsafe-eval'."),
    "no worker at all": ({".html": policy(f"{WASM} worker-src 'none'")}, "worker-src must allow 'self'."),
    "nothing fetched": ({"python-worker": policy(f"{WASM} connect-src 'none'")}, "connect-src must allow 'self'."),
    "only reported": (
        {"": {"headers": {"Content-Security-Policy-Report-Only": "script-src 'none'"}}, "numpy": {"status": 503}},
        "answered 503",
    ),
    "no blob": (
        {"python-worker": PLAIN, ".html": policy(WASM)},
        "sends static/python-worker.js as text/plain, which browsers do not run: it must be text/javascript.",
    ),
    "no blob for what it loads": (
        {"python/": PLAIN, "python-worker": policy(WASM)},
        "sends python/*pyodide.js as text/plain,",
    ),
    "framed": ({".html": {"headers": {"Content-Security-Policy": "sandbox allow-scripts"}}}, "a tab of its own."),
    "memory": (fails("new RangeError('could not allocate memory')"), "not enough memory for Python."),
    "other": (fails("new TypeError('no luck')"), "could not start Python. * no luck"),
    "words": (worker("onmessage = () => postMessage({ fatal: 'other', reason: 'no <luck>' });"), "no <luck>"),
    "silent": (
        worker("onmessage = () => postMessage({ said: 'Aborted' });"),
        "arrived for 30 seconds, so the loading was stopped. * Aborted",
    ),
}


@pytest.mark.parametrize("answers", RUNS.values(), ids=RUNS)
def test_python_runs_whatever_a_server_sends_beside_its_files(browser, site, answers):
    with Served(site, answers=answers) as server:
        page = browser.new_page(service_workers="block")
        page.goto(server.at("start-here.html"))
        assert "Not attempted yet" in Box(page, DOUBLE).press("check")
        page.close()


@pytest.mark.parametrize(("answers", "says"), NOT_STARTED.values(), ids=NOT_STARTED)
def test_why_python_does_not_start_is_said_and_the_next_try_may_work(browser, site, answers, says):
    with Served(site, answers=answers) as server:
        page = browser.new_page(service_workers="block")
        page.clock.install()
        page.goto(server.at("start-here.html"))
        box = Box(page, DOUBLE)
        box.type(RIGHT)
        box.all.locator("button.check").click()
        for _ in range(300):
            page.clock.run_for(1000 if "30 seconds" in says else 100)
            if box.all.get_attribute("aria-busy") == "false":
                break
        for fold in box.all.locator(".reply summary").all():
            fold.click()
        said = box.reply()
        assert re.search(re.escape(says).replace(r"\*", ".*"), said) and "return 2 * x" in box.code, said
        page.close()


@pytest.mark.parametrize("stores", [True, False])
def test_a_page_older_than_the_course_offers_to_reload(browser, site, stores):
    with Served(site) as server:
        page = browser.new_page(service_workers="block")
        if not stores:
            page.add_init_script("Object.defineProperty(window, 'localStorage', { get() { throw new Error(); } })")
        page.goto(server.at("start-here.html"))
        box = Box(page, DOUBLE)
        newer = (site / "start-here.html").read_bytes().replace(b"python/course-", b"python/course-of-today-")
        server.answers |= {"python/": MISSING, "start-here.html": {"body": newer}}
        box.type(RIGHT)
        said = box.press("check")
        assert "older than the course" in said and ("Your code is kept." in said) == stores
        server.answers.clear()
        box.all.get_by_role("button", name="Reload").click()
        page.wait_for_function("!document.querySelector('.reload')")
        box = Box(page, DOUBLE)
        assert ("return 2 * x" in box.code) == stores and "✓" not in box.reply()
        page.close()


def test_a_browser_that_is_too_old_for_python_is_told_so(browser, served):
    context = browser.new_context(service_workers="block")
    page = context.new_page()
    page.add_init_script("delete window.OffscreenCanvas")
    context.route(WORKER, lambda route: route.fulfill(body="super.no", content_type="text/javascript"))
    page.goto(served.at("start-here.html"))
    assert "This browser cannot run Python" in Box(page, DOUBLE).press("check")
    context.close()


SILENT = {
    "all there": ({}, None),
    "early": ({"base.js": MISSING}, "Not started: static/base.js"),
    "other page": ({"memory.js": FILTERED}, "Not started: static/memory.js, static/page.js"),
    "last": ({"exercise.js": {"status": 503}}, "Not started: static/exercise.js."),
    "broken": ({"python.js": {"type": "text/javascript", "body": b"'use strict'; none();"}}, "static/python.js"),
    "no script": ({".js": {**PLAIN, "headers": {"X-Content-Type-Options": "nosniff"}}}, "as text/javascript."),
}


def test_a_page_says_which_script_has_not_run(browser, site):
    """Also where none can, because of its type; and nothing on paper. Without JavaScript there is another line."""
    with ExitStack() as served:
        pages = {}
        for name, (answers, _) in SILENT.items():
            pages[name] = browser.new_page(service_workers="block")
            pages[name].goto(served.enter_context(Served(site, answers=answers)).at("start-here.html"))
        off = browser.new_page(java_script_enabled=False)
        off.goto((site / "start-here.html").as_uri())
        pages["last"].wait_for_timeout(5500)
        for name, (_, says) in SILENT.items():
            line = pages[name].locator(".silent")
            assert line.is_visible() == (says is not None), name
            assert says is None or says in line.inner_text(), line.inner_text()
            pages[name].emulate_media(media="print")
            assert not line.is_visible(), name
            pages[name].close()
        assert "JavaScript is off" in off.locator("noscript").inner_text() and not off.locator(".silent").is_visible()
        off.close()


def test_what_is_no_file_of_the_course_is_not_kept_and_a_damaged_one_is_fetched_anew(browser, site):
    with Served(site) as server:
        context = browser.new_context()
        page = context.new_page()
        page.goto(server.at("start-here.html"))
        page.evaluate("navigator.serviceWorker.ready")
        page.reload()
        server.answers["numpy"] = FILTERED
        assert "one of a filter" in Box(page, DOUBLE).press("check")
        page.reload()
        server.answers.clear()
        assert "Not attempted yet" in Box(page, DOUBLE).press("check")
        damage = """async () => {
            const cache = await caches.open((await caches.keys())[0]);
            const wheels = (await cache.keys()).filter(({ url }) => url.includes("numpy"));
            for (const { url } of wheels) await cache.put(url, new Response("damaged"));
            return wheels.length === 1 && (await fetch(wheels[0])).text();
        }"""
        assert page.evaluate(damage) not in (False, "damaged")
        page.reload()
        assert "Not attempted yet" in Box(page, DOUBLE).press("check")
        login = server.at("404.html").replace("127.0.0.1", "localhost")  # another site
        server.answers["start-here"] = {"status": 302, "headers": {"Location": login}}
        page.reload()
        assert page.url == login
        context.close()


@pytest.mark.parametrize("strips", [False, True], ids=["names", "stripped"])
def test_what_a_visited_page_offers_is_kept_and_all_if_asked(browser, site, strips):
    """Also where a server strips .html, which the first page must still lead back to; a missing page leads home."""
    missing = {"status": 404, "body": (site / "404.html").read_bytes()}
    with Served(site, answers={"": {"strips": strips}, "x/": missing}) as server:
        page = browser.new_page()
        page.goto(server.at("x/y/z"))
        page.get_by_role("link", name="The first page").click()
        assert page.url == server.at("index" if strips else "index.html")
        page.goto(server.at("linear-limits.html"))
        page.locator("#quiz, main h2").last.scroll_into_view_if_needed()
        page.wait_for_function("/#/.test(localStorage.getItem('ffn-course-place'))")
        line = page.locator(".keeping")
        page.wait_for_function("/^[1-6] of .. MB/.test(document.querySelector('.keeping').innerText)", timeout=WAIT)
        page.goto(short := server.at("linear-limits" if strips else "linear-limits.html"))
        line.get_by_role("button").click()
        page.wait_for_function("/^All/.test(document.querySelector('.keeping span').innerText)", timeout=WAIT)
    page.goto(server.at("build-the-ffn.html"))
    page.goto(short)
    page.get_by_text("Hand in this lesson").click()
    page.locator("#hand-in-name").fill("Ann Lee")
    with page.expect_download(timeout=WAIT):
        page.locator(".hand-in form button").click()
    page.goto(server.at("index.html"))
    assert page.locator(".begin").get_attribute("href").startswith("linear-limits.html#")
    page.close()


def test_a_large_file_is_heard_of_while_it_comes(browser, site):
    """Otherwise nothing is heard for 30 seconds where the network is slow, and the loading is stopped."""
    (path,) = (path.relative_to(site).as_posix() for path in site.glob("python/*/pyodide-lock.json"))
    with Served(site) as server:
        server.held.add("pyodide-lock")
        context = browser.new_context()
        page = context.new_page()
        page.goto(server.at("start-here.html"))
        page.evaluate("navigator.serviceWorker.ready")
        page.wait_for_function("navigator.serviceWorker.controller")
        first = """path => Promise.race([
            fetch(path).then((response) => response.body.getReader().read()).then(({ value }) => value.length),
            new Promise((resolve) => setTimeout(resolve, 20_000, 0)),
        ])"""
        heard = page.evaluate(first, path)
        server.let_go.set()
        assert 0 < heard < (site / path).stat().st_size
        context.close()


GONE = """async address => {
    let tries = 0;
    while (tries < 300 && (await caches.match(address))) await new Promise(done => setTimeout(done, 100, tries++));
    return tries;
}"""


def test_another_site_and_another_build_on_the_same_port_are_seen_at_once(browser, site, tmp_path):
    with Served(site) as server:
        context = browser.new_context()
        page = context.new_page()
        page.goto(server.at("start-here.html"))
        page.evaluate("navigator.serviceWorker.ready")
        page.reload()
        page.goto(server.at("progress.html"))
        assert page.evaluate("async address => !!(await caches.match(address))", server.at("progress.html"))
    page.goto(server.at("search.html"))  # there is no network, and it was never opened
    page.get_by_text("This page is not kept on this device").wait_for()
    newer = tmp_path / "newer"
    shutil.copytree(site, newer)
    changed = (newer / "start-here.html").read_text().replace("<h1", '<p id="new">New</p><h1', 1)
    (newer / "start-here.html").write_text(changed)
    (newer / "progress.html").unlink()
    build._offline(newer)
    with Served(newer, server.port):
        page.goto(server.at("start-here.html"))
        assert page.locator("#new").inner_text() == "New"
        assert page.evaluate(GONE, server.at("progress.html")) < 300  # what the former build alone had
    foreign = tmp_path / "foreign"
    foreign.mkdir()
    (foreign / "index.html").write_text("<title>Another site</title>")
    with Served(foreign, server.port):
        page.goto(server.at("index.html"))
        assert page.title() == "Another site"
        assert page.goto(server.at("start-here.html")).status == 404
    without = tmp_path / "without"
    shutil.copytree(site, without)
    for path in without.glob("*.html"):
        path.write_text(path.read_text().replace(" data-offline", ""))
    with Served(without, server.port):
        page.goto(server.at("start-here.html"))
        page.wait_for_function("async () => (await navigator.serviceWorker.getRegistrations()).length === 0")
    context.close()


def test_as_a_file_the_page_says_how_to_start_it(opened, site):
    page = opened("start-here.html")
    box = page.locator(f'.exercise[data-exercise="{DOUBLE}"]')
    assert f'python3 "{site}/serve.py"' in box.inner_text()
    assert box.locator("button.check").count() == 0 or not box.locator("button.check").is_visible()


def test_a_filters_page_in_place_of_the_notebook_is_not_packed(visit):
    page = visit("linear-limits.html", service_workers="block")
    page.get_by_text("Hand in this lesson").click()
    blocked = {"status": 200, "body": "<h1>Blocked</h1>", "content_type": "text/html"}
    page.context.route("**/notebooks/**", lambda route: route.fulfill(**blocked))
    page.locator("#hand-in-name").fill("Ann Lee")
    page.locator(".hand-in form button").click()
    page.wait_for_function("/a filter/.test(document.querySelector('.hand-in form').innerText)", timeout=WAIT)


def test_exercises_of_torch_say_where_to_do_them(site):
    found = (site / "build-the-ffn.html").read_text()
    assert found.count("This exercise is about torch itself") == len(
        [id for id in in_numpy.NEEDS_TORCH if id.startswith("build_the_ffn.")]
    )


PICTURE = "<img src=x onerror=alert(1)>"
TYPED = [one for one in catalogue.predictions("linear_limits") if one.kind == "number"][:3]
ODD = [PICTURE, [PICTURE, 1], {PICTURE: PICTURE}]
EVIL = {
    "version": 2,
    "entries": {
        DOUBLE: {"status": "correct", "met": [PICTURE], "attempts": 3},
        PICTURE: {"status": "correct"},
        **{one.id: {"status": "guessed", "guess": guess} for one, guess in zip(TYPED, ODD, strict=False)},
    },
}


def test_progress_is_downloaded_and_read_and_never_lowered(visit):
    page = visit("progress.html")
    with page.expect_download() as download:
        page.locator("button.download-progress").click()
    assert download.value.suggested_filename == "progress.json"
    assert page.locator(".download-progress + [role=status]").inner_text() == "progress.json is in your downloads."

    def read(text):
        page.locator("input.read-progress").set_input_files(
            {"name": "progress.json", "mimeType": "application/json", "buffer": text.encode()}
        )
        page.wait_for_function(
            "document.querySelector('input.read-progress').parentElement.nextElementSibling.textContent"
        )
        return page.locator(
            "input.read-progress + [role=status], label:has(.read-progress) + [role=status]"
        ).inner_text()

    assert "merged" in read(json.dumps(EVIL))
    assert page.locator("td", has_text=PICTURE).count() == len(TYPED) > 0  # as text
    assert page.locator("img[onerror]").count() == 0
    before = page.evaluate("localStorage.getItem('ffn-course')")
    assert "nothing was changed" in read("{")
    assert "newer" in read(json.dumps({**EVIL, "version": 99}))
    assert page.evaluate("localStorage.getItem('ffn-course')") == before
    lower = {"version": 2, "entries": {DOUBLE: {"status": "stopped", "attempts": 1}}}
    read(json.dumps(lower))
    kept = json.loads(page.evaluate("localStorage.getItem('ffn-course')"))["checks"][DOUBLE]
    assert kept["status"] == "correct" and kept["attempts"] == 3
    lesson = visit("linear-limits.html", page.context)
    assert lesson.locator("form.guess").count() > 0 and lesson.locator("img[onerror]").count() == 0


def test_code_is_downloaded_shown_and_taken_and_never_run(visit):
    page = visit("progress.html")
    lesson = Box(visit("start-here.html", page.context, python=False), DOUBLE)
    lesson.type(RIGHT)
    own = page.locator(".own-code")
    with page.expect_download() as download:
        own.get_by_role("button", name="Download your code").click()
    assert download.value.suggested_filename == "ffn-course-code.json"
    content = json.loads(download.value.path().read_text())
    assert content == {"code": {DOUBLE: RIGHT}}

    def read(text):
        own.locator("input").set_input_files(
            {"name": "a.json", "mimeType": "application/json", "buffer": text.encode()}
        )
        own.get_by_text("no other code").or_(own.locator("details")).first.wait_for()
        return own.locator("summary").all_inner_texts()

    for nothing in (
        "{",
        "[null]",
        json.dumps(content),
        '{"code": ["x"]}',
        json.dumps({"code": {DOUBLE: 3, "a.b": "c"}}),
    ):
        assert read(nothing) == [], nothing
    assert read(json.dumps({"code": {COLLAPSE: "a" * 10**6}})) == []
    theirs = {DOUBLE: f"{PICTURE} = 1", COLLAPSE: "pass", "linear_limits.predict_depth": "3"}
    assert [": it replaces your code" in one for one in read(json.dumps({"code": theirs}))] == [True, False]
    assert lesson.code.strip() == RIGHT.strip() and page.locator("img[onerror]").count() == 0
    own.get_by_role("button", name="Put it").click()
    assert lesson.code == theirs[DOUBLE] and lesson.reply() == ""
    lesson.press("earlier")
    assert lesson.code.strip() == RIGHT.strip()


def test_what_is_handed_in_is_read_and_judged_like_any_other(visit, tmp_path):
    page = visit("linear-limits.html")
    right = catalogue.worked(COLLAPSE)[0]
    box, other = Box(page, COLLAPSE), Box(page, "linear_limits.is_affine")
    other.all.locator(".cm-content").click()
    page.wait_for_function("box => /Python/.test(box.innerText)", arg=other.all.locator(".doing").element_handle())
    pasted = f"from course_lib.desk import TODO, check, explore\n\n{right}"  # a cell of the notebook
    box.type(f'{pasted}\n\ncheck("{COLLAPSE}", collapse)')
    assert "✓ Correct." in box.press("check")
    assert box.all.locator(".doing").inner_text() == other.all.locator(".doing").inner_text() == ""  # it is loaded
    assert "Continue here: 01 " in page.locator('[data-live="progress"]').inner_text()
    page.get_by_text("Hand in this lesson").click()
    page.locator("#hand-in-name").fill("…")
    page.locator(".hand-in form button").click()
    page.wait_for_function("/must be your name/.test(document.querySelector('.hand-in form').innerText)", timeout=WAIT)
    page.locator("#hand-in-name").fill("李雷")
    with page.expect_download(timeout=WAIT) as download:
        page.locator(".hand-in form button").click()
    assert re.fullmatch(r"learner-[0-9a-f]{6}_01_linear_limits\.zip", download.value.suggested_filename)
    path = tmp_path / download.value.suggested_filename
    download.value.save_as(path)
    with zipfile.ZipFile(path) as packed:
        notebook = json.loads(packed.read("01_linear_limits.ipynb"))
        progress = json.loads(packed.read("progress.json"))
    sources = ["".join(cell["source"]) for cell in notebook["cells"]]
    assert f'{pasted}\n\n\ncheck("{COLLAPSE}", collapse)' in sources

    def packed():
        with page.expect_download(timeout=WAIT) as download:
            page.locator(".hand-in form button").click()
        with zipfile.ZipFile(download.value.path()) as packed:
            return {name: packed.read(name) for name in packed.namelist()}

    before = packed()
    page.evaluate(
        """id => course.memory.remember(now => {
        course.memory.setAside(now, id, "secret");
        now.code["bonus_experts.gates"] = "secret";
    })""",
        COLLAPSE,
    )
    assert packed() == before
    assert progress["name"] == "李雷" and progress["entries"][COLLAPSE]["status"] == "correct"
    page.goto(page.url.partition("#")[0].replace("linear-limits", "progress"))
    assert "Continue here: 01 " in page.locator('[data-live="progress"]').inner_text()


# It stands for Python, and never answers to code that says "pass".
ANSWERS = """onmessage = ({ data: { start, number, do: what, source } }) => {
    const evidence = "Case 1 of 3: W1 of shape (3, 7), b1 of shape (7,), W2 of (7, 5)\\\\n  b: yours 1, expected 2";
    const checked = { status: "not yet", sign: "✗", word: "Not yet", message: "Not 0. ".repeat(9), key: "", evidence };
    if (start) postMessage({ ready: true });
    const ran = { printed: "yours\\\\n".repeat(99) };
    if (!start && source !== "pass") postMessage({ number, ...(what === "check" ? checked : ran) });
}"""
AT_THE_EDGE = "one => scrollBy(0, one.getBoundingClientRect().bottom + 2 - innerHeight)"
# Where the first sentence of a reply begins, and where its first number that differs ends.
HEAD = """reply => {
    const said = document.createRange(), lines = reply.querySelector("pre")?.firstChild;
    const at = lines?.data.indexOf("yours");
    if (lines) said.setStart(lines, at), said.setEnd(lines, at + 5);
    else said.selectNodeContents(reply.querySelector("p"));
    return [reply.getBoundingClientRect().top, said.getBoundingClientRect().bottom];
}"""


@pytest.mark.parametrize("size", [{"width": 1280, "height": 800}, NARROW], ids=["1280", "390"])
def test_a_reply_is_in_the_window(visit, size):
    """Where the button stands at its lower edge; no more is scrolled than that takes, and the focus stays."""
    page = visit("linear-limits.html", python=False, viewport=size)
    page.context.route(WORKER, lambda route: route.fulfill(body=ANSWERS, content_type="text/javascript"))
    guess, question = page.locator("form.guess:has(input[type=text])").first, page.locator(".quiz .live-question").last
    guess.locator("input").fill("336")
    box = Box(page, COLLAPSE)
    box.type("x = 1")
    pressed = (guess, "button[type=submit]"), (question, ".option >> nth=1"), (box.all, ".check"), (box.all, ".run")
    for within, name in pressed:
        button, reply = within.locator(name), within.locator(".reply")
        button.focus()
        for top in (None, 0):  # and where all of it is in the window, nothing moves
            button.evaluate(AT_THE_EDGE if top is None else "one => scrollBy(0, one.getBoundingClientRect().top - 200)")
            before = page.evaluate("scrollY")
            page.keyboard.press("Enter")
            reply.locator("> *").first.wait_for()
            page.wait_for_function("box => box.getAttribute('aria-busy') !== 'true'", arg=box.all.element_handle())
            begins, ends = reply.evaluate(HEAD)
            lowest = size["height"]
            assert (lowest - 260 < begins and ends <= lowest) or top == 0, (name, begins, ends)
            assert top is None or page.evaluate("scrollY") == before, name
            assert button.evaluate("one => one === document.activeElement"), name


# What is said from now on in places that are read aloud.
LISTEN = """() => {
    const LIVE = "[role=status], [role=alert], [aria-live]";
    window.heard = "";
    new MutationObserver((all) => all.forEach(({ target }) => {
        const place = (target.closest ? target : target.parentElement).closest(LIVE);
        if (place && !/…$| MB/.test(place.textContent)) heard += place.textContent;
    })).observe(document, { subtree: true, childList: true, characterData: true });
}"""
BUSY = {
    f'[data-exercise="{COLLAPSE}"] .check': "still running",
    f'[data-exercise="{COLLAPSE}"] .run': "still running",
    f'[data-exercise="{COLLAPSE}"] .cm-content': "still running",
    f'[data-exercise="{COLLAPSE}"] .reset': "The starter is in",
    '[data-exercise="linear_limits.is_affine"] .check': "busy elsewhere",
    '[data-exercise="linear_limits.is_affine"] .run': "busy elsewhere",
    ".hand-in form button": "Python is busy",
    f'[data-exercise="{COLLAPSE}"] .stop': "Stopped.",
}
NO_PYTHON = {
    f'[data-exercise="{COLLAPSE}"] .check': "",  # whatever python.js says
    f'[data-exercise="{COLLAPSE}"] .run': "",
    ".hand-in form button": "",
    ".player input": "could not be loaded",
    "form.guess button": "Write your guess",
    ".quiz .option": "",
    ".help pre + button": "Copied",
}
NO_EDITOR = {'.help button:text("Put it into")': ""}
STATES = {"busy": BUSY, "missing": NO_PYTHON, "offline": NO_PYTHON, "no editor": NO_EDITOR}
LOST = {"missing": (WORKER, "**/recordings/*"), "no editor": ["**/static/editor-*.js"]}


@pytest.mark.parametrize("state", STATES)
def test_no_press_is_silent(browser, served, state):
    context = browser.new_context(service_workers="block", permissions=["clipboard-write"])
    page = context.new_page()
    if state == "busy":
        context.route(WORKER, lambda route: route.fulfill(body=ANSWERS, content_type="text/javascript"))
    for lost in LOST.get(state, ()):
        context.route(lost, lambda route: route.abort())
    page.goto(served.at("linear-limits.html"))
    page.on("dialog", lambda asked: asked.accept())
    page.evaluate(UNFOLD)
    page.locator("#hand-in-name").fill("Ann Lee")
    boxes = [Box(page, id) for id in (COLLAPSE, "linear_limits.is_affine") if state != "no editor"]
    if state == "busy":
        box, _ = boxes
        box.type("pass")
        page.keyboard.press("Shift+Enter")
        page.wait_for_function("document.querySelector('.exercise[aria-busy=true]')")
        assert box.code == "pass"
    context.set_offline(state == "offline")
    for place, says in STATES[state].items():
        page.evaluate(LISTEN)
        page.locator(place).first.focus()
        page.keyboard.press("Shift+Enter" if "cm-content" in place else "ArrowRight" if "input" in place else "Enter")
        page.wait_for_function("says => heard.includes(says) && heard", arg=says, timeout=WAIT)
        stays = place if "stop" not in place else f'[data-exercise="{COLLAPSE}"] .check'
        assert page.locator(stays).first.evaluate("one => one === document.activeElement"), place
    context.close()
