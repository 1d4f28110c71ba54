"""Which exercises belong to the core path: those whose cell in the published notebook is in no optional part."""

import functools

import nbformat

from course_lib.environment import NOTEBOOKS
from lessons import catalogue, cells


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
