"""Code in a lesson's page: how much is loaded, how long until Python answers, and how long a check takes; a
frame of what plays and is dragged.

This needs the built pages, which `make bench` builds first, and Chromium. `make bench ARGS="-k page"` runs it alone.
"""

import gzip
import statistics
import time
import tomllib

import pytest

from lessons import catalogue, in_numpy
from tests.benchmarks.timing import OF_TIMES, Table, report
from tests.browser.conftest import FLAGS, find_browser
from tests.conftest import ROOT
from tests.site.served import Served

PAGE = "start-here.html"
SPENT = """() => {
    const frame = requestAnimationFrame;
    let start = 0;
    const began = () => (start = performance.now()), ended = () => spent.push(performance.now() - start);
    window.spent = [];
    window.requestAnimationFrame = call => frame(time => (began(), call(time), ended()));
    addEventListener("pointermove", began, true);
    addEventListener("pointermove", ended);
}"""
MEGABYTE = 10**6
ANSWERS = ROOT / "tests" / "golden" / "answers"
BARE = """() => {
    const W = new Float32Array(2 ** 18).fill(0.5), times = [];
    for (let run = 0; run < 20; run++) {
        const start = performance.now();
        let one = 0, two = 0, three = 0, four = 0;
        for (let again = 0; again < 16; again++)
            for (let i = 0; i < W.length; i += 4) {
                one += W[i] * 0.5; two += W[i + 1] * 0.5; three += W[i + 2] * 0.5; four += W[i + 3] * 0.5;
            }
        if (one + two + three + four > 0) times.push(performance.now() - start);
    }
    return Math.min(...times);
}"""  # 4.2 million multiplications, in milliseconds
EACH = 3  # answers of learners to an exercise, beside the worked one
ASK = "what => course.python.ask(what, () => {})"
TIMED = f"""async what => {{
    const start = performance.now();
    const found = await ({ASK})(what);
    return [performance.now() - start, found.stopped];
}}"""


@pytest.fixture
def visit(browser_type):
    """Return a function that opens the page with nothing in any cache: (page, seconds, addresses asked for)."""
    site = ROOT / "build" / "site"
    assert list(site.glob("python/*/pyodide.js")), "build the pages first, with what runs code in them: make site"
    browser = browser_type.launch(executable_path=find_browser(), args=FLAGS)
    with Served(site) as server:

        def open_page(slowed=1, address=PAGE):
            for context in browser.contexts:
                context.close()
            context = browser.new_context(service_workers="block")  # what they keep would be asked for twice
            page, asked = context.new_page(), []
            context.on("request", lambda one: asked.append(one.url.removeprefix(server.at(""))))
            context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": slowed})
            start = time.perf_counter()
            page.goto(server.at(address))
            return page, start, asked

        yield open_page
    browser.close()


def sample():
    """Return (exercise, source) of the worked answers and of some that learners gave."""
    for lesson in catalogue.lessons():
        path = ANSWERS / f"{lesson.name}.toml"
        given = tomllib.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
        for module in lesson.exercises:
            if (id := f"{lesson.name}.{module}") not in in_numpy.NEEDS_TORCH:
                yield from (
                    (id, source) for source in [catalogue.worked(id)[0], *list(given.get(module, {}).values())[:EACH]]
                )


def megabytes(addresses):
    """Return the size of files of the site, as a server sends them that compresses."""
    files = {ROOT / "build" / "site" / address for address in addresses}
    return sum(len(gzip.compress(path.read_bytes(), 6)) for path in files) / MEGABYTE


def ready(visit, slowed=1):
    """Open the page and ask Python for something at once: the seconds until it has answered."""
    page, start, asked = visit(slowed)
    reply = page.evaluate(ASK, {"do": "run", "id": "start_here.double", "source": "1 + 1"})
    seconds = time.perf_counter() - start
    assert reply["value"] == "2", reply
    return page, seconds, asked


