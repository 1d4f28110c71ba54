"""What the course tells a learner to type or to run: all of it is run where it is told, or listed with the reason.

What is told in a terminal, about a clone and its copies, is run in tests/publish/processes/test_told.py.
"""

import ast
import re
import subprocess
import sys
from pathlib import Path

import jupyterlab
import nbformat
import pytest

from course_lib import desk
from course_lib.content import Prediction
from course_lib.desk import TODO, catalogue, check, hint, solution
from course_lib.guess import reply_to
from lessons import catalogue as lessons
from tests.conftest import NOTEBOOKS, ROOT
from tests.lessons.answers import CALLED, worked
from tests.told import found
from whywrong.task import Exercise

HERE, TERMINAL = "tests/test_told.py", "tests/publish/processes/test_told.py"
TODO_TOLD, MENUS = f"{HERE}::test_replace_todo", f"{HERE}::test_menu_entries_are_called_so"
NEXT_DAY = "tests/browser/test_next_day.py::test_the_next_day"
# Where it stands, what is told -> the test that runs what a learner is told there.
RUN = {
    ("course_lib/grading.py", "show_case(…)"): f"{HERE}::test_show_case_runs_in_its_lesson",
    ("course_lib/desk.py", "Run the cell again"): f"{HERE}::test_hints_come_by_running_the_cell_again",
    ("course_lib/desk.py", "run this again"): f"{HERE}::test_the_solution_of_a_prediction_comes_after_the_guess",
    ("course_lib/environment.py", "%pip install -c ../constraints.txt -e .."): f"{TERMINAL}::test_the_first_cell",
    ("course_lib/handing_in.py", 'hand_in("…", …)'): (
        "tests/test_handing_in.py::test_what_the_reader_would_refuse_is_refused"
    ),
    ("course_lib/environment.py", "restart the kernel"): f"{TERMINAL}::test_the_first_cell",
    ("lessons/cells.py", 'check("…", ……)'): (
        "tests/classroom/processes/test_report.py::test_every_worked_solution_is_judged_as_right"
    ),
    ("notebooks", "%pip install -c ../constraints.txt -e .."): f"{TERMINAL}::test_the_first_cell",
    ("notebooks", "run this cell again"): f"{TERMINAL}::test_the_first_cell",
    ("notebooks", "%pip install ./ffn-course"): f"{TERMINAL}::test_the_first_cell",
    ("notebooks", "git clone --depth 1 ADDRESS ffn-course"): f"{TERMINAL}::test_the_first_cell",
    ("notebooks", 'show_case("start_here.double")'): f"{HERE}::test_show_case_runs_in_its_lesson",
    ("notebooks", "run the cells again"): "tests/test_desk.py::test_check_a_guess",
    ("notebooks", "Run the cell above"): "tests/test_desk.py::test_help_in_a_running_notebook",
    ("whywrong/form.py", "run the cell again"): TODO_TOLD,
    ("whywrong/errors.py", "run the cell again"): TODO_TOLD,
    ("whywrong/answer.py", "run the cell again"): TODO_TOLD,
    ("whywrong/guard.py", "run the cell again"): TODO_TOLD,
    ("course_lib/guess.py", "run the cell again"): "tests/test_guess.py::test_blanks_are_not_attempted",
    ("lessons/parameter_share/tiny_llama.py", "run the cell again"): TODO_TOLD,
    ("lessons/position_independence/influence.py", "run the cell again"): TODO_TOLD,
    ("course_lib/startup.py", "Run → Run All Above Selected Cell"): MENUS,
    (
        "course_lib/startup.py",
        "restart the kernel",
    ): "tests/test_startup.py::test_a_file_that_hides_all_of_the_course_is_named",
    ("notebooks", "Run → Run All Above Selected Cell"): MENUS,
    ("notebooks", "Kernel → Restart Kernel"): MENUS,
    ("publish/update.py", "File → Reload Notebook from Disk"): MENUS,
    ("publish/update.py", "Overwrite"): MENUS,
    ("publish/merge.py", "Run All"): f"{TERMINAL}::test_run_all_after_a_merge_ends_with_the_learners_own",
    ("course_lib/lessons.py", "python3 start.py update"): f"{TERMINAL}::test_an_old_line_of_import",
    ("publish/checkout.py", "git switch main"): f"{TERMINAL}::test_a_clone_that_follows_no_branch",
    ("publish/checkout.py", "git branch --set-upstream-to=origin/main"): (
        f"{TERMINAL}::test_a_clone_that_follows_no_branch"
    ),
    ("publish/checkout.py", "git rebase …"): f"{TERMINAL}::test_commits_of_ones_own",
    ("publish/checkout.py", "git branch my-commits"): f"{TERMINAL}::test_commits_of_ones_own",
    ("publish/checkout.py", "git reset --soft …"): f"{TERMINAL}::test_commits_of_ones_own",
    ("publish/checkout.py", "python3 start.py update"): f"{TERMINAL}::test_commits_of_ones_own",
    ("publish/checkout.py", "git … --abort"): f"{TERMINAL}::test_what_was_begun",
    ("publish/checkout.py", "run this again"): f"{TERMINAL}::test_what_was_begun",
    ("publish/update.py", "git restore --staged --worktree …"): f"{TERMINAL}::test_files_in_the_way",
    ("publish/update.py", "run this again"): f"{TERMINAL}::test_files_in_the_way",
    ("publish/update.py", "Rename that"): f"{TERMINAL}::test_a_damaged_copy_of_a_lesson_that_was_done_elsewhere",
    ("publish/copies.py", "Rename it"): f"{TERMINAL}::test_the_next_lab",
    ("publish/copies.py", "python3 start.py update"): f"{TERMINAL}::test_the_next_lab",
    ("publish/lab.py", "Ctrl+C"): f"{TERMINAL}::test_the_next_lab",
    ("course_lib/page/help.py", "Run this cell again"): NEXT_DAY,
    ("course_lib/page/medium.py", "Run this cell again"): NEXT_DAY,
    ("course_lib/page/quiz.py", "Run this cell again"): NEXT_DAY,
}
BY_HAND = "a key of JupyterLab: pressed by hand, in Lab 4.6, it does what is told"
HOURS = "a training of half an hour and more, for those who write lessons: run when the stored numbers were made"
# The same -> why no test runs it.
NOT_RUN = {
    ("notebooks", "run the cell again"): "an invitation to change one number: what comes out is for the reader to see",
    ("notebooks", "Shift+Enter"): BY_HAND,
    ("notebooks", "Ctrl+Enter"): BY_HAND,
    ("notebooks", "Esc, then ↑ or ↓"): BY_HAND,
    ("notebooks", "Esc, then 0, 0"): BY_HAND,
    ("notebooks", "restart the kernel"): BY_HAND,
    ("publish/merge.py", "Esc, then Y"): BY_HAND,
    ("notebooks", "python -m publish.language_model"): HOURS,
    ("notebooks", "make study"): HOURS,
    ("course_lib/model/language_model.py", "python -m publish.language_model"): HOURS,
    ("course_lib/environment.py", "%pip install {}"): "fetches a package: tests/test_environment.py shows the sentence",
    ("course_lib/model/outside.py", "%pip install transformers"): "fetches a package that the course does not use",
    ("start.py", "python3.12 start.py"): "needs another Python: tests/test_start.py shows the sentence",
    ("start.py", "make lab PYTHON=python3"): "needs another Python: tests/test_start.py shows the sentence",
    ("start.py", "Ctrl+C"): "stops the installation that goes on below it",
    ("classroom/edition.py", "python3 start.py"): "told to a teacher; the walks unpack the edition and say it there",
}


