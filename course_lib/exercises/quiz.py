"""Quiz questions, as data, and how they are shown: buttons in a running notebook, a readable list anywhere else."""

import itertools
from dataclasses import dataclass

from course_lib import display

LETTERS = "ABCDEF"
_numbers = itertools.count()


@dataclass(frozen=True)
class Option:
    """One option of a question, with the reason why it is right or wrong."""

    text: str
    reason: str
    right: bool = False


@dataclass(frozen=True)
class Question:
    """A question with exactly one right option; id is "<topic>.quiz-<n>"."""

    id: str
    prompt: str
    options: tuple[Option, ...]


def verdict_text(question: Question, chosen: int) -> tuple[str, str]:
    """Return the reply to a chosen option as (Markdown, plain text)."""
    option = question.options[chosen]
    mark, word = ("✓", "Correct") if option.right else ("✗", "Not yet")
    plain = f"{mark} {word}, {LETTERS[chosen]}: {option.reason}"
    return f"**{mark} {word}, {LETTERS[chosen]}:** {option.reason}", plain


def show_question(number: int, question: Question, record) -> None:
    """Show a question; in a running notebook with a button for each option.

    Args:
        number: shown before the prompt.
        record: called with (question id, status) when an option is chosen; returns what went wrong, or "".
    """
    lines = [f"**Question {number}.** {question.prompt}", ""]
    lines += [f"- **{letter}.** {option.text}" for letter, option in zip(LETTERS, question.options, strict=False)]
    display.text("\n".join(lines))
    if display.is_static():
        display.text(_answers_folded(number, question), f"Answers to question {number}: " + _answers_plain(question))
        return
    _show_buttons(number, question, record)


def _answers_folded(number, question):
    rows = [verdict_text(question, index)[0] for index in range(len(question.options))]
    return f"<details><summary>Answers to question {number}</summary>\n\n" + "\n\n".join(rows) + "\n\n</details>"


def _answers_plain(question):
    return " ".join(verdict_text(question, index)[1] for index in range(len(question.options)))


def _show_buttons(number, question, record):
    import ipywidgets

    reply_id = f"{question.id}-reply-{next(_numbers)}"
    buttons = []
    for letter, option in zip(LETTERS, question.options, strict=False):
        button = ipywidgets.Button(description=f"Answer {letter}", tooltip=f"Question {number}: {option.text}")
        buttons.append(button)

    def choose(index):
        markdown, plain = verdict_text(question, index)
        for button, letter in zip(buttons, LETTERS, strict=False):
            button.description = f"Answer {letter}"
        right = question.options[index].right
        buttons[index].description = f"{'✓' if right else '✗'} Answer {LETTERS[index]}"
        problem = record(question.id, "correct" if right else "not yet")
        more = f" {problem}" if problem else ""
        display.text(markdown + more, plain + more, display_id=reply_id, update=True)

    for index, button in enumerate(buttons):
        button.on_click(lambda _, index=index: choose(index))
    display.widget(ipywidgets.HBox(buttons))
    display.text("*Choose an answer with its button.*", "Choose an answer with its button.", display_id=reply_id)