def test_page(visit):
    loaded = Table("What the page of lesson 00 loads for the first time", "measured")
    page, _, asked = visit()
    page.locator(".exercise").scroll_into_view_if_needed()
    page.locator(".cm-content").wait_for()
    page.wait_for_load_state("networkidle")
    loaded.add("files of Python where Check is never pressed", sum(one.startswith("python/") for one in asked), goal=0)
    loaded.add("MB where Check is never pressed, gzip", megabytes(asked), goal=1)
    *_, everything = ready(visit)
    loaded.add("MB where it is pressed, gzip", megabytes({*asked, *everything}), goal=10)
    opened = Table("From opening the page of lesson 00 to Python's first reply", "seconds", allowance=OF_TIMES)
    seconds = min(ready(visit)[1] for _ in range(3))  # whatever else the machine does can only add to it
    opened.add("with nothing in any cache", seconds, goal=5)
    # Chromium slows down pages and no workers, where Python is: "only supported for pages, not workers"
    slow = min(ready(visit, 4)[1] for _ in range(3))
    opened.add("the same with a page that is four times slower, not its worker", slow, goal=7)

    page, *_ = ready(visit)
    checks = Table("A check in a page (ms)", "checks", "stopped", "median", "longest", allowance=OF_TIMES)
    found = [page.evaluate(TIMED, {"do": "check", "id": id, "source": source}) for id, source in sample()]
    times = [took for took, stopped in found if not stopped]
    checks.add(
        "worked answers, and learners'",
        len(found),
        len(found) - len(times),
        statistics.median(times),
        max(times),
        goal=(200, 2000),
    )
    report(loaded, opened, checks)


def script(session):
    """Return the milliseconds of a page's scripts so far."""
    metrics = {one["name"]: one["value"] for one in session.send("Performance.getMetrics")["metrics"]}
    return 1000 * metrics["ScriptDuration"]


def test_a_frame_of_the_toys(visit):
    frames = Table("The scripts of a frame (ms)", "frames", "median", allowance=OF_TIMES)
    page, *_ = visit(address="start-here.html")
    page.locator(".c-bank svg").first.scroll_into_view_if_needed()
    page.evaluate(SPENT)
    page.wait_for_timeout(3000)
    add_frames(frames, "the bank plays", page)
    page, *_ = visit(address="linear-limits.html")
    handle = page.locator(".c-curve [role=slider]").first
    handle.hover()
    box = handle.bounding_box()
    page.mouse.down()
    page.evaluate(SPENT)
    for step in range(100):
        page.mouse.move(box["x"] + 20, box["y"] + 20 + step)
        page.wait_for_timeout(20)
    add_frames(frames, "an end of the curve is dragged", page)
    report(frames)


def add_frames(table, name, page):
    """Add what the scripts of a page spent in each frame since SPENT."""
    times = page.evaluate("spent")
    assert len(times) > 50
    table.add(name, len(times), statistics.median(times), goal=4)


def test_a_key_in_the_microscope(visit):
    """With all that follows it: the text is painted, the fields glow, and the model writes on."""
    page, *_ = visit(address="microscope.html")
    page.locator("textarea").click()
    page.locator(".said", has_text="FFN").wait_for()
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    keys = Table("The scripts of a key press, by those of 4.2 million multiplications", "ms", "ratio")
    bare = page.evaluate(BARE)
    for after, goal in ((0, 7), (100, 40)):
        page.locator("textarea").fill(
            "class Bank:\n    def close(self):\n        self.reached = {river}\n" * (3 if after else 1)
        )
        page.keyboard.press("Control+End")
        for _ in range(after):
            page.keyboard.press("ArrowLeft")
        times = []
        for key in "abcdefghijkl":
            page.wait_for_timeout(1000)
            start = script(session)
            page.keyboard.press(key)
            page.wait_for_timeout(1000)
            times.append(script(session) - start)
        took = statistics.median(times)
        keys.add(f"{after} characters before the end", took, took / bare, goal=goal)
    report(keys)
