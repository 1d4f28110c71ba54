"""What check, hint, solution, progress and quiz show in a notebook, and what they remember; and what grade refuses."""

import json
import os
import subprocess
import sys

import ipywidgets
import numpy as np
import pytest

from course_lib import desk
from course_lib.content import Prediction
from course_lib.desk import TODO, catalogue, check, grade, hint, progress, quiz, solution
from course_lib.lessons import catalogue as lessons
from course_lib.page.quiz import reply

START, LIMITS = lessons.lesson("start_here"), lessons.lesson("linear_limits")


def twice(x):
    return 2 * x


def unchanged(x):
    return x


def test_exports():
    shown = {"Choice", "Range", "explore", "show", "show_source", "table"}
    assert set(desk.__all__) == shown | {"TODO", "catalogue", "check", "grade", "hint", "progress", "quiz", "solution"}
    assert all(hasattr(desk, name) for name in desk.__all__)
    assert list(catalogue())[:2] == ["start_here.predict_shape", "start_here.double"]


def test_check_right(shown, kept):
    check("start_here.double", twice)
    right = catalogue()["start_here.double"].right
    assert shown.plain == [f"✓ Correct. {right}"]
    assert shown.markdown == [f"**✓ Correct.** {right}"]
    assert kept.statuses() == {"start_here.double": "correct"}


def test_check_wrong(shown, kept):
    check("start_here.double", unchanged)
    mistake = next(item for item in catalogue()["start_here.double"].mistakes if item.name == "unchanged")
    assert shown.plain == [f"✗ Not yet. {mistake.message}"]
    assert shown.markdown == [f"**✗ Not yet.** {mistake.message}"]
    assert kept.statuses() == {"start_here.double": "not yet"}


def test_check_a_guess(shown, kept):
    check("start_here.predict_shape", 5)
    check("start_here.predict_shape", 6)
    prediction = catalogue()["start_here.predict_shape"]
    assert shown.plain == [f"✗ Not yet. {prediction.replies[0].says}", f"✓ Correct. {prediction.right}"]
    assert kept.statuses() == {"start_here.predict_shape": "correct"}


def test_check_stopped(shown, kept):
    check("start_here.double", lambda x: 1 / 0)
    assert shown.plain[0].startswith("■ Stopped. Your code raised ZeroDivisionError at `")
    assert kept.statuses() == {"start_here.double": "stopped"}


def test_check_not_attempted_is_not_remembered(shown, kept):
    check("start_here.double", TODO)
    check("start_here.double", lambda x: TODO)
    assert all(words.startswith("○ Not attempted yet. ") for words in shown.plain)
    assert kept.statuses() == {} and not kept.path.exists()


def test_check_says_when_progress_is_not_saved(shown, kept, tmp_path):
    (tmp_path / "file").write_text("")
    kept.path = tmp_path / "file" / "progress.json"
    check("start_here.double", twice)
    assert shown.plain[0].startswith("✓ Correct. ")
    assert "Your progress could not be saved (" in shown.plain[0]


def test_a_later_mistake_does_not_unsolve(shown, kept):
    check("start_here.double", twice)
    check("start_here.double", unchanged)
    assert kept.statuses() == {"start_here.double": "correct"}


@pytest.mark.parametrize("function", [hint, solution, lambda id: check(id, None)], ids=["hint", "solution", "check"])
def test_unknown_exercise(function, shown, kept):
    with pytest.raises(ValueError, match=r"Did you mean 'start_here\.double'\?"):
        function("start_here.duble")
    with pytest.raises(TypeError, match="exercise must be a string"):
        function(None)
    assert shown.outputs == []


def test_hints_advance_and_stay_at_the_last(shown, kept):
    hints = catalogue()["start_here.double"].hints
    for _ in range(4):
        hint("start_here.double")
    again = " Run the cell again for the next one."
    assert shown.plain == [
        f"Hint 1 of 3: {hints[0]}{again}",
        f"Hint 2 of 3: {hints[1]}{again}",
        f"Hint 3 of 3: {hints[2]}",
        f"Hint 3 of 3: {hints[2]}",
    ]
    assert shown.markdown[0] == f"**Hint 1 of 3:** {hints[0]}{again}"
    hint("start_here.predict_shape")
    assert shown.plain[-1].startswith("Hint 1 of 3: ")


