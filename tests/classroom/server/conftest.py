"""One hub with Unix users for all tests here: it runs as root on a computer of its own (CI) and cleans up.

COURSE_HUB_PYTHON names a Python that other users can read, with what `start.py install hub` brings; without it,
one is made of this environment and the system's Python. COURSE_HUB_PROXY names the proxy.
"""

import dataclasses
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

import psutil
import pytest

from classroom.server import settings, start
from tests.classroom.server import load

NAMES = ("ffn-anna", "ffn-ben")
TEACHER = "ffn-teacher"
LATER = "ffn-abe"  # joins the class while it works; of all names the first


def python_for_all(folder):
    """Return the Python of an environment that every user can read: this one, linked, on the system's Python."""
    system, copy = "/usr/bin/python3", folder / "environment"
    ask = [system, "-c", "import sys; print(*sys.version_info[:2])"]
    found = subprocess.run(ask, capture_output=True, text=True).stdout.split() if os.path.exists(system) else []
    here = [str(part) for part in sys.version_info[:2]]
    assert found == here, f"COURSE_HUB_PYTHON must name a Python {'.'.join(here)} that others can read: none is there."
    link = ["cp", "--archive", "--link", f"{Path(sys.prefix).resolve()}/.", str(copy)]
    if subprocess.run(link, capture_output=True).returncode:  # on another disk nothing can be linked
        shutil.rmtree(copy, ignore_errors=True)
        subprocess.run([part for part in link if part != "--link"], check=True)
    for path in [*copy.glob("bin/python*"), copy / "pyvenv.cfg"]:
        path.unlink()  # it may be a link: to write would change the environment it was taken from
    (copy / "bin" / "python").symlink_to(system)
    (copy / "pyvenv.cfg").write_text("home = /usr/bin\ninclude-system-site-packages = false\n")
    return str(copy / "bin" / "python")


def free_low_port():
    """Return a free port on which only root can listen, as a class has it."""
    for port in range(800, 900):
        with socket.socket() as test:
            if test.connect_ex(("127.0.0.1", port)):
                return port
    raise AssertionError("no port from 800 to 899 is free")


class Hub(load.Server):
    """A hub with Unix users, in a folder of its own."""

    def __init__(self):
        self.names = NAMES

    def __enter__(self):
        assert os.geteuid() == 0, "These tests make Unix users: run them as root, in a container of their own."
        self.temporary = tempfile.TemporaryDirectory(prefix="ffn-hub-", dir="/srv")
        folder = Path(self.temporary.name)
        folder.chmod(0o755)
        start.create_users([*NAMES, TEACHER, LATER])
        course = start.publish_course(folder / "course")
        python = os.environ.get("COURSE_HUB_PYTHON") or python_for_all(folder)
        self.place = settings.Place(
            folder / "hub", NAMES, TEACHER, free_low_port(), False, start.proxy(), python, course
        )
        found = settings.problems(self.place)
        assert not found, found
        self.begin()
        return self

    def end(self):
        """Stop the hub as Ctrl+C does; servers of learners go on."""
        self.process.terminate()
        self.process.wait(30)
        self.log.close()

    def join(self, *names):
        """Set the names of the learners; they count when the hub begins again."""
        self.place = dataclasses.replace(self.place, learners=names)

    def __exit__(self, *error):
        for name in (*NAMES, TEACHER, LATER):
            for one in psutil.process_iter(["username", "pid"]):
                if one.info["username"] == name:
                    one.kill()
        super().__exit__(*error)
        for name in (*NAMES, TEACHER, LATER):
            subprocess.run(["userdel", "--remove", name], capture_output=True)


@pytest.fixture(scope="session")
def hub():
    with Hub() as server:
        yield server
