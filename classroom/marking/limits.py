"""Run a function in a process of its own, with limits on time and memory and, where the system can, without network.

The process is forked from one that has loaded the course; on Windows and macOS, a fresh Python is started. What comes
back are lines of JSON through a pipe, never objects: nothing that arrives here can run.
"""

import contextlib
import ctypes
import itertools
import json
import os
import secrets
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import psutil

CPU_SECONDS, WALL_SECONDS = 30, 60  # of one process
SECONDS_TO_DIE = 10  # at most waited for, after all was stopped
EXTRA_BYTES = 2 << 30  # beyond what it has at its start
MOST_LINES_BYTES = 2_000_000  # that come back
_NEW_USER, _NEW_NET, _NEW_IPC = 0x10000000, 0x40000000, 0x08000000  # linux/sched.h
_NOBODY = 65534
_FIRST_USER, _USERS = 2_010_000_000, 100_000_000  # numbers that no system gives away


@dataclass
class Ended:
    """How a process ended: the lines that it sent, in order, and a sentence where it did not end by itself."""

    lines: list[dict]
    problem: str = ""


def separated() -> str:
    """Say in one word how far a process can be set apart here: "network", when it has none of its own, or "nothing"."""
    ended = run(_try_network, {})
    return "network" if any(line.get("network") == "denied" for line in ended.lines) else "nothing"


def _try_network(request) -> Iterator[dict]:
    with contextlib.suppress(OSError), open("/proc/net/dev", encoding="ascii") as file:
        others = [line.split(":")[0].strip() for line in file.readlines()[2:]]
        yield {"network": "denied" if set(others) <= {"lo"} and _SEPARATE["network"] else "open"}


def library_readable() -> bool:
    """Tell whether a limited process can import more of Python than is loaded, which may be root's alone."""
    return run(_try_library, {}).lines == [{"read": True}]


def _try_library(request) -> Iterator[dict]:
    with contextlib.suppress(OSError), open(os.__file__, "rb"):
        yield {"read": True}


_SEPARATE = {"network": False}  # in a child: what worked


