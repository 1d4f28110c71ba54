"""What check, hint, solution, progress and quiz show in a notebook, and what they remember."""

import ipywidgets
import pytest

from course_lib import exercises
from course_lib.exercises import TODO, api, catalogue, check, hint, progress, quiz, solution
from course_lib.exercises.api import lessons, solution_cell, starter_cell
from course_lib.exercises.quiz import verdict_text


def twice(x):
    return 2 * x


def unchanged(x):
    return x


def test_exports():
    assert set(exercises.__all__) == {"TODO", "catalogue", "check", "grade", "hint", "progress", "quiz", "solution"}
    assert list(catalogue())[:2] == ["start.predict_shape", "start.double"]


def test_check_right(shown, kept):
    check("start.double", twice)
    right = catalogue()["start.double"].right
    assert shown.plain == [f"✓ Correct. {right}"]
    assert shown.markdown == [f"**✓ Correct.** {right}"]
    assert kept.statuses() == {"start.double": "correct"}


def test_check_wrong(shown, kept):
    check("start.double", unchanged)
    mistake = next(item for item in catalogue()["start.double"].mistakes if item.name == "unchanged")
    assert shown.plain == [f"✗ Not yet. {mistake.message}"]
    assert shown.markdown == [f"**✗ Not yet.** {mistake.message}"]
    assert kept.statuses() == {"start.double": "not yet"}


def test_check_stopped(shown, kept):
    check("start.double", lambda x: 1 / 0)
    assert shown.plain[0].startswith("■ Stopped. Your code raised ZeroDivisionError at `")
    assert kept.statuses() == {"start.double": "stopped"}


def test_check_not_attempted_is_not_remembered(shown, kept):
    check("start.double", TODO)
    check("start.double", lambda x: TODO)
    assert all(words.startswith("○ Not attempted yet. ") for words in shown.plain)
    assert kept.statuses() == {} and not kept.path.exists()


def test_check_says_when_progress_is_not_saved(shown, kept, tmp_path):
    (tmp_path / "file").write_text("")
    kept.path = tmp_path / "file" / "progress.json"
    check("start.double", twice)
    assert shown.plain[0].startswith("✓ Correct. ")
    assert "Your progress could not be saved (" in shown.plain[0]


def test_a_later_mistake_does_not_unsolve(shown, kept):
    check("start.double", twice)
    check("start.double", unchanged)
    assert kept.statuses() == {"start.double": "correct"}


@pytest.mark.parametrize("function", [hint, solution, lambda id: check(id, None)], ids=["hint", "solution", "check"])
def test_unknown_exercise(function, shown, kept):
    with pytest.raises(ValueError, match=r"Did you mean 'start\.double'\?"):
        function("start.duble")
    with pytest.raises(TypeError, match="exercise must be a string"):
        function(None)
    assert shown.outputs == []


def test_hints_advance_and_stay_at_the_last(shown, kept):
    hints = catalogue()["start.double"].hints
    for _ in range(4):
        hint("start.double")
    again = " Run the cell again for the next one."
    assert shown.plain == [
        f"Hint 1 of 3: {hints[0]}{again}",
        f"Hint 2 of 3: {hints[1]}{again}",
        f"Hint 3 of 3: {hints[2]}",
        f"Hint 3 of 3: {hints[2]}",
    ]
    assert shown.markdown[0] == f"**Hint 1 of 3:** {hints[0]}{again}"
    hint("start.predict_shape")
    assert shown.plain[-1].startswith("Hint 1 of 3: ")


def test_solution_is_code_without_marks(shown):
    solution("start.double")
    assert "return 2 * x" in shown.plain[0] and "TODO" not in shown.plain[0]
    assert "SOLUTION" not in shown.plain[0]
    assert shown.markdown == [f"```python\n{shown.plain[0]}\n```"]
    compile(shown.plain[0], "solution", "exec")


def test_solution_without_the_solutions_folder(shown, monkeypatch):
    monkeypatch.setattr(api, "__file__", "/elsewhere/course_lib/exercises/api.py")
    assert solution_cell("start.double") is None
    solution("start.double")
    assert len(shown.plain) == 1 and "ask your teacher" in shown.plain[0]


def test_starter_cell():
    master = (
        "def f(x):\n"
        "    ### BEGIN SOLUTION: return TODO\n    y = x\n\n    return y\n    ### END SOLUTION\n\n\n"
        "### BEGIN SOLUTION: a, b = TODO, TODO\na = 1\nb = 2\n### END SOLUTION\n"
        "f(a)\n"
    )
    assert starter_cell(master) == "def f(x):\n    return TODO\n\n\na, b = TODO, TODO\nf(a)\n"


