"""Marks: what `hand_in` packs, in a notebook or on a page, earns points, a page of feedback and a row in a table."""

import csv
import html
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import nbformat
import pytest

from classroom import core, feedback, report
from classroom.marking import limits, runner, runner_cells
from course_lib import handing_in
from course_lib.handing_in import Typed
from courseware.environment import NOTEBOOKS
from lessons import catalogue, cells
from tests.conftest import ROOT
from tests.lessons.worked import solved_cells

LESSON = catalogue.lesson("position_independence")
ROWWISE, WHICH = core.core(LESSON.name)
WORKED = solved_cells(LESSON.name)
HEAD = "def rowwise(f, X):\n    return "
BOXES = "def position_wise(f, X):\n    return "
HALF = f"{HEAD}np.stack([f(X[0]) for row in X])"
SAID = "Every output row comes from row 0"
ENDLESS = f"{HEAD[:-11]}    while True:\n        try: pass\n        except BaseException: pass"
LEAVES = "import os\nx = os._exit(0)"
# What a learner writes in the cells of the core -> points in the core, of 2 and 6.
CORE = {
    "right": ({ROWWISE: WORKED[ROWWISE], WHICH: WORKED[WHICH]}, 8),
    "one of two": ({ROWWISE: WORKED[ROWWISE]}, 2),
    "a list of rows": ({ROWWISE: f"{HEAD}[f(row) for row in X]"}, 2),
    "a named mistake": ({ROWWISE: HALF}, 1),
    "rows end to end": ({ROWWISE: f"{HEAD}np.concatenate([f(row) for row in X])"}, 1),
    "scrambled": ({ROWWISE: f"{HEAD}np.stack([f(row) for row in X]).T.reshape(len(X), -1)"}, 0),
    "the first row alone": ({WHICH: f"{BOXES}np.allclose(f(X)[:1], f(X[:1]))"}, 3),
    "a NumPy number": (
        {WHICH: f"{BOXES}np.bool_(all(np.allclose(f(X)[i], f(X[i : i + 1])) for i in range(len(X))))"},
        6,
    ),
    "untouched": ({}, 0),
    "endless": ({ROWWISE: ENDLESS, WHICH: WORKED[WHICH]}, 6),
    "leaves": ({ROWWISE: LEAVES, WHICH: WORKED[WHICH]}, 6),
    "grade replaced": ({ROWWISE: f"from course_lib import desk\ndesk.grade = lambda *any, **more: True\n{HALF}"}, 0),
    "close replaced": ({ROWWISE: f"from whywrong import form\nform.near = lambda *any: True\n{HALF}"}, 0),
    "numpy replaced": ({ROWWISE: f"np.abs = lambda x: np.zeros(np.shape(x))\n{HALF}"}, 0),
    "runner replaced": (
        {ROWWISE: f"from classroom.marking import runner_cells\nrunner_cells._marked = dict\n{HALF}"},
        1,
    ),
    "points replaced": ({ROWWISE: f"from course_lib import points\npoints.marked = dict\n{HALF}"}, 1),
    "solution asked": (
        {ROWWISE: f"from lessons import catalogue\ntext = catalogue.solution('{ROWWISE}')\nx = exec(text)"},
        0,
    ),
}


def pack(folder, name, answers, damage=False):
    """Hand in the lesson with these answers, as `hand_in` packs it; return the file."""
    place = folder / "computers" / name
    place.mkdir(parents=True)
    notebook = nbformat.read(NOTEBOOKS / LESSON.notebook, as_version=4)
    for cell in notebook.cells:
        for check in cells.checks(cell.source) if cell.cell_type == "code" else ():
            if check.id in answers:
                cell.source = f"{answers[check.id].partition('check(')[0].rstrip()}\n\n\n{check.line}"
    (place / LESSON.notebook).write_text(nbformat.writes(notebook), encoding="utf-8")
    packed, _ = handing_in.pack(LESSON, name, place, {})
    if damage:
        with zipfile.ZipFile(packed) as whole, zipfile.ZipFile(packed.with_name("torn.zip"), "w") as torn:
            for one in whole.namelist():
                torn.writestr(one, whole.read(one)[:2000])
        packed = (place / "torn.zip").rename(packed)
    (folder / "in").mkdir(exist_ok=True)
    return packed.rename(folder / "in" / packed.name)


