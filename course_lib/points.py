"""Judge an answer for marks, by the course as it is on the disk: run, and not imported, by a cell that earns points.

What a learner did to `check`, to `grade` or to another part of the course that is loaded counts for nothing here, and
stays as it was for what the learner runs next.
"""

import contextlib
import sys
from fractions import Fraction
from typing import NamedTuple

PACKAGES = ("course_lib", "lessons", "whywrong")


@contextlib.contextmanager
def _anew():
    """Put the loaded modules of the course aside, so that each is loaded again; give them back at the end."""
    aside = _taken()
    try:
        yield
    finally:
        _taken()
        sys.modules.update(aside)


def _taken():
    return {name: sys.modules.pop(name) for name in [*sys.modules] if name.partition(".")[0] in PACKAGES}


def judge(id: str, answer, seed: int, *, arrays: bool = False):
    """Return the Verdict on an answer, or that the notebook put code of its own in the place of what judges.

    Args:
        id: the exercise.
        answer: what the learner made.
        seed: of the random cases.
        arrays: whether an exercise on tensors is asked with NumPy arrays, as on the course's web pages.
    """
    with _anew():
        from course_lib.desk import grade
        from whywrong.guard import find_overridden
        from whywrong.task import Key, Status, Verdict

        name = find_overridden()
        if name is not None:
            return Verdict(Status.STOPPED, Key.RAISES, f"{name} was replaced; leave it as it is.")
        return grade(id, answer, seed, arrays=arrays)


class Marked(NamedTuple):
    """Points, and what is said of the answer."""

    points: float
    message: str


def marked(id: str, answer, points: int, seed: int, *, arrays: bool = False) -> Marked:
    """Return the points for an answer, of so many: all, none, or a part in half points.

    Args:
        id: the exercise.
        answer: what the learner made.
        points: for a right one.
        seed: of the random cases.
        arrays: as in `judge`.
    """
    verdict = judge(id, answer, seed, arrays=arrays)
    with _anew():
        from lessons import catalogue
        from whywrong import part

        share = part.compute_share(catalogue.item(id, arrays=arrays), answer, verdict, seed)
    return Marked(float(Fraction(int(2 * points * share), 2)), verdict.message)
