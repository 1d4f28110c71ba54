"""Make a table of points that Canvas or Moodle takes, from nbgrader's grades.csv and the platform's own list of names.

Core exercises count, optional ones are a bonus: their points make up for lost ones, up to all of the core. A learner is
found by what nbgrader calls them, the name of their folder in `submitted`, in one column of the platform's list. Where
the list is an export of Canvas' gradebook, its columns are kept and one is added; from any other, Moodle's for example,
that column is kept, and points and a sentence are added.

Usage: python -m classroom.grades dist/assignment/grades.csv ROSTER.csv LESSON --by COLUMN [--column TITLE]
"""

import argparse
import csv
import sys
from pathlib import Path
from typing import NamedTuple

from classroom import sheets
from classroom.assignment import OPTIONAL
from course_lib.environment import ROOT
from lessons import catalogue

TABLE = ROOT / "dist" / "upload.csv"
CANVAS = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"]  # how its gradebook's export begins


class Grade(NamedTuple):
    """A learner's points: of the core, of how many; of the optional exercises, of how many, which may be none."""

    core: float
    of: float
    bonus: float
    of_bonus: float

    @property
    def points(self) -> float:
        """What counts: the core, and the bonus up to all of the core."""
        return min(self.of, self.core + self.bonus)

    def says(self) -> str:
        """Say it in a sentence."""
        bonus = f", and {self.bonus:g} of {self.of_bonus:g} optional ones as a bonus" if self.of_bonus else ""
        return f"{self.core:g} of {self.of:g} core points{bonus}."


def grades(rows: list[dict[str, str]], lesson: str) -> dict[str, Grade]:
    """Return learner -> grade in a lesson, from the rows of nbgrader's grades.csv.

    Raises:
        ValueError: no row is of this lesson, or the rows are not as nbgrader writes them.
    """
    try:
        found = {
            (row["student_id"], row["assignment"]): (float(row["score"] or 0), float(row["max_score"])) for row in rows
        }
    except (KeyError, TypeError, ValueError):
        raise ValueError(
            "The grades are not in the form of nbgrader's export: make them by `nbgrader export`."
        ) from None
    made = {
        learner: Grade(*points, *found.get((learner, lesson + OPTIONAL), (0.0, 0.0)))
        for (learner, name), points in found.items()
        if name == lesson
    }
    if not made:
        raise ValueError(f"There are no points for {lesson!r} in the grades: mark it, then export again.")
    return made


def table(roster: list[dict[str, str]], by: str, found: dict[str, Grade], title: str) -> tuple[list[list], list[str]]:
    """Return the rows to upload, and the learners who are in the grades and not in the roster.

    Args:
        roster: the platform's list of names; who has no grade is left out, so that nothing is overwritten.
        by: the column that holds what nbgrader calls a learner.
        found: learner -> grade.
        title: of the column with the points, as the platform has it.

    Raises:
        ValueError: there is no such column, or two learners have the same in it.
    """
    columns = [*(roster[0] if roster else ())]
    if by not in columns:
        raise ValueError(f"--by must be a column of the roster, but {by!r} was given; it has: {', '.join(columns)}.")
    known = [row for row in roster if (row[by] or "").strip() in found]
    names = [row[by].strip() for row in known]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"--by must tell learners apart, but {by!r} holds {', '.join(twice)} more than once.")
    left = sorted(found.keys() - set(names))
    if columns[: len(CANVAS)] == CANVAS:
        most = next(iter(found.values())).of
        rows = [[*CANVAS, title], ["    Points Possible", "", "", "", "", most]]
        return rows + [[*(row[name] for name in CANVAS), found[row[by].strip()].points] for row in known], left
    rows = [[row[by], found[row[by].strip()].points, found[row[by].strip()].says()] for row in known]
    return [[by, title, f"{title}: feedback"], *rows], left


def _read(path):
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def main(arguments=None) -> int:
    """Write the table and say whose points it does not hold."""
    parser = argparse.ArgumentParser(description="Make a table of points for Canvas or Moodle.")
    parser.add_argument("grades", type=Path, help="grades.csv, as nbgrader export writes it")
    parser.add_argument("roster", type=Path, help="what the platform exports: Canvas' gradebook, Moodle's grades")
    parser.add_argument("lesson", help="such as position_independence")
    parser.add_argument("--by", required=True, help="the column with the names of the folders in submitted")
    parser.add_argument("--column", help="the title of the points; Canvas' own has a number: 'Lesson 5 (1234)'")
    parser.add_argument("--output", type=Path, default=TABLE)
    given = parser.parse_args(arguments)
    try:
        title = given.column or catalogue.lesson(given.lesson).heading
        found = grades(_read(given.grades), given.lesson)
        rows, left = table(_read(given.roster), given.by, found, title)
        given.output.parent.mkdir(parents=True, exist_ok=True)
        sheets.write(given.output, rows, "utf-8")
    except OSError as error:
        print(f"{error.filename} cannot be read or written: {error.strerror}.", file=sys.stderr)
        return 1
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    print(f"The table for the platform: {given.output}, with {len(found) - len(left)} of {len(found)} learners.")
    nothing = sorted(learner for learner, grade in found.items() if not grade.points)
    for said, names in (("Not found in the roster", left), ("No points: look whether they handed in", nothing)):
        if names:
            print(f"{said}: {', '.join(names)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
