"""`make lab`: a real start, and the address it gives."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import threading
import urllib.request

import pytest

from course_lib import desk
from lessons import catalogue as lessons
from publish.learner import copies, lab
from tests.conftest import ROOT
from tests.publish.clones import lesson, write

START = lessons.lesson("start_here")


@pytest.fixture
def course(tmp_path):
    """A course in a folder of its own, so that no copies are made in this one."""
    root = tmp_path / "course"
    for folder in ("course_lib", "courseware", "lessons", "whywrong", "publish", "config"):
        shutil.copytree(ROOT / folder, root / folder, ignore=shutil.ignore_patterns("__pycache__"))
    write(root / "notebooks" / "00_start_here.ipynb", lesson())
    return root


@pytest.fixture
def started(course, tmp_path):
    """Return a function that starts `python -m publish.learner.lab` and returns what it says up to how to stop it."""
    processes = []

    def start(*arguments):
        environment = {
            **os.environ,
            "JUPYTER_RUNTIME_DIR": str(tmp_path / "runtime"),
            "JUPYTER_CONFIG_DIR": str(tmp_path / "settings"),
        }
        process = subprocess.Popen(
            [sys.executable, "-m", "publish.learner.lab", "--no-browser", *arguments],
            cwd=course,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        processes.append(process)
        limit = threading.Timer(60, process.kill)
        limit.start()
        lines = []
        for line in process.stdout:
            lines.append(line.rstrip())
            if line.startswith("To stop"):
                break
        limit.cancel()
        return lines

    yield start
    for process in processes:
        process.terminate()
        process.wait(timeout=30)
        process.stdout.close()


@pytest.mark.skipif(os.name == "nt", reason="Windows asks USERPROFILE")
def test_a_home_folder_that_is_not_there_is_named_with_what_helps(course, tmp_path):
    (tmp_path / "file").touch()
    jupyters = {name: value for name, value in os.environ.items() if not name.startswith(("JUPYTER", "XDG_"))}
    command = [sys.executable, "-m", "publish.learner.lab", "--no-browser"]
    home = tmp_path / "file" / "home"
    ended = subprocess.run(command, cwd=course, env=jupyters | {"HOME": str(home)}, capture_output=True, text=True)
    assert ended.returncode == 1 and "Traceback" not in ended.stderr
    assert f"{home} is none: set the variable HOME to a folder of yours, and start again." in ended.stderr


def test_two_first_starts_at_once_make_every_copy(course):
    for number in range(1, 12):
        shutil.copy(course / "notebooks" / "00_start_here.ipynb", course / "notebooks" / f"{number:02}_more.ipynb")
    command = [sys.executable, "-m", "publish.learner.copies"]
    both = [subprocess.Popen(command, cwd=course, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    assert [one.communicate()[1] for one in both] == ["", ""] and not any(one.returncode for one in both)
    assert len([*(course / "my_notebooks").glob("*.ipynb")]) == 12 and not [*course.rglob("*.new")]


def test_a_real_start_on_a_port_that_is_taken(course, started):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        said = started("--ip=127.0.0.1", f"--port={port}")
    (line,) = [line for line in said if "http" in line]
    address = re.fullmatch(r" {4}(http://127\.0\.0\.1:(\d+)/)\?token=(\w+)", line)
    assert address and int(address[2]) != port
    with urllib.request.urlopen(f"{address[1]}api/status?token={address[3]}", timeout=20) as answer:
        assert json.load(answer)["kernels"] == 0
    with urllib.request.urlopen(line.strip(), timeout=20) as answer:
        assert "/lab/workspaces/ffn-course/tree/my_notebooks/00_start_here.ipynb?token=" in answer.url
        assert b"jupyter-config-data" in answer.read()
    copy = json.loads((course / "my_notebooks" / "00_start_here.ipynb").read_text(encoding="utf-8"))
    assert all(cell.get("outputs", []) == [] for cell in copy["cells"])
    assert "Made your own copies" in said[0] and "Ctrl+C" in said[-1] and len(said) < 12


def test_it_opens_the_copy_where_progress_says_to_go_on(course, started, tmp_path, monkeypatch):
    """The second day: what was done is remembered, and another lesson's copy is there."""
    monkeypatch.setenv("COURSE_PROGRESS", str(tmp_path / "progress.json"))
    write(course / "notebooks" / "01_linear_limits.ipynb", lesson())
    folders = copies.Folders(course)
    copies.make(folders)
    monkeypatch.setattr(desk, "_progress", None)  # what other tests have done is not remembered
    assert lab.to_open(folders) == lab.FIRST
    for part in [*lessons.ids(START), *(question.id for question in lessons.questions(START.name))]:
        desk._store().record(part, "correct")
    (line,) = [line for line in started("--ip=127.0.0.1", "--port=0") if "http" in line]
    with urllib.request.urlopen(line.strip(), timeout=20) as answer:
        assert "/tree/my_notebooks/01_linear_limits.ipynb?token=" in answer.url
    (address,) = [one for one in lab.settings(folders, True, []) if "default_url" in one]
    assert address.endswith("/tree/notebooks/00_start_here.ipynb?reset")  # for those who write lessons
    (course / "my_notebooks" / "01_linear_limits.ipynb").unlink()
    assert lab.to_open(folders) == lab.FIRST


def test_a_damaged_progress_file_does_not_keep_it_from_starting(course, started, tmp_path, monkeypatch):
    monkeypatch.setenv("COURSE_PROGRESS", str(tmp_path / "progress.json"))
    (tmp_path / "progress.json").write_text("{")
    assert "To stop" in started("--ip=127.0.0.1", "--port=0")[-1]
    assert (tmp_path / "progress.json").read_text() == "{"


def test_arguments_are_handed_on_and_replace_the_courses_own(capsys, monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 1000, raising=False)
    folders = copies.Folders()
    given = ["--port", "9999", "--LabApp.default_url=/lab", "--debug"]
    arguments = lab.settings(folders, False, given)
    assert arguments[-4:] == given
    assert sum(one.startswith("--LabApp.default_url=") for one in arguments) == 1
    assert not any("log_level" in one for one in arguments)
    assert "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate" in arguments
    assert any(
        one.endswith("ffn-course-edit/tree/notebooks/00_start_here.ipynb?reset")
        for one in lab.settings(folders, True, [])
    )
    assert "--allow-root" not in arguments and capsys.readouterr().out == ""
    monkeypatch.setattr(os, "geteuid", lambda: 0, raising=False)
    assert "--allow-root" in lab.settings(folders, False, []) and "You are root" in capsys.readouterr().out