def test_all_that_is_told_is_run_or_listed():
    assert not RUN.keys() & NOT_RUN.keys()
    assert found() == RUN.keys() | NOT_RUN.keys()


def test_what_is_said_to_be_run_has_its_test():
    for place, name in {tuple(test.split("::")) for test in RUN.values()}:
        tree = ast.parse((ROOT / place).read_text(encoding="utf-8"))
        assert name in [node.name for node in tree.body if isinstance(node, ast.FunctionDef)], (place, name)


def prepared(cells):
    """Run the cells of a notebook that import; return its names."""
    names = {}
    for cell in cells:
        if cell.id in ("setup", "imports"):
            exec(cell.source, names)
    return names


def handed_out(names, shown, lesson):
    """Check wrong answers until a verdict hands out its case; run what it tells, and return that and the case."""
    for id in lesson.exercises:
        item = catalogue()[f"{lesson.name}.{id}"]
        for mistake in item.mistakes:
            names["answer"] = mistake.answer
            exec(f"check({item.id!r}, answer)", names)
            told = re.findall(r"^(?:from course_lib.*|show_case\(.*?\))", shown.plain[-1], re.MULTILINE)
            if told:
                exec("\n".join([*told[:-1], f"case = {told[-1]}"]), names)
                return told, names["case"]
    raise AssertionError(f"no verdict of {lesson.name} hands out a case")


