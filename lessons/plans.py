"""The tables of a teacher's plan, `plan.toml` beside the lesson: what is done in class, with which cells, and how."""

import tomllib
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Step:
    """One row of a plan: how many minutes, what, with which cells, and how."""

    minutes: int
    what: str
    cells: tuple[str, ...]
    how: str


def read(table) -> list[Step]:
    """Return the rows of a table as it stands in the file: [minutes, what, "cell-1 cell-2", how]."""
    return [Step(minutes, what, tuple(cells.split()), how) for minutes, what, cells, how in table]


def of_votes(lesson: str) -> list[Step]:
    """Return the 45 minutes of votes of a lesson, by its name."""
    return read(_data(lesson)["plan45"])


def paper(lesson: str) -> dict:
    """Return what a lesson's worksheet holds: its `votes`, and a `table`, what to `draw`, and what to `ask` at the end.

    votes: what is guessed, by the name of the prediction or in words of its own -> the answers to choose from, or none.
    exit: in place of `ask`, the numbers of questions of the quiz.
    """
    return _data(lesson)["paper"]


def _data(lesson):
    return tomllib.loads((FOLDER / lesson / "plan.toml").read_text(encoding="utf-8"))
