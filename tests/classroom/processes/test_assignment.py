"""The assignments for nbgrader: their form, and the check of what is handed in. Grading: tests/walks/test_marks.py."""

import ast
import contextlib
import io
import json
import linecache
import re
import subprocess
import sys

import nbformat
import pytest

from classroom import assignment, core
from lessons import catalogue
from tests.conftest import ROOT

LESSONS = [lesson for lesson in catalogue.lessons() if lesson.exercises]
ONE = catalogue.lesson("review")


ALL = [(lesson, name) for lesson in LESSONS for name in assignment.assignments(lesson)]
EACH = pytest.mark.parametrize(("lesson", "name"), ALL, ids=[name for _, name in ALL])


def test_core_and_optional_exercises_are_apart():
    for lesson in LESSONS:
        found = assignment.assignments(lesson)
        assert sorted(id for ids in found.values() for id in ids) == sorted(
            f"{lesson.name}.{one}" for one in lesson.exercises
        )
        assert found[lesson.name] == core.core(lesson.name) != [] and {*found} <= {
            lesson.name,
            f"{lesson.name}_optional",
        }
    worth = {
        name: sum(
            cell.metadata.get("nbgrader", {}).get("points", 0) for cell in assignment.notebook(lesson, name).cells
        )
        for lesson, name in ALL
    }
    assert worth["position_independence"] == 6 and worth["position_independence_optional"] == 12


@EACH
def test_rubric_is_printed_for_learners(lesson, name):
    first = assignment.notebook(lesson, name).cells[1]
    assert first.cell_type == "markdown" and first.source.startswith(
        "**How points are given.** Each exercise has 2 points"
    )
    assert ("are a bonus" in first.source) == name.endswith("_optional") and "{" not in first.source


@EACH
def test_assignment_holds_every_exercise_once(lesson, name):
    made, modules = (
        assignment.notebook(lesson, name),
        [id.partition(".")[2] for id in assignment.assignments(lesson)[name]],
    )
    nbformat.validate(made)
    marks = [cell.metadata["nbgrader"] for cell in made.cells if "nbgrader" in cell.metadata]
    ids = [one["grade_id"] for one in marks]
    if name == "bonus_experts_optional":  # the mixture needs the gates of the core
        assert ids.pop(0) == "gates" and "copy yours here" in str(made)
    assert sorted(ids) == sorted(f"{module}{end}" for module in modules for end in ("", "-points"))
    points = sum(one.get("points", 0) for one in marks)
    assert points == assignment.POINTS * sum(lesson.exercises[module].stars for module in modules)
    for cell in made.cells:
        if cell.cell_type == "code":
            ast.parse(cell.source)
        marked = cell.metadata.get("nbgrader", {})
        assert cell.source.count("### BEGIN SOLUTION\n") == cell.source.count("### END SOLUTION")
        assert ("### BEGIN SOLUTION\n" in cell.source) == marked.get("solution", False)
        assert ("### BEGIN HIDDEN TESTS" in cell.source) == marked.get("grade", False)
    assert not [cell.id for cell in made.cells if cell.get("outputs")]


def test_what_exercises_need_is_given():
    given = {cell.id: cell.source for cell in assignment.notebook(ONE, ONE.name).cells}["given"]
    assert "def look_back(x):" in given
    names = {}
    exec("import torch\n" + given, names)
    assert callable(names["look_back"])


def written(folder, change=lambda notebook: None):
    notebook = assignment.notebook(ONE, ONE.name)
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
    course = {name for name in names if name.startswith(("course/course_lib/", "course/lessons/", "course/whywrong/"))}
    assert names - course == {
        "jupyter/kernels/python3/kernel.json",
        "nbgrader_config.py",
        "source/start_here/start_here.ipynb",
    }
    assert {"course/lessons/start_here/predictions.toml", "course/whywrong/errors.toml"} <= course
    assert [name for name in course if "solutions" in name or "plan.toml" in name or "__pycache__" in name] == []
    assert "1 assignment in" in capsys.readouterr().out