@pytest.fixture(scope="module")
def class_folder(tmp_path_factory):
    """A folder with one hand-in of each kind, one from a page, two that are damaged, and the zip file of Canvas."""
    folder = tmp_path_factory.mktemp("class")
    for name, (answers, _) in CORE.items():
        pack(folder, name, answers)
    pack(folder, "bonus", {id: WORKED[id] for id in WORKED if id != WHICH})
    pack(folder, "damaged", WORKED, damage=True)
    torn = pack(folder, "torn", WORKED)
    torn.write_bytes(torn.read_bytes()[:3000])
    published = (NOTEBOOKS / LESSON.notebook).read_text(encoding="utf-8")
    typed = {
        ROWWISE: Typed(WORKED[ROWWISE].partition("check(")[0]),
        WHICH: Typed(WORKED[WHICH].partition("check(")[0]),
    }
    name, content = handing_in.pack_answers(LESSON, "from a page <b>", published, typed, {})
    (folder / "in" / name).write_bytes(content)
    files = {"lianna_101_7_r.zip": "right", "liben_LATE_102_8_h.zip": "a named mistake"}
    with zipfile.ZipFile(folder / "in" / "submissions.zip", "w") as canvas:
        for file, who in files.items():
            canvas.write(folder / "in" / handing_in.file_name(LESSON, who), file)
    return folder


@pytest.fixture(scope="module")
def marked(class_folder):
    """What the command wrote, twice."""
    roster = class_folder / "roster.csv"
    roster.write_text(
        "Student,ID,SIS User ID,SIS Login ID,Section\n    Points Possible,,,,\nLi,101,,,\nLi,102,,,\n", encoding="utf-8"
    )
    arguments = [str(class_folder / "in"), "--roster", str(roster), "--column", "Lesson 5 (12)", "--output"]
    outputs = [class_folder / "first.html", class_folder / "second.html"]
    for output in outputs:
        assert report.main([*arguments, str(output)]) == 0
    return [output.with_suffix("") for output in outputs]


def points(folder) -> dict[str, dict[str, str]]:
    with (folder / "points.csv").open(encoding="utf-8-sig", newline="") as file:
        return {row["learner"]: row for row in csv.DictReader(file)}


def test_points_of_each_kind(marked):
    found = {name: row["core"] for name, row in points(marked[0]).items()}
    assert {name: found[name] for name in CORE} == {name: str(float(worth)) for name, (_, worth) in CORE.items()}
    assert found["from a page <b>"] == "8.0"
    bonus = points(marked[0])["bonus"]
    assert (bonus["core"], bonus["of"], bonus["bonus"], bonus["of bonus"]) == ("2.0", "8.0", "6.0", "6.0")


def test_damaged_work_has_no_mark_and_no_zero(marked):
    for name in ("damaged", "torn"):
        row = next(row for learner, row in points(marked[0]).items() if name in learner)
        assert [row[column] for column in ("core", "of", "bonus", "of bonus")] == [""] * 4
    page = marked[0].with_suffix(".html").read_text(encoding="utf-8")
    assert page.count(">no mark</td>") == 2


def test_marking_again_gives_the_same(marked):
    first, second = marked
    assert (first / "points.csv").read_bytes() == (second / "points.csv").read_bytes()
    pages = [{path.name: path.read_text(encoding="utf-8") for path in (one / "feedback").iterdir()} for one in marked]
    assert pages[0] == pages[1] and len(pages[0]) == len(points(first))


def test_zip_file_of_the_class_is_found_in_the_folder_and_its_numbers_reach_the_table(marked):
    found = points(marked[0])
    assert [(found[name]["number"], found[name]["core"]) for name in ("lianna", "liben")] == [
        ("101", "8.0"),
        ("102", "1.0"),
    ]
    with (marked[0] / "upload_05_position_independence.csv").open(encoding="utf-8", newline="") as file:
        assert [(row["ID"], row["Lesson 5 (12)"]) for row in csv.DictReader(file)] == [
            ("", "8.0"),
            ("101", "8.0"),
            ("102", "1.0"),
        ]


