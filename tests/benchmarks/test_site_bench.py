"""The pages of the course in a browser: one step of every slider, and how a frame follows on a slow processor.

This needs the built pages, which `make bench` builds first, and Chromium. `make bench ARGS="-k site"` runs it alone.
"""

import statistics

from tests.benchmarks.timing import OF_TIMES, Table, report
from tests.browser.conftest import FLAGS, find_browser
from tests.conftest import ROOT

PHONE = {"viewport": {"width": 390, "height": 844}, "device_scale_factor": 2}
COUNT = 60
# Steps of the finest control, one in each frame; the time from frame to frame.
STEPS = """async ([name, count]) => {
    const player = course.players.find(one => one.id === name);
    const controls = player.data.controls;
    const sizes = controls.map(one => one.values.length);
    const axis = sizes.indexOf(Math.max(...sizes));
    const at = controls.map(one => one.start);
    const frames = [];
    let last = performance.now();
    for (let step = 0; step < count; step++) {
        at[axis] = (at[axis] + 1) % controls[axis].values.length;
        player.draw([...at]);
        await new Promise(requestAnimationFrame);
        frames.push(performance.now() - last);
        last = performance.now();
    }
    return frames.slice(5);
}"""


def busy(session) -> float:
    """Return the milliseconds that the page's main thread has worked: scripts, style, layout and painting."""
    metrics = session.send("Performance.getMetrics")["metrics"]
    return 1000 * next(one["value"] for one in metrics if one["name"] == "TaskDuration")


def test_site(browser_type, request):
    site = ROOT / "build" / "site"
    assert (site / "index.html").is_file(), "build the pages first: make site"
    table = Table(
        "One step of a slider on a page, phone width (ms)",
        "main thread, mean",
        "median frame at 4x",
        allowance=OF_TIMES,
    )
    browser = browser_type.launch(executable_path=find_browser(), args=FLAGS)
    for path in sorted((site / "recordings").glob("*.js")):
        page = browser.new_page(**PHONE)
        page.goto(f"{site.as_uri()}/{path.stem.partition('--')[0].replace('_', '-')}.html")
        page.evaluate("document.querySelectorAll('details').forEach(fold => fold.open = true)")
        page.locator(f"[data-recording='{path.stem}']").scroll_into_view_if_needed()
        page.wait_for_function("name => course.players.some(one => one.id === name && one.data)", arg=path.stem)
        page.locator(f"[data-recording='{path.stem}'] [data-control]").first.focus()
        session = page.context.new_cdp_session(page)
        session.send("Performance.enable", {"timeDomain": "threadTicks"})  # not what it waits for a core
        page.evaluate(STEPS, [path.stem, 5])
        before = busy(session)
        page.evaluate(STEPS, [path.stem, COUNT])
        work = (busy(session) - before) / COUNT
        session.send("Emulation.setCPUThrottlingRate", {"rate": 4})
        # whatever else the machine does can only add to a frame: the best of three rounds
        frame = min(statistics.median(page.evaluate(STEPS, [path.stem, COUNT // 2])) for _ in range(3))
        table.add(path.stem, work, frame, goal=(16.0, 33.0))
        page.close()
    browser.close()
    report(table)
