"""The answers whose verdicts are kept: right ones, worked ones with one change, and learners' own."""

import math
import random
import tomllib
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import numpy as np

from course_lib.model.one_thread import torch
from lessons import catalogue, in_numpy
from tests.golden import items
from tests.golden.cells import answer, name_of, names_of, worked
from tests.golden.edits import Edit, Two, edits, omissions, pairs
from tests.lessons.answers import BORROWED, CATALOGUE, CODED, STYLES
from tests.lessons.answers import worked as worked_answer
from whywrong.judge import grade
from whywrong.task import Status, Verdict

FOLDER = Path(__file__).resolve().parent
SEEDS = (0, 1, 2)
PAIRS = 15  # of changes of one exercise: some 600 in all
PLAIN = ("errors", "edits")  # in place of an exercise: small ones that belong to no lesson, see tests/golden/items.py
BOTH = tuple(id for id in CODED if catalogue.takes_arrays(id))  # asked with tensors, and with arrays in a web page
ON_ARRAYS = {f"{id}.arrays": id for id in BOTH}  # under this name stands what is said of answers with arrays


@dataclass(frozen=True)
class Row:
    """An answer to an exercise.

    title: what it is, and its code or the line that was changed; no two rows of an exercise have the same.
    make: () -> what is handed to check; seeds: of the cases; edit: the change that made it of the worked answer.
    """

    exercise: str
    title: str
    make: Callable = field(repr=False)
    seeds: tuple[int, ...] = SEEDS
    item: object = field(default=None, repr=False)
    edit: Edit | Two | None = field(default=None, repr=False)
    source: str = field(default="", repr=False)

    @property
    def code(self) -> str:
        """The code of the answer, where it was written down as text."""
        return self.edit.changed if self.edit else self.source

    @property
    def name(self) -> str:
        """The first line of the title."""
        return self.title.partition("\n")[0]

    @property
    def change(self) -> str:
        """The line that was changed, as the lists name it: its number, and how it reads now."""
        return f"{self.edit.line}: {' '.join(line.strip() for line in self.edit.lines()[1])}"

    def verdict(self, seed: int) -> Verdict:
        """Return what check says of the answer; what it draws without a seed is the same each time."""
        random.seed(0)
        np.random.seed(0)
        torch.manual_seed(0)
        return grade(self.item or CATALOGUE[self.exercise], self.make(), seed)


def exercises() -> list[str]:
    """Return the names under which rows are kept, one file each."""
    return [*CODED, *ON_ARRAYS, *PLAIN]


@cache
def rows(exercise: str) -> tuple[Row, ...]:
    """Return all rows of an exercise that are kept."""
    if exercise in PLAIN:
        return tuple(_plain(exercise))
    if exercise in ON_ARRAYS:
        return tuple(_on_arrays(exercise))
    found = [Row(exercise, "right: the worked answer", lambda: worked_answer(exercise))]
    found += [Row(exercise, f"right: style {place}", _given(one)) for place, one in enumerate(STYLES[exercise], 1)]
    found += [
        Row(exercise, f"borrowed {place}", _given(one)) for place, one in enumerate(BORROWED.get(exercise, ()), 1)
    ]
    return (*found, *changed(exercise), *_learners(exercise))


def fixed_part(these: Sequence[Row], one_in: int) -> list[Row]:
    """Return one in so many of the rows of an exercise, at least one, always the same; a fifth holds the tenth."""
    order = sorted(these, key=lambda row: zlib.crc32(f"{row.exercise} {row.title}".encode()))
    part = {row.title for row in order[: math.ceil(len(order) / one_in)]}
    return [row for row in these if row.title in part]


def misreported(exercise: str, at_one_seed: bool = False) -> list[str]:
    """Return a paragraph for each named mistake that does not get its own key and sentence at every seed of five.

    at_one_seed: ask each mistake at one of the five, always the same.
    """
    found, item = [], _item(exercise)
    for place, mistake in enumerate(item.mistakes if item else ()):
        row = Row(exercise, f"mistake {mistake.name}", _given(mistake.answer), item=item)
        for seed in (place % 5,) if at_one_seed else range(5):
            verdict = row.verdict(seed)
            if (verdict.status, verdict.key, verdict.message) != (
                Status.NOT_YET,
                f"mistake:{mistake.name}",
                mistake.message,
            ):
                found.append(f"{row.title}\n  is another at seed {seed}: {verdict.key}\n    {verdict.message}")
    return found


