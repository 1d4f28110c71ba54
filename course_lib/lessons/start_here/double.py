"""Double every value of an array: a first exercise, to try how checks work."""

import numpy as np

from course_lib.content import Case, Exercise, Mistake, Returns


def _cases(rng):
    return [Case((rng.normal(size=n),), {"n": n}) for n in (3, 5)]


EXERCISE = Exercise(
    id="start_here.double",
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