def test_solution_is_code_without_marks(shown):
    solution("start_here.double")
    assert "return 2 * x" in shown.plain[0] and "TODO" not in shown.plain[0]
    assert "SOLUTION" not in shown.plain[0]
    assert shown.markdown == [f"```python\n{shown.plain[0]}\n```"]
    compile(shown.plain[0], "solution", "exec")


def test_solution_of_a_prediction_is_its_variable(shown):
    solution("start_here.predict_shape")
    assert shown.plain == ["my_guess = 6"]
    for id, item in catalogue().items():
        if isinstance(item, Prediction):
            solution(id)
            found = {}
            exec(shown.plain[-1], found)
            assert found[item.name] == item.answer


def test_solution_in_a_copy_without_solutions(shown, monkeypatch, tmp_path):
    monkeypatch.setattr(lessons, "FOLDER", tmp_path)
    solution("start_here.double")
    assert len(shown.plain) == 1 and "ask your teacher" in shown.plain[0]


def row_of(lesson, shown):
    """Return the row of a lesson in the table of progress that was shown last."""
    return next(line for line in shown.markdown[-1].splitlines() if lesson.title in line)


def test_progress_counts(shown, kept):
    progress()
    for word in ("lesson", "exercises solved", "quiz answers", "next exercise"):
        assert word in shown.plain[0]
    assert all(lesson.heading in shown.plain[0] for lesson in lessons.lessons())
    titles, questions = lessons.ids(START), lessons.questions(START.name)
    assert f"0 of {len(titles)}" in row_of(START, shown) and titles["start_here.predict_shape"] in row_of(START, shown)
    kept.record("start_here.predict_shape", "correct")
    progress()
    assert f"1 of {len(titles)}" in row_of(START, shown) and titles["start_here.double"] in row_of(START, shown)
    for id in (*titles, questions[0].id):
        kept.record(id, "correct")
    progress()
    for words in (f"{len(titles)} of {len(titles)}", f"1 of {len(questions)}", "all done"):
        assert words in row_of(START, shown)


def test_progress_of_a_new_session(kept, shown, monkeypatch):
    check("start_here.double", twice)
    monkeypatch.setenv("COURSE_PROGRESS", str(kept.path))
    monkeypatch.setattr(desk, "_progress", None)
    progress()
    assert f"1 of {len(lessons.ids(START))}" in row_of(START, shown)


def test_progress_kept_under_former_names_counts(kept, shown):
    former = {"start.double": "correct", "linear.quiz-1": "correct", "linear.collapse": "not yet", "x.gone": "correct"}
    kept.path.write_text(json.dumps({"version": 1, "statuses": former}), encoding="utf-8")
    progress()
    assert f"1 of {len(lessons.ids(START))}" in row_of(START, shown)
    assert f"1 of {len(lessons.questions(LIMITS.name))}" in row_of(LIMITS, shown)
    check("start_here.double", unchanged)
    assert kept.statuses()["start_here.double"] == "correct"


def buttons(shown):
    """Return the buttons of every question that was shown, in order."""
    ids = [
        output["data"].get("application/vnd.jupyter.widget-view+json", {}).get("model_id") for output in shown.outputs
    ]
    return [ipywidgets.widgets.widget._instances[name].children for name in ids if name]


def test_quiz_static_shows_all_answers_folded(shown, kept):
    questions = lessons.questions(LIMITS.name)
    quiz(LIMITS.name)
    assert len(shown.outputs) == 2 * len(questions)
    for number, question in enumerate(questions, start=1):
        asked, answers = shown.markdown[2 * number - 2 : 2 * number]
        assert asked.startswith(f"**Question {number}.** {question.prompt}")
        assert answers.startswith(f"<details><summary>Answers to question {number}</summary>")
        for letter, option in zip("ABCDEF", question.options, strict=False):
            assert f"- **{letter}.** {option.text}" in asked and option.reason in answers
            assert option.reason in shown.plain[2 * number - 1]
    assert not any("widget" in kind for output in shown.outputs for kind in output["data"])
    assert kept.statuses() == {}


def test_quiz_live(shown, kept, live):
    question = lessons.questions(START.name)[0]
    right = next(index for index, option in enumerate(question.options) if option.right)
    wrong = next(index for index, option in enumerate(question.options) if not option.right)
    quiz(START.name)
    row = buttons(shown)[0]
    row[wrong].click()
    assert shown.plain[-1] == reply(question, wrong)[1] and kept.statuses() == {question.id: "not yet"}
    row[right].click()
    assert shown.plain[-1] == reply(question, right)[1] and kept.statuses() == {question.id: "correct"}
    row[wrong].click()  # trying the others out afterwards loses nothing
    assert kept.statuses() == {question.id: "correct"}


