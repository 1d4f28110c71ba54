"""Lesson 00: how an exercise works, tried on a tiny one."""

import numpy as np

from course_lib.exercises.api import Lesson
from course_lib.exercises.engine import Case, Exercise, Mistake, Returns, guess
from course_lib.exercises.quiz import Option, Question


def _cases(rng):
    return [Case((rng.normal(size=n),), {"n": n}) for n in (3, 5)]


DOUBLE = Exercise(
    id="start.double",
    kind="function",
    cases=_cases,
    oracle=lambda x: x + x,
    returns=(Returns("the result", ("n",)),),
    mistakes=(
        Mistake(
            "unchanged", lambda x: x, "The result is x itself, unchanged: every value should come out twice as large."
        ),
        Mistake("plus-two", lambda x: x + 2, "You added 2 to every value; doubling multiplies every value by 2."),
        Mistake("squared", lambda x: x**2, "You squared the values; doubling multiplies every value by 2."),
        Mistake("halved", lambda x: x / 2, "The values became half as large; they should become twice as large."),
        Mistake(
            "total", lambda x: np.full_like(x, x.sum()), "Every entry is the sum of all; each should depend on itself."
        ),
    ),
    hints=(
        "NumPy multiplies a whole array by a number in one step; no loop is needed.",
        "x has shape (n,), and so has the result.",
        "Start with: return 2 * …",
    ),
    right="Every value is doubled, and the input array is left as it was.",
)

GUESS = guess(
    "start.predict_shape",
    6,
    {
        5: "That is the number of columns only up to a miscount: count the values in one row, then the rows.",
        3: "That is the length of one row; there are two rows.",
        2: "That is the number of rows; each of them holds three values.",
    },
    "Two rows of three values are six numbers.",
    (
        "Count the values in one row, then the rows.",
        "The shape (2, 3) says two rows of three values.",
        "Multiply the two sizes of the shape.",
    ),
)

LESSON = Lesson(
    number=0,
    topic="start",
    title="Start here",
    exercises=(GUESS, DOUBLE),
    questions=(
        Question(
            "start.quiz-1",
            "You are stuck on an exercise. What does the course suggest first?",
            (
                Option(
                    "Open the solution at once.", "It is always there for you, but you learn more from a hint first."
                ),
                Option("Run its hint cell.", "Three hints lead from the idea over the shapes to the first line.", True),
                Option(
                    "Restart the kernel and run all of the cells again.",
                    "That helps when cells ran out of order, and not with an idea that is missing.",
                ),
            ),
        ),
    ),
)
