"""Make the table of points that Canvas or Moodle takes, from the points of the report and the platform's list of names.

Core exercises count, optional ones are a bonus: their points make up for lost ones, up to all of the core. A learner is
found by the number that the platform put into the name of what was handed in, or else by name, in the column that is
named. Learners without a mark stay out, so that nothing is overwritten.

Usage: python -m classroom.grades POINTS ROSTER LESSON [--by COLUMN] [--column TITLE] [--output TABLE]
"""

import argparse
import csv
import re
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from classroom import Refused, sheets
from classroom.marking.results import Grade, Results
from courseware.environment import ROOT
from lessons import catalogue

TABLE = ROOT / "dist" / "upload.csv"
CANVAS = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"]  # how its gradebook's export begins
WORKSHEET = ["Identifier", "Grade"]  # what the grading worksheet of Moodle's assignment has
ENGLISH = "Set your own Moodle language to English, then export, and import in English too."
NUMBERS = {"ID": "", "Identifier": "Participant "}  # column with the platform's number -> what stands in front of it
HEAD = ["learner", "number", "lesson", "core", "of", "bonus", "of bonus"]


class Row(NamedTuple):
    """A learner's line in the points: the name, the platform's number or "", and the grade, or None without a mark."""

    learner: str
    number: str
    grade: Grade | None


class Table:
    """The table of points, and beside it the same as the report wrote it: where they differ, somebody changed it.

    A point is compared as a number, so that a spreadsheet may save the table with semicolons and decimal commas.
    """

    def __init__(self, path: Path):
        """Read the table, if there is one.

        Raises:
            ValueError: it is another one, or holds what is no number.
        """
        self._path, self._own = path, path.with_name("points_of_the_report.csv")
        self._now, self._before = (
            {(row["learner"], row["lesson"]): row for row in _points(one)} if one.exists() else {}
            for one in (path, self._own)
        )

    def learners(self) -> list[str]:
        """Return the names in the table."""
        return [learner for learner, _ in self._now]

    def correct(self, one: Results) -> None:
        """Let the points count that somebody has changed in the table, and note it."""
        for (learner, lesson), row in self._now.items():
            before = self._before.get((learner, lesson))
            if learner != one.submission.name or not before or _pair(row) == _pair(before):
                continue
            grade = one.grade(lesson)
            fresh = (grade.core, grade.bonus) if grade else (None, 0)
            newer = f" What was handed in now earns {_says(fresh)}." if fresh != _pair(before) else ""
            one.submission.notes.append(
                f"Lesson {catalogue.lesson(lesson).number:02d}: the points were changed by hand, from "
                f"{_says(_pair(before))} to {_says(_pair(row))}, which counts.{newer}"
            )
            one.corrected[lesson] = _pair(row)

    def write(self, results: list[Results], lessons: list[str], *, only: bool = False) -> str:
        """Write a row for each learner and lesson; without a mark the points are left blank. Return what is to be said.

        Args:
            results: of the class.
            lessons: those that are marked.
            only: the others' rows stay as they are; without it, those alone that the report did not write.
        """
        rows, own, said = {}, {}, ""
        for lesson in lessons:
            for one in results:
                key, first = (one.submission.name, lesson), [one.submission.name, one.submission.number, lesson]
                rows[key] = [*first, *(one.grade(lesson) or [""] * 4)]
                own[key] = [*first, *(replace(one, corrected={}).grade(lesson) or [""] * 4)]
        left = {key: [row[name] for name in HEAD] for key, row in self._now.items() if key not in rows}
        kept = {key: row for key, row in left.items() if only or key not in self._before}
        if only:
            own = {key: [row[name] for name in HEAD] for key, row in self._before.items()} | own
        self._path.parent.mkdir(parents=True, exist_ok=True)
        before = self._path.read_bytes() if self._path.exists() else b""
        sheets.write(self._path, [HEAD, *rows.values(), *kept.values()])
        sheets.write(self._own, [HEAD, *own.values()])
        if before not in (b"", self._path.read_bytes()):
            backup = self._path.with_name(f"points_before_{time.strftime('%Y-%m-%d_%H%M%S')}.csv")
            backup.write_bytes(before)
            gone = f", and in it alone {len(left) - len(kept)} rows of who is not here now" if left != kept else ""
            said = f" (those before: {backup.name}{gone})"
        return said


def _points(path):
    """Return the rows of a table of points, with numbers or None in the place of words."""
    try:
        rows = [{name: (row[name] or "").strip() for name in HEAD} for row in _read(path)]
        for row in rows:
            row["learner"] = row["learner"].removeprefix("'")
            row |= {name: float(row[name].replace(",", ".")) if row[name] else "" for name in HEAD[3:]}
    except Refused:
        raise
    except (KeyError, TypeError, ValueError):
        raise Refused(f"{path} is not a table of points; `make report` writes one.") from None
    return rows


def _pair(row):
    return None if row["core"] == "" else row["core"], row["bonus"] or 0


def _says(pair):
    return "no mark" if pair[0] is None else f"{pair[0]:g}" + f" and a bonus of {pair[1]:g}" * bool(pair[1])


def read_points(path: Path, lesson: str) -> list[Row]:
    """Return what a table of points says of a lesson; somebody may have changed it by hand.

    Raises:
        ValueError: no row is of this lesson, or the table is another one.
    """
    rows = [
        Row(row["learner"], row["number"], None if row["core"] == "" else Grade(*(row[name] or 0 for name in HEAD[3:])))
        for row in _points(path)
        if row["lesson"] == lesson
    ]
    if not rows:
        raise Refused(f"There are no points for {lesson!r} in {path}.")
    return rows


