"""Which exercises belong to the core path, those whose cell is in no optional part; and what each is worth."""

import functools

import nbformat

from courseware.environment import NOTEBOOKS
from lessons import catalogue, cells

POINTS = 2  # for each star of an exercise


@functools.cache
def worth() -> dict[str, int]:
    """Return exercise -> points for a right answer, for all coded exercises of the course."""
    return {
        f"{lesson.name}.{module}": POINTS * exercise.stars
        for lesson in catalogue.lessons()
        for module, exercise in lesson.exercises.items()
    }


def title(id: str) -> str:
    """Return the title of an exercise."""
    lesson, _, module = id.partition(".")
    return catalogue.lesson(lesson).exercises[module].title


@functools.cache
def optional(lesson: str) -> frozenset[str]:
    """Return the ids of the coded exercises in the optional parts of a lesson."""
    notebook = nbformat.read(NOTEBOOKS / catalogue.lesson(lesson).notebook, as_version=4)
    found = [cell for cell in notebook.cells if cells.role(cell) == cells.Role.EXERCISE and cells.optional(cell)]
    return frozenset(map(cells.checked, found))


def core(lesson: str) -> list[str]:
    """Return the ids of the coded exercises of a lesson's core path, in order."""
    ids = [f"{lesson}.{module}" for module in catalogue.lesson(lesson).exercises]
    return [id for id in ids if id not in optional(lesson)]
