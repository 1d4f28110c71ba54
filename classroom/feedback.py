"""One page for each learner: the points, and what the check says of every answer. It needs no other file."""

import html
import re
from collections.abc import Sequence
from pathlib import Path

from classroom import core, report_page
from classroom.marking.results import Results
from lessons import catalogue
from whywrong.task import Status

# How points are given, as the handbook says it, too: rule, as `whywrong.part` tries them -> answer, points.
RUBRIC = {
    "right": ("right", "all points"),
    "blank": ("not filled in", "none"),
    "stopped": ("ends with an error, does not end, or cannot be judged", "none, even if the check names the mistake"),
    "borrowed": ("the work of the course's own function", "none"),
    "constant": (
        "the same for every input, or one of its inputs handed back",
        "none, even if the check names the mistake",
    ),
    "scrambled": ("the right entries, scrambled by `reshape`", "none, even if the check names the mistake"),
    "named": ("one mistake or slip, which the check names", "half, or the share of what is right if that is more"),
    "shape": ("the right values in another shape", "half"),
    "part": ("some rows, values or boxes are right", "their share, rounded down to half points"),
    "wrong": ("wrong in any other way", "none"),
}
_SAYS = {Status.CORRECT: "✓ right", Status.NOT_YET: "not right yet", Status.STOPPED: "stopped"}


def page(one: Results, lessons: list[str]) -> str:
    """Return the page of one learner, on the lessons that are marked."""
    parts = [f"<h1>Feedback for {report_page.theirs(one.submission.name)}</h1>"]
    parts += [_lesson(one, lesson) for lesson in lessons if one.can_be_marked(lesson) or one.grade(lesson)]
    files = [(file.path.rpartition("/")[2], file) for file in one.submission.files]
    for title, said in (
        ("What you handed in", [f"{name}: read as {file.said}" for name, file in files if not file.why]),
        ("What could not be read or judged", one.submission.problems),
        ("What to know of your files", one.submission.notes),
    ):
        items = "".join(f"<li>{html.escape(sentence)}</li>" for sentence in said)
        parts += [f"<h2>{title}</h2><ul>{items}</ul>"] if said else []
    rows = [(html.escape(answer), html.escape(points)) for answer, points in RUBRIC.values()]
    how = report_page.table("The first line that fits an answer counts", ["your answer", "points"], rows)
    marked = any(one.can_be_marked(lesson) or one.grade(lesson) for lesson in lessons)
    nothing = "<p>There is no mark, because no notebook that can be marked was handed in.</p>"
    parts.append(f"<h2>How points are given</h2>{how}" if marked else nothing)
    return report_page.whole("Feedback", parts)


def _lesson(one, lesson):
    rows = []
    for id, worth in core.worth().items():
        if id.partition(".")[0] == lesson:
            optional = " (optional)" if id in core.optional(lesson) else ""
            status, _, message = one.verdicts.get(id, (Status.NOT_ATTEMPTED, "", ""))
            says = f"{_SAYS[status]}: {message}" if status in _SAYS else "not filled in"
            if status in _SAYS and status != Status.CORRECT:
                says += " Points: {}: {}.".format(*RUBRIC[one.rules[id]])
            points = f"{one.points.get(id, 0):g} of {worth}"
            rows.append((html.escape(core.title(id) + optional), points, f"<bdi>{html.escape(says)}</bdi>"))
    grade = one.grade(lesson)
    heading = html.escape(catalogue.lesson(lesson).heading)
    said = grade.says() if grade else "There is no mark."  # somebody took it out of the table
    said += f" That makes {grade.points:g} of {grade.of:g}." if grade and grade.bonus else ""
    table = report_page.table("Your answers", ["exercise", "#points", "what the check says"], rows)
    return f"<h2>{heading}</h2><p>{said}</p>{table if one.can_be_marked(lesson) else ''}"


def write(results: list[Results], lessons: list[str], folder: Path, among: Sequence[str] = ()) -> None:
    """Write a page for each learner into a folder, in place of the pages that it holds.

    Args:
        results: of the class.
        lessons: those that are marked.
        folder: where the pages go.
        among: everybody, where the others' pages stay.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for old in () if among else folder.glob("*.html"):
        old.unlink()
    taken, pages = set(), {one.submission.name: one for one in results}
    for whose in among or sorted(pages):
        name = re.sub(r"[^\w.-]+", "-", whose).strip(".-")[:80] or "learner"
        number = next(n for n in range(1, len(taken) + 2) if (name + f"-{n}" * (n > 1)).casefold() not in taken)
        name += f"-{number}" * (number > 1)
        taken.add(name.casefold())
        if whose in pages:
            (folder / f"{name}.html").write_text(page(pages[whose], lessons), encoding="utf-8", newline="\n")
