"""What a notebook calls: check, hint, solution, progress, quiz; and grade and catalogue for everything else.

Lessons are data in `course_lib.lessons`; they are found by name when they are first needed, so that a new lesson is a
new file and nothing else.
"""

import difflib
import importlib
import pathlib
import pkgutil
import re
from dataclasses import dataclass
from functools import cache

from course_lib import display
from course_lib.arguments import described, integer
from course_lib.exercises import quiz as quizzes
from course_lib.exercises import sandbox
from course_lib.exercises.engine import Exercise, Verdict, grade_exercise
from course_lib.exercises.progress import Progress

_SIGNS = {"correct": "✓", "not yet": "✗", "not attempted": "○", "stopped": "■"}
_WORDS = {"correct": "Correct.", "not yet": "Not yet.", "not attempted": "Not attempted yet.", "stopped": "Stopped."}
_progress = None
_hints_shown: dict[str, int] = {}


@dataclass(frozen=True)
class Lesson:
    """What a lesson adds to its notebook: number 1 to 9, the title, the exercises in order and the quiz."""

    number: int
    topic: str
    title: str
    exercises: tuple[Exercise, ...]
    questions: tuple[quizzes.Question, ...]


@cache
def lessons() -> tuple[Lesson, ...]:
    """Return all lessons in order."""
    package = importlib.import_module("course_lib.lessons")
    names = sorted(item.name for item in pkgutil.iter_modules(package.__path__) if re.fullmatch(r"l\d\d", item.name))
    return tuple(importlib.import_module(f"course_lib.lessons.{name}").LESSON for name in names)


def catalogue() -> dict[str, Exercise]:
    """Return every exercise of the course by its id, in the order of the lessons."""
    return {exercise.id: exercise for lesson in lessons() for exercise in lesson.exercises}


def grade(id: str, answer, seed: int | None = None) -> Verdict:
    """Grade an answer and show nothing; whatever the answer is or does becomes a Verdict.

    Args:
        id: the exercise, such as "linear.collapse".
        answer: what the learner made.
        seed: of the random cases; None draws a fresh one.

    Raises:
        ValueError: there is no such exercise.
        TypeError: id is not a string, or seed is not an integer.
    """
    with sandbox.OwnBuiltins():
        return grade_exercise(_find(id), answer, seed)


def check(id: str, answer) -> None:
    """Grade an answer, show the verdict and remember it in the progress file."""
    verdict = grade(id, answer)
    sentences = [verdict.message]
    if verdict.status != "not attempted":
        sentences.append(_record(id, verdict.status))
    message = " ".join(filter(None, sentences))
    word = f"{_SIGNS[verdict.status]} {_WORDS[verdict.status]}"
    display.text(f"**{word}** {message}", f"{word} {message}")


def hint(id: str) -> None:
    """Show the next hint of an exercise: the idea, then the shapes, then the first line."""
    exercise = _find(id)
    shown = min(_hints_shown.get(id, 0) + 1, len(exercise.hints))
    _hints_shown[id] = shown
    words = f"Hint {shown} of {len(exercise.hints)}:"
    more = " Run the cell again for the next one." if shown < len(exercise.hints) else ""
    display.text(f"**{words}** {exercise.hints[shown - 1]}{more}", f"{words} {exercise.hints[shown - 1]}{more}")


def solution(id: str) -> None:
    """Show the worked solution of an exercise."""
    _find(id)
    source = solution_cell(id)
    if source is None:
        display.text("The solutions are not part of this copy of the course: ask your teacher.")
    else:
        display.code(re.sub(r"^ *### (BEGIN|END) SOLUTION.*\n", "", source, flags=re.MULTILINE))


def solution_cell(id: str) -> str | None:
    """Return the master of an exercise's cell, solution marks included; None when solutions/ was left out."""
    folder = pathlib.Path(__file__).resolve().parents[1] / "solutions"
    for path in sorted(folder.glob("l*.py")):
        for cell in path.read_text(encoding="utf-8").split("# %% ")[1:]:
            name, _, source = cell.partition("\n")
            if name.strip() == id:
                return source.strip() + "\n"
    return None


def starter_cell(master: str) -> str:
    """Derive the learner's cell from its master: what stands behind `BEGIN SOLUTION:` replaces the solution."""
    pattern = r"^( *)### BEGIN SOLUTION: (.*)\n(?:.*\n)*?\1### END SOLUTION\n"
    return re.sub(pattern, r"\1\2\n", master, flags=re.MULTILINE)


def progress() -> None:
    """Show what is solved, lesson by lesson."""
    found = _store().statuses()
    rows = []
    for lesson in lessons():
        solved = sum(found.get(item.id) == "correct" for item in lesson.exercises)
        answered = sum(found.get(item.id) == "correct" for item in lesson.questions)
        open_ones = [item.id for item in lesson.exercises if found.get(item.id) != "correct"]
        left = f"`{open_ones[0]}`" if open_ones else "all done"
        exercises, questions = f"{solved} of {len(lesson.exercises)}", f"{answered} of {len(lesson.questions)}"
        rows.append([f"{lesson.number:02d} {lesson.title}", exercises, questions, left])
    display.table(rows, ["lesson", "exercises solved", "quiz answers", "next exercise"], "Your progress")


def quiz(topic: str, first: int = 1, last: int | None = None) -> None:
    """Show the quiz of a lesson, or a part of it.

    Args:
        topic: the lesson's topic, such as "linear".
        first, last: the numbers of the first and the last question to show; by default all.

    Raises:
        TypeError: first or last is not an integer.
        ValueError: there is no such topic, or no such question.
    """
    topics = {lesson.topic: lesson for lesson in lessons()}
    questions = topics[_known("topic", topic, topics)].questions
    first = integer("first", first, 1, len(questions))
    last = len(questions) if last is None else integer("last", last, first, len(questions))
    for number in range(first, last + 1):
        quizzes.show_question(number, questions[number - 1], _record)


def _store() -> Progress:
    global _progress
    if _progress is None:
        _progress = Progress()
    return _progress


def _record(id, status) -> str:
    _store().record(id, status)
    return _store().problem


def _find(id) -> Exercise:
    exercises = catalogue()
    return exercises[_known("exercise", id, exercises)]


def _known(what, name, known):
    if not isinstance(name, str):
        raise TypeError(f"{what} must be a string such as {next(iter(known))!r}, but {described(name)} was given.")
    if name not in known:
        near = difflib.get_close_matches(name, known, n=1)
        ask = f" Did you mean {near[0]!r}?" if near else ""
        raise ValueError(f"There is no {what} {name!r}.{ask} Known are: {', '.join(known)}.")
    return name
