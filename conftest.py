"""Prepare every test run: static figures, a throw-away progress file, and pictures compared in notebooks."""

import os
import platform
import shutil
import tempfile
from importlib.metadata import version
from pathlib import Path

import pytest
from nbval.plugin import IPyNbCell, IPyNbFile

ROOT = Path(__file__).parent


def compare_pictures() -> bool:
    """Decide whether stored pictures are compared byte by byte.

    COMPARE_PNG=1 and COMPARE_PNG=0 decide; without them, pictures are compared where they are drawn for the
    repository: on Linux x86-64 with the pinned matplotlib.
    """
    if "COMPARE_PNG" in os.environ:
        return os.environ["COMPARE_PNG"] == "1"
    pinned = f"matplotlib=={version('matplotlib')}" in (ROOT / "requirements.txt").read_text().split()
    return pinned and (platform.system(), platform.machine()) == ("Linux", "x86_64")


def pytest_configure(config):
    """Keep the learner's progress out of the tests, and sliders static."""
    config.course_folder = tempfile.mkdtemp(prefix="course-test-")
    os.environ["COURSE_STATIC"] = "1"
    os.environ["COURSE_PROGRESS"] = os.path.join(config.course_folder, "progress.json")


def pytest_unconfigure(config):
    """Remove the throw-away progress files."""
    shutil.rmtree(config.course_folder, ignore_errors=True)


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path, parent):
    """Let nbval compare pictures too: it skips them by default."""
    collected = yield
    for node in collected:
        if isinstance(node, IPyNbFile) and compare_pictures():
            node.skip_compare = tuple(key for key in node.skip_compare if key != "image/png")
    return collected


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    """Give each notebook a progress file of its own, before its kernel starts."""
    if isinstance(item, IPyNbCell):
        name = f"{item.parent.path.stem}.json"
        os.environ["COURSE_PROGRESS"] = os.path.join(item.config.course_folder, name)
