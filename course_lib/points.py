"""Judge an answer for marks by the course as it is on the disk: whatever gives points runs this and never imports it.

What a learner did to `check`, to `grade` or to another loaded part of the course counts for nothing here. It stays as
it was for what the learner runs next.
"""

import contextlib
import sys
from fractions import Fraction
from typing import NamedTuple

PACKAGES = ("course_lib", "courseware", "lessons", "whywrong")
SHARED = "whywrong.todo"  # the blank that stands in a learner's cell must be the one that is recognised here
SEEDS = (1, 2026)  # of the random cases: two draws, the same for everybody, so that marking again gives the same
_own = {}  # the course as it was loaded here, out of reach of an import


@contextlib.contextmanager
def _apart():
    """Put the loaded modules of the course aside and use those that were loaded here; change back at the end."""
    aside = _taken()
    sys.modules.update(_own)
    try:
        yield
    finally:
        _own.update(_taken())
        sys.modules.update(aside)


def _taken():
    named = [name for name in sys.modules if name.partition(".")[0] in PACKAGES and name != SHARED]
    return {name: sys.modules.pop(name) for name in named}


def judge(id: str, answer, seed: int, *, arrays: bool = False):
    """Return the Verdict on an answer, or that the notebook put code of its own in the place of what judges.

    Args:
        id: the exercise.
        answer: what the learner made.
        seed: of the random cases.
        arrays: whether an exercise on tensors is asked with NumPy arrays, as on the course's web pages.
    """
    with _apart():
        from course_lib.grading import grade
        from whywrong.guard import find_overridden
        from whywrong.task import Key, Status, Verdict

        name = find_overridden()
        if name is not None:
            return Verdict(Status.STOPPED, Key.RAISES, f"{name} was replaced; leave it as it is.")
        return grade(id, answer, seed, arrays=arrays)


class Marked(NamedTuple):
    """Points, and the verdict that they are given for: what is said of the answer, status, key, and rule."""

    points: float
    message: str
    status: str
    key: str
    rule: str


def marked(id: str, answer, points: int, seeds: tuple[int, ...] = SEEDS, *, arrays: bool = False) -> Marked:
    """Return the points for an answer, out of so many: all, none, or a part in half points.

    A right answer is right in every draw of cases. A wrong one is marked in the first draw in which it is wrong.

    Args:
        id: the exercise.
        answer: what the learner made.
        points: for a right one.
        seeds: of the draws.
        arrays: as in `judge`.
    """
    for seed in seeds:
        verdict = judge(id, answer, seed, arrays=arrays)
        with _apart():
            from lessons import catalogue
            from whywrong import part

            share, rule = part.compute_share(catalogue.item(id, arrays=arrays), answer, verdict, seed)
        if share < 1:
            break
    rounded = float(Fraction(int(2 * points * share), 2))
    return Marked(rounded, verdict.message, str(verdict.status), str(verdict.key), rule)