def changed(exercise: str) -> list[Row]:
    """Return the worked answer with every second change of one place: pairs take the others too."""
    lesson, source = exercise.partition(".")[0], worked(exercise)
    found = []
    for edit in edits(source)[::2]:
        old, new = ([line.strip() for line in lines] for lines in edit.lines())
        title = "\n".join([f"edit of line {edit.line}", *(f"- {line}" for line in old), *(f"+ {line}" for line in new)])
        make = _written(edit.changed, lesson, name_of(source))
        found.append(Row(exercise, title, make, SEEDS[:1], edit=edit))
    return found


def twice_changed(exercise: str) -> list[Row]:
    """Return the worked answer with two changes in two places, fifteen times."""
    return _numbered(exercise, "two edits", pairs(worked(exercise), PAIRS))


def omitted(exercise: str) -> list[Row]:
    """Return the worked answer with each omission, and with two names swapped."""
    return _numbered(exercise, "omission", omissions(worked(exercise)))


def tenth(exercise: str, found: list[Row], rest: bool = False) -> list[Row]:
    """Return each tenth of the rows of an exercise, always the same; or the rest of them."""
    first = zlib.crc32(exercise.encode())  # not its place: other exercises come and go
    return [row for place, row in enumerate(found) if ((place + first) % 10 > 0) == rest]


def _numbered(exercise, what, changes):
    lesson, name = exercise.partition(".")[0], name_of(worked(exercise))
    return [
        Row(exercise, f"{what}, number {number}", _written(one.changed, lesson, name), SEEDS[:1], edit=one)
        for number, one in enumerate(changes)
    ]


def _learners(exercise):
    """Return the answers that learners gave, from the file of the lesson."""
    lesson = exercise.partition(".")[0]
    path = FOLDER / "answers" / f"{lesson}.toml"
    told = tomllib.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    for name, source in told.get(exercise.partition(".")[2], {}).items():
        title = "\n".join([f"answer: {name}", *(f"+ {line}".rstrip() for line in source.strip().splitlines())])
        yield Row(exercise, title, _written(source, lesson), SEEDS[:2], source=source)


def _item(exercise):
    """Return what is asked under a name; None where that is not one exercise."""
    if exercise in ON_ARRAYS:
        return catalogue.item(ON_ARRAYS[exercise], arrays=True)
    return CATALOGUE.get(exercise)


def _on_arrays(exercise):
    """Return the worked answer as a page shows it, and what is typed there, below what is given."""
    id = ON_ARRAYS[exercise]
    source, item = worked(id), _item(exercise)
    told = tomllib.loads((FOLDER / "answers" / "arrays.toml").read_text(encoding="utf-8"))[id]
    answers = {"right: the worked answer": in_numpy.cell(id, source)}
    for name, typed in told.items():
        title = name if name.startswith("right: ") else f"answer: {name}"
        lines = "\n".join(f"+ {line}".rstrip() for line in typed.strip().splitlines())
        answers[f"{title}\n{lines}"] = in_numpy.given(id) + typed
    for title, code in answers.items():
        make = lambda code=code: answer(code, {"np": np, "math": math}, name_of(source))  # noqa: E731
        yield Row(exercise, title, make, SEEDS[:2], item)


def _plain(name):
    """Return answers to small exercises, each with an error that is put into words, or with one small edit."""
    told = tomllib.loads((FOLDER / "answers" / f"{name}.toml").read_text(encoding="utf-8"))
    for item, sources in told.items():
        for source in sources:
            code = items.whole(item, source)
            title = "\n".join([f"answer to {item}", *(f"+ {line}".rstrip() for line in code.strip().splitlines())])
            make = lambda code=code: answer(code, items.NAMES)  # noqa: E731
            yield Row(name, title, make, SEEDS[:1], items.ITEMS[item])


def _given(one):
    return lambda: one


def _written(source, lesson, handed_in=""):
    return lambda: answer(source, names_of(lesson), handed_in)