def test_quiz_says_when_progress_is_not_saved(shown, kept, live, tmp_path):
    (tmp_path / "file").write_text("")
    kept.path = tmp_path / "file" / "progress.json"
    quiz(START.name)
    buttons(shown)[0][0].click()
    assert "Your progress could not be saved (" in shown.plain[-1]


def test_part_of_a_quiz_keeps_the_numbers(shown, kept):
    questions = lessons.questions(LIMITS.name)
    assert len(questions) >= 4
    for part, numbers in (((2, 3), [2, 3]), ((4,), range(4, len(questions) + 1)), ((3, 3), [3])):
        shown.outputs.clear()
        quiz(LIMITS.name, *part)
        prompts = [f"**Question {number}.** {questions[number - 1].prompt}" for number in numbers]
        assert [words.splitlines()[0] for words in shown.markdown if "**Question " in words] == prompts


@pytest.mark.parametrize(
    ("part", "error", "words"),
    [
        ((0,), ValueError, "first must be an integer from 1 to"),
        ((99,), ValueError, "first must be an integer from 1 to"),
        ((1.0,), TypeError, "first must be an integer"),
        ((3, 2), ValueError, "last must be an integer from 3 to"),
        ((1, 99), ValueError, "last must be an integer from 1 to"),
        ((1, "2"), TypeError, "last must be an integer"),
    ],
)
def test_part_of_a_quiz_that_does_not_exist(part, error, words, shown, kept):
    with pytest.raises(error, match=words):
        quiz("linear_limits", *part)
    assert shown.outputs == []


def test_quiz_of_an_unknown_lesson():
    with pytest.raises(ValueError, match=r"There is no lesson 'linear_limit'\. Did you mean 'linear_limits'\?"):
        quiz("linear_limit")
    with pytest.raises(TypeError, match="lesson must be a string"):
        quiz(1)


def test_grade_refuses_an_unknown_exercise():
    with pytest.raises(ValueError, match=r"'linear_limits\.colapse'.*Did you mean 'linear_limits\.collapse'\?"):
        grade("linear_limits.colapse", None)
    with pytest.raises(ValueError, match="Known are: start_here.predict_shape, start_here.double"):
        grade("", None)
    for id in (None, 3, b"start_here.double", ["start_here.double"]):
        with pytest.raises(TypeError, match="exercise must be a string such as 'start_here.predict_shape'"):
            grade(id, None)


@pytest.mark.parametrize("id", ["start_here.double", "start_here.predict_shape"])
def test_grade_refuses_a_bad_seed(id):
    for seed, error in ((-1, ValueError), (1.5, TypeError), ("3", TypeError), (True, TypeError)):
        with pytest.raises(error, match="seed must be an integer of at least 0"):
            grade(id, None, seed)
    assert grade("start_here.double", twice, np.int64(3)).key == "correct"


def test_grading_elsewhere(tmp_path):
    """Grade in a folder with an awkward name, without a locale, with -O and with warnings as errors."""
    folder = tmp_path / "my käse folder 你"
    folder.mkdir()
    program = (
        "from course_lib.desk import TODO, check, grade, progress\n"
        "assert False, 'python -O leaves this out'\n"
        "print(grade('start_here.double', lambda x: 2 * x).key, grade('start_here.double', lambda x: x).key)\n"
        "check('start_here.double', lambda x: 2 * x)\n"
        "print(grade('start_here.double', TODO).key)\n"
    )
    environment = {**os.environ, "LANG": "C", "LC_ALL": "C", "COURSE_PROGRESS": str(folder / "progress.json")}
    for name in ("PYTHONUTF8", "PYTHONIOENCODING"):
        environment.pop(name, None)
    done = subprocess.run(
        [sys.executable, "-O", "-W", "error", "-c", program],
        cwd=folder,
        env=environment,
        capture_output=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr.decode(errors="replace")
    lines = done.stdout.decode(errors="replace").splitlines()
    assert lines[0] == "correct mistake:unchanged" and lines[-1] == "todo"
    assert "Correct" in lines[1]
    assert "start_here.double" in (folder / "progress.json").read_text(encoding="utf-8")
