"""A notebook with every guess made and every exercise solved, its figures watched: see conftest.py."""

import ast
import json
import re
from pathlib import Path

from courseware.content import Prediction
from lessons import catalogue
from lessons.catalogue import FOLDER
from publish.author import derived
from tests.conftest import ROOT
from tests.lessons.cells import checked, code_cells, read, starters

FIRST = f"""
import importlib.util, sys
sys.path.insert(0, {str(ROOT)!r})
from tests.courseware.page import figure_rules
figure_problems, figure_calls = [], {{}}
watching = figure_rules.watch(figure_problems)
watching.__enter__()
if importlib.util.find_spec("lessons.{{name}}.figures"):
    figure_calls = figure_rules.record(importlib.import_module("lessons.{{name}}.figures"))
"""
BACKWARDS = "12_build_backward.ipynb"  # the lesson of which every cell is run again, the last one first
LAST = "print(*figure_problems, *figure_rules.refusal_problems(figure_calls), sep='\\n')"


def first(file: str) -> str:
    """Return what is run before the first cell: from then on figures are watched."""
    return FIRST.replace("{name}", _lesson(file).name)


def second_pass(file: str, cells: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return what is run at the end, (name, source): the setup, what is solved, in order, and what uses an answer.

    Of the lesson BACKWARDS all other cells follow, the last one first.

    Args:
        file: of the notebook. cells: (id, source) of its code cells.
    """
    places = starters(read(_lesson(file)), _ids(file))[0]
    answers = {place: id for id, place in places.items()}
    judged = [place for place, (_, source) in enumerate(cells) if checked(source)]
    sources = [solution(answers[place]) if place in answers else source for place, (_, source) in enumerate(cells)]
    names = {name for place in answers for name in _defined(sources[place])}
    using = [place for place, source in enumerate(sources) if names & _used(source)]
    order = sorted({0, *answers, *judged, *using})
    if file == BACKWARDS:
        order += [place for place in reversed(range(len(cells))) if place not in order]
    return [*((cells[place][0], sources[place]) for place in order), ("last", LAST)]


def _defined(source):
    """Return the names of the functions, the classes and the values that a cell defines."""
    body = ast.parse(source).body
    targets = [target.id for node in body if isinstance(node, ast.Assign) for target in node.targets]
    return {*targets, *(node.name for node in body if isinstance(node, ast.FunctionDef | ast.ClassDef))}


def _used(source):
    return {node.id for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Name)}


def solution(id: str) -> str:
    """Return the cell that stands where the starter stood."""
    item = catalogue.item(id)
    if isinstance(item, Prediction):
        return f"{item.name} = {item.answer!r}"
    return catalogue.solution(id) + "\n" + derived.starter(id).splitlines()[-1]


def differences(file: str, computed: str) -> list[str]:
    """Report where the record of a real model, from which pages draw, is not what the notebook has just computed."""
    if not Path(computed).exists():
        return []
    paths = Path(computed), FOLDER / _lesson(file).name / "record.json"
    now, stored = (json.loads(path.read_text(encoding="utf-8")) for path in paths)
    return list(_apart("record", now, stored))


def _apart(name, one, other):
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        for key in one:
            yield from _apart(f"{name}.{key}", one[key], other[key])
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for place, pair in enumerate(zip(one, other, strict=True)):
            yield from _apart(f"{name}[{place}]", *pair)
    elif one != other and not (
        isinstance(one, (int, float))
        and isinstance(other, (int, float))
        and abs(one - other) <= max(0.02, 0.01 * abs(other))
    ):
        yield f"{name} is {one!r} now and {other!r} in the record"


def problems(file: str, shown: dict[str, list[str]]) -> list[str]:
    """Report every check that is not told Correct or Guessed, and what is wrong with the figures.

    Args:
        shown: cell -> the texts that it showed.
    """
    told = {cell.id: checked(cell.source) for cell in code_cells(read(_lesson(file)))}
    verdicts = {
        id: next((words for words in shown[cell] if re.match(r"[✓◆✗○■] ", words)), "nothing")
        for cell, ids in told.items()
        for id in ids
    }
    found = [f"{id} is not checked" for id in _ids(file) if id not in verdicts]
    for id, words in verdicts.items():
        lead = "◆ Guessed." if isinstance(catalogue.item(id), Prediction) else "✓ Correct."
        found += [] if words.startswith(lead) else [f"{id}, solved: {words}"]
    return found + [line for line in "".join(shown["last"]).splitlines() if line]


def _lesson(file):
    return next(lesson for lesson in catalogue.lessons() if lesson.notebook == file)


def _ids(file):
    return list(catalogue.ids(_lesson(file)))
