"""The text that the language model is held against: the course's own source code, as it was when it was set aside.

The model has never seen it. Part A is there to choose on, part B to judge on. Both are
stored with a label for every character, so that they are the same for every version of Python.
"""

import pathlib
from dataclasses import dataclass

from courseware import arguments

FOLDER = pathlib.Path(__file__).resolve().parent
PARTS = ("A", "B")
# What tokenize says of a character; everything else, such as spaces between tokens, is labelled ".".
LABELS = {"c": "comment", "d": "docstring", "s": "string", "k": "keyword", "n": "name", "0": "number", "o": "operator"}


@dataclass(frozen=True)
class Excerpt:
    """A text, and one label for each of its characters (see LABELS)."""

    text: str
    labels: str


def excerpt(part: str, length: int | None = None) -> Excerpt:
    """Return part "A" or "B" of the text, or its first `length` characters.

    Raises:
        TypeError, ValueError: there is no such part, or length is not a whole number of at least 1.
    """
    part = arguments.choice("part", part, PARTS).lower()
    length = None if length is None else arguments.integer("length", length)
    text, labels = (
        (FOLDER / f"excerpt_{part}{end}.txt").read_text(encoding="ascii")[:length] for end in ("", "_labels")
    )
    return Excerpt(text, labels)
