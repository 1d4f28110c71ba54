"""Marks with nbgrader, from an empty folder to the feedback: the points of each row of the handbook's table."""

import csv
import json
import re
import subprocess

import nbformat
import pytest

from tests.conftest import ROOT
from tests.walks.claims import walked
from tests.walks.pages import HANDBOOK, Block

LESSON = "position_independence"
SECTION = "Marks, with nbgrader"
MAKE, RELEASE, FOLDERS, GRADE, TELL, UPLOAD = (Block(SECTION, number) for number in range(6))
CHECK = 'make assignment ARGS="--check dist/assignment/submitted/*/*/*.ipynb"'
MISTAKE = "Every output row comes from row 0"
HALF = ("rowwise",)
BEFORE = {
    "redefined": "import course_lib.desk, types\ncheck = lambda *any: print('✓ Correct')\n"
    "course_lib.desk.grade = lambda *any: types.SimpleNamespace(status='correct', message='')\n",
    "patching": "import numpy\nnumpy.abs = lambda x: numpy.zeros(numpy.shape(x))\n",
}
INSTEAD = {
    "looping": "while True:\n    pass",
    "wrong": "def rowwise(f, X):\n    return np.stack([f(X[0]) for row in X])",
    "asking": "from lessons import catalogue\nexec(catalogue.solution('{id}').split('check(')[0])",
    "reading": "import course_lib, pathlib\nplace = pathlib.Path(course_lib.__file__).parent / 'lessons' / 'LESSON'\n"
    "text = (place / 'solutions.py').read_text()\n"
    "exec('def {name}(' + text.split('def {name}(')[1].split('check(')[0])",
    "inside": "def {name}(*args):\n    from lessons import catalogue\n    space = dict(globals())\n"
    "    exec(catalogue.solution('{id}').split('check(')[0], space)\n    return space['{name}'](*args)",
}
NAMES = ("right", "half", *INSTEAD, *BEFORE, "damaged", "untouched")


@pytest.fixture(scope="module")
def folder(course):
    """Where the handbook says that nbgrader is used."""
    return course / "dist" / "assignment"


def answered(name, task, given, right):
    """Return what a kind of learner writes in a cell: the task's name, what stood there, and the worked cell."""
    if name == "right" or (name == "half" and task in HALF) or (name == "looping" and task != "rowwise"):
        return right
    if name in BEFORE:
        return BEFORE[name] + given.replace("raise NotImplementedError", "return 1")
    if name in INSTEAD and (task == "rowwise" or name not in ("looping", "wrong")):
        called = re.search(r"check\([^,]*, (\w+)\)", right)[1]
        code = INSTEAD[name].replace("{name}", called).replace("{id}", f"{LESSON}.{task}").replace("LESSON", LESSON)
        return f"{code}\n\ncheck({f'{LESSON}.{task}'!r}, {called})"
    return given


def hand_in(folder):
    """Hand the released notebook in, once for each kind of learner, where the handbook's picture of folders says."""
    released, source = (folder / place / LESSON / f"{LESSON}.ipynb" for place in ("release", "source"))
    worked = {cell.id: cell.source for cell in nbformat.read(source, as_version=4).cells}
    for name in NAMES:
        notebook = nbformat.read(released, as_version=4)
        for cell in notebook.cells:
            marks = cell.metadata.get("nbgrader", {})
            if marks.get("solution"):
                cell.source = answered(name, marks["grade_id"], cell.source, worked[cell.id])
        path = folder / "submitted" / name / LESSON / f"{LESSON}.ipynb"
        path.parent.mkdir(parents=True)
        nbformat.write(notebook, path)
        if name == "damaged":
            path.write_text(path.read_text(encoding="utf-8")[:2000], encoding="utf-8")


@walked(HANDBOOK, MAKE, RELEASE, FOLDERS)
def test_release_holds_no_solution_and_no_hidden_case(terminal, course, folder):
    terminal.folder = course
    terminal.type(MAKE)
    terminal.type(RELEASE)
    text = (folder / "release" / LESSON / f"{LESSON}.ipynb").read_text(encoding="utf-8")
    assert "SOLUTION" not in text and "HIDDEN" not in text and ", 2026)" not in text and ", 1)" in text
    hand_in(folder)
    top, *shown = terminal.read(FOLDERS).splitlines()
    for learner, line in zip(("right", "half"), shown, strict=True):
        assert (folder / top / learner / line.partition("/")[2]).is_file()


