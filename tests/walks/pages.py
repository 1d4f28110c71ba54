"""The pages that tell people what to type, and every command on them: in blocks, in sentences and in tables.

What stands in a sentence as code is a command if it has several words or sets a variable, and is no call in Python.
"""

import re
from dataclasses import dataclass
from functools import cached_property

import pytest
from markdown_it import MarkdownIt

from classroom import edition
from tests.conftest import ROOT

# What a reader puts in by themselves, and what the walks put in for it: the one table. What is a variable here is set
# for every terminal (see conftest.py).
PLACEHOLDERS = {
    "<the address of this repository>": '"$WALK_REPOSITORY"',
}


@dataclass(frozen=True)
class Command:
    """Something on a page that can be typed; or a block that shows something else, such as a folder."""

    text: str
    heading: str
    line: int
    block: bool = False
    language: str = ""

    @property
    def typed(self) -> str:
        """What a reader types: the text as it stands, with what they put in."""
        text = self.text
        for placeholder, value in PLACEHOLDERS.items():
            text = text.replace(placeholder, value)
        return text


@dataclass(frozen=True)
class Block:
    """A block of commands: the heading above it, and its number under that heading."""

    heading: str
    number: int = 0


class Page:
    """One page, read as Markdown is read."""

    def __init__(self, name: str, text: str):
        self.name, self.text = name, text

    def __repr__(self):
        return self.name

    @cached_property
    def commands(self) -> list[Command]:
        """Every command on the page, in order; one in a sentence as often as it stands there."""
        found, heading = [], ""
        tokens = MarkdownIt("commonmark").enable("table").parse(self.text)
        for place, token in enumerate(tokens):
            line = (token.map or [0])[0] + 1
            if token.type == "heading_open":
                heading = tokens[place + 1].content
            elif token.type in ("fence", "code_block"):
                found.append(Command(token.content, heading, line, True, token.info.strip()))
            for child in token.children or ():
                if child.type == "code_inline" and _can_be_typed(child.content):
                    found.append(Command(child.content, heading, line))
        return found

    def find(self, piece: "str | Block") -> Command:
        """Return a block by its heading and number, or a command in a sentence or a table by its whole text."""
        if isinstance(piece, Block):
            blocks = [one for one in self.commands if one.block and one.heading == piece.heading]
            assert piece.number < len(blocks), f"{self}: under {piece.heading!r} is no block number {piece.number}"
            return blocks[piece.number]
        for one in self.commands:
            if one.text == piece and not one.block:
                return one
        raise AssertionError(f"{self}: {piece!r} does not stand there as a command")


def _can_be_typed(code: str) -> bool:
    return (" " in code or "=" in code) and not re.match(r"[\w.]+\(", code)


README, TROUBLES, HANDBOOK, SERVER = (
    Page(name, (ROOT / name).read_text(encoding="utf-8"))
    for name in (
        "README.md",
        "docs/troubles.md",
        "classroom/README.md",
        "classroom/running_a_server.md",
    )
)
STUDENTS = Page("README.md of the student edition", edition.readme())


def walked(page: Page, *pieces: str | Block):
    """Mark a walk with the page that it follows, and with each block and command of it that it types."""
    return pytest.mark.walked(page, pieces)
