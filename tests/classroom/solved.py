"""The worked cells of a lesson, by the exercise that each answers."""

from classroom import judging, regrade


def solved_cells(lesson: str) -> dict[str, str]:
    """Return id -> the worked cell with its check, for every coded exercise of a lesson."""
    return {regrade.CHECK.search(cell)[1]: cell for cell in judging.worked_cells(lesson)}