@walked(HANDBOOK, "make assignment", CHECK)
def test_what_makes_nbgrader_fail_is_found_before(terminal, course):
    terminal.folder = course
    terminal.type("make assignment")  # again, as who moves the folder must
    said = terminal.type(CHECK, fails=True)
    assert "damaged" in said and "cannot be read as a notebook" in said and "untouched" not in said


@walked(HANDBOOK, GRADE, TELL)
def test_points_of_each_submission(terminal, folder):
    terminal.folder = folder
    said = terminal.type(GRADE, fails=True)
    assert "damaged" in said
    terminal.type(TELL)
    with (folder / "grades.csv").open(encoding="utf-8", newline="") as file:
        rows = {row["student_id"]: row for row in csv.DictReader(file)}
    tasks = nbformat.read(folder / "source" / LESSON / f"{LESSON}.ipynb", as_version=4).cells
    worth = {
        cell.metadata.nbgrader.grade_id: cell.metadata.nbgrader.get("points", 0)
        for cell in tasks
        if "nbgrader" in cell.metadata
    }
    full = sum(worth.values())
    assert {float(row["max_score"]) for row in rows.values()} == {full}
    half = sum(worth[f"{name}-points"] for name in HALF)
    assert 0 < half < full
    expected = dict.fromkeys(NAMES, 0) | {"right": full, "half": half, "looping": full - worth["rowwise-points"]}
    expected["wrong"] = worth["rowwise-points"] / 2
    found = {name: float(rows[name]["score"]) for name in NAMES if name in rows}
    assert found == {name: expected[name] for name in found} and set(NAMES) - set(found) <= {"damaged"}


@walked(HANDBOOK, UPLOAD)
def test_points_are_brought_to_a_platform(terminal, course):
    terminal.folder = course
    roster = "Student,ID,SIS User ID,SIS Login ID,Section,Lesson 5 (1234)\n    Points Possible,,,,,6\n"
    (course / "roster.csv").write_text(roster + '"Li, Anna",1,u1,right,A,\n"Lo, Ben",2,u2,half,A,\n', encoding="utf-8")
    assert "No points: look whether they handed in: asking" in terminal.type(UPLOAD)
    with (course / "dist" / "upload.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["ID"], row["Lesson 5 (1234)"]) for row in rows] == [("", "6.0"), ("1", "6.0"), ("2", "2.0")]


def test_feedback_holds_the_sentence_of_the_check(folder):
    pages = {name: folder / "feedback" / name / LESSON / f"{LESSON}.html" for name in NAMES}
    assert [name for name, page in pages.items() if not page.exists()] == ["damaged"]
    said = {name: page.read_text(encoding="utf-8") for name, page in pages.items() if page.exists()}
    assert MISTAKE in said["wrong"] and MISTAKE not in said["right"]
    for name, text in said.items():
        assert "has no attribute" not in text or name in ("asking", "inside"), name
        assert "No module named" not in text, name


def test_environment_is_the_pinned_one(course):
    """Every package of the environment beside the course's own has the version that is pinned."""
    python = course / ".venv-nbgrader" / "bin" / "python"
    listed = subprocess.run([python, "-m", "pip", "list", "--format=json"], capture_output=True, text=True, check=True)
    pinned = {}
    for name, version in re.findall(r"(?m)^([\w.-]+)==(\S+)", (ROOT / "constraints.txt").read_text()):
        pinned[re.sub(r"[-_.]+", "-", name).lower()] = version
    installed = {re.sub(r"[-_.]+", "-", one["name"]).lower(): one["version"] for one in json.loads(listed.stdout)}
    wrong = {name: version for name, version in installed.items() if pinned.get(name) != version}
    assert set(wrong) <= {"pip", "setuptools", "wheel"}, f"{wrong} differ from what is pinned"