def table(roster: list[dict[str, str]], by: str | None, points: list[Row], title: str) -> tuple[list[list], list[str]]:
    """Return the rows to upload, and the learners who have a mark and are not in the roster.

    Args:
        roster: the platform's list of names; who has no mark is left out.
        by: the column that holds the learners' names; None takes the column that holds the platform's numbers.
        points: of one lesson.
        title: of the column with the points, as the platform has it.

    Raises:
        ValueError: there is no such column, or it does not tell learners apart.
    """
    columns = [*(roster[0] if roster else ())]
    ids = [re.fullmatch(r"(\D*[^\W\d]{2}\D*)\d+", (row[columns[0]] or "").strip()) for row in roster]
    if not set(WORKSHEET) <= set(columns) and ids and all(ids) and len({one[1] for one in ids}) == 1:
        raise Refused(f"This looks like Moodle's grading worksheet in another language. {ENGLISH}")
    numbered = by is None
    by = by or next((name for name in NUMBERS if name in columns and any(one.number for one in points)), None)
    if by not in columns:
        said = "--by must name the column of the roster that holds the learners' names"
        raise Refused(f"{said}. You gave {by or 'nothing'}, and the roster has: {', '.join(columns)}.")
    before = NUMBERS[by] if numbered else ""
    marked = [(one, before + one.number if numbered else one.learner) for one in points if one.grade]
    marked = [(one, key) for one, key in marked if key != before or not numbered]
    found = {key: one.grade for one, key in marked}
    known = [row for row in roster if (row[by] or "").strip() in found]
    keys = [row[by].strip() for row in known]
    twice = sorted({key for keys in (keys, [key for _, key in marked]) for key in keys if keys.count(key) > 1})
    if twice:
        raise Refused(f"--by must tell learners apart, but {by!r} holds {', '.join(twice)} more than once.")
    if marked and not known:
        raise Refused(f"Nobody with a mark is in the column {by!r} of the roster. For Moodle: {ENGLISH}")
    there = {one.learner for one, key in marked if key in keys}
    left = sorted(one.learner for one in points if one.grade and one.learner not in there)
    if columns[: len(CANVAS)] == CANVAS:
        most = next((grade.of for grade in found.values()), "")
        rows = [[*CANVAS, title], ["    Points Possible", "", "", "", "", most]]
        return rows + [[*(row[name] for name in CANVAS), found[row[by].strip()].points] for row in known], left
    grades = [(row, found[row[by].strip()]) for row in known]
    if set(WORKSHEET) <= set(columns):
        filled = [row | {"Grade": grade.points, "Feedback comments": grade.says()} for row, grade in grades]
        return [columns, *([row[name] for name in columns] for row in filled)], left
    return [[by, title, f"{title}: feedback"], *([row[by], grade.points, grade.says()] for row, grade in grades)], left


def _number(text):
    try:
        return float(text)
    except ValueError:
        return None


def _read(path):
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines(keepends=True)
        between = max(",;\t", key=lambda one: (lines or [""])[0].count(one))
        return list(csv.DictReader(lines, delimiter=between))
    except UnicodeDecodeError:
        raise Refused(f"{path} is not in UTF-8. In Excel, save it as CSV UTF-8; other kinds lose letters.") from None


def upload(points: Path, roster: Path, lesson: str, output: Path, by: str | None = None, title: str = "") -> str:
    """Write the table for the platform, and return what there is to say about it.

    Raises:
        ValueError: the points or the roster are not what they should be.
        OSError: a file cannot be read or written.
    """
    try:
        title = title or catalogue.lesson(lesson).heading
    except ValueError as error:  # which names the lessons
        raise Refused(error) from None
    found = read_points(points, lesson)
    roster = _read(roster)
    rows, left = table(roster, by, found, title)
    output.parent.mkdir(parents=True, exist_ok=True)
    sheets.write(output, rows, "utf-8")
    marked = [one for one in found if one.grade]
    lines = [f"The table for the platform: {output}, with {len(marked) - len(left)} of {len(found)} learners."]
    of, most = next((one.grade.of for one in marked), 0), {row.get("Maximum Grade") for row in roster} - {None, ""}
    if set(map(_number, most)) - {of}:
        lines.append(
            f"Moodle's Maximum Grade is {', '.join(sorted(most))}, and the lesson has {of:g} points. Set the maximum "
            f"grade of the assignment to {of:g} before you import, or full marks become {of:g} of that."
        )
    unmarked = sorted(one.learner for one in found if not one.grade)
    nothing = sorted(one.learner for one in marked if not one.grade.points)
    for said, names in (("Not found in the roster", left), ("No mark", unmarked), ("No points", nothing)):
        lines += [f"{said}: {', '.join(names)}"] if names else []
    return "\n".join(lines)


def main(arguments=None) -> int:
    """Write the table and say whose points it does not hold."""
    parser = argparse.ArgumentParser(description="Make a table of points for Canvas or Moodle.")
    parser.add_argument("points", type=Path, help="points.csv, as make report writes it")
    parser.add_argument("roster", type=Path, help="what the platform exports: Canvas' gradebook, Moodle's worksheet")
    parser.add_argument("lesson", help="such as position_independence")
    parser.add_argument("--by", help="the roster's column of learners' names, if the platform gave no numbers")
    parser.add_argument("--column", help="the title of the points' column, with Canvas' number: 'Lesson 5 (1234)'")
    parser.add_argument("--output", type=Path, default=TABLE)
    given = parser.parse_args(arguments)
    sheets.let_print_any_name()
    try:
        print(upload(given.points, given.roster, given.lesson, given.output, given.by, given.column))
    except OSError as error:
        print(f"{error.filename} cannot be read or written: {error.strerror}.", file=sys.stderr)
        return 1
    except Refused as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
