"""The built site, opened as files in the system's Chromium, with every request that leaves them written down.

Without a Chromium these tests fail and say how to get one.
"""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from filelock import FileLock

from classroom import plans
from lessons import catalogue
from publish.site import build, pages, teachers
from tests.browser.conftest import FLAGS, find_browser
from tests.conftest import ROOT

LESSONS = [pages.address(lesson) for lesson in catalogue.lessons()]
PLANS = [teachers.address(lesson) for lesson in catalogue.lessons()]
OTHERS = ["index.html", "microscope.html", "hour.html", "progress.html", "search.html", "formulas.html"]
OTHERS += ["credits.html", "404.html"]
ALL = [*LESSONS, *OTHERS]  # for learners
TEACHERS = [teachers.HANDBOOK, *PLANS]  # where they are asked for
# A submission opens two lessons and a build; .ci/long opens all.
FEW = {"build_the_ffn", "bonus_experts", "build_microscope"}
SOME = [
    pytest.param(lesson, id=lesson.name, marks=() if lesson.name in FEW else pytest.mark.thorough)
    for lesson in catalogue.lessons()
]
SOME_PAGES = [pytest.param(pages.address(*one.values), id=one.id, marks=one.marks) for one in SOME]
FEW_PAGES = ["index.html", "progress.html", "search.html", *map(pages.address, map(catalogue.lesson, sorted(FEW)))]
NARROW = {"width": 390, "height": 844}


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args):
    """Use the system's browser, without the network."""
    return {**browser_type_launch_args, "executable_path": find_browser(), "args": FLAGS}


@pytest.fixture(scope="session")
def site(testrun_uid):
    """Return the folder of the site for learners: $COURSE_SITE, or one built once now, with drawings from the cache."""
    named = os.environ.get("COURSE_SITE")
    return Path(named).resolve() if named else built_once(ROOT / "build" / "site-test", testrun_uid)


@pytest.fixture(scope="session")
def teachers_site(testrun_uid):
    """Return the folder of the site with the teachers' pages, built once now."""
    return built_once(ROOT / "build" / "site-test-teachers", testrun_uid, for_teachers=True)


@pytest.fixture
def folder_of(request):
    """Return a function: page -> the folder of the site that has it."""
    return lambda name: request.getfixturevalue("teachers_site" if name in TEACHERS else "site")


@pytest.fixture(scope="session")
def npm_folder(tmp_path_factory):
    """Return a folder with the packages from npm that tests alone use."""
    folder = tmp_path_factory.mktemp("npm")
    shutil.copytree(Path(__file__).with_name("npm"), folder, dirs_exist_ok=True)
    npm = [shutil.which("npm") or "npm", "ci", "--ignore-scripts", "--no-fund", "--no-audit"]
    subprocess.run(npm, cwd=folder, check=True, capture_output=True)
    return folder


def built_once(folder, testrun_uid, **how):
    """Build a site, unless this test run has done so in another process."""
    built = folder.with_suffix(".built")  # by which test run
    folder.parent.mkdir(exist_ok=True)
    with FileLock(folder.with_suffix(".lock")), pytest.MonkeyPatch.context() as patch:
        if not built.is_file() or built.read_text() != testrun_uid:
            patch.delenv("SITE_URL", raising=False)
            patch.delenv("REPOSITORY_URL", raising=False)
            if how.get("for_teachers"):
                assert plans.main() == 0
            build.build(folder, **how)
            built.write_text(testrun_uid)
    return folder


@pytest.fixture
def opened(folder_of, browser):
    """Return a function that opens a page of the site; console errors and foreign requests fail the test at its end."""
    contexts, problems = [], []

    def asked(request):
        if not request.url.startswith(("file://", "data:")):
            problems.append(f"request to {request.url}")

    def open_page(address, **options):
        context = browser.new_context(**{"reduced_motion": "reduce"} | options)  # a picture stands when it is looked at
        contexts.append(context)
        page = context.new_page()
        page.on("request", asked)
        page.on("pageerror", lambda error: problems.append(f"{address}: {error}"))
        page.on("console", lambda said: problems.append(said.text) if said.type in ("error", "warning") else None)
        page.goto(f"{folder_of(address.partition('#')[0]).as_uri()}/{address}")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert problems == []
