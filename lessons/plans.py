"""The tables of a teacher's plan, `plan.toml` beside the lesson: what is done in class, with which cells, and how."""

import re
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


def exit_question(lesson: str) -> str:
    """Return the question at the end of the lab hour of a lesson, without its answer, which stands in brackets."""
    return re.sub(r" \((?:[^()]|\([^()]*\))*\)$", "", _data(lesson)["lab"]["exit"])


def _data(lesson):
    return tomllib.loads((FOLDER / lesson / "plan.toml").read_text(encoding="utf-8"))
