"""A learner's first day, second day, an update, and what may go wrong: README from its first command on.

One learner goes through this file, in an empty folder: its tests belong together, in this order.
"""

import json
import socket
from urllib.parse import urlsplit

import pytest

import start
from tests.publish.clones import edit, git, sources
from tests.walks.browser import ask, opened
from tests.walks.pages import HANDBOOK, README, TROUBLES, Block, walked

NOWHERE = "http://127.0.0.1:9"  # where nothing answers
NO_NETWORK = {name: NOWHERE for name in ("http_proxy", "https_proxy", "PIP_INDEX_URL")} | {"no_proxy": "localhost"}
CHECK = "\n\n\ncheck('start_here.double', double)"
RIGHT = f"def double(x):\n    return 2 * x{CHECK}"


@pytest.fixture(scope="module")
def course(desk):
    """The learner's folder, which the first command makes."""
    return desk / "ffn-course"


@pytest.fixture
def in_course(terminal, course):
    """A terminal in it."""
    terminal.folder = course
    return terminal


@pytest.fixture(scope="module")
def first(course):
    """The learner's copy of the first lesson."""
    return course / "my_notebooks" / "00_start_here.ipynb"


def entries(course) -> dict:
    """Return the learner's progress."""
    kept = json.loads((course / "my_notebooks" / ".course" / "progress.json").read_text(encoding="utf-8"))
    return {id: entry["status"] for id, entry in kept["entries"].items()}


@walked(README, Block("Start"))
def test_first_day(terminal, course, first, lab, addresses):
    program = terminal.start(Block("Start"))
    address = opened(program)
    assert "Preparing .venv" in program.said and (course / ".venv").is_dir()
    assert ("Installing the small build of torch" in program.said) is not start.has_driver()
    assert addresses(1) == 1  # the browser was asked for one page
    window = lab(address)
    assert "which bank?" in window.title()
    window.run_all()
    window.type_into("def double", RIGHT).get_by_text("Correct").first.wait_for()
    assert program.stop() == 2
    assert entries(course)["start_here.double"] == "correct"


@walked(README, "python3 start.py")
@walked(HANDBOOK, "python3 start.py")
def test_second_day_without_a_network(in_course):
    in_course.environment |= NO_NETWORK
    program = in_course.start("python3 start.py")
    opened(program)
    assert "Preparing" not in program.said and "Installing" not in program.said
    assert program.stop() == 2


@walked(README, "python3 start.py update", "make update")
@walked(TROUBLES, "python3 start.py update --no-fetch")
def test_an_update(in_course, course, first, repository):
    edit(first, ex_1_check=RIGHT)
    assert "There is nothing new." in in_course.type("python3 start.py update")
    for sentence, command in (("made better", "make update"), ("Which bank", "python3 start.py update --no-fetch")):
        edit(repository / "notebooks" / first.name, opening_title=f"**{sentence}**")
        git(repository, "commit", "--quiet", "--all", "--message=A better sentence")
        if "--no-fetch" in command:
            git(course, "pull", "--quiet")  # as nbgitpuller does
        assert "00_start_here.ipynb: 1 cell renewed" in in_course.type(command)
        now = sources(first)
        assert sentence in now["opening-title"] and now["ex-1-check"] == RIGHT
    assert entries(course)["start_here.double"] == "correct"


@walked(README, "make lab")
@walked(TROUBLES, "python3 start.py --no-browser --port 9999", "python3 start.py --no-browser")
@walked(TROUBLES, "python3 start.py --ip 0.0.0.0", "python3 start.py --port 9999", "GPU=1 python3 start.py")
def test_ports_browsers_and_networks(in_course, first, addresses):
    """Several at once: each takes a free port, and asks for a browser unless told not to."""
    asked = addresses(0)
    first.rename(first.with_name("my first try.ipynb"))  # to start the lesson over
    quiet = "python3 start.py --no-browser --port 9999", "python3 start.py --no-browser"
    loud = "python3 start.py --ip 0.0.0.0", "python3 start.py --port 9999", "make lab", "GPU=1 python3 start.py"
    programs, ports = [], []
    for command in (*quiet, *loud):  # one after the other: JupyterLab looks for a port a moment before it takes it
        programs.append(in_course.start(command))
        ports.append(urlsplit(opened(programs[-1])).port)
    assert len({*ports}) == len(ports) and (9999 in ports or taken(9999))
    assert "return TODO" in sources(first)["ex-1-check"]
    local = opened(programs[2]).replace("localhost", socket.gethostbyname(socket.gethostname()))
    assert ask(local, "api/status")["kernels"] == 0
    assert addresses(asked + len(loud)) == asked + len(loud)
    assert [program.stop() for program in programs] == [2] * len(programs)


def taken(port):
    with socket.socket() as trial:
        return trial.connect_ex(("127.0.0.1", port)) == 0
