"""How long a lesson takes, reading and doing: one count, for its core path and for each of its optional parts.

Most adults read English nonfiction silently at 175 to 300 words a minute: Brysbaert, "How many words do we read per
minute? A review and meta-analysis of reading rate", Journal of Memory and Language 109 (2019), 104047. We count at the
slow end, because formulas slow a reader down. The other rates are those at which two readers with a clock went through
the lessons. A stated time runs from the count to 1.4 times the count, in steps of 5 minutes.
"""

import math

from courseware.content import Lesson
from lessons import catalogue, cells
from lessons.cells import Role

STEP = 5  # minutes; a finer count would pretend to more than it knows
SLOW = 1.4  # times the count, for who reads slowly or tries more than once
WORDS = 175  # a minute, of Markdown and of what a quiz shows
CODE_LINES = 15  # a minute, without what is folded
PREDICTION = 0.7  # minutes
PICTURE = 0.5
QUESTION = 0.7
EXERCISE = 1.5  # of the minutes that its Task states: a first try fails

Span = tuple[int, int]


def minutes(notebook, lesson: Lesson) -> tuple[Span, Span | None]:
    """Return the minutes of the core path, from and to, and those of the optional parts, or None without such."""
    more = [cell for cell in notebook.cells if cells.optional(cell)]
    return span(core(notebook, lesson)), (span(count(more, lesson)) if more else None)


def core(notebook, lesson: Lesson) -> float:
    """Return the count of the core path."""
    return count([cell for cell in notebook.cells if not cells.optional(cell)], lesson)


def parts(notebook, lesson: Lesson) -> dict[str, Span]:
    """Return the minutes of each optional part, by the id of the cell with its heading."""
    found: dict[str, list] = {}
    heading = None
    for cell in notebook.cells:
        if cells.heads_optional_part(cell):
            heading = cell.id
        elif not cells.optional(cell):
            heading = None
        if heading is not None:
            found.setdefault(heading, []).append(cell)
    return {id: span(count(part, lesson)) for id, part in found.items()}


def span(count: float) -> Span:
    """Return the minutes that are stated for a count, from and to."""
    low, high = (max(STEP, STEP * math.floor(value / STEP + 0.5)) for value in (count, SLOW * count))
    return low, high


def count(part, lesson: Lesson) -> float:
    """Return how many minutes some cells take."""
    return sum(_of_cell(cell, lesson) for cell in part)


def _of_cell(cell, lesson):
    if cell.cell_type == "markdown":
        return len(cell.source.split()) / WORDS
    role = cells.role(cell)
    if role == Role.WARM_UP:
        return 0  # it says how long it takes, and is no part of the lesson
    if role == Role.SETUP or cells.hidden(cell):
        lines = 0
    else:
        lines = sum(bool(line.strip()) for line in cell.source.splitlines())
    found = lines / CODE_LINES + PREDICTION * (role == Role.GUESS)
    if role == Role.QUIZ:
        questions = catalogue.asked(lesson.name, cell.id)
        shown = [words for _, one in questions for words in (one.prompt, *[option.text for option in one.options])]
        found += QUESTION * len(questions) + len(" ".join(shown).split()) / WORDS
    elif role == Role.EXERCISE:
        found += EXERCISE * lesson.exercises[cells.checked(cell).partition(".")[2]].minutes
    return found + PICTURE * sum("image/png" in output.get("data", {}) for output in cell.outputs)