def test_marks_of_a_made_up_form_are_no_crash(tmp_path):
    notebook = assignment.notebook(ONE, ONE.name)
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


STUB = "raise NotImplementedError  # your code"  # what nbgrader writes between the marks


def checks_say(cells) -> dict[str, str]:
    """Run cells from top to bottom, as a learner does, and the answers once more; return what each answer showed."""
    space, shown = {"__name__": "__main__"}, {}
    for number, cell in enumerate([*cells, *(cell for cell in cells if "\ncheck(" in cell.source)]):
        file, printed = f"<{cells[0].id}, cell {number}>", io.StringIO()
        linecache.cache[file] = (len(cell.source), None, cell.source.splitlines(keepends=True), file)
        with contextlib.redirect_stdout(printed):
            try:
                exec(compile(cell.source, file, "exec"), space)
            except AssertionError as error:  # of a cell that gives no points
                printed.write(f"no points: {error}")
            except NotImplementedError as error:  # an untouched value, and no function
                printed.write(repr(error))
        shown[cell.id + (" again" if cell.id in shown else "")] = printed.getvalue()
    return shown


def test_no_assignment_uses_a_name_that_it_does_not_give(tmp_path):
    for lesson, name in ALL:
        code = [cell.source for cell in assignment.notebook(lesson, name).cells if cell.cell_type == "code"]
        (tmp_path / f"{name}.py").write_text("\n\n".join(code), encoding="utf-8")
    command = [sys.executable, "-m", "ruff", "check", "--isolated", "--select=F821", "--no-cache", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


# Functions and a class; a class beside what the lesson gives it; optional functions, one of which is looked at.
@pytest.mark.parametrize("name", ["build_the_ffn", "review", "position_independence_optional"])
@pytest.mark.parametrize("solved", [True, False], ids=["solved", "untouched"])
def test_check_says_the_same_after_the_cells_with_points(name, solved):
    lesson = catalogue.lesson(name.removesuffix("_optional"))
    before = {
        name: module for name, module in sys.modules.items() if name.startswith(("course_lib", "lessons", "whywrong"))
    }
    cells = [cell for cell in assignment.notebook(lesson, name).cells if cell.cell_type == "code"]
    for cell in cells:  # as learners get them, or with the course's own answer
        cell.source = re.sub(r"(?s)### BEGIN HIDDEN.*### END HIDDEN TESTS", "", cell.source)
        if not solved:
            cell.source = re.sub(r"(?s)### BEGIN SOLUTION.*?### END SOLUTION", STUB, cell.source)
    shown = checks_say(cells)
    if not solved:
        alone = checks_say([cell for cell in cells if not cell.id.endswith("-points")])
        assert {id: shown[id] for id in alone} == alone
    for id, said in shown.items():
        if id.endswith("-points"):
            assert said.startswith("" if solved else "no points: ") and bool(said) != solved, id
        elif id.removesuffix(" again").endswith("-check"):
            assert ("✓ Correct" in said) == solved, (id, said)
    assert [name for name, module in before.items() if sys.modules.get(name) is not module] == []


CHEATS = {
    "check": "check = lambda *any: print('✓ Correct')",
    "grade": "import types\ncourse_lib.desk.grade = lambda *any: types.SimpleNamespace(status='correct')",
    "numpy": "np.abs = lambda x: np.zeros(np.shape(x))",
    "builtins": "import builtins\nbuiltins.any = lambda values: False",
    "module": "from whywrong import answer, probes\nanswer.close = probes.close = lambda *any: True",
}


@pytest.mark.parametrize("cheat", CHEATS)
def test_code_in_the_place_of_what_judges_earns_no_points(cheat):
    wrong = "def relu(x):\n    return np.asarray(x)"
    judge = "import runpy\nsaid = runpy.run_module('course_lib.points')['judge']('relu_vs_gelu.relu', relu, 1)"
    program = f"import numpy as np\nimport course_lib.desk\n{CHEATS[cheat]}\n{wrong}\n{judge}\nprint('=', said.status)"
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.stdout in ("= not yet\n", "= stopped\n"), done.stderr
