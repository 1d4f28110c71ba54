"""Write a verdict in plain characters, and check an answer and print its verdict."""

from whywrong.judge import grade
from whywrong.task import Exercise, Inspection, Status, Verdict

SIGNS = {
    Status.CORRECT: "✓",
    Status.GUESSED: "◆",
    Status.NOT_YET: "✗",
    Status.NOT_ATTEMPTED: "○",
    Status.STOPPED: "■",
}
WORDS = {
    Status.CORRECT: "Correct",
    Status.GUESSED: "Guessed",
    Status.NOT_YET: "Not yet",
    Status.NOT_ATTEMPTED: "Not attempted yet",
    Status.STOPPED: "Stopped",
}
PRINTED = "On the first case your code printed:"


def check(task: Exercise | Inspection, answer: object, seed: int | None = None) -> None:
    """Check an answer and print the reply, in a notebook or in a terminal.

    Args:
        task: what was asked.
        answer: what the learner wrote: a function, a class or a value, as `task.kind` says.
        seed: draws the cases; without it they are drawn anew at each call.

    Raises:
        BrokenTask: the task itself fails; its author must fix it.
    """
    print(in_plain_words(grade(task, answer, seed=seed)))


def in_plain_words(verdict: Verdict) -> str:
    """Return a verdict as lines of text: its sentence, the numbers that differ, and what the code printed.

    >>> print(in_plain_words(Verdict(Status.NOT_YET, "slip:sign", "The sign is wrong.", "x = 1: yours −1, expected 1")))
    ✗ Not yet. The sign is wrong.
    x = 1: yours −1, expected 1
    """
    lines = [f"{SIGNS[verdict.status]} {WORDS[verdict.status]}. {verdict.message}", verdict.evidence]
    return "\n".join(filter(None, [*lines, verdict.printed and f"{PRINTED}\n{verdict.printed}"]))
