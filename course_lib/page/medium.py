"""The one choice of medium: a running notebook, a stored output, or another that a publisher brings.

COURSE_STATIC=1, set where outputs are stored or compared, chooses the stored output.
"""

import contextlib
import os
from typing import Protocol

from course_lib.content import Question
from course_lib.page import output
from course_lib.page.quiz import answers_folded, answers_plain, question_text

_named = None


class Medium(Protocol):
    """What every medium can show."""

    def figure(self, figure, caption: str) -> None:
        """Show a Matplotlib figure with its caption."""

    def explorer(self, explorer) -> None:
        """Show an `Explorer`: a figure with its controls."""

    def question(self, number: int, question: Question, record) -> None:
        """Show a question of the quiz; `record(id, status)` remembers an answer and returns what went wrong, or ""."""


class StoredOutput:
    """What a reader without a kernel sees, and what is compared in tests: pictures, and folded answers."""

    def figure(self, figure, caption):
        """Show the picture with its caption."""
        output.picture(figure, caption, as_html=False)

    def explorer(self, explorer):
        """Show the figure in the state of its controls."""
        self.figure(explorer.interactive.figure, explorer.caption)

    def question(self, number, question, record):
        """Show the question, its options, and the answers folded."""
        output.text(question_text(number, question))
        output.text(answers_folded(number, question), answers_plain(number, question))


class RunningNotebook:
    """What a learner sees: pictures with alt text, sliders, and a button for each option of a question."""

    def figure(self, figure, caption):
        """Show the picture with its caption."""
        output.picture(figure, caption, as_html=True)

    def explorer(self, explorer):
        """Show the figure with a control for each of its values."""
        from course_lib.page.widgets import explorer_box

        output.widget(explorer_box(explorer))

    def question(self, number, question, record):
        """Show the question with its buttons, and the reply to the one that was chosen."""
        from course_lib.page.widgets import show_buttons

        output.text(question_text(number, question))
        show_buttons(number, question, record)


def current() -> Medium:
    """Return the medium that things are shown on now."""
    if _named is not None:
        return _named
    return StoredOutput() if os.environ.get("COURSE_STATIC") == "1" else RunningNotebook()


@contextlib.contextmanager
def shown_on(medium: Medium):
    """Show everything on the given medium while the context lasts."""
    global _named
    before, _named = _named, medium
    try:
        yield medium
    finally:
        _named = before