COMPARED = {id.partition(".")[0] for id, item in catalogue().items() if isinstance(item, Exercise)}  # case by case
LESSONS = [lesson for lesson in lessons.lessons() if lesson.name in COMPARED]


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
def test_show_case_runs_in_its_lesson(lesson, shown, kept):
    cells = nbformat.read(NOTEBOOKS / lesson.notebook, as_version=4).cells
    names = prepared(cells)
    told, case = handed_out(names, shown, lesson)
    assert len(told) == 1 and case  # the lesson has imported it
    for cell in cells:
        for line in re.findall(r"`(show_case\(.*?\))`", cell.source):
            assert eval(line, names)
    older = {name: value for name, value in names.items() if name != "show_case"}  # a copy that was made before
    told, case = handed_out(older, shown, lesson)
    assert len(told) == 2 and case


def test_show_case_runs_in_plain_python(tmp_path):
    def said(program):
        command = [sys.executable, "-W", "error", "-c", program]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout

    first = "from course_lib.desk import check\ncheck('start_here.double', lambda x: x * x)"
    shown = said(first)
    assert shown.startswith("✗ Not yet. You squared the values")
    *imports, call = shown.splitlines()[-2:]
    assert "'x': array([" in said("\n".join([first, *imports, f"print({call})"]))


def test_hints_come_by_running_the_cell_again(shown, kept):
    for number in (1, 2, 3):
        hint("start_here.double")
        assert shown.plain[-1].startswith(f"Hint {number} of 3: ")
        assert ("Run the cell again" in shown.plain[-1]) is (number < 3)


def test_the_solution_of_a_prediction_comes_after_the_guess(shown, kept):
    prediction = catalogue()["start_here.predict_shape"]
    solution(prediction.id)
    assert f"put it where TODO stands, in {prediction.name}, and run its check" in shown.plain[-1]
    check(prediction.id, 5)
    solution(prediction.id)
    assert shown.plain[-1] == f"{prediction.name} = 6"


@pytest.mark.parametrize("id", CALLED)
def test_replace_todo(id, shown, kept, monkeypatch):
    """An answer with a TODO in it is told to be run again without; so it is, in the same kernel."""
    right = worked(id)
    if isinstance(right, type):
        name = "forward" if hasattr(right, "forward") else "__call__"
        blank = type(right.__name__, (right,), {name: lambda self, *args, **named: TODO})
    else:

        def blank(*args, **named):
            return TODO

    def unwritten(*args, **named):
        raise NotImplementedError

    for first in (TODO, blank, unwritten):
        check(id, first)
    told = [words for words in shown.plain if "run the cell again" in words]
    assert "run the cell again" in shown.plain[0] and told
    check(id, right)
    assert shown.plain[-1].startswith("✓ Correct.")


def test_what_a_refused_guess_names_is_taken():
    for item in catalogue().values():
        if isinstance(item, Prediction) and item.kind == "choice":
            verdict = desk.grade(item.id, "nothing of it" if isinstance(item.answer, str) else -12345)
            told = verdict.message.removeprefix("Choose one of ").removesuffix(".")
            choices = ast.literal_eval(f"({told},)")  # each as it is typed
            assert choices == item.choices
            assert all(reply_to(item, choice).status == "guessed" for choice in choices)


def test_menu_entries_are_called_so():
    """A menu cannot be opened here; the words must stand in the JupyterLab that the course installs."""
    static = Path(jupyterlab.__file__).parent / "static"
    words = "\n".join(path.read_text(encoding="utf-8", errors="replace") for path in static.glob("*.js"))
    lessons_say = {told for (place, told), test in RUN.items() if test == MENUS}
    assert len(lessons_say) == 4
    for told in lessons_say:
        entry = told.rpartition(" → ")[2].replace("Reload Notebook", "Reload %1")
        assert f'"{entry}' in words, told
