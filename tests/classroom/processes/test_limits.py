"""What a limited process cannot do: outlive its call, reach the terminal, leave files behind, hurt the next one."""

import contextlib
import os
import pty
import tempfile
import time
from pathlib import Path

import pytest

from classroom.marking import limits

NAME = "left-by-a-submission"
root_only = pytest.mark.skipif(os.geteuid() != 0, reason="without root they run with the teacher's own rights")


def leaves_processes(request):
    """Leave as many processes as there may be, each with a session of its own; they end after a minute."""
    for _ in range(80):
        try:
            child = os.fork()
        except OSError:
            break
        if child == 0:
            os.setsid()
            os.closerange(0, 256)
            time.sleep(60)
            os._exit(0)
    yield {"user": os.getuid()}


def starts_one(request):
    with contextlib.suppress(OSError):
        child = os.fork()
        if child == 0:
            os._exit(0)
        os.waitpid(child, 0)
        yield {"started": True}


def says_its_user(request):
    yield {"user": os.getuid()}


def writes_files(request):
    Path("left.txt").write_text("left", encoding="utf-8")
    Path("folder").mkdir()
    for _ in range(1100):
        os.mkdir("deep")
        os.chdir("deep")
    yield {"written": True}


def writes_where_everybody_may(request):
    found = [
        tempfile.mkdtemp(prefix=NAME, dir=place) for place in ("/tmp", "/var/tmp", "/dev/shm") if os.path.isdir(place)
    ]
    Path(found[0], "more.txt").write_text("left", encoding="utf-8")
    yield {"written": found, "groups": os.getgroups()}


def opens_the_terminal(request):
    try:
        with open("/dev/tty", "w", encoding="ascii") as terminal:
            terminal.write("written by a submission")
        yield {"terminal": "open"}
    except OSError:
        yield {"terminal": "closed"}


@root_only
def test_processes_that_were_left_are_stopped_and_the_next_can_start_its_own():
    ended = limits.run(leaves_processes, {})
    assert ended.problem == ""
    user = ended.lines[0]["user"]
    assert user != 0
    assert limits.living(user) == []
    assert limits.run(starts_one, {}).lines == [{"started": True}]


@root_only
def test_a_stranger_leaves_no_file_anywhere_and_has_no_group_of_ours():
    before = os.getgroups()
    os.setgroups([1])  # root's, of which a container may have none
    (said,) = limits.run(writes_where_everybody_may, {}).lines
    os.setgroups(before)
    assert said["written"] and not any(map(os.path.exists, said["written"])) and said["groups"] == []


@root_only
def test_processes_that_were_stopped_are_gone_when_the_call_returns():
    """Many with memory to give back: after the blow, those that had no moment yet to end would still be there."""
    user, children = limits._FIRST_USER + limits._USERS, []
    for _ in range(60):
        child = os.fork()
        if child == 0:
            os.setresgid(user, user, user)
            os.setresuid(user, user, user)
            os.setsid()
            held = bytearray(20_000_000)
            time.sleep(60 + len(held) % 2)
            os._exit(0)
        children.append(child)
    deadline = time.monotonic() + 30
    while len(limits.living(user)) < len(children) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert len(limits.living(user)) == len(children)
    limits._end_all(user)
    assert limits.living(user) == []
    for child in children:
        os.waitpid(child, 0)


@pytest.mark.skipif(not Path("/proc/self/oom_score_adj").exists(), reason="Linux only")
def test_a_submission_goes_first_when_memory_runs_out():
    def its_score(request):
        yield {"score": Path("/proc/self/oom_score_adj").read_text(encoding="utf-8").strip()}

    assert limits.run(its_score, {}).lines == [{"score": "1000"}]


@root_only
def test_no_two_submissions_are_the_same_user():
    first, second = (limits.run(says_its_user, {}).lines[0]["user"] for _ in range(2))
    assert first != second and 0 not in (first, second)


def test_python_that_submissions_cannot_read_is_known(monkeypatch):
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        library = Path(folder) / "os.py"
        library.write_text("")
        monkeypatch.setattr(limits.os, "__file__", str(library))
        for mode, readable in ((0o644, True), (0, False)):
            library.chmod(mode)
            assert limits.library_readable() == readable


def test_files_that_were_left_are_removed(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    ended = limits.run(writes_files, {})
    assert ended.problem == "" and len(ended.lines) == 1
    assert list(tmp_path.iterdir()) == []


def test_the_teachers_terminal_is_out_of_reach():
    reader, writer = os.pipe()
    teacher, terminal = pty.fork()  # a process with a terminal of its own
    if teacher == 0:
        os.write(writer, str(limits.run(opens_the_terminal, {}).lines).encode())
        os._exit(0)
    os.close(writer)
    said = os.read(reader, 1000).decode()
    os.waitpid(teacher, 0)
    os.close(reader)
    os.close(terminal)
    assert said == "[{'terminal': 'closed'}]"
