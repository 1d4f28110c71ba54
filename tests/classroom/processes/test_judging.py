"""Whoever looks for the worked solution, while a report is made, finds none: not in the course, not by its path."""

import os

import pytest

from classroom import judging, limits, regrade
from tests.classroom.solved import solved_cells
from tests.conftest import ROOT

LESSON = "position_independence"
ID = f"{LESSON}.rowwise"
CHECK = f'check("{ID}", rowwise)'
FILE = f"lessons/{LESSON}/solutions.py"
OF_TEXT = """text = "def rowwise(" + text.partition("def rowwise(")[2].partition("# %%")[0].partition("check(")[0]
found = {}
done = exec("import numpy as np\\n" + text, found)
rowwise = found["rowwise"]"""
FOUND = {  # what sets `rowwise`
    "by the catalogue": f"from lessons import catalogue\ntext = catalogue.solution('{ID}')\n{OF_TEXT}",
    "beside the course": "import course_lib, pathlib\n"
    f"text = (pathlib.Path(course_lib.__file__).parent.parent / '{FILE}').read_text()\n{OF_TEXT}",
    "as a module": f"import lessons.{LESSON}.solutions as module\nrowwise = module.rowwise",
    "in memory": "import gc\nrowwise = next(one for one in gc.get_objects() if type(one) is type(lambda: 0) and "
    "one.__name__ == 'rowwise' and 'stack' in one.__code__.co_names)",
    "among the lines of files": "import linecache\ntext = next(text for text in (''.join(entry[2]) for entry in "
    "linecache.cache.values() if len(entry) == 4) if 'def row' + 'wise(' in text and 'f(row)' in text)\n" + OF_TEXT,
}
BY_PATH = {
    "by its path": f"text = open({str(ROOT / FILE)!r}).read()\n{OF_TEXT}",
    "in the environment's neighbourhood": "import pathlib, sys\n"
    f"text = pathlib.Path(sys.prefix, '..', {FILE!r}).resolve().read_text()\n{OF_TEXT}",
    "by git": "import subprocess\n"
    f"text = subprocess.run(['git', '-c', 'safe.directory=*', '-C', {str(ROOT)!r}, 'show', 'HEAD:{FILE}'], "
    f"capture_output=True, text=True).stdout\n{OF_TEXT}",
    "handed in by somebody": "import pathlib\ntext = pathlib.Path({neighbour!r}).read_text()\n" + OF_TEXT,
}


def inside(code):
    """Return the same, done when the function is called."""
    return "def mine(f, X):\n    " + code.replace("\n", "\n    ") + "\n    return rowwise(f, X)"


def cells(code):
    """Return a cell that does it before the check, and one whose function does it."""
    return [f"{code}\n\n{CHECK}", f"{inside(code)}\n\n{CHECK.replace('rowwise)', 'mine)')}"]


@pytest.fixture(scope="module")
def handed_in(tmp_path_factory):
    folder = tmp_path_factory.mktemp("class")
    (folder / "neighbour.py").write_text(solved_cells(LESSON)[ID])
    return folder


@pytest.fixture(scope="module")
def by(handed_in):
    with judging.Judge(handed_in) as judge:
        yield judge


def statuses(ended):
    return [line["status"] for line in ended.lines]


@pytest.mark.parametrize("way", FOUND)
def test_solution_is_not_in_the_course_that_judges(by, way):
    found = cells(FOUND[way])
    if way in ("by the catalogue", "beside the course"):
        here = limits.run(regrade.work, judging.request({LESSON: found}))
        assert statuses(here) == ["correct", "correct"], "the way leads nowhere in the teacher's own course either"
    assert "correct" not in statuses(by.judge({LESSON: found}))


@pytest.mark.parametrize("way", BY_PATH)
def test_teachers_course_and_the_submissions_are_hidden(by, handed_in, way):
    found = cells(BY_PATH[way].replace("{neighbour!r}", repr(str(handed_in / "neighbour.py"))))
    if not by.around.hidden:
        pytest.skip("this system lets nobody hide a folder; the report says so")
    assert "correct" not in statuses(by.judge({LESSON: found}))


def test_submission_that_ends_the_process_costs_itself_alone(by):
    kill = "def rowwise(f, X):\n    import os, signal\n    os.kill(os.getppid(), signal.SIGKILL)\n\n"
    ended = by.judge({LESSON: [kill + CHECK]})
    assert "correct" not in statuses(ended)
    if os.geteuid():  # else it may not
        assert ended.problem == "The process that judges was ended."
    by._process.kill()
    assert by.judge({LESSON: [solved_cells(LESSON)[ID]]}).problem == "The process that judges was ended."
    assert statuses(by.judge({LESSON: [solved_cells(LESSON)[ID]]})) == ["correct"]


def test_copy_holds_no_solution_and_is_gone_at_the_end(handed_in):
    with judging.Judge(handed_in) as judge:
        folder = judge._folder.name
        names = [os.path.join(place, name) for place, _, files in os.walk(folder) for name in files]
        assert [name for name in names if name.endswith("desk.py")]
        assert [name for name in names if "solutions" in name] == []
    assert not os.path.exists(folder)