def run(work: Callable[[dict], Iterator[dict]], request: dict) -> Ended:
    """Call `work(request)` in a limited process and return the lines that it yields; a stuck one is stopped.

    Args:
        work: a generator function at the top of a module, which takes and yields what JSON can hold.
    """
    if not hasattr(os, "fork") or sys.platform == "darwin":  # macOS' own libraries may not survive a fork
        return _spawned(work, request)
    reader, writer = os.pipe()
    folder, user = tempfile.mkdtemp(), _FIRST_USER + secrets.randbelow(_USERS)
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child == 0:
        os.close(reader)
        _in_child(work, request, writer, folder, user)  # does not return
    os.close(writer)
    try:
        content, problem = _listen(reader)
    finally:
        os.close(reader)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(child, signal.SIGKILL)
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        if os.geteuid() == 0:
            _end_all(user)
            _take_away(user)
        with contextlib.suppress(OSError):  # rm, for rmtree gives up on folders thousands deep
            subprocess.run(["rm", "-rf", "--", folder], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    lines, whole = _lines(content)
    if not problem and not whole:
        problem = "It ended early: it used too much time or memory, or stopped itself."
    return Ended(lines, problem)


def _listen(reader):
    """Read until the other end is closed, the time is over, or too much has come."""
    content, deadline = b"", time.monotonic() + WALL_SECONDS
    while True:
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([reader], [], [], left)[0]:
            return content, "It took too long, so it was stopped."
        piece = os.read(reader, 65536)
        if not piece:
            return content, ""
        content += piece
        if len(content) > MOST_LINES_BYTES:
            return content, "It sent too much, so it was stopped."


def _lines(content):
    """Return the lines that are JSON objects, and whether the last one says that all is done."""
    found = []
    for line in content.decode("utf-8", errors="replace").splitlines():
        with contextlib.suppress(ValueError, RecursionError):
            one = json.loads(line)
            if isinstance(one, dict):
                found.append(one)
    whole = bool(found) and found[-1] == {"done": True}
    return [one for one in found if one != {"done": True}], whole


def _end_all(user):
    """Stop every process of a user at one blow, one that left its group, too, and wait until they are gone.

    A process that was stopped lives on until the system gives it its last moment: on a busy computer, some tenths of a
    second.
    """
    for _ in range(100):  # again where the helper was stopped
        helper = os.fork()
        if helper == 0:
            try:
                os.setuid(user)  # of root, this changes all three, and macOS has no setresuid
                if os.getuid() == os.geteuid() == user:  # for root, the next line would stop the computer
                    os.kill(-1, signal.SIGKILL)
            finally:
                os._exit(0)
        if os.waitpid(helper, 0)[1] == 0:
            break
    deadline = time.monotonic() + SECONDS_TO_DIE
    while living(user) and time.monotonic() < deadline:
        time.sleep(0.01)


def _take_away(user):
    """Remove what a user of this run alone has left where everybody may write."""
    places = [place for place in {tempfile.gettempdir(), "/tmp", "/var/tmp", "/dev/shm"} if os.path.isdir(place)]
    found = ["-mindepth", "1", "-maxdepth", "1", "-user", str(user), "-exec", "rm", "-rf", "--", "{}", "+"]
    with contextlib.suppress(OSError):
        subprocess.run(["find", *places, *found], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def living(user: int) -> list[int]:
    """Return the numbers of a user's processes that still run; one that has ended and waits to be read does not."""
    found = []
    for one in psutil.process_iter():
        with contextlib.suppress(psutil.Error):  # it ended while we looked
            if one.uids().real == user and one.status() != psutil.STATUS_ZOMBIE:
                found.append(one.pid)
    return found


def _in_child(work, request, writer, folder, user):
    """Do the work in a child, apart and limited, and leave without any of the parent's clean-up."""
    try:
        os.setsid()  # out of reach of the teacher's terminal
        os.chdir(folder)
        _set_apart()
        _limit(folder, user)
        _quiet()
        with os.fdopen(writer, "w", encoding="utf-8") as out:
            for line in work(request):
                out.write(json.dumps(line) + "\n")
                out.flush()
            out.write('{"done": true}\n')
            out.flush()
    finally:
        os._exit(0)


def _set_apart() -> None:
    """Leave the network behind, if the system lets us."""
    unshare = getattr(ctypes.CDLL(None, use_errno=True), "unshare", None)
    if unshare is None:
        return
    root = os.geteuid() == 0
    for user in (0, _NEW_USER) if root else (_NEW_USER,):
        if unshare(user | _NEW_NET | _NEW_IPC) == 0:
            _SEPARATE["network"] = True
            return


def _limit(folder, user):
    """Set the limits of this process; if it is root's, become the user, who owns the folder and nothing else."""
    import resource

    with open("/proc/self/statm", encoding="ascii") if os.path.exists("/proc/self/statm") else _nothing() as file:
        size = int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE") if file else 0
    wanted = {
        "RLIMIT_CPU": CPU_SECONDS,
        "RLIMIT_CORE": 0,
        "RLIMIT_FSIZE": 1 << 20,
        "RLIMIT_NOFILE": 256,
        "RLIMIT_AS": size + EXTRA_BYTES,
    }
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w", encoding="ascii") as file:
        file.write("1000")  # the first to go when the computer runs out of memory
    if os.geteuid() == 0:
        wanted["RLIMIT_NPROC"] = 64
        _become(folder, user)
    for name, value in wanted.items():
        kind = getattr(resource, name, None)
        if kind is not None:
            with contextlib.suppress(ValueError, OSError):
                resource.setrlimit(kind, (value, value))


def _become(folder, user):
    """Become the user, or nobody where there are no such numbers, as in some containers.

    Raises:
        OSError: neither can be; nothing may run as root.
    """
    os.setgroups([])
    try:
        os.chown(folder, user, user)
        os.setgid(user)
        os.setuid(user)
    except OSError:
        os.chown(folder, _NOBODY, _NOBODY)
        os.setgid(_NOBODY)
        os.setuid(_NOBODY)


@contextlib.contextmanager
def _nothing():
    yield None


def _quiet():
    """Close the teacher's terminal to what runs here."""
    null = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(null, number)


def _spawned(work, request):
    """As `run`, in a fresh Python: what Windows and macOS do not have is not limited."""
    command = [sys.executable, "-m", "classroom.marking.limits", work.__module__, work.__name__]
    environment, problem = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}, ""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:  # a process that it started may be in there
        process = subprocess.Popen(command, cwd=folder, env=environment, start_new_session=True, **pipes)
        try:
            content, _ = process.communicate(json.dumps(request).encode(), WALL_SECONDS)
        except subprocess.TimeoutExpired:
            _end_group(process)
            content, problem = b"", "It took too long, so it was stopped."
            with contextlib.suppress(subprocess.TimeoutExpired):  # one that it started may still hold the pipe
                content, _ = process.communicate(timeout=SECONDS_TO_DIE)
        finally:
            _end_group(process)
    lines, whole = _lines(content[:MOST_LINES_BYTES])
    if not problem and not whole:
        problem = "It ended early: it used too much memory, or stopped itself."
    return Ended(lines, problem)


def _end_group(process):
    """Stop a process and, except on Windows, those that it started and that did not leave its group."""
    with contextlib.suppress(OSError, AttributeError):
        os.killpg(process.pid, signal.SIGKILL)
    process.kill()


def main(module: str, name: str) -> None:
    """Do the work that is named, with the request on the standard input and the lines on the standard output."""
    import importlib

    out, request = os.fdopen(os.dup(1), "w", encoding="utf-8"), json.loads(sys.stdin.read())
    work = getattr(importlib.import_module(module), name)  # now, for a stranger may not read it
    if hasattr(os, "setpgid"):
        _limit(os.getcwd(), _NOBODY)
    _quiet()
    for line in itertools.chain(work(request), [{"done": True}]):
        out.write(json.dumps(line) + "\n")
        out.flush()  # at once, because the next answer may never end


if __name__ == "__main__":
    main(*sys.argv[1:])
