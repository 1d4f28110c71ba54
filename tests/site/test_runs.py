"""A lesson's page runs the reader's code and checks it: typed and pressed as a reader does, over a small web server."""

import json
import re
import shutil
import zipfile

import pytest

from course_lib.desk import grade
from lessons import catalogue
from publish.site import in_page, pages
from tests.golden.cells import answer, names_of
from tests.site.conftest import NARROW, SOME
from tests.site.served import Served
from tests.site.test_browser import UNFOLD, violations

WAIT = 60_000  # milliseconds: the machine may be busy
OFFERED = {
    lesson.name: [
        f"{lesson.name}.{module}" for module in lesson.exercises if f"{lesson.name}.{module}" not in in_page.NEEDS_TORCH
    ]
    for lesson in catalogue.lessons()
}
WITH_CODE = [one for one in SOME if OFFERED[one.id]]


@pytest.fixture(scope="module")
def served(site):
    """The site for learners on a port of this computer; without the parts of Python there is nothing to test."""
    assert list(site.glob("python/*/pyodide.js")), "the site was built without Python: is there a network?"
    with Served(site) as server:
        yield server


@pytest.fixture
def visit(browser, served):
    """Return a function that opens a page; errors in the console and requests elsewhere fail the test at its end."""
    contexts, problems, here = [], [], (served.at(""), "data:", "blob:")

    def harmless(request):
        """Nothing goes elsewhere, and nothing of the reader's goes to the server."""
        return request.url.startswith(here) and request.method == "GET" and "?" not in request.url

    def open_page(name, context=None, **options):
        context = context or browser.new_context(**{"reduced_motion": "reduce"} | options)
        contexts.append(context)
        page = context.new_page()
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


def plain(text):
    """Return a sentence as it is read on the page, without the marks of code."""
    return " ".join(text.replace("`", "").split())


DOUBLE = "start_here.double"
COLLAPSE = "linear_limits.collapse"
RIGHT = "def double(x):\n    return 2 * x\n"
WRONG = "def double(x):\n    return x + 2\n"


def test_the_reply_is_the_notebooks_and_counts(visit):
    page = visit("start-here.html")
    box = Box(page, DOUBLE)
    box.type(WRONG)
    verdict = grade(DOUBLE, answer(WRONG, names_of("start_here")), 0)
    assert plain(verdict.message) in box.press("check")
    box.type(RIGHT)
    assert f"✓ Correct. {plain(catalogue.item(DOUBLE).right)}" in box.press("check")
    kept = json.loads(page.evaluate("localStorage.getItem('ffn-course')"))
    assert kept["checks"][DOUBLE] == {"status": "correct", "met": [verdict.key], "attempts": 2}
    page.reload()
    box = Box(page, DOUBLE)
    assert "return 2 * x" in box.code and box.reply() == "✓ Correct. You have solved this exercise."


def test_a_solved_exercise_leads_on_in_its_lesson(visit):
    page = visit("relu-vs-gelu.html")
    box = Box(page, "relu_vs_gelu.relu")
    box.type(catalogue.worked("relu_vs_gelu.relu")[0])
    assert "✓ Correct." in box.press("check")
    assert "Continue here: 02 " in page.locator('[data-live="progress"]').inner_text()
    page.goto(page.url.replace("relu-vs-gelu", "progress"))
    assert "Continue here: 02 " in page.locator('[data-live="progress"]').inner_text()


def test_code_is_kept_in_this_browser_until_it_is_deleted(visit):
    page = visit("start-here.html")
    Box(page, DOUBLE).type(RIGHT)
    page.reload()
    assert "return 2 * x" in Box(page, DOUBLE).code
    page.goto(page.url.replace("start-here", "progress"))
    page.locator("button.delete").click()
    assert page.evaluate("localStorage.length") == 0
    page.go_back()
    assert "return 2 * x" not in Box(page, DOUBLE).code


