"""A learner's first day, second day, and an update: README, from its first command on, in an empty folder.

One learner goes through this file, so its tests belong together and in this order.
"""

import json

import nbformat
import pytest

from tests.walks.browser import Lab, address, ask
from tests.walks.claims import Block, walked
from tests.walks.pages import README

STOP = r"To stop: press Ctrl\+C here, twice"


@pytest.fixture(scope="module")
def course(desk):
    """The learner's folder, which the first command makes."""
    return desk / "ffn-course"


def sources(path):
    return {cell.id: cell.source for cell in nbformat.read(path, as_version=4).cells}


def progress(course):
    return json.loads((course / "my_notebooks" / ".course" / "progress.json").read_text(encoding="utf-8"))


@walked(README, Block("Start"))
def test_first_day(terminal, course, page, opened_addresses):
    lab = terminal.start(Block("Start"))
    lab.wait_for(STOP)
    assert "Preparing .venv" in lab.said and (course / ".venv").is_dir()
    assert len(opened_addresses()) == 1
    notebook = course / "my_notebooks" / "00_start_here.ipynb"

    window = Lab(page, address(lab.said))
    assert window.title().startswith("00")
    window.run_all()
    wrong = window.type_into(
        "def double", "def double(x):\n    return x + x + x\n\n\ncheck('start_here.double', double)"
    )
    wrong.get_by_text("Not yet").first.wait_for()
    right = window.type_into("def double", "def double(x):\n    return 2 * x\n\n\ncheck('start_here.double', double)")
    right.get_by_text("Correct").first.wait_for()
    window.save(notebook)
    assert "return 2 * x" in sources(notebook)["ex-1-check"]
    assert "start_here.double" in json.dumps(progress(course))

    assert ask(address(lab.said), "api/sessions")
    assert lab.stop() == 2 and lab.end() == 0
    print(lab.said)
