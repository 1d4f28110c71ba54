"""What a reply, a hint or a hand-out tells a learner to run does what it says."""

import ast
import re
import subprocess
import sys

import nbformat
import pytest

from course_lib import desk
from course_lib.desk import TODO, catalogue, check, hint, solution
from courseware.content import Prediction
from courseware.guess import reply_to
from lessons import catalogue as lessons
from tests.conftest import NOTEBOOKS
from tests.lessons.answers import CALLED, worked
from whywrong.task import Exercise


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
            told = re.findall(r"^from course_lib.*|\bshow_case\(.*?\)", shown.plain[-1], re.MULTILINE)
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
    told = [words for words in shown.plain if "check again" in words]
    assert "check again" in shown.plain[0] and told
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
