"""All that a notebook calls, and what tools need: grade and catalogue.

Exercises are loaded by their id when they are first needed, each with its own lesson only.
"""

import re

from course_lib.arguments import integer
from course_lib.content import Prediction, Status, Verdict
from course_lib.grading import sandbox
from course_lib.grading.grade import grade as _grade
from course_lib.grading.progress import Progress
from course_lib.grading.todo import TODO
from course_lib.lessons import catalogue as _lessons
from course_lib.lessons.catalogue import catalogue
from course_lib.page import medium, output
from course_lib.page.display import code, show, show_source, table
from course_lib.page.explore import explore
from course_lib.page.interactive import Choice, Range
from course_lib.page.verdict import in_words

__all__ = [
    "TODO",
    "Choice",
    "Range",
    "catalogue",
    "check",
    "explore",
    "grade",
    "hint",
    "progress",
    "quiz",
    "show",
    "show_source",
    "solution",
    "table",
]

_progress = None
_hints_shown: dict[str, int] = {}


def grade(id: str, answer, seed: int | None = None) -> Verdict:
    """Grade an answer and show nothing; whatever the answer is or does becomes a Verdict.

    Args:
        id: the exercise, such as "linear_limits.collapse".
        answer: what the learner made.
        seed: of the random cases; None draws a fresh one.

    Raises:
        ValueError: there is no such exercise.
        TypeError: id is not a string, or seed is not an integer.
    """
    with sandbox.OwnBuiltins():
        return _grade(_lessons.item(id), answer, seed)


def check(id: str, answer) -> None:
    """Grade an answer, show the verdict and remember it in the progress file."""
    verdict = grade(id, answer)
    sentences = [verdict.message]
    if verdict.status != Status.NOT_ATTEMPTED:
        sentences.append(_record(id, verdict.status))
    output.text(*in_words(verdict.status, " ".join(filter(None, sentences))))


def hint(id: str) -> None:
    """Show the next hint of an exercise: the idea, then the shapes, then the first line."""
    hints = _lessons.item(id).hints
    shown = min(_hints_shown.get(id, 0) + 1, len(hints))
    _hints_shown[id] = shown
    words = f"Hint {shown} of {len(hints)}:"
    more = " Run the cell again for the next one." if shown < len(hints) else ""
    output.text(f"**{words}** {hints[shown - 1]}{more}", f"{words} {hints[shown - 1]}{more}")


def solution(id: str) -> None:
    """Show the worked solution of an exercise, or the answer to a prediction."""
    item = _lessons.item(id)
    if isinstance(item, Prediction):
        code(f"{item.name} = {item.answer!r}")
        return
    source = _lessons.solution(id)
    if source is None:
        output.text("The solutions are not part of this copy of the course: ask your teacher.")
    else:
        code(re.sub(r"^ *### (BEGIN|END) SOLUTION.*\n", "", source, flags=re.MULTILINE).strip())


def progress() -> None:
    """Show what is solved, lesson by lesson."""
    found = _store().statuses()
    rows = []
    for lesson in _lessons.lessons():
        titles, questions = _lessons.ids(lesson), _lessons.questions(lesson.name)
        solved = sum(found.get(id) == Status.CORRECT for id in titles)
        answered = sum(found.get(question.id) == Status.CORRECT for question in questions)
        left = next((title for id, title in titles.items() if found.get(id) != Status.CORRECT), "all done")
        rows.append([lesson.heading, f"{solved} of {len(titles)}", f"{answered} of {len(questions)}", left])
    table(rows, ["lesson", "exercises solved", "quiz answers", "next exercise"], "Your progress")


def quiz(lesson: str, first: int = 1, last: int | None = None) -> None:
    """Show the quiz of a lesson, or a part of it.

    Args:
        lesson: its name, such as "linear_limits".
        first, last: the numbers of the first and the last question to show; by default all.

    Raises:
        TypeError: first or last is not an integer.
        ValueError: there is no such lesson, or no such question.
    """
    questions = _lessons.questions(_lessons.lesson(lesson).name)
    first = integer("first", first, 1, len(questions))
    last = len(questions) if last is None else integer("last", last, first, len(questions))
    for number in range(first, last + 1):
        medium.current().question(number, questions[number - 1], _record)


def _store() -> Progress:
    global _progress
    if _progress is None:
        _progress = Progress()
    return _progress


def _record(id, status) -> str:
    _store().record(id, status)
    return _store().problem
