"""Grade an answer by its id, and return the case on which it failed: the same in a notebook and in a web page."""

import numpy as np

from courseware.arguments import boolean, integer
from courseware.content import Prediction
from courseware.guess import judged
from lessons import catalogue
from whywrong import judge, sandbox
from whywrong.task import Verdict

NO_CASE = "There is no failed case to show: the last check found none, or nothing has been checked yet."


def grade(id: str, answer, seed: int | None = None, *, arrays: bool = False) -> Verdict:
    """Grade an answer and show nothing; whatever the answer is or does becomes a Verdict.

    Args:
        id: the exercise, such as "linear_limits.collapse".
        answer: what the learner made.
        seed: of the random cases; None draws a fresh one.
        arrays: ask an exercise of torch with NumPy arrays.

    Raises:
        ValueError: there is no such exercise, or it cannot be asked with arrays.
        TypeError: id is not a string, seed is not an integer, or arrays is neither True nor False.
    """
    with sandbox.OwnBuiltins():
        seed = None if seed is None else integer("seed", seed, 0)
        item = catalogue.item(id, arrays=boolean("arrays", arrays))
        if not arrays and getattr(item, "tensor", None):
            item.tensor(np.zeros(1))  # loads torch now: its CUDA build takes more memory than a check allows
        return judged(item, answer) if isinstance(item, Prediction) else judge.grade(item, answer, seed)


def evidence(id: str, verdict: Verdict, imported: bool) -> str:
    """Return the evidence of a verdict, with how to look at the case in words that run where they are read.

    Args:
        imported: whether `show_case` has been imported already.
    """
    if not verdict.evidence or not judge.last_case(id):
        return verdict.evidence
    call = f"show_case({id!r})"
    if imported:
        return f"{verdict.evidence}\nTo see this case, run {call} below your code."
    both = f"from course_lib.desk import show_case\n{call}"
    return f"{verdict.evidence}\nTo see this case, run these two lines below your code:\n{both}"


def failed_case(id: str) -> dict[str, object] | None:
    """Return the arguments of the case on which the last answer failed, by name; None when none has failed."""
    catalogue.item(id)
    return judge.last_case(id)
