"""A learner's first day, second day, an update, and what may go wrong: README from its first command on.

One learner goes through this file, in an empty folder: its tests belong together, in this order.
"""

import json
import re
import socket
from urllib.parse import urlsplit

import nbformat
import pytest

import start
from tests.walks.browser import ask, opened
from tests.walks.claims import walked
from tests.walks.pages import HANDBOOK, README, TROUBLES, Block

NOWHERE = "http://127.0.0.1:9"  # where nothing answers
NO_NETWORK = {name: NOWHERE for name in ("http_proxy", "https_proxy", "PIP_INDEX_URL")} | {"no_proxy": "localhost"}
CHECK = "\n\n\ncheck('start_here.double', double)"
RIGHT, WRONG = f"def double(x):\n    return 2 * x{CHECK}", f"def double(x):\n    return x + x + x{CHECK}"


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


def sources(path) -> dict[str, str]:
    return {cell.id: cell.source for cell in nbformat.read(path, as_version=4).cells}


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
    assert "Start here" in window.title()
    window.run_all()
    window.type_into("def double", WRONG).get_by_text("Not yet").first.wait_for()
    window.type_into("def double", RIGHT).get_by_text("Correct").first.wait_for()
    window.save(first)
    assert program.stop() == 2
    assert sources(first)["ex-1-check"] == RIGHT
    assert entries(course)["start_here.double"] == "correct"


@walked(README, "python3 start.py")
@walked(HANDBOOK, "python3 start.py")
def test_second_day_without_a_network(in_course, course, first, lab):
    in_course.environment |= NO_NETWORK
    program = in_course.start("python3 start.py")
    window = lab(opened(program))
    assert "Preparing" not in program.said and "Installing" not in program.said
    window.run_all()
    window.shows("return 2 * x", "Correct")
    window.type_into("my_guess = TODO", "my_guess = 6")
    window.run('check("start_here.predict_shape"').get_by_text("Guessed").first.wait_for()
    window.run("# the quiz").locator("button.course-option").nth(right_option()).click()
    window.shows("# the quiz", "Correct")
    window.stuck_and_restarted()  # a cell that does not stop, and what the table says about it
    window.cleared()  # as the handbook prepares a lesson for the class
    window.save(first)
    assert program.stop() == 2
    assert sources(first)["ex-1-check"] == RIGHT and sources(first)["predict-1"] == "my_guess = 6"
    assert not any(cell.get("outputs") for cell in nbformat.read(first, as_version=4).cells)
    done = entries(course)
    assert done["start_here.double"] == "correct" and done["start_here.predict_shape"] == "guessed"


def right_option() -> int:
    """Return the place of the right answer in the first lesson's quiz."""
    from lessons import catalogue

    (question,) = catalogue.questions("start_here")
    return next(place for place, option in enumerate(question.options) if option.right)


@walked(README, "python3 start.py update", "make update")
@walked(TROUBLES, "python3 start.py update --no-fetch")
def test_an_update(in_course, course, first, repository):
    from tests.publish.clones import edit, git

    assert "There is nothing new." in in_course.type("python3 start.py update")
    lesson = repository / "notebooks" / first.name
    edit(lesson, opening_title="**Which bank is it, made better?**")
    git(repository, "commit", "--quiet", "--all", "--message=A better sentence")
    said = in_course.type("make update")
    assert "00_start_here.ipynb: 1 cell renewed" in said
    now = sources(first)
    assert "made better" in now["opening-title"] and now["ex-1-check"] == RIGHT and now["predict-1"] == "my_guess = 6"
    assert entries(course)["start_here.double"] == "correct"
    backup = course / re.search(r"kept in (\S+)", said)[1]
    kept = sources(backup / first.name)
    assert "made better" not in kept["opening-title"] and kept["ex-1-check"] == RIGHT
    assert (backup / ".course" / "progress.json").is_file()

    edit(lesson, opening_title="**Which bank is it?**")
    git(repository, "commit", "--quiet", "--all", "--message=As it was")
    git(course, "pull", "--quiet")  # as nbgitpuller does
    assert "00_start_here.ipynb: 1 cell renewed" in in_course.type("python3 start.py update --no-fetch")
    assert sources(first)["ex-1-check"] == RIGHT


@walked(README, "make lab")
@walked(TROUBLES, "python3 start.py --no-browser --port 9999", "python3 start.py --no-browser", "python3 start.py")
@walked(TROUBLES, "python3 start.py --ip 0.0.0.0", "python3 start.py --port 9999", "GPU=1 python3 start.py")
def test_ports_browsers_and_networks(in_course, first, addresses, lab):
    """Several at once: each takes a free port, and asks for a browser unless told not to."""
    asked = addresses(0)
    first.rename(first.with_name("my first try.ipynb"))  # to start the lesson over
    one = in_course.start("python3 start.py --no-browser --port 9999")
    assert ":9999/" in opened(one) or taken(9999)
    assert "return TODO" in sources(first)["ex-1-check"]
    assert lab(opened(one)).title().startswith("01")  # where they go on
    two = in_course.start("python3 start.py --no-browser")
    opened(two)
    everywhere = in_course.start("python3 start.py --ip 0.0.0.0")
    local = opened(everywhere)
    assert "From another computer" in everywhere.said and "--allow-root" in everywhere.said
    elsewhere = local.replace("localhost", socket.gethostbyname(socket.gethostname()))
    assert ask(elsewhere, "api/status")["kernels"] == 0
    again = in_course.start("python3 start.py --port 9999")
    ports = [urlsplit(opened(program)).port for program in (one, two, everywhere, again)]
    assert len(set(ports)) == 4, ports
    made = in_course.start("make lab")
    addressed = opened(made)  # before the next begins: JupyterLab looks for a free port a moment before it takes it
    usual = in_course.start("GPU=1 python3 start.py")
    assert opened(usual) != addressed and "Installing" not in usual.said
    assert addresses(asked + 4) == asked + 4
    for program in (one, two, everywhere, again, made, usual):
        assert ask(opened(program), "api/contents/my_notebooks/my first try.ipynb?content=0".replace(" ", "%20"))
        assert program.stop() == 2


def taken(port):
    with socket.socket() as trial:
        return trial.connect_ex(("127.0.0.1", port)) == 0
