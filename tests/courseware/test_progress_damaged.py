"""A progress file that is damaged, in part or whole, costs nothing that can still be read, and is kept as it was."""

import errno
import json
import os

import pytest

from courseware.progress import Progress
from tests.conftest import statuses_of
from tests.courseware.test_progress import entries, stored


@pytest.fixture
def path(tmp_path):
    return tmp_path / "progress.json"


DAMAGED = {
    "empty": b"",
    "truncated": b'{"version": 2, "entries": {"old": {"status": "corr',
    "garbage": b"\x00\xff\xfe not json",
    "a list": b"[1, 2]",
    "a number": b"3",
    "a status is a list": b'{"version": 2, "entries": {"a": []}}',
    "no entries": b'{"version": 2}',
    "entries are a list": b'{"version": 2, "entries": []}',
    "an entry is a word": b'{"version": 2, "entries": {"a": "correct"}}',
    "a count is a word": b'{"version": 2, "entries": {"a": {"status": "correct", "attempts": "many"}}}',
    "a count is infinite": b'{"version": 2, "entries": {"a": {"status": "correct", "attempts": Infinity}}}',
    "a count is too large": b'{"version": 2, "entries": {"a": {"status": "correct", "hints": 1e999}}}',
    "mistakes are a number": b'{"version": 2, "entries": {"a": {"status": "correct", "met": 3}}}',
    "deep": b"[" * 100_000,
}


@pytest.mark.parametrize("name", DAMAGED)
def test_damaged_file_is_put_aside(path, name):
    path.write_bytes(DAMAGED[name])
    kept = Progress(path)
    assert statuses_of(kept) == {}
    assert path.read_bytes() == DAMAGED[name]  # reading alone changes nothing
    kept.record("a", "correct")
    assert "could not be read" in kept.problem and "progress.json.damaged" in kept.problem
    assert stored(path) == {"a": "correct"}
    assert path.with_name("progress.json.damaged").read_bytes() == DAMAGED[name]
    kept.record("b", "correct")
    assert kept.problem == "" and len(list(path.parent.glob("*.damaged*"))) == 1


def test_damaged_files_are_never_written_over(path):
    for number in range(3):
        path.write_bytes(b"garbage %d" % number)
        Progress(path).record("a", "correct")
    asides = {item.name: item.read_bytes() for item in path.parent.glob("*.damaged*")}
    assert asides == {f"progress.json.damaged{end}": b"garbage %d" % n for n, end in enumerate(("", "-2", "-3"))}


def no_links(source, target):
    raise OSError("no links here")


STRANGE = [
    3,
    None,
    [],
    "correct",
    {"status": ["correct"]},
    {"status": "correct", "attempts": "many"},
    {"met": "mistake:x"},
    {"status": "guessed", "guess": 10**400},
]


@pytest.mark.parametrize("strange", STRANGE, ids=lambda strange: str(strange)[:50])
def test_a_strange_entry_costs_no_other_one(path, strange):
    good = {"status": "correct", "attempts": 3, "met": ["mistake:half"]}
    content = json.dumps({"version": 2, "entries": {"a": good, "b": strange, "c": good}}).encode()
    path.write_bytes(content)
    kept = Progress(path)
    assert statuses_of(kept) == {"a": "correct", "c": "correct"}
    kept.record("d", "not yet")
    assert "Part of your saved progress could not be read" in kept.problem
    assert entries(path)["a"] == entries(path)["c"] == good and stored(path)["d"] == "not yet"
    assert path.with_name("progress.json.damaged").read_bytes() == content


@pytest.mark.parametrize("links", [True, False])
def test_what_a_newer_course_wrote_is_kept(path, monkeypatch, links):
    if not links:
        monkeypatch.setattr(os, "link", no_links)
    content = b'{"version": 3, "entries": {"a": {"status": "correct", "seconds": 70}}}'
    for _ in range(2):  # the second time as after a save that was killed: one copy is enough
        path.write_bytes(content)
        Progress(path).record("b", "correct")
        assert stored(path) == {"a": "correct", "b": "correct"}
    assert [aside.read_bytes() for aside in path.parent.glob("*.damaged*")] == [content]


def test_a_copy_that_does_not_fit_on_the_disk_is_not_left_half(path, monkeypatch):
    def full(source, target):
        target.write_bytes(b"{")
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "link", no_links)
    monkeypatch.setattr("shutil.copyfile", full)
    path.write_text('{"version": 2, "entries": {"a": {"status": "correct"}, "b": 3}}')
    before = path.read_bytes()
    kept = Progress(path)
    kept.record("c", "correct")
    assert "no space left" in kept.problem and statuses_of(kept) == {"a": "correct", "c": "correct"}
    assert path.read_bytes() == before and not list(path.parent.glob("*.damaged*"))
