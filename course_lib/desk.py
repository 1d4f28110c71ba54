"""All that a notebook calls, and what tools need: grade and catalogue."""

from courseware.desk import (
    check,
    explore,
    guesses,
    half,
    hand_in,
    help_with,
    hint,
    progress,
    quiz,
    show_case,
    solution,
    warm_up,
)
from courseware.grading import grade
from courseware.page import output
from courseware.page.display import show, table
from courseware.page.interactive import Choice, Range
from lessons.catalogue import catalogue, item
from lessons.cells import ON_MODEL
from whywrong.todo import TODO

__all__ = [
    "TODO",
    "Choice",
    "Range",
    "catalogue",
    "check",
    "explore",
    "grade",
    "guesses",
    "half",
    "hand_in",
    "help_with",
    "hint",
    "needs_model",
    "progress",
    "quiz",
    "show",
    "show_case",
    "solution",
    "table",
    "warm_up",
    "which_bank",
]


def needs_model() -> None:
    """Let a notebook run without the part *model*: a cell that needs it says how to get it in place of its result."""
    from course_lib.model import real  # here, since it brings torch

    if real.find() is None:
        output.replace_cells(ON_MODEL, f"This cell needs the part “model”, which is not installed: {real.HOW}.")


def which_bank(lifted: int = 0) -> None:
    """Show how one layer finds out which bank a sentence speaks of; lifted: how much of it is let in.

    Raises:
        TypeError, ValueError: lifted is no whole number from 0 to 2.
    """
    from course_lib import story  # here, since it brings Matplotlib

    explore(story.which_bank(lifted, None if lifted else item("start_here.predict_bank")))
