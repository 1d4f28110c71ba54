"""The tables of a teacher's plan, `plan.toml` beside the lesson: what is done in class, with which cells, and how."""

import re
import tomllib
from dataclasses import dataclass

from lessons import catalogue

_QUESTION = re.compile(r"\{([a-z]+(?:-[a-z]+)+)\}")


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
    return read(data(lesson)["plan45"])


def paper(lesson: str) -> dict:
    """Return what a lesson's worksheet holds: its `votes`, and a `table`, what to `draw`, and what to `ask` at the end.

    votes: what is guessed, by the name of the prediction or in words of its own -> the answers to choose from, or none.
    exit: in place of `ask`, the names of questions of the quiz.
    """
    return data(lesson)["paper"]


def data(lesson: str) -> dict:
    """Return what a plan's file holds, with the number of a question of the quiz in place of its {name}.

    Raises:
        ValueError: there is no such question, or it is no TOML.
    """
    text = (catalogue.FOLDER / lesson / "plan.toml").read_text(encoding="utf-8")
    return tomllib.loads(_QUESTION.sub(lambda found: _number(f"{lesson}.{found[1]}"), text))


def _number(id):
    return str([one.id for one in catalogue.questions(id.partition(".")[0])].index(id) + 1)