def test_a_tab_takes_over_what_another_one_has_stored_and_overwrites_nothing(visit):
    page = visit("linear-limits.html")
    boxes = Box(page, "linear_limits.collapse"), Box(page, "linear_limits.is_affine")
    other = visit("linear-limits.html", page.context)
    typed, guess = (
        "def collapse(W1, b1, W2, b2):\n    return 1",
        other.locator("form.guess:has(input[type=text])").first,
    )
    Box(other, "linear_limits.collapse").type(typed)
    guess.locator("input").fill("0.3")
    guess.locator("button").click()
    other.locator(".quiz:not(.warm-up) .option").first.click()
    page.bring_to_front()
    assert typed.split() == boxes[0].code.split()
    assert page.locator("form.guess:has(input[type=text])").first.locator("input").input_value() == "0.3"
    boxes[0].press("run")
    boxes[1].press("check")
    kept = json.loads(page.evaluate("localStorage.getItem('ffn-course')"))
    assert kept["code"] == {"linear_limits.collapse": typed} and len(kept["guesses"]) == 1


def test_half_of_a_solution_asks_before_it_replaces_code(visit):
    id = next(id for id in OFFERED["linear_limits"] if catalogue.half(id))
    page, answers = visit("linear-limits.html"), [False, True]
    page.on("dialog", lambda asked: asked.accept() if answers.pop(0) else asked.dismiss())
    box, help_ = Box(page, id), page.locator(f'.help[data-for="{id}"]')
    help_.locator("details.half summary").click()
    help_.locator("details.half pre").evaluate("pre => pre.textContent = 'übersetzt'")  # as a browser that translates
    put = help_.get_by_role("button", name="Put it into the editor")
    put.click()
    assert box.code.split() == catalogue.half(id).split() and len(answers) == 2
    box.type("mine = 1")
    put.click()
    assert box.code == "mine = 1"
    put.click()
    assert box.code.split() == catalogue.half(id).split()
    help_.locator("details.solution summary").evaluate("words => (words.textContent = 'Lösung', words.click())")
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


def test_code_that_does_not_end_is_stopped_by_the_button_and_by_the_page(visit):
    page = visit("start-here.html")
    box = Box(page, DOUBLE)
    box.type("def double(x):\n    while True:\n        pass\n")
    box.all.locator("button.check").click()
    box.all.locator("button.stop").click(timeout=WAIT)
    assert "Stopped. Your code is kept." in box.reply()
    assert "ran for 10 seconds and was stopped" in box.press("check")
    box.type(RIGHT)
    assert "✓ Correct." in box.press("check")


GOES_WRONG = {
    "def double(x)\n    return x": "Python cannot read",
    "pass": "`double`",
    "def double(x):\n    return input()": "",
    "def double(x):\n    exit()": "",
    "raise ValueError('no')": "ValueError",
    "def double(x):\n    return [0] * 10**9": "memory",
}


def test_what_goes_wrong_gets_a_sentence(visit):
    box = Box(visit("start-here.html"), DOUBLE)
    for code, says in GOES_WRONG.items():
        box.type(code)
        said = box.press("check")
        assert plain(says) in said and len(said) > 20, code
        assert "Traceback" not in said and "pyodide" not in said.lower(), said
        box.type(RIGHT)
        assert "✓ Correct." in box.press("check"), code


def test_run_shows_what_is_printed_and_the_last_value(visit):
    page = visit("start-here.html")
    box = Box(page, DOUBLE)
    box.type("print('hello')\nnp.arange(3) * 2")
    said = box.press("run")
    assert "hello" in said and "array([0, 2, 4])" in said
    box.type(WRONG)
    box.press("check")
    box.type("show_case('start_here.double')")
    assert "'x'" in box.press("run")


def test_by_keyboard_alone(visit):
    page = visit("start-here.html")
    box = Box(page, DOUBLE)
    box.all.locator(".cm-content").focus()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(RIGHT)
    page.keyboard.press("Control+Enter")
    page.wait_for_function("document.querySelector('.exercise[aria-busy=true]')", timeout=WAIT)
    assert "✓ Correct." in box.reply()
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "check"


def test_python_is_loaded_when_an_editor_gets_the_focus_and_not_before(visit):
    asked = []
    page = visit("start-here.html")
    page.on("request", lambda one: asked.append(one.url))
    box = Box(page, DOUBLE)
    assert not any("/python/" in url for url in asked)
    with page.expect_request("**/python/**"):
        box.all.locator(".cm-content").click()
    assert "✓ Correct." not in box.press("check")


NUMPY = "**/numpy*.whl"
WORKER = "**/python-worker.js"
SAYS_WHY = "onmessage = () => postMessage({ fatal: 'other', reason: 'no <memory>' });"


