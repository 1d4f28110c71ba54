"""How a teacher's page calls the cells that its plan names, which nobody sees by name, and what they print."""

import re

from courseware.content import Lesson
from lessons import catalogue, cells
from lessons.cells import Role

WORDS, SIGNS = 6, 40  # of a text, and of a line of code, that tell which cell is meant
PRINTED = (
    "From the stored outputs of the notebook, for a room without a computer. For a picture, only the line "
    "below it is given."
)
_NO_BRACKETS = str.maketrans("", "", "[]|$")
_NUMBERED = re.compile(r"## (\d+)\. ")


def places(lesson: Lesson, notebook) -> dict[str, str]:
    """Return what each cell is called, by its name: its section, its vote, its exercise, or how it begins.

    Each is a link to the cell, as Markdown.
    """
    guesses = {cells.guess_of(one.id): one for one in notebook.cells if cells.role(one) == Role.REPLY}
    titles, found, section = catalogue.ids(lesson), {}, ""
    checks = {one.id.removesuffix("-check"): one for one in notebook.cells if cells.role(one) == Role.EXERCISE}
    for cell in notebook.cells:
        role, number = cells.role(cell), _NUMBERED.match(cell.source)
        if cell.source.startswith("## "):
            section = f"section {number[1]}" if number else ""
        if role == Role.GUESS and cell.id in guesses:
            called = f"the vote “{titles[cells.checked(guesses[cell.id])]}”"
        elif role == Role.REPLY:
            called = f"the reply to “{titles[cells.checked(cell)]}”"
        elif (task := checks.get(cell.id.removesuffix("-check"))) is not None:
            called = f"the exercise “{titles[cells.checked(task)]}”"
        elif number:
            called = section
        else:
            begins = ", ".join(filter(None, [section, _begins(cell)]))
            called = {Role.SETUP: "the setup cell", Role.QUIZ: "the quiz", Role.HELP: "its help"}.get(role, begins)
        found[cell.id] = f"[{called}](../../notebooks/{lesson.notebook}#cell-{cell.id})"
    return found


def named(text: str, called: dict[str, str]) -> str:
    """Return a text of a plan with what cells are called in place of their names."""
    return re.sub(r"`([a-z][a-z0-9-]*)`", lambda match: called.get(match[1], match[0]), text)


def span(ids: tuple[str, ...], called: dict[str, str]) -> str:
    """Return from where to where the cells of a row go, and its votes; the setup cell comes first anyhow."""
    told = [called[id] for id in ids if id != "setup"] or [called[ids[0]]]
    ends = told[:1] if len(told) == 1 else [told[0], told[-1]]
    votes = [one for one in told if one.startswith("[the vote") and one not in ends]
    return " to ".join(ends) + (f", with {' and '.join(votes)}" if votes else "")


def _begins(cell):
    first = re.sub(r"^<details><summary>[^<]*</summary>\s*", "", cell.source.strip()).split("\n")[0]
    if cell.cell_type == "markdown":
        words = _plain(first.lstrip("# ")).split()
        return f"“{' '.join(words[:WORDS])}{' …' * (len(words) > WORDS)}”"
    shown = re.split(r"[\[|]", first)[0]
    shown = shown if len(shown) <= SIGNS else shown[:SIGNS].rpartition(" ")[0]
    return f"`{shown.rstrip()}{' …' * (shown != first)}`"


def _plain(text):
    return (
        re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text).replace("*", "").replace("`", "").translate(_NO_BRACKETS).strip()
    )


def printed(named: set[str], notebook, called: dict[str, str]) -> str:
    """Return what the named cells that compute print, as stored, each below what it is called."""
    blocks = []
    for cell in notebook.cells:
        if cell.id in named and cell.cell_type == "code" and cells.role(cell) == Role.CODE and cell.id != "setup":
            text = "\n".join(filter(None, map(_text, cell.outputs)))
            blocks += [f"{called[cell.id]}\n\n```text\n{text}\n```"] * bool(text)
    return "\n\n".join(blocks)


def _text(output):
    data = output.get("data", {})
    return "" if "image/png" in data else (output.get("text") or data.get("text/plain", "")).strip("\n")
