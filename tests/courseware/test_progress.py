"""Progress is saved whole or not at all, and nothing solved is ever lost."""

import errno
import json
import os
import signal
import subprocess
import sys
import time

import filelock
import pytest

from courseware.progress import Progress, write_whole
from tests.conftest import statuses_of


@pytest.fixture
def path(tmp_path):
    return tmp_path / "progress.json"


def entries(path):
    found = json.loads(path.read_text(encoding="utf-8"))
    assert found["version"] == 2 and set(found) == {"version", "entries"}
    return found["entries"]


def stored(path):
    return {id: entry["status"] for id, entry in entries(path).items()}


def test_what_a_windows_editor_has_saved_again_is_read_as_a_page_reads_it(path):
    text = json.dumps({"version": 2, "entries": {"a": {"status": "correct"}}}, indent=1).replace("\n", "\r\n")
    path.write_bytes(text.encode("utf-16"))
    found = Progress(path)
    assert (statuses_of(found), found.problem) == ({"a": "correct"}, "")


def test_only_better_statuses_are_kept(path):
    kept = Progress(path)
    for status in ("stopped", "not yet", "correct", "not yet", "stopped", "not attempted"):
        kept.record("a", status)
    assert statuses_of(kept) == stored(path) == {"a": "correct"}
    kept.record_hint("b")
    assert statuses_of(kept) == {"a": "correct"} and entries(path)["b"] == {"status": "not attempted", "hints": 1}


def test_the_file_is_the_one_that_the_environment_names(path, monkeypatch):
    monkeypatch.setenv("COURSE_PROGRESS", str(path))
    assert Progress().path == path


# ---- attempts, hints, mistakes met, and the first guess -------------------------------------------------------------


def test_everything_makes_the_round_trip(path):
    kept = Progress(path)
    kept.record("l.f", "not yet", key="mistake:half")
    kept.record("l.f", "stopped", key="raises")
    kept.record("l.f", "not yet", key="slip:caret")
    kept.record("l.f", "not yet", key="mistake:half")
    kept.record("l.f", "not yet", key="seen:sign")
    kept.record_hint("l.f")
    kept.record_hint("l.f")
    kept.record("l.f", "correct", key="correct")
    kept.record("l.predict_n", "guessed", guess=0.5, near=False)
    kept.record("l.ask-one", "correct")
    assert entries(path) == {
        "l.f": {"status": "correct", "attempts": 6, "hints": 2, "met": ["mistake:half", "slip:caret", "seen:sign"]},
        "l.predict_n": {"status": "guessed", "guess": 0.5, "near": False, "attempts": 1},
        "l.ask-one": {"status": "correct", "attempts": 1},
    }
    again = Progress(path)
    assert again.entries() == kept.entries()
    assert all(entry.done for entry in again.entries().values())
    again.record_hint("l.ask-one")
    assert entries(path)["l.f"]["attempts"] == 6 and entries(path)["l.ask-one"]["attempts"] == 1


@pytest.mark.parametrize("guess", [0, 0.5, -3, "all rows", "", [4, 12], [], {"A": "true"}, False, True])
def test_the_first_guess_stays(path, guess):
    Progress(path).record("l.predict_n", "guessed", guess=guess, near=False)
    Progress(path).record("l.predict_n", "guessed", guess=7, near=True)
    for one in (Progress(path), Progress(path)):
        entry = one.entries()["l.predict_n"]
        assert (entry.guess, entry.near, entry.attempts, entry.status) == (guess, False, 2, "guessed")
        assert type(entry.guess) is type(guess)


def test_two_kernels_keep_the_guess_that_came_first(path):
    one, two = Progress(path), Progress(path)
    one.entries(), two.entries()
    one.record("l.predict_n", "guessed", guess=5, near=False)
    two.record("l.predict_n", "guessed", guess=6, near=True)
    one.record("l.predict_n", "guessed", guess=8, near=False)
    two.record("l.f", "not yet", key="slip:max")
    one.record("l.f", "not yet", key="slip:sum")
    for kept in (one, two, Progress(path)):
        entry = kept.entries()["l.predict_n"]
        assert (entry.guess, entry.near, entry.attempts) == (5, False, 3)
        assert (kept.entries()["l.f"].met, kept.entries()["l.f"].attempts) == (["slip:max", "slip:sum"], 2)


def test_only_keys_of_what_went_wrong_are_remembered(path):
    kept = Progress(path)
    for key in ("value", "raises", "todo", "correct", "x = 3", "guessed"):
        kept.record("l.f", "not yet", key=key)
    assert "met" not in entries(path)["l.f"] and entries(path)["l.f"]["attempts"] == 6


def assert_only_in_memory(kept, id="a"):
    """Hold what a failed save promises: a sentence, and the status in memory."""
    assert kept.problem.startswith("Your progress could not be saved (")
    assert kept.problem.endswith("). It is kept until you close this notebook.")
    assert "\n" not in kept.problem and "Errno" not in kept.problem
    assert statuses_of(kept)[id] == "correct"


@pytest.mark.parametrize("parent", ["a file", "missing"])
def test_no_folder_to_write_to(tmp_path, parent):
    if parent == "a file":
        (tmp_path / "parent").write_text("I am a file")
    kept = Progress(tmp_path / "parent" / "progress.json")
    kept.record("a", "correct")
    if kept.problem:
        assert_only_in_memory(kept)
    else:
        assert stored(kept.path) == {"a": "correct"}
    if parent == "a file":
        assert (tmp_path / "parent").read_text() == "I am a file" and kept.problem


