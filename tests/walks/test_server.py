"""A class server as the handbook sets it up: a teacher with root, two learners and the teacher in a browser.

It changes the machine, as the page does; what was not there before is removed again.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.walks import environments
from tests.walks.browser import PATIENCE, Lab
from tests.walks.pages import SERVER, Block, walked

SECTION = "A class server"
LEARNERS, TEACHER = ("anna", "ben"), "ms-lee"  # the roster of the page
PLACES = [Path(name) for name in ("/opt/ffn", "/srv/ffn-hub", "/srv/ffn-hub-course", "/run/ffn-hub-800")]
PROXY = "configurable-http-proxy"
RIGHT = "def double(x):\n    return 2 * x\n\n\ncheck('start_here.double', double)"


@pytest.fixture
def machine():
    """A machine on which nothing of a class server is; packages of the tests are in its Python, see environments.py."""
    assert os.geteuid() == 0, "This walk makes Unix users and installs programs: run it as root, in a container."
    there = [str(path) for path in PLACES if path.exists()]
    there += [
        name for name in (*LEARNERS, TEACHER) if subprocess.run(["id", name], capture_output=True).returncode == 0
    ]
    assert there == [], f"This walk would change {there}: remove them, or run it on another machine."
    had_proxy = shutil.which(PROXY)
    environments.share(PLACES[0].parent, name=PLACES[0].name)
    yield
    for path in PLACES:
        shutil.rmtree(path, ignore_errors=True)
    for name in (*LEARNERS, TEACHER):
        subprocess.run(["pkill", "-KILL", "-u", name], capture_output=True)
        subprocess.run(["userdel", "--remove", name], capture_output=True)
    if not had_proxy:
        subprocess.run(["npm", "uninstall", "--global", PROXY], capture_output=True)


@pytest.fixture
def person(chromium):
    """Return a function that logs somebody in, in a browser of their own, and returns the window with the lesson."""

    def log_in(address, name, password):
        page = chromium.new_context().new_page()
        page.set_default_timeout(PATIENCE)
        page.goto(address)
        page.get_by_label("Username").fill(name)
        page.get_by_label("Password").fill(password)
        page.get_by_role("button", name="Sign in").click()
        page.wait_for_url(f"**/user/{name}/lab/**")
        return Lab(page, page.url)

    return log_in


def works(window) -> None:
    """Run the cells of the lesson and solve an exercise."""
    assert "which bank?" in window.title()
    window.run_all()
    window.type_into("def double", RIGHT).get_by_text("Correct").first.wait_for()


@walked(SERVER, *(Block(SECTION, number) for number in range(7)))
def test_two_learners_and_a_teacher(terminal, course, machine, person):
    terminal.folder = course
    server = terminal.start(Block(SECTION, 0))
    server.wait_for("JupyterHub is now running")
    address = server.wait_for(r"The class server: (http://\S+)")[1]
    said = terminal.type(Block(SECTION, 1))
    password, teachers = re.search(rf"^The class: (\S+)\n{TEACHER}: (\S+)$", said, re.MULTILINE).groups()
    assert "3 of 3 servers run." in said and len(re.findall(r"^\S+ +runs$", said, re.MULTILINE)) == 3
    for name in LEARNERS:
        works(person(address, name, password))
    window = person(address, TEACHER, teachers)
    works(window)
    for closed in ("/hub/admin", "/user/anna/lab", "/user/anna/api/contents"):
        assert window.page.goto(f"{address}{closed}").status == 403
    said = terminal.type(Block(SECTION, 2))
    assert "1 of 1 servers are stopped." in said and "3 of 3 servers are stopped." in said
    server.stop()
    progress = Path("/home/anna/ffn-course/my_notebooks/.course/progress.json")
    written, owner = progress.read_bytes(), progress.stat().st_uid
    assert "The work of 2 learners is in submitted." in terminal.type(Block(SECTION, 3))
    for name in LEARNERS:
        collected = course / "submitted" / name
        assert b"start_here.double" in (collected / ".course" / "progress.json").read_bytes()
        assert (collected / "00_start_here.ipynb").is_file() and collected.stat().st_uid == 0
    terminal.type(Block(SECTION, 4))
    shutil.rmtree("/home/anna/ffn-course")
    terminal.type(Block(SECTION, 5))
    assert progress.read_bytes() == written and b"start_here.double" in written
    assert progress.stat().st_uid == owner != 0 and Path("/home/anna").stat().st_mode & 0o077 == 0
    terminal.type(Block(SECTION, 6))
    assert not Path("/home/ben").exists() and subprocess.run(["id", "ben"], capture_output=True).returncode
