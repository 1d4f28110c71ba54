"""The one choice of medium: a running notebook, a stored output, or another that a publisher brings.

COURSE_STATIC=1, set where outputs are stored or compared, chooses the stored output.
"""

import contextlib
import os
from typing import Protocol

from courseware.content import Question
from courseware.page import output
from courseware.page.help import STATIC, STATIC_HALF
from courseware.page.interactive import Range
from courseware.page.quiz import RULE, answers_folded, answers_plain, question_text

_named = None


class Medium(Protocol):
    """What every medium can show."""

    def figure(self, figure, caption: str) -> None:
        """Show a Matplotlib figure with its caption."""

    def explorer(self, explorer) -> None:
        """Show an `Explorer`: a figure with its controls."""

    def component(self, component) -> None:
        """Show a `Component`, which can be played with, or its still."""

    def quiz(self, questions: list[tuple[int, Question]], answered: set[str], record, scored: bool = True) -> None:
        """Show questions with their numbers; the ids in `answered` were answered right before.

        `record(id, status)` remembers an answer and returns what went wrong, or "". Where it is scored, a line at the
        end counts the right answers.
        """

    def help(self, hints: tuple[str, ...], half, solution, count) -> None:
        """Offer help with an exercise, and reveal nothing before it is asked for.

        `half()` and `solution()` return (Markdown, plain text); half is None where there is none. `count(number)` is
        told how many hints were shown.
        """


class StoredOutput:
    """What a reader without a kernel sees, and what is compared in tests: pictures, and folded answers."""

    def figure(self, figure, caption):
        """Show the picture with its caption."""
        output.picture(figure, caption, as_html=False)

    def explorer(self, explorer):
        """Show the figure in the state of its controls."""
        self.figure(explorer.interactive.figure, explorer.caption)

    def component(self, component):
        """Show its still."""
        self.figure(*component.still)

    def quiz(self, questions, answered, record, scored=True):
        """Show each question, its options, and the answers folded."""
        for place, (number, question) in enumerate(questions):
            text = question_text(number, question)
            output.text((RULE if place else "") + text, text)
            output.text(answers_folded(number, question), answers_plain(number, question))

    def help(self, hints, half, solution, count):
        """Say where help is found."""
        words = STATIC_HALF if half else STATIC
        output.text(f"*{words}*", words)


class RunningNotebook:
    """What a learner sees: pictures with alt text, sliders, and a button for each option of a question."""

    def figure(self, figure, caption):
        """Show the picture with its caption."""
        output.picture(figure, caption, as_html=True)

    def explorer(self, explorer):
        """Show the figure with a control for each of its values; the next day, the picture that it began with."""
        from courseware.page.widgets import explorer_box

        controls = explorer.controls.values()
        what = "the slider" if any(isinstance(control, Range) for control in controls) else "the buttons"
        _live(explorer_box(explorer), explorer.interactive.figure, explorer.caption, f"for {what}")

    def component(self, component):
        """Show it to be played with; the next day, its still."""
        from courseware.page.widgets import component_widget

        _live(component_widget(component), *component.still, "to play with it")

    def quiz(self, questions, answered, record, scored=True):
        """Show each question with its buttons, the reply to the one that was chosen, and the score."""
        from courseware.page.widgets import show_quiz

        show_quiz(questions, answered, record, scored)

    def help(self, hints, half, solution, count):
        """Show buttons, Hint, Start from half and Solution, and below them what was asked for."""
        from courseware.page.widgets import show_help

        show_help(hints, half, solution, count)


def _live(control, figure, caption, what):
    """Show a control, and before it what stands in for it when it no longer lives."""
    again = f"Run this cell again {what}."
    output.live(control, f"{output.still(figure, caption)}\n\n{again}", f"Figure: {caption} {again}")


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
