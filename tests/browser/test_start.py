"""What `make lab` opens: the learner's own copy of the lesson to go on with, and nothing else, on the next day too."""

import json
import os
import re
import shutil
import subprocess
import sys
import time
import urllib.request

import pytest
from playwright.sync_api import expect

from courseware.progress import Progress
from lessons import catalogue as lessons
from tests.conftest import ROOT

TABS = "#jp-main-dock-panel .lm-TabBar-tabLabel"
NAMES = ".jp-DirListing-content .jp-DirListing-itemText"


@pytest.fixture
def start(tmp_path):
    """Return a function that starts the course's launcher on a small copy of the course, and gives the address."""
    root, processes = tmp_path / "course", []
    for folder in ("course_lib", "courseware", "lessons", "whywrong", "publish", "config"):
        shutil.copytree(ROOT / folder, root / folder, ignore=shutil.ignore_patterns("__pycache__"))
    (root / "notebooks").mkdir()
    for name in ("00_start_here.ipynb", "01_linear_limits.ipynb"):
        shutil.copy(ROOT / "notebooks" / name, root / "notebooks" / name)
    environment = {
        **os.environ,
        "JUPYTER_CONFIG_DIR": str(tmp_path / "jupyter"),  # where Lab keeps its workspaces
        "COURSE_PROGRESS": str(tmp_path / "progress.json"),
    }

    def stop():
        for process in processes:
            process.terminate()
            process.wait(timeout=60)
        processes.clear()

    def starter():
        stop()
        with open(tmp_path / "lab.log", "w", encoding="utf-8") as log:
            command = [sys.executable, "-m", "publish.learner.lab", "--no-browser", "--ip=127.0.0.1"]
            processes.append(subprocess.Popen(command, cwd=root, env=environment, stdout=log, stderr=log))
        for _ in range(600):
            said = (tmp_path / "lab.log").read_text()
            if "To stop" in said:
                return re.search(r"http://\S+", said)[0]
            if processes[0].poll() is not None:
                break
            time.sleep(0.2)
        pytest.fail(f"publish.learner.lab does not start:\n{said}", pytrace=False)

    yield starter
    stop()


def log_of(folder):
    """Return the lines that the server has written since it said how to stop it."""
    said = (folder / "lab.log").read_text()
    return said[said.index("To stop") :].strip().splitlines()[1:]


def sessions(address):
    """Return the notebooks that have a kernel."""
    with urllib.request.urlopen(address.replace("?", "api/sessions?"), timeout=20) as answer:
        return sorted(session["path"] for session in json.load(answer))


def open_start(page, address):
    """Open the address of the launcher and wait until the lesson's kernel answers."""
    page.goto(address)
    page.locator(".jp-Notebook .jp-Cell").first.wait_for(timeout=60_000)
    page.locator("#jp-main-statusbar", has_text="Idle").wait_for(timeout=60_000)


def test_the_next_day_one_lesson_is_open_and_no_other(page, start, tmp_path):
    first = start()
    open_start(page, first)
    expect(page.locator(TABS)).to_have_text(["00_start_here.ipynb"])
    expect(page.locator("#filebrowser")).to_be_hidden()  # a click away, so that half a screen holds a lesson
    page.get_by_role("tab", name="File Browser").first.click()
    expect(page.locator(NAMES)).to_have_text(["00_start_here.ipynb", "01_linear_limits.ipynb"])
    assert page.locator(".jp-DirListing-header", has_text="Modified").count() == 0
    # Nothing is given away: there is the picture that opens the lesson, with its caption, and no other output.
    expect(page.locator(".jp-OutputArea-output")).to_have_count(2)
    expect(page.locator(".jp-OutputArea-output img")).to_have_count(1)
    expect(page.locator(".jp-OutputArea-output .course-caption")).to_have_count(1)
    page.locator(NAMES, has_text="01_linear_limits").dblclick()
    page.locator(TABS, has_text="01_linear_limits").wait_for()
    page.locator("#jp-main-statusbar", has_text="Idle").wait_for(timeout=60_000)
    page.reload()  # on the same day everything is as it was
    page.locator(TABS, has_text="01_linear_limits").wait_for(timeout=60_000)
    expect(page.locator(TABS)).to_have_text(["00_start_here.ipynb", "01_linear_limits.ipynb"])
    second = start()
    open_start(page, second)
    expect(page.locator(TABS)).to_have_text(["00_start_here.ipynb"])
    assert sessions(second) == ["my_notebooks/00_start_here.ipynb"]
    kept, lesson = Progress(tmp_path / "progress.json"), lessons.lesson("start_here")
    for part in [*lessons.ids(lesson), *(question.id for question in lessons.questions(lesson.name))]:
        kept.record(part, "correct")
    assert log_of(tmp_path) == []  # a lesson was open, and nothing was said about it that would frighten anybody
    third = start()
    open_start(page, third)
    expect(page.locator(TABS)).to_have_text(["01_linear_limits.ipynb"])
    assert sessions(third) == ["my_notebooks/01_linear_limits.ipynb"]
