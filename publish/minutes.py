"""How long a lesson takes, reading and doing: one formula, for its core path and for its optional parts.

The rates are those of three kinds of learners who were followed through the lessons; the fast one skims code.
"""

import math
import re
from dataclasses import dataclass

from course_lib.content import Lesson
from lessons import catalogue, cells
from lessons.cells import Role

STEP = 5  # minutes; a finer count would pretend to more than it knows


@dataclass(frozen=True)
class Rate:
    """Seconds for one of something: of a fast and of a slow learner."""

    fast: float
    slow: float


WORD = Rate(60 / 240, 60 / 180)
CODE_LINE = Rate(3, 6)
PICTURE = Rate(20, 40)
TABLE = Rate(15, 30)
PREDICTION = Rate(45, 75)
QUESTION = Rate(25, 40)
EXERCISE = Rate(0.75, 1.25)  # of the minutes that its Task states


def minutes(notebook, lesson: Lesson) -> tuple[tuple[int, int], tuple[int, int] | None]:
    """Return the minutes of the core path, from and to, and those of the optional parts, or None without such."""
    core = [cell for cell in notebook.cells if not cells.optional(cell)]
    more = [cell for cell in notebook.cells if cells.optional(cell)]
    return _minutes(core, lesson), (_minutes(more, lesson) if more else None)


def _minutes(part, lesson):
    fast = slow = 0.0
    for cell in part:
        for rate, count in _counts(cell, lesson):
            fast, slow = fast + rate.fast * count, slow + rate.slow * count
    low = max(STEP, STEP * math.floor(fast / 60 / STEP))
    return low, max(low, STEP * math.ceil(slow / 60 / STEP))


def _counts(cell, lesson):
    """Yield what a learner meets in a cell: a rate, and how many."""
    if cell.cell_type == "markdown":
        yield WORD, _words(cell.source)
        yield TABLE, _tables(cell.source)
        return
    role = cells.role(cell)
    if role == Role.GUESS:
        yield PREDICTION, 1
        return
    if role == Role.QUIZ:
        yield QUESTION, len(cells.asked(cell, len(catalogue.questions(lesson.name))))
        return
    if role == Role.EXERCISE:
        yield EXERCISE, 60 * lesson.exercises[cells.checked(cell).partition(".")[2]].minutes
        return
    if role == Role.REPLY:
        return
    if role not in (Role.SETUP, Role.HELP) and not cells.plumbing(cell):
        yield CODE_LINE, sum(bool(line.strip()) for line in cell.source.splitlines())
    for output in cell.outputs:
        data = output.get("data", {})
        if "image/png" in data:
            yield PICTURE, 1
        elif 'class="course-caption"' in "".join(data.get("text/markdown", "")):
            yield WORD, _words(_seen("".join(data["text/markdown"])))
        elif "| --- |" in "".join(data.get("text/markdown", "")):
            yield TABLE, 1


def _seen(caption):
    """Return the sentence below a picture, without the fold and without its tags."""
    return re.sub(r"<details>.*?</details>|<[^>]*>", " ", caption, flags=re.DOTALL)


def _words(source):
    without = re.sub(r"(?m)^ *\|.*$|```.*?```|\$\$.*?\$\$|\]\([^)]*\)", " ", source, flags=re.DOTALL)
    return len(without.split())


def _tables(source):
    return len(re.findall(r"(?m)^ *\| *:?-{3}", source))
