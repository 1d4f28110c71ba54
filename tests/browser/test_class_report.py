"""The class report in a browser: it fits a narrow window, and nothing that a learner wrote runs in it."""

import pytest

from classroom import report, report_page
from classroom.marking import results, runner
from classroom.marking.handed_in import Submission
from courseware.progress import Entry
from whywrong.task import Status

NAMES = ("N" * 250, "عمر ابن الخطاب", "<img src=x onerror=document.title='ran'>", "Ann-Kathrin")
NAMES += tuple(f"learner {number}" for number in range(results.LARGE - len(NAMES)))  # with a picture


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    """The page of a class with awkward names, each claiming what was not found, with a problem and a guess."""
    found = []
    for name in NAMES:
        entries = {
            "relu_vs_gelu.gelu_slope": Entry(Status.CORRECT),
            "relu_vs_gelu.predict_kink": Entry(Status.GUESSED, f"{name} guessed"),
        }
        one = Submission(name, {}, entries, ["The progress file is damaged: it cannot be read."])
        found.append(report.Results(one, {"relu_vs_gelu.gelu_slope": (Status.NOT_YET, "seen:x", f"{name} did it.")}))
    path = tmp_path_factory.mktemp("report") / "page.html"
    around = runner.Around(network=True, hidden=True, library=True)
    path.write_text(report_page.page(report.made(found, around)), encoding="utf-8")
    return path.as_uri()


@pytest.mark.parametrize("width", [390, 1280])
def test_page_fits_the_window_and_runs_nothing(browser, opened, width):
    page = browser.new_page(viewport={"width": width, "height": 800})
    try:
        page.goto(opened)
        assert page.evaluate("document.documentElement.scrollWidth") == width
        assert page.title() == "Class report" and page.locator("img").count() == 1
        assert page.locator("img").evaluate("one => one.naturalWidth > 100 && one.width <= innerWidth")
    finally:
        page.close()
