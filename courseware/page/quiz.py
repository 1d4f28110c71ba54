"""A quiz in words: what is asked, the reply to each option, the score, and what stands in for its buttons."""

import re

from courseware.content import Question
from courseware.page.verdict import boxed, in_words
from whywrong.task import Status

LETTERS = "ABCDEF"
RULE = (
    '<hr style="border: 0; border-top: 1px solid rgba(128, 128, 128, 0.6)">\n\n'  # above every question but the first
)
AGAIN = "Run this cell again for the buttons."


def prompt(number: int, question: Question) -> str:
    """Return what is asked as Markdown, without the options; a question that stands alone has the number 0."""
    return f"**{named(number)}.** {question.prompt}" if number else question.prompt


def named(number: int) -> str:
    """Return what a question is called, by its number; "Question" where it stands alone."""
    return f"Question {number}" if number else "Question"


def question_text(number: int, question: Question) -> str:
    """Return the question and its options as Markdown, with its number."""
    lines = [prompt(number, question), ""]
    lines += [f"- **{letter}.** {option.text}" for letter, option in zip(LETTERS, question.options, strict=False)]
    return "\n".join(lines)


def on_a_button(text: str) -> str:
    """Return the Markdown of an option in plain characters, as a button shows it."""
    pieces = text.split("`")  # every second one is code
    pieces[::2] = [re.sub(r"(\*\*?)(\S(?:.*?\S)?)\1", r"\2", piece) for piece in pieces[::2]]
    return "".join(pieces)


def is_code(text: str) -> bool:
    """Return whether an option is code and nothing else."""
    return re.fullmatch("`[^`]+`", text) is not None


def reply(question: Question, chosen: int) -> tuple[str, str]:
    """Return the reply to a chosen option as (Markdown, plain text)."""
    return boxed(status_of(question, chosen), question.options[chosen].reason, LETTERS[chosen])


def status_of(question: Question, chosen: int) -> Status:
    """Return what choosing an option comes to."""
    return Status.CORRECT if question.options[chosen].right else Status.NOT_YET


def right_option(question: Question) -> int:
    """Return the place of the right option."""
    return next(place for place, option in enumerate(question.options) if option.right)


def score(right: int, total: int) -> str:
    """Return the score as Markdown."""
    return f"**Your score:** {right} of {total}."


def answers_folded(number: int, question: Question) -> str:
    """Return the replies to all options, folded, as Markdown."""
    rows = [_in_the_fold(question, index)[0] for index in range(len(question.options))]
    return f"<details><summary>{_answers(number)}</summary>\n\n" + "\n\n".join(rows) + "\n\n</details>"


def answers_plain(number: int, question: Question) -> str:
    """Return the replies to all options in plain characters."""
    replies = " ".join(_in_the_fold(question, index)[1] for index in range(len(question.options)))
    return f"{_answers(number)}: {replies}"


def _answers(number):
    return f"Answers to question {number}" if number else "Answers to this question"


def _in_the_fold(question, index):
    return in_words(status_of(question, index), question.options[index].reason, LETTERS[index])


def stands_in(questions: list[tuple[int, Question]], chosen: dict[str, int], counted: str = "") -> tuple[str, str]:
    """Return what takes the place of a quiz without its buttons, as (Markdown, plain text).

    Args:
        questions: with their numbers.
        chosen: question id -> the option that was chosen last; its reply is shown.
        counted: the score, where there is one.
    """
    markdown, plain = [], []
    for number, question in questions:
        text = question_text(number, question)
        replies = [reply(question, chosen[question.id])] if question.id in chosen else []
        markdown += [text, *(one for one, _ in replies), answers_folded(number, question), RULE.strip()]
        plain += [text, *(one for _, one in replies), answers_plain(number, question)]
    return "\n\n".join(filter(None, [*markdown, counted, AGAIN])), "\n".join([*plain, AGAIN])
