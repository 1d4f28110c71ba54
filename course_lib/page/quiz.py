"""A question of a quiz in words: what is asked, and the reply to each option."""

from course_lib.content import Question, Status
from course_lib.page.verdict import in_words

LETTERS = "ABCDEF"


def question_text(number: int, question: Question) -> str:
    """Return the question and its options as Markdown; `number` is shown before it."""
    lines = [f"**Question {number}.** {question.prompt}", ""]
    lines += [f"- **{letter}.** {option.text}" for letter, option in zip(LETTERS, question.options, strict=False)]
    return "\n".join(lines)


def reply(question: Question, chosen: int) -> tuple[str, str]:
    """Return the reply to a chosen option as (Markdown, plain text)."""
    option = question.options[chosen]
    return in_words(status_of(question, chosen), option.reason, LETTERS[chosen])


def status_of(question: Question, chosen: int) -> Status:
    """Return what choosing an option comes to."""
    return Status.CORRECT if question.options[chosen].right else Status.NOT_YET


def answers_folded(number: int, question: Question) -> str:
    """Return the replies to all options, folded, as Markdown."""
    rows = [reply(question, index)[0] for index in range(len(question.options))]
    return f"<details><summary>Answers to question {number}</summary>\n\n" + "\n\n".join(rows) + "\n\n</details>"


def answers_plain(number: int, question: Question) -> str:
    """Return the replies to all options in plain characters."""
    replies = " ".join(reply(question, index)[1] for index in range(len(question.options)))
    return f"Answers to question {number}: {replies}"
