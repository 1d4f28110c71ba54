"""What a cell of a lesson's notebook is, by its id and by what it calls: nothing else reads either of them for that.

Cells are those of `nbformat`. In a learner's notebook ids may be lost, so a check is found by the source alone.
"""

import re
from enum import StrEnum
from typing import NamedTuple


class Role(StrEnum):
    """What a cell is for."""

    SETUP = "setup"
    GUESS = "guess"  # it takes a guess: predict-1, claims-1-judge
    REPLY = "reply"  # it checks a guess: check-1, claims-1-check
    EXERCISE = "exercise"  # a coded exercise, which ends with its check
    HELP = "help"
    QUIZ = "quiz"
    WARM_UP = "warm-up"  # questions of earlier lessons, before this one begins
    TABLE = "table"  # of progress, or of all guesses
    SLIDER = "slider"  # nothing but a slider
    CODE = "code"  # any other code; between a guess and its reply, the run
    EXPLANATION = "explanation"  # text that says why a reply is so
    TASK = "task"  # text of an exercise
    EQUATION = "equation"
    FRAME = "frame"  # text around a lesson: what is learnt, the way, what to read
    TEXT = "text"  # any other


class Check(NamedTuple):
    """A call of check: the id of what is checked, the name handed to it, and whether its cases are to be arrays."""

    id: str
    name: str
    arrays: bool = False

    @property
    def line(self) -> str:
        """The call as the course writes it."""
        return f'check("{self.id}", {self.name}{", arrays=True" if self.arrays else ""})'


# No part of it is tried twice, so that no text of a stranger takes long.
CHECK = re.compile(
    r"^check\s*+\(\s*+[\"'](?P<id>[\w.]++)[\"']\s*+,\s*+(?:answer\s*+=\s*+)?(?P<name>\w++)\s*+"
    r"(?:,\s*+arrays\s*+=\s*+(?P<arrays>True|False)\s*+)?+(?:,\s*+)?\)",
    re.MULTILINE,
)
_CALL = re.compile(
    r"^(quiz|warm_up|help_with|progress|guesses)\((?:[\"']([\w.]+)[\"'])?(?:, \"[\w-]+\")?\)", re.MULTILINE
)
_SLIDER = re.compile(r"(?:#[^\n]*+\n)?(?:explore|which_bank)\(")  # below the name of a folded cell
_PICTURE = re.compile(r"^which_bank\(", re.MULTILINE)  # the first lesson begins with it, so it imports it as well
_CALLS = {
    "quiz": Role.QUIZ,
    "warm_up": Role.WARM_UP,
    "help_with": Role.HELP,
    "progress": Role.TABLE,
    "guesses": Role.TABLE,
}
ON_MODEL = "# on the real model"  # how a cell begins that needs the part *model*
_FRAME = ("title", "learn", "path", "reading", "not-claimed")


def role(cell) -> Role:
    """Return what a cell is for."""
    if cell.cell_type != "code":
        return _role_of_text(cell.id)
    if cell.id == "setup":
        return Role.SETUP
    if cell.id.startswith("predict") or cell.id.endswith("-judge"):
        return Role.GUESS
    for check in checks(cell.source):
        return Role.REPLY if check.id.partition(".")[2].startswith("predict_") else Role.EXERCISE
    if _CALL.search(cell.source):
        return _CALLS[called(cell)[0]]
    if _SLIDER.match(cell.source) or (cell.id == "opening" and _PICTURE.search(cell.source)):
        return Role.SLIDER
    return Role.CODE


def _role_of_text(id):
    if re.search(r"\bexplain\b", id):
        return Role.EXPLANATION
    if id.startswith("ex-"):
        return Role.TASK
    if id.startswith("equation"):
        return Role.EQUATION
    return Role.FRAME if id in _FRAME else Role.TEXT


def checks(source: str) -> list[Check]:
    """Return every call of check at the beginning of a line."""
    return [Check(match["id"], match["name"], match["arrays"] == "True") for match in CHECK.finditer(source)]


def checked(cell) -> str | None:
    """Return the id of what a cell checks, or None."""
    return next((check.id for check in checks(cell.source)), None) if cell.cell_type == "code" else None


def called(cell) -> tuple[str, str]:
    """Return what a cell of help, of a quiz or of a table calls, and the id or the lesson that it names, or ""."""
    match = _CALL.search(cell.source)
    return match[1], match[2] or ""


def variable(cell) -> str:
    """Return the name that takes the guess in its cell."""
    return cell.source.partition(" = ")[0]


def guess_of(reply: str) -> str:
    """Return the id of the cell of a guess from that of its reply: predict-1 of check-1, claims-1-judge of …-check."""
    if reply.startswith("check-"):
        return "predict-" + reply.removeprefix("check-")
    return reply.removesuffix("-check") + "-judge"


def optional(cell) -> bool:
    """Tell whether a cell belongs to an optional part."""
    return "optional" in cell.metadata.get("tags", [])


def heads_optional_part(cell) -> bool:
    """Tell whether an optional part begins with a cell."""
    return optional(cell) and cell.cell_type == "markdown" and cell.source.startswith("## Optional")


def hidden(cell) -> bool:
    """Tell whether the source of a cell is folded away in the notebook."""
    return bool(cell.metadata.get("jupyter", {}).get("source_hidden"))


def on_model(cell) -> bool:
    """Tell whether a cell runs only where the part *model* is installed."""
    return "model" in cell.metadata.get("tags", [])


def drawn(source: str) -> list[str]:
    """Return the names of the figures that a cell shows; a component has its still among them, by its own name."""
    return re.findall(r"(?:show\(\*figures\.|explore\()(\w+)\(", source)
