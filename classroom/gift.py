"""Write the questions of every quiz into one file in GIFT, the format that Moodle's question bank imports as text."""

import re

from courseware.content import Question
from lessons import catalogue

NAME = "quiz_gift.txt"  # of the file; Moodle asks for this ending


def text() -> str:
    """Return all questions, those of each lesson in a category of its own; their texts are Markdown."""
    blocks = ["// The quizzes of the course on the feed-forward network."]
    for lesson in catalogue.lessons():
        if questions := catalogue.questions(lesson.name):
            blocks.append(f"$CATEGORY: Feed-forward network/{lesson.heading}")
            for one in questions:
                title = f"{lesson.heading}, {one.id.partition('.')[2]}"
                blocks.append(_question(title, one))
                if one.again:
                    blocks.append(_question(f"{title} in other words", one.again))
    return "\n\n".join(blocks) + "\n"


def _question(title: str, question: Question) -> str:
    options = (f"{'~='[one.right]}{_escaped(one.text)} #{_escaped(one.reason)}" for one in question.options)
    return "\n".join([f"::{_escaped(title)}::[markdown]{_escaped(question.prompt)} {{", *options, "}"])


def _escaped(said: str) -> str:
    r"""Return a text with a backslash before each sign that GIFT reads as its own.

    >>> print(_escaped("{a: 1}"))
    \{a\: 1\}
    """
    return re.sub(r"[\\~=#{}:]", r"\\\g<0>", said).replace("\n", r"\n")
