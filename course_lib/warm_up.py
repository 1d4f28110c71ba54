"""Choose the questions that a lesson begins with: three of the lessons before it, to be answered from memory."""

from collections.abc import Set
from dataclasses import replace

from courseware.content import Question
from lessons import catalogue

SAYS = "Warm-up: two minutes, from memory."
COUNT = 3
BEFORE = (1, 2, 4)  # so many lessons before, and another question each time that a lesson's turn comes


def asked(lesson: str, missed: Set[str] = frozenset()) -> list[tuple[int, Question]]:
    """Return the questions with their numbers; each says of which lesson it is.

    First come those that were missed; if there are several, the lesson's number decides where to begin. Then one each
    of one, two and four lessons before, and what is missing then is of the nearest lesson that has another. A build
    asks about the lesson that it builds on and those before, with other questions than the lesson after it if there are
    enough.

    Args:
        lesson: its name.
        missed: the ids of the questions that were answered wrongly at first, in a quiz or in a warm-up.

    Raises:
        TypeError, ValueError: there is no such lesson, or nothing to ask again before it.
    """
    one = catalogue.lesson(lesson)
    number = one.after + 1 if one.build else one.number
    before = [_core(lesson) for lesson in catalogue.series() if lesson.number < number]
    earlier = [questions for questions in before if questions]
    if not earlier:
        raise ValueError(f"There is no question to ask again before {lesson!r}.")
    missed = {id.removeprefix("again.") for id in missed}
    back = [one for questions in earlier for one in questions if one.id.removeprefix("again.") in missed]
    turn = COUNT * number % max(len(back), 1)
    found = back[turn:] + back[:turn]
    for place, steps in enumerate(BEFORE):
        if steps <= len(earlier):
            found.append(earlier[-steps][(place + COUNT * one.build) % len(earlier[-steps])])
    for questions in reversed(earlier):
        found += reversed(questions)  # the first ones have their turn in other lessons
    return list(enumerate(list(dict.fromkeys(found))[:COUNT], 1))


def _core(lesson):
    """Return what later lessons ask of a lesson: its questions with other numbers or in another situation."""
    label = f"(lesson {lesson.number:02d})"
    questions = [one.again for one in catalogue.questions(lesson.name) if one.again]
    return [replace(one, prompt=f"{one.prompt} {label}") for one in questions]