@pytest.mark.parametrize(
    ("path", "does", "says"),
    [
        (NUMPY, lambda route: route.abort(), "Are you online?"),
        (NUMPY, lambda route: route.fulfill(status=200, body="<h1>Blocked</h1>"), "a filter of this network"),
        (NUMPY, lambda route: route.fulfill(status=503), "a filter of this network"),
        (NUMPY, lambda route: None, "Nothing more of Python arrived for 30 seconds"),
        (WORKER, lambda route: route.abort(), "Python could not be started."),
        (WORKER, lambda route: route.fulfill(body=SAYS_WHY, content_type="text/javascript"), "no <memory>"),
    ],
    ids=["no answer", "a filter's page", "an error", "silence", "no worker", "something else"],
)
def test_why_python_does_not_start_is_said_and_the_next_try_may_work(browser, served, path, does, says):
    context = browser.new_context(service_workers="block")
    page = context.new_page()
    page.clock.install()
    context.route(path, does)
    page.goto(served.at("start-here.html"))
    box = Box(page, DOUBLE)
    box.type(RIGHT)
    box.all.locator("button.check").click()
    for _ in range(120):
        page.clock.run_for(1000 if "30 seconds" in says else 100)
        if box.all.get_attribute("aria-busy") == "false":
            break
    for fold in box.all.locator(".reply summary").all():
        fold.click()
    assert says in box.reply() and "return 2 * x" in box.code
    context.unroute(path)
    page.clock.resume()
    assert "✓ Correct." in box.press("check")
    context.close()


def test_a_browser_that_is_too_old_for_python_is_told_so(browser, served):
    context = browser.new_context(service_workers="block")
    page = context.new_page()
    page.add_init_script("delete window.OffscreenCanvas")
    context.route("**/pyodide.js", lambda route: route.fulfill(body="no", content_type="text/javascript"))
    page.goto(served.at("start-here.html"))
    assert "This browser is too old" in Box(page, DOUBLE).press("check")
    context.close()


def test_the_second_visit_needs_no_network(browser, site):
    with Served(site) as server:
        context = browser.new_context()
        page = context.new_page()
        page.goto(server.at("start-here.html"))
        page.evaluate("navigator.serviceWorker.ready")
        box = Box(page, DOUBLE)
        box.type(RIGHT)
        assert "✓ Correct." in box.press("check")
        page.reload()
        page.wait_for_timeout(1000)
    page.goto(server.at("start-here.html"))
    assert "✓ Correct." in Box(page, DOUBLE).press("check")
    context.close()


def test_what_is_no_file_of_the_course_is_not_kept_and_a_damaged_one_is_fetched_anew(browser, site):
    with Served(site) as server:
        context = browser.new_context()
        page = context.new_page()
        page.goto(server.at("start-here.html"))
        page.evaluate("navigator.serviceWorker.ready")
        page.reload()
        server.blocked.add("numpy")
        assert "a filter of this network" in Box(page, DOUBLE).press("check")
        page.reload()
        server.blocked.clear()
        assert "Not attempted yet" in Box(page, DOUBLE).press("check")
        damage = """async () => {
            const cache = await caches.open((await caches.keys())[0]);
            const wheels = (await cache.keys()).filter(({ url }) => url.includes("numpy"));
            for (const { url } of wheels) await cache.put(url, new Response("damaged"));
            return wheels.length;
        }"""
        assert page.evaluate(damage) == 1
        page.reload()
        assert "Not attempted yet" in Box(page, DOUBLE).press("check")
        context.close()


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


def test_another_site_and_another_build_on_the_same_port_are_seen_at_once(browser, site, tmp_path):
    with Served(site) as server:
        context = browser.new_context()
        page = context.new_page()
        page.goto(server.at("start-here.html"))
        page.evaluate("navigator.serviceWorker.ready")
        page.reload()
    newer = tmp_path / "newer"
    shutil.copytree(site, newer)
    changed = (newer / "start-here.html").read_text().replace("<h1", '<p id="new">New</p><h1', 1)
    (newer / "start-here.html").write_text(changed)
    with Served(newer, server.port):
        page.goto(server.at("start-here.html"))
        assert page.locator("#new").inner_text() == "New"
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
    assert f'python3 -m http.server --bind 127.0.0.1 --directory "{site}/"' in box.inner_text()
    assert box.locator("button.check").count() == 0 or not box.locator("button.check").is_visible()


