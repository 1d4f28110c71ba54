"""The worked cells of a lesson, by the exercise that each answers."""

from lessons import catalogue
from lessons.cells import checks
from tests.lessons.cells import code_cells, read


def solved_cells(lesson: str) -> dict[str, str]:
    """Return id -> the worked cell with its check, for every coded exercise of a lesson."""
    found = [check for cell in code_cells(read(catalogue.lesson(lesson))) for check in checks(cell.source)]
    masters = {check: catalogue.solution(check.id) for check in found}
    return {one.id: f"{catalogue.without_why(cell).rstrip()}\n\n\n{one.line}" for one, cell in masters.items() if cell}
