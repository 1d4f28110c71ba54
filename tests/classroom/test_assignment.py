"""The assignments for nbgrader: their form, and the check of what is handed in. Grading: tests/classroom/nbgrader."""

import ast
import json

import nbformat
import pytest

from classroom import assignment
from course_lib.lessons import catalogue

LESSONS = [lesson for lesson in catalogue.lessons() if lesson.exercises]
ONE = catalogue.lesson("review")


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
def test_assignment_holds_every_exercise_once(lesson):
    made = assignment.notebook(lesson)
    nbformat.validate(made)
    marks = [cell.metadata["nbgrader"] for cell in made.cells if "nbgrader" in cell.metadata]
    ids = [one["grade_id"] for one in marks]
    assert sorted(ids) == sorted(f"{module}{end}" for module in lesson.exercises for end in ("", "-points"))
    points = sum(one.get("points", 0) for one in marks)
    assert points == assignment.POINTS * sum(task.stars for task in lesson.exercises.values())
    for cell in made.cells:
        if cell.cell_type == "code":
            ast.parse(cell.source)
        marked = cell.metadata.get("nbgrader", {})
        assert cell.source.count("### BEGIN SOLUTION\n") == cell.source.count("### END SOLUTION")
        assert ("### BEGIN SOLUTION\n" in cell.source) == marked.get("solution", False)
        assert ("### BEGIN HIDDEN TESTS" in cell.source) == marked.get("grade", False)
    assert not [cell.id for cell in made.cells if cell.get("outputs")]


def test_what_exercises_need_is_given():
    given = {cell.id: cell.source for cell in assignment.notebook(ONE).cells}["given"]
    assert "def look_back(x):" in given
    names = {}
    exec("import torch\n" + given, names)
    assert callable(names["look_back"])


def written(folder, change=lambda notebook: None):
    notebook = assignment.notebook(ONE)
    change(notebook)
    nbformat.write(notebook, folder / "review.ipynb")
    return assignment.problems(folder / "review.ipynb")


def test_whole_notebook_has_no_problem(tmp_path):
    assert written(tmp_path) == []


@pytest.mark.filterwarnings("ignore:Non-unique cell id")
def test_copied_missing_and_stripped_cells_are_said(tmp_path):
    def copied(notebook):
        twin = nbformat.from_dict(json.loads(json.dumps(notebook.cells[-1])))
        graded = next(cell for cell in notebook.cells if "grade" in str(cell.metadata))
        twin.metadata = graded.metadata
        notebook.cells.append(twin)
        twin.id = "twin"

    def stripped(notebook):
        for cell in notebook.cells:
            cell.metadata = {}

    def missing(notebook):
        notebook.cells = [cell for cell in notebook.cells if not cell.id.endswith("-points")]

    path = tmp_path / "review.ipynb"  # whole, for all learners' files have one name
    assert written(tmp_path, copied) == [f"{path}: the cell block is there twice; delete the copy."]
    assert written(tmp_path, missing) == [f"{path}: the cell block-points is missing."]
    assert "are gone" in written(tmp_path, stripped)[0]
    (tmp_path / "other.ipynb").write_text("{}")
    assert "other.ipynb" in assignment.problems(tmp_path / "other.ipynb")[0]


def test_command_writes_source_and_settings(tmp_path, capsys):
    assert assignment.main([str(tmp_path), "start_here"]) == 0
    names = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()}
    assert names == {"nbgrader_config.py", "source/start_here/start_here.ipynb"}
    assert "1 assignments" in capsys.readouterr().out


def test_marks_of_a_made_up_form_are_no_crash(tmp_path):
    notebook = assignment.notebook(ONE)
    for cell, marks in zip(notebook.cells, (["block"], None, "block", 5, {"grade_id": ["block"]}), strict=False):
        cell.metadata["nbgrader"] = marks
    path = tmp_path / "review.ipynb"
    path.write_text(json.dumps(notebook), encoding="utf-8")
    assert assignment.problems(path) == []


def test_check_of_many_fails_however_many_problems_there_are(tmp_path, capsys):
    assert assignment.main(["--check", *[str(tmp_path / "missing.ipynb")] * 256]) == 1  # 256 is 0 to a shell
    with pytest.raises(SystemExit):
        assignment.main(["--check"])
    assert "expected at least one" in capsys.readouterr().err


def test_wrong_arguments_are_said_and_write_nothing(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for arguments, code, said in (
        (["--help"], 0, "usage"),
        (["here", "algebra"], 2, "there is no lesson algebra"),
        (["--folder"], 2, "unrecognized"),
    ):
        with pytest.raises(SystemExit) as left:
            assignment.main(arguments)
        shown = capsys.readouterr()
        assert left.value.code == code and said in shown.out + shown.err
    (tmp_path / "file").write_text("")
    assert assignment.main([str(tmp_path / "file"), "start_here"]) == 1
    assert "cannot be written" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
