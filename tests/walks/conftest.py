"""The empty folder, the terminal and the clone with which each walk begins."""

import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

from tests.browser.conftest import FLAGS, find_browser
from tests.conftest import ROOT
from tests.publish.clones import git
from tests.walks import environments
from tests.walks.browser import Lab
from tests.walks.terminal import Terminal

# What a person's terminal does not have, but one started by make and pytest does.
_OURS = ("COURSE_", "MAKE", "MFLAGS", "PYTEST", "VIRTUAL_ENV", "PYTHON", "JUPYTER", "GIT_", "OMP_")
_VARIABLES = ("ARGS", "GPU", "FOLDER", "CHART", "LESSON", "COMPARE_PNG")  # of the Makefile


@pytest.fixture(scope="session")
def repository(tmp_path_factory):
    """The repository that everybody clones: the course as it stands here, with what is not committed yet."""
    folder = tmp_path_factory.mktemp("upstream") / "ffn-course"
    subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", str(ROOT), str(folder)], check=True)
    git(folder, "checkout", "--quiet", "-B", "main")
    listed = git(ROOT, "ls-files", "-z", "--modified", "--others", "--exclude-standard", "--deduplicate")
    for name in filter(None, listed.split("\0")):
        target = folder / name
        if (ROOT / name).exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target)
        else:
            target.unlink(missing_ok=True)
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--allow-empty", "--message=The course as it stands here")
    return folder


@pytest.fixture(scope="module")
def desk():
    """An empty folder for the walks of one file, with a space in its path; it is removed at their end."""
    with tempfile.TemporaryDirectory(prefix="a walk ", ignore_cleanup_errors=True) as folder:
        yield Path(folder)


@pytest.fixture(scope="module")
def environment(desk, repository):
    """What is set in the terminal of somebody who has typed nothing yet; what was downloaded once is kept for all."""
    (desk / "home").mkdir()
    browser = desk / "home" / "browser"
    browser.write_text('#!/bin/sh\necho "$1" >> "$HOME/opened"\n')
    browser.chmod(0o755)
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(_OURS) and name not in _VARIABLES and not name.startswith("WALK_")
    }
    own = os.path.realpath(ROOT / ".venv" / "bin")
    path = [one for one in os.environ["PATH"].split(os.pathsep) if os.path.realpath(one) != own]
    return kept | {
        "HOME": str(desk / "home"),
        "PATH": os.pathsep.join(path),
        "PIP_CACHE_DIR": os.environ.get("PIP_CACHE_DIR") or str(Path.home() / ".cache" / "pip"),
        "NPM_CONFIG_CACHE": os.environ.get("NPM_CONFIG_CACHE") or str(Path.home() / ".npm"),
        "BROWSER": str(browser),
        "TERM": "xterm",
        "WALK_REPOSITORY": str(repository),
        "WALK_BROWSER": find_browser(),
    }


@pytest.fixture
def terminal(request, desk, environment):
    """A terminal in the empty folder, for the pages that the walk follows; it must type what the walk has claimed."""
    opened = Terminal([mark.args for mark in request.node.iter_markers("walked")], desk, environment)
    yield opened
    opened.close()
    if request.node.rep_call.passed:
        assert opened.typed == opened.claimed, f"claimed and not typed: {opened.claimed - opened.typed}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Let fixtures know how their test ended."""
    report = yield
    setattr(item, f"rep_{report.when}", report)
    return report


@pytest.fixture(scope="module")
def course(desk, repository):
    """A clone with a prepared .venv, for walks that begin there; see environments.py."""
    folder = desk / "ffn-course"
    git(desk, "clone", "--quiet", str(repository), str(folder))
    environments.share(folder)
    return folder


@pytest.fixture(scope="module")
def chromium():
    """The system's browser, without the network. Not pytest-playwright's, which puts tests into another order."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def window(chromium):
    """A new window, of somebody who was never here."""
    context = chromium.new_context()
    yield context.new_page()
    context.close()


@pytest.fixture
def lab(request, window):
    """Return a function that opens the address of a JupyterLab; where the walk fails, tell what was seen last."""
    yield lambda address: Lab(window, address)
    if not request.node.rep_call.passed:
        print("dialogs:", window.locator(".jp-Dialog").all_inner_texts())
        print("lesson:", *window.locator(".jp-NotebookPanel:visible").all_inner_texts())


@pytest.fixture
def addresses(environment):
    """Return a function that waits until the person's browser was asked for so many pages, and returns how many."""
    seen = Path(environment["HOME"]) / "opened"

    def asked(number: int) -> int:
        for _ in range(600):
            found = len(seen.read_text(encoding="utf-8").splitlines()) if seen.exists() else 0
            if found >= number:
                break
            time.sleep(0.1)
        return found

    return asked
