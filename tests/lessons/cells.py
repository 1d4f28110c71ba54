"""The cells of a lesson's notebook: where an exercise starts, and where it is checked.

Read by their syntax, so that it does not share a mistake with `lessons.cells`, which reads ids and lines.
"""

import ast
import re

import nbformat

from courseware.content import Lesson
from publish.author import derived
from tests.conftest import NOTEBOOKS


def read(lesson: Lesson):
    """Return the notebook of a lesson."""
    return nbformat.read(NOTEBOOKS / lesson.notebook, as_version=4)


def code_cells(notebook) -> list:
    """Return the code cells of a notebook."""
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def calls(source: str, name: str) -> list[list]:
    """Return the arguments of all calls of a function in a cell; None for an argument that is no constant."""
    return [
        [getattr(arg, "value", None) for arg in node.args]
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call) and getattr(node.func, "id", None) == name
    ]


def checked(source: str) -> list[str]:
    """Return the ids that a cell checks."""
    return [arguments[0] for arguments in calls(source, "check")]


def starters(notebook, ids) -> tuple[dict, list[str]]:
    """Find the starter cell of each exercise; return id -> position among the code cells, and the problems.

    The starter of a coded exercise ends with its check. That of a prediction stands before the cell that checks it,
    and the same line may stand in several such cells.
    """
    sources = [cell.source.strip() for cell in code_cells(notebook)]
    found, problems = {}, []
    for id in ids:
        places = [position for position, source in enumerate(sources) for one in checked(source) if one == id]
        if len(places) != 1:
            problems.append(f'{id}: there must be exactly one check("{id}", …)')
            continue
        starter = derived.starter(id)
        fitting = [position for position in range(places[0] + 1) if sources[position] == starter]
        fitting = [position for position in fitting if position not in found.values()]
        if not fitting or (checked(starter) and fitting != places):
            problems.append(f"{id}: no cell equals its starter\n{starter}")
            continue
        found[id] = fitting[-1]
    return found, problems


def written_numbers(text: str) -> set[float]:
    """Return every number that a text holds; 2,097 is one number, and so is −0.75."""
    text = re.sub(r"(?<=\d),(?=\d{3})", "", text.replace("−", "-"))
    return {float(number) for number in re.findall(r"(?<![\w.])-?\d+(?:\.\d+)?", text)}