def test_feedback_says_what_was_right_what_the_check_says_and_the_points(marked):
    said = {path.stem: path.read_text(encoding="utf-8") for path in (marked[0] / "feedback").iterdir()}
    assert (
        SAID in said["a-named-mistake"] and "1 of 2" in said["a-named-mistake"] and "1 of 8" in said["a-named-mistake"]
    )
    assert SAID not in said["right"] and "✓ right" in said["right"] and "8 of 8" in said["right"]
    assert "is damaged" in said["damaged"] and "There is no mark" in said["damaged"] and "0 of" not in said["damaged"]
    assert "That makes 8 of 8." in said["bonus"] and "not filled in" in said["untouched"]
    assert "scrambled by `reshape`: none" in said["scrambled"]
    for text in said.values():
        assert "default-src 'none'" in text and "<script" not in text and "<b>" not in text
        assert not re.search(r"\b(src|href)=", text)
    assert "from a page &lt;b&gt;" in said["from-a-page-b"]


def test_words_of_a_process_that_lies_are_escaped_and_its_points_are_not_believed(a_runner, monkeypatch, tmp_path):
    evil = "<script>alert(1)</script>"
    notebook = nbformat.read(NOTEBOOKS / LESSON.notebook, as_version=4)
    code = {LESSON.name: [cell.source for cell in notebook.cells if cell.cell_type == "code"]}
    begins = {
        "begins": next(list(place) for place, check in runner_cells.places(code, core.worth()) if check.id == ROWWISE)
    }
    for number, lie in enumerate((1000, -1, 1.25, "2", None, float("nan"), 2)):
        line = {"id": ROWWISE, "status": "not yet", "key": "seen:x", "message": evil, "points": lie, "rule": "wrong"}
        monkeypatch.setattr(runner.Runner, "_run_once", lambda self, asked, line=line: limits.Ended([begins, line]))
        (one,) = [report.results_of(one, a_runner) for one in report.handed_in.read(pack_one(tmp_path, f"{number}"))[0]]
        assert one.points == {ROWWISE: 0.0}
        assert evil not in feedback.page(one, [LESSON.name]) and html.escape(evil) in feedback.page(one, [LESSON.name])
    right = line | {"points": 2, "status": "correct"}
    nowhere = [{"begins": place} for place in (None, 5, [["x"]], {"a": 1}, ["review", 0, 0])]
    for lines in ([right], [begins, right | {"id": "review.block"}], *([one, right] for one in nowhere)):
        monkeypatch.setattr(runner.Runner, "_run_once", lambda self, asked, lines=lines: limits.Ended(lines))
        (one,) = [report.results_of(one, a_runner) for one in report.handed_in.read(tmp_path / "0" / "in")[0]]
        assert one.points == {}


def pack_one(tmp_path, name):
    return pack(tmp_path / name, "anna", {}).parent


def test_what_cannot_be_judged_to_its_end_has_no_mark(a_runner, monkeypatch, tmp_path):
    monkeypatch.setattr(runner.Runner, "_run_once", lambda self, asked: limits.Ended([], "It was stopped."))
    (one,) = [report.results_of(one, a_runner) for one in report.handed_in.read(pack_one(tmp_path, "one"))[0]]
    assert one.grade(LESSON.name) is None and "did not finish" in one.submission.problems[0]
    assert "no mark" in feedback.page(one, [LESSON.name])


def test_handbook_gives_points_as_the_feedback_says():
    handbook = (ROOT / "classroom" / "README.md").read_text(encoding="utf-8")
    for answer, worth in feedback.RUBRIC.values():
        assert f"| {answer} | {worth} |" in handbook


@pytest.mark.parametrize(("name", "worth"), [("right", 2), ("a named mistake", 1), ("numpy replaced", 0)])
def test_cell_of_the_handbook_marks_in_nbgrader_as_the_report_does(tmp_path, name, worth):
    handbook = (ROOT / "classroom" / "README.md").read_text(encoding="utf-8")
    (cell,) = re.findall(r"```python\n(from runpy.*?)```", handbook, re.DOTALL)
    answer = CORE[name][0][ROWWISE].partition("check(")[0]
    *lines, last = cell.strip().splitlines()
    program = "\n".join(["import numpy as np", answer, *lines, f"print('points:', {last})"])
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True)
    assert (f"points: {worth:.1f}" in done.stdout) == (worth > 0), done.stderr
    assert ("AssertionError" in done.stderr) == (worth == 0)


def test_folder_of_feedback_holds_no_page_of_somebody_who_left(tmp_path):
    (tmp_path / "gone.html").write_text("")
    feedback.write([], [], tmp_path)
    assert [*Path(tmp_path).iterdir()] == []