def test_progress_counts(shown, kept):
    first = lessons()[0]
    progress()
    for word in ("lesson", "exercises solved", "quiz answers", "next exercise", first.title):
        assert word in shown.plain[0]
    assert f"0 of {len(first.exercises)}" in shown.plain[0] and "`start.predict_shape`" in shown.markdown[0]
    assert all(f"{lesson.number:02d} {lesson.title}" in shown.plain[0] for lesson in lessons())
    for item in (*first.exercises, *first.questions):
        kept.record(item.id, "correct")
    progress()
    row = next(line for line in shown.markdown[1].splitlines() if first.title in line)
    done, answered = f"{len(first.exercises)} of {len(first.exercises)}", f"1 of {len(first.questions)}"
    assert done in row and answered in row and "all done" in row


def test_progress_of_a_new_session(kept, shown, monkeypatch):
    check("start.double", twice)
    monkeypatch.setenv("COURSE_PROGRESS", str(kept.path))
    monkeypatch.setattr(api, "_progress", None)
    progress()
    row = next(line for line in shown.markdown[-1].splitlines() if lessons()[0].title in line)
    assert f"1 of {len(lessons()[0].exercises)}" in row


# ---- quiz ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def live(monkeypatch):
    """Show widgets, as in a running notebook."""
    monkeypatch.delenv("COURSE_STATIC", raising=False)


def buttons(shown):
    """Return the buttons of every question that was shown, in order."""
    ids = [
        output["data"].get("application/vnd.jupyter.widget-view+json", {}).get("model_id") for output in shown.outputs
    ]
    return [ipywidgets.widgets.widget._instances[name].children for name in ids if name]


def test_quiz_static_shows_all_answers_folded(shown, kept):
    questions = lessons()[1].questions
    quiz(lessons()[1].topic)
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
    question = lessons()[0].questions[0]
    right = next(index for index, option in enumerate(question.options) if option.right)
    wrong = next(index for index, option in enumerate(question.options) if not option.right)
    quiz(lessons()[0].topic)
    row = buttons(shown)[0]
    assert [button.description for button in row] == [
        f"Answer {letter}" for letter in "ABCDEF"[: len(question.options)]
    ]
    assert all(option.text in button.tooltip for button, option in zip(row, question.options, strict=True))
    assert shown.plain[-1] == "Choose an answer with its button."
    place = shown.outputs[-1]["transient"]["display_id"]

    row[wrong].click()
    reply = shown.outputs[-1]
    assert reply["update"] and reply["transient"]["display_id"] == place
    assert shown.plain[-1] == verdict_text(question, wrong)[1]
    assert shown.plain[-1].startswith("✗ Not yet") and question.options[wrong].reason in shown.plain[-1]
    assert row[wrong].description.startswith("✗ ") and kept.statuses() == {question.id: "not yet"}

    row[right].click()
    assert shown.plain[-1].startswith("✓ Correct") and question.options[right].reason in shown.plain[-1]
    assert row[right].description.startswith("✓ ") and row[wrong].description.startswith("Answer ")
    assert kept.statuses() == {question.id: "correct"}

    row[wrong].click()  # trying the others out afterwards loses nothing
    assert kept.statuses() == {question.id: "correct"}


def test_quiz_shown_twice_has_replies_of_its_own(shown, kept, live):
    quiz("start")
    first, place = buttons(shown)[0], shown.outputs[-1]["transient"]["display_id"]
    quiz("start")
    assert shown.outputs[-1]["transient"]["display_id"] != place
    first[0].click()
    assert shown.outputs[-1]["transient"]["display_id"] == place


def test_part_of_a_quiz_keeps_the_numbers(shown, kept):
    many = lessons()[1]
    assert len(many.questions) >= 4
    for part, numbers in (((2, 3), [2, 3]), ((4,), range(4, len(many.questions) + 1)), ((3, 3), [3])):
        shown.outputs.clear()
        quiz(many.topic, *part)
        prompts = [f"**Question {number}.** {many.questions[number - 1].prompt}" for number in numbers]
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
        quiz("linear", *part)
    assert shown.outputs == []


def test_quiz_says_when_progress_is_not_saved(shown, kept, live, tmp_path):
    (tmp_path / "file").write_text("")
    kept.path = tmp_path / "file" / "progress.json"
    quiz("start")
    buttons(shown)[0][0].click()
    assert "Your progress could not be saved (" in shown.plain[-1]


def test_unknown_topic():
    with pytest.raises(ValueError, match=r"There is no topic 'linea'\. Did you mean 'linear'\?"):
        quiz("linea")
    with pytest.raises(TypeError, match="topic must be a string"):
        quiz(1)
