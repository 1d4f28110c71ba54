"""Prepare every test run: static figures, a throw-away progress file, and on request pictures compared in notebooks."""

import os
import shutil
import tempfile

import pytest
from nbval.plugin import IPyNbCell, IPyNbFile


def compare_pictures() -> bool:
    """Tell whether stored pictures are compared pixel by pixel: with COMPARE_PNG=1, as in CI.

    Other versions of Matplotlib or of its libraries draw other pixels, so elsewhere the captions, which are computed
    from the plotted data, are what is compared.
    """
    return os.environ.get("COMPARE_PNG") == "1"


def pytest_configure(config):
    """Keep the learner's progress out of the tests, sliders static and progress bars away."""
    config.course_folder = tempfile.mkdtemp(prefix="course-test-")
    os.environ["COURSE_STATIC"] = "1"
    os.environ["TQDM_DISABLE"] = "1"
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
