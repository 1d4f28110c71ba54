"""The tables of a teacher's plan, `plan.toml` beside the lesson: what is done in class, with which cells, and how."""

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent
_LONG = 14  # characters of an answer to vote for; more are a sentence
_VOTES = re.compile(r"\b[Vv]otes? (?:on |with fingers )?(.+?)(?= for |, then|;|\.(?!\d)|$)")


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


def votes(how: str) -> list[str]:
    """Return the answers that a step puts to the vote, as "Vote 40, 8, 5 or 1" names them; [] where it names none."""
    found = _VOTES.search(how)
    if not found:
        return []
    if span := re.fullmatch(r"(\d+) to (\d+)", found[1]):
        return [str(number) for number in range(int(span[1]), int(span[2]) + 1)]
    said = re.split(r",(?![^(]*\)) | (?:or|and) (?!less)", found[1])
    return said if len(said) > 1 and max(map(len, said)) <= _LONG else []


def options(step: Step, guess: str, items: dict) -> list[str]:
    """Return the answers between which a class votes before a run.

    Args:
        guess: the id of the cell that takes the guess.
        items: the predictions of the lesson by the id of such a cell; choices of its own come first.
    """
    item = items[guess]
    if item.choices:
        return [str(choice) for choice in item.choices]
    first = next(id for id in step.cells if id in items)
    named = votes(step.how)
    other = any(named == [str(choice) for choice in items[id].choices] for id in step.cells if id in items)
    return named if guess == first and item.kind != "claims" and not other else []


def exit_question(lesson: str) -> str:
    """Return the question at the end of the lab hour of a lesson, without its answer, which stands in brackets."""
    return re.sub(r" \((?:[^()]|\([^()]*\))*\)$", "", _data(lesson)["lab"]["exit"])


def _data(lesson):
    return tomllib.loads((FOLDER / lesson / "plan.toml").read_text(encoding="utf-8"))