def failing(number):
    def fail(*args, **options):
        raise OSError(number, os.strerror(number))

    return fail


@pytest.mark.parametrize(
    ("function", "number"),
    [("fsync", errno.ENOSPC), ("replace", errno.EROFS), ("open", errno.EACCES)],
)
def test_full_or_read_only_disk_keeps_the_old_file(path, monkeypatch, function, number):
    kept = Progress(path)
    kept.record("old", "correct")
    before = path.read_bytes()
    with monkeypatch.context() as broken:
        broken.setattr(os, function, failing(number))
        kept.record("a", "correct")
        problem = kept.problem
    assert os.strerror(number).lower() in problem
    assert path.read_bytes() == before
    assert [item.name for item in path.parent.iterdir() if ".lock" not in item.name] == ["progress.json"]
    assert_only_in_memory(kept)
    kept.record("b", "not yet")  # there is room again: nothing of what was kept in memory is missing
    assert kept.problem == ""
    assert stored(path) == {"old": "correct", "a": "correct", "b": "not yet"}


def test_windows_refuses_a_new_file_once(path, monkeypatch):
    """Before 3.13, tempfile takes that for a name in use there, and goes on with others for hours."""
    asked = []

    def refuse(*_, **__):
        asked.append(1)
        assert len(asked) < 10
        raise PermissionError(errno.EACCES, "Permission denied")

    with monkeypatch.context() as windows:
        windows.setattr(os, "name", "nt")
        windows.setattr(os, "open", refuse)
        with pytest.raises(PermissionError):
            write_whole(path, b"new")
    assert asked == [1] and [*path.parent.iterdir()] == []


def test_what_a_killed_save_left_goes_with_the_next(path):
    path.parent.mkdir(parents=True, exist_ok=True)
    left = path.with_name(path.name + ".0123abcd")
    for file in (left, path.with_name(path.name + ".damaged")):
        file.write_text("{")
    Progress(path).record("a.b", "correct")
    assert not left.exists() and path.with_name(path.name + ".damaged").exists()


@pytest.mark.parametrize("held", [3, 1000])
def test_windows_waits_until_nobody_else_has_the_file_open(path, monkeypatch, held):
    replace, tries = os.replace, []

    def replace_once_free(*paths):
        tries.append(1)
        if len(tries) <= held:
            raise PermissionError(errno.EACCES, "Permission denied")
        replace(*paths)

    monkeypatch.setattr(sys.modules[Progress.__module__], "_MORE_TRIES", 4)
    monkeypatch.setattr(os, "replace", replace_once_free)
    kept = Progress(path)
    kept.record("a", "correct")
    if held == 3:
        assert kept.problem == "" and stored(path) == {"a": "correct"}
    else:
        assert "permission denied" in kept.problem and len(tries) == 5
        assert [item.name for item in path.parent.iterdir() if ".lock" not in item.name] == []


def test_unreadable_file_is_not_written_over(path, monkeypatch):
    path.write_text('{"version": 2, "entries": {"old": {"status": "correct"}}}')
    before = path.read_bytes()
    kept = Progress(path)
    with monkeypatch.context() as broken:
        broken.setattr(type(path), "read_bytes", failing(errno.EIO))
        kept.record("a", "correct")
        assert_only_in_memory(kept)
    assert path.read_bytes() == before
    kept.record("b", "correct")
    assert stored(path) == {"old": "correct", "a": "correct", "b": "correct"}


def test_another_notebook_holds_the_file(path, monkeypatch):
    monkeypatch.setattr(sys.modules[Progress.__module__], "_LOCK_SECONDS", 0.05)
    kept = Progress(path)
    with filelock.FileLock(str(path) + ".lock"):
        kept.record("a", "correct")
    assert "another notebook is using the file" in kept.problem
    assert_only_in_memory(kept)


WRITER = """
import pathlib, sys, time
from courseware.progress import Progress
path, name, count = pathlib.Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
kept = Progress(path)
(path.parent / f"{name}.ready").touch()
while not (path.parent / "go").exists():
    time.sleep(0.001)
for number in range(count):
    kept.record(f"{name}-{number}", "correct")
assert kept.problem == "", kept.problem
"""


def start_writer(path, name, count):
    return subprocess.Popen([sys.executable, "-c", WRITER, str(path), name, str(count)], stderr=subprocess.PIPE)


def wait_for(condition, what):
    end = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < end, f"waited in vain for {what}"
        time.sleep(0.005)


def test_two_notebooks_at_once_lose_nothing(path):
    writers = {name: start_writer(path, name, 60) for name in ("one", "two")}
    wait_for(lambda: len(list(path.parent.glob("*.ready"))) == 2, "both writers")
    (path.parent / "go").touch()
    for writer in writers.values():
        _, errors = writer.communicate(timeout=120)
        assert writer.returncode == 0, errors.decode()
    assert stored(path) == {f"{name}-{number}": "correct" for name in writers for number in range(60)}


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no SIGKILL here")
def test_killed_while_saving(path):
    Progress(path).record("old", "correct")
    (path.parent / "go").touch()
    writer = start_writer(path, "new", 100_000)
    wait_for(lambda: len(stored(path)) > 5, "the first entries")
    writer.kill()
    writer.communicate(timeout=120)
    found = stored(path)
    assert found["old"] == "correct" and len(found) > 5
    again = Progress(path)
    again.record("after", "correct")
    assert again.problem == "" and stored(path) == {**found, "after": "correct"}
