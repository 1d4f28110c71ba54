"""The built site, opened as files in the system's Chromium, with every request that leaves them written down.

Without a Chromium these tests fail and say how to get one.
"""

import pytest

from course_lib.lessons import catalogue
from publish.site import build, pages, teachers
from tests.browser.conftest import FLAGS, find_browser
from tests.conftest import ROOT

LESSONS = [pages.address(lesson) for lesson in catalogue.lessons()]
PLANS = [teachers.address(lesson) for lesson in catalogue.lessons()]
OTHERS = ["index.html", "progress.html", "search.html", "formulas.html", "teach.html", "404.html"]
ALL = [*LESSONS, *OTHERS, *PLANS]
NARROW = {"width": 390, "height": 844}


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args):
    """Use the system's browser, without the network."""
    return {**browser_type_launch_args, "executable_path": find_browser(), "args": FLAGS}


@pytest.fixture(scope="session")
def site():
    """Return the folder of the site, built now; drawings come from the cache where it holds them."""
    folder = ROOT / "build" / "site-test"
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("SITE_URL", raising=False)
        patch.delenv("REPOSITORY_URL", raising=False)
        build.build(folder)
    return folder


@pytest.fixture
def opened(site, browser):
    """Return a function that opens a page of the site; console errors and foreign requests fail the test at its end."""
    contexts, problems = [], []

    def asked(request):
        if not request.url.startswith(("file://", "data:")):
            problems.append(f"request to {request.url}")

    def open_page(address, **options):
        context = browser.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        page.on("request", asked)
        page.on("pageerror", lambda error: problems.append(f"{address}: {error}"))
        page.on("console", lambda said: problems.append(said.text) if said.type in ("error", "warning") else None)
        page.goto(f"{site.as_uri()}/{address}")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert problems == []
