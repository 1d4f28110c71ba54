"""The pages of the course in a browser: one step of every slider, and how a frame follows on a slow processor.

This needs requirements-site.txt (`make test-site` installs it) and Chromium. Run it with
`make bench ARGS="-k site"`; on a machine without the pages' packages the other benchmarks run as before.
"""

import statistics

from tests.benchmarks.timing import OF_TIMES, Table, report
from tests.browser.conftest import FLAGS, find_browser
from tests.conftest import ROOT

PHONE = {"viewport": {"width": 390, "height": 844}, "device_scale_factor": 2}
# One step: the handler, the new drawing and the layout, without the painting; and the time from frame to frame.
STEPS = """async name => {
    const player = course.players.find(one => one.id === name);
    const controls = player.data.controls;
    const sizes = controls.map(one => one.values.length);
    const axis = sizes.indexOf(Math.max(...sizes));
    const at = controls.map(one => one.start);
    const work = [], frames = [];
    let last = performance.now();
    for (let step = 0; step < 60; step++) {
        at[axis] = (at[axis] + 1) % controls[axis].values.length;
        const start = performance.now();
        player.draw([...at]);
        player.figure.getBoundingClientRect();
        work.push(performance.now() - start);
        await new Promise(requestAnimationFrame);
        frames.push(performance.now() - last);
        last = performance.now();
    }
    return [work.slice(5), frames.slice(5)];
}"""


def test_site(browser_type, request):
    site = ROOT / "build" / "site"
    assert (site / "index.html").is_file(), "build the pages first: make site"
    table = Table(
        "One step of a slider on a page, phone width (ms)", "median work", "median frame at 4x", allowance=OF_TIMES
    )
    browser = browser_type.launch(executable_path=find_browser(), args=FLAGS)
    for path in sorted((site / "recordings").glob("*.js")):
        page = browser.new_page(**PHONE)
        page.goto(f"{site.as_uri()}/{path.stem.partition('--')[0].replace('_', '-')}.html")
        page.evaluate("document.querySelectorAll('details').forEach(fold => fold.open = true)")
        page.locator(f"[data-recording='{path.stem}']").scroll_into_view_if_needed()
        page.wait_for_function("name => course.players.some(one => one.id === name && one.data)", arg=path.stem)
        work, _ = page.evaluate(STEPS, path.stem)
        session = page.context.new_cdp_session(page)
        session.send("Emulation.setCPUThrottlingRate", {"rate": 4})
        _, frames = page.evaluate(STEPS, path.stem)
        table.add(path.stem, statistics.median(work), statistics.median(frames), goal=(16.0, 33.0))
        page.close()
    browser.close()
    report(table)
