"""What nbgrader makes of seven submissions: the points that each gets are stated here.

COURSE_NBGRADER names the program; the kernel that runs the learners' code is the course's own Python.
"""

import json
import os
import re
import sqlite3
import subprocess
import sys

import nbformat
import pytest

from classroom import assignment
from course_lib.lessons import catalogue
from tests.conftest import ROOT

LESSON = catalogue.lesson("parameter_share")
FULL = {f"{module}-points": assignment.POINTS * task.stars for module, task in LESSON.exercises.items()}
CHEAT = """
import course_lib.desk, types
check = lambda *any: print("✓ Correct")
course_lib.desk.grade = lambda *any: types.SimpleNamespace(status="correct", message="")
"""
PATCH = "\nimport numpy\nnumpy.abs = lambda x: numpy.zeros(numpy.shape(x))\n"  # no difference is ever seen
NAMES = ("right", "patching", "half", "cheating", "looping", "damaged", "untouched")


def run(folder, *arguments):
    """Run nbgrader in a folder; the kernel is the Python that runs this test."""
    kernel = folder / "jupyter" / "kernels" / "python3"
    if not kernel.exists():
        kernel.mkdir(parents=True)
        argv = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
        (kernel / "kernel.json").write_text(
            json.dumps({"argv": argv, "display_name": "Python 3", "language": "python"})
        )
    programs = os.path.dirname(os.environ["COURSE_NBGRADER"])  # nbgrader calls alembic by its bare name
    environment = os.environ | {
        "PATH": programs + os.pathsep + os.environ["PATH"],
        "JUPYTER_PATH": str(folder / "jupyter"),
        "PYTHONPATH": "",
        "COURSE_PROGRESS": str(folder / "progress.json"),
        "OMP_NUM_THREADS": "1",
    }
    command = [os.environ["COURSE_NBGRADER"], *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=600)


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """Release the assignment, hand it in seven times, and grade it; what the commands said is kept by their name."""
    assert os.environ.get("COURSE_NBGRADER"), "Name nbgrader in COURSE_NBGRADER, or run: make test-assignment"
    folder = tmp_path_factory.mktemp("nbgrader")
    assignment.write(folder, [LESSON.name])
    # the kernel takes the course from this folder, and not from where it is installed
    startup = f"import sys\nsys.path.insert(0, {str(ROOT)!r})\n"
    source = folder / "source" / LESSON.name / f"{LESSON.name}.ipynb"
    notebook = nbformat.read(source, as_version=4)
    notebook.cells[1].source = startup + notebook.cells[1].source
    nbformat.write(notebook, source)
    said = {"generate": run(folder, "generate_assignment", LESSON.name)}
    assert said["generate"].returncode == 0, said["generate"].stderr[-3000:]
    released = nbformat.read(folder / "release" / LESSON.name / f"{LESSON.name}.ipynb", as_version=4)
    solved = nbformat.read(source, as_version=4)
    for name in NAMES:
        path = folder / "submitted" / name / LESSON.name / f"{LESSON.name}.ipynb"
        path.parent.mkdir(parents=True)
        nbformat.write(released, path)
        if name == "damaged":
            path.write_text(path.read_text()[:2000])
        elif name != "untouched":
            nbformat.write(answered(released, solved, name), path)
    said["autograde"] = run(folder, "autograde", LESSON.name)
    said["feedback"] = run(folder, "generate_feedback", LESSON.name)
    return folder, said


def answered(released, solved, name):
    """Return the released notebook with the answers of one kind of learner."""
    made = nbformat.from_dict(json.loads(json.dumps(released)))
    for cell, right in zip(made.cells, solved.cells, strict=True):
        marks = cell.metadata.get("nbgrader", {})
        if not marks.get("solution"):
            continue
        first = marks["grade_id"] in ("ffn", "attention")
        if name == "right" or (name == "half" and first) or (name == "looping" and marks["grade_id"] != "ffn"):
            cell.source = right.source
        elif name == "looping":
            cell.source = "while True:\n    pass"
        elif name in ("cheating", "patching"):
            cell.source = (CHEAT if name == "cheating" else PATCH) + cell.source.replace(
                "raise NotImplementedError", "return 1  #"
            )
    return made


def points(folder) -> dict[str, dict[str, float]]:
    """Return learner -> grade_id -> points, from nbgrader's own database."""
    question = """
        select submitted_assignment.student_id, base_cell.name, grade.manual_score, grade.auto_score
        from grade join submitted_notebook on grade.notebook_id = submitted_notebook.id
        join submitted_assignment on submitted_notebook.assignment_id = submitted_assignment.id
        join base_cell on grade.cell_id = base_cell.id"""
    found = {}
    with sqlite3.connect(folder / "gradebook.db") as base:
        for learner, cell, manual, automatic in base.execute(question):
            found.setdefault(learner, {})[cell] = manual or automatic or 0
    return found


def test_release_holds_no_solution_and_no_hidden_case(graded):
    folder, said = graded
    assert said["generate"].returncode == 0, said["generate"].stderr[-2000:]
    text = (folder / "release" / LESSON.name / f"{LESSON.name}.ipynb").read_text()
    assert "SOLUTION" not in text and "HIDDEN" not in text and f", {assignment.HIDDEN_SEED})" not in text
    bodies = [catalogue.solution(f"{LESSON.name}.{module}") for module in LESSON.exercises]
    for body in re.findall(r"BEGIN SOLUTION[^\n]*\n *(.*?)\n", "".join(bodies)):
        assert json.dumps(body)[1:-1] not in text


def test_points_of_each_submission(graded):
    folder, said = graded
    found = points(folder)
    assert found["right"] == FULL
    assert found["half"] == {name: FULL[name] if name in ("ffn-points", "attention-points") else 0 for name in FULL}
    assert sum(found["cheating"].values()) == 0
    assert sum(found["patching"].values()) == 0
    assert found["looping"] == FULL | {"ffn-points": 0}
    assert sum(found["untouched"].values()) == 0
    assert sum(found.get("damaged", {}).values()) == 0
    assert said["autograde"].returncode != 0 and "damaged" in said["autograde"].stderr  # it is said, and costs itself


def test_feedback_holds_the_sentence_of_the_check(graded):
    folder, said = graded
    assert said["feedback"].returncode == 0, said["feedback"].stderr[-2000:]
    text = (folder / "feedback" / "half" / LESSON.name / f"{LESSON.name}.html").read_text()
    assert "AssertionError" in text or "raised NotImplementedError" in text
    assert not (folder / "feedback" / "damaged").exists()


def test_environment_is_the_pinned_one():
    """Every package of the environment beside the course's own has the version that is pinned."""
    python = os.path.join(os.path.dirname(os.environ["COURSE_NBGRADER"]), "python")
    listed = subprocess.run([python, "-m", "pip", "list", "--format=json"], capture_output=True, text=True, check=True)
    pinned = {}
    for file in ("constraints.txt", "constraints-classroom.txt"):
        for name, version in re.findall(r"(?m)^([\w.-]+)==(\S+)", (ROOT / file).read_text()):
            pinned[re.sub(r"[-_.]+", "-", name).lower()] = version
    installed = {re.sub(r"[-_.]+", "-", one["name"]).lower(): one["version"] for one in json.loads(listed.stdout)}
    wrong = {name: version for name, version in installed.items() if pinned.get(name) != version}
    assert set(wrong) <= {"pip", "setuptools", "wheel"}, f"{wrong} differ from what is pinned"
