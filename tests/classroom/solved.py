"""The worked cells of a lesson, by the exercise that each answers."""

from classroom.marking import judging
from lessons.cells import checks


def solved_cells(lesson: str) -> dict[str, str]:
    """Return id -> the worked cell with its check, for every coded exercise of a lesson."""
    return {checks(cell)[0].id: cell for cell in judging.worked_cells(lesson)}