def test_an_editor_that_was_emptied_stays_empty(visit):
    page = visit("start-here.html")
    box = Box(page, DOUBLE)
    box.type(WRONG)
    page.keyboard.press("Control+a")
    page.keyboard.press("Delete")
    assert "does not define double" in box.press("check") and box.code.strip() == ""
    page.reload()
    assert Box(page, DOUBLE).code.strip() == ""


def test_the_loading_is_told_of_where_it_is_asked_for_and_no_longer_than_it_takes(visit):
    page = visit("relu-vs-gelu.html")
    one, other = (Box(page, id) for id in OFFERED["relu_vs_gelu"][:2])
    one.all.locator(".cm-content").click()
    page.wait_for_function("box => /Python/.test(box.innerText)", arg=one.all.locator(".doing").element_handle())
    other.type("pass")
    assert "Not attempted yet" in other.press("check")
    assert one.all.locator(".doing").inner_text() == other.all.locator(".doing").inner_text() == ""


def test_a_tab_that_could_not_store_for_a_while_deletes_nothing_of_another(visit):
    page = visit("start-here.html")
    box = Box(page, DOUBLE)
    page.evaluate("() => { window.set = Storage.prototype.setItem; }")
    page.evaluate("() => { Storage.prototype.setItem = () => { throw new Error('full'); }; }")
    box.type(WRONG)
    assert page.locator(".not-stored").count() == 1
    second = visit("relu-vs-gelu.html", page.context)
    Box(second, "relu_vs_gelu.relu").type("pass")
    page.wait_for_function("(localStorage.getItem('ffn-course') ?? '').includes('pass')")
    page.evaluate("() => { Storage.prototype.setItem = window.set; }")
    assert "return x + 2" in box.code
    box.type(RIGHT)
    kept = json.loads(page.evaluate("localStorage.getItem('ffn-course')"))["code"]
    assert "2 * x" in kept[DOUBLE] and kept["relu_vs_gelu.relu"] == "pass"
    assert page.locator(".not-stored").count() == 0


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
        [id for id in in_page.NEEDS_TORCH if id.startswith("build_the_ffn.")]
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


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_an_editor_and_its_replies_fit_a_phone_and_have_no_barrier(visit, scheme):
    """With long lines in the code, in what it prints and in what is shown of a case."""
    page = visit("start-here.html", viewport=NARROW, color_scheme=scheme)
    page.evaluate(UNFOLD)
    page.locator(f'[data-exercise="{DOUBLE}"] > pre').evaluate("starter => starter.focus({preventScroll: true})")
    page.wait_for_function("document.activeElement.matches('.cm-content')")  # the key Tab comes before the editor does
    box = Box(page, DOUBLE)
    label = box.all.locator(".cm-content").get_attribute("aria-label")
    assert label.startswith(f"Your code for: {catalogue.ids(catalogue.lesson('start_here'))[DOUBLE]}.")
    assert "to leave the editor press Escape, then Tab" in label
    long = f"print('{'wide ' * 40}')"

    def look(says):
        assert says in box.reply()
        assert page.evaluate("document.documentElement.scrollWidth") <= NARROW["width"], says
        assert violations(page, within=".exercise") == [], says

    for code, button, says in (
        ("", "check", "Your code does not define"),
        (f'def double(x):  # "{100 * "x"}"\n    {long}\n    return x + 2\n', "check", "✗ Not yet."),
        (f"{long}\n{RIGHT}\nnp.arange(200.0)", "run", "The value of its last line:"),
        (RIGHT, "check", "✓ Correct."),
    ):
        box.type(code)
        box.press(button)
        look(says)
    box.type("def double(x):\n    while True:\n        pass\n")
    box.all.locator("button.check").click()
    box.all.locator("button.stop").click()
    look("Stopped. Your code is kept.")


def test_what_is_handed_in_is_read_and_judged_like_any_other(visit, tmp_path):
    page = visit("linear-limits.html")
    right = catalogue.worked(COLLAPSE)[0]
    box = Box(page, COLLAPSE)
    box.type(right)
    assert "✓ Correct." in box.press("check")
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
    assert f'{right}\n\n\ncheck("{COLLAPSE}", collapse)' in sources
    assert progress["name"] == "李雷" and progress["entries"][COLLAPSE]["status"] == "correct"
