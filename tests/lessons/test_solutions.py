"""Notebooks hold the cells that learners start from, and with the solutions in their place every check says Correct."""

import ast
import os
import re
import subprocess

import nbformat
import pytest
from nbclient import NotebookClient

from course_lib.content import Prediction
from course_lib.lessons import catalogue
from publish import derived
from tests.conftest import ROOT
from tests.lessons.answers import CATALOGUE, CODED
from tests.lessons.cells import calls, checked, code_cells, read, starters

LESSONS = {lesson.name: lesson for lesson in catalogue.lessons()}


def help_problems(notebook, ids) -> list[str]:
    """Report every coded exercise that has not exactly one cell with its two buttons."""
    sources = [cell.source.strip() for cell in code_cells(notebook)]
    wanted = {id: f'help_with("{id}")' for id in ids if id in CODED}
    return [f"{id}: no cell with its help" for id, line in wanted.items() if sources.count(line) != 1]


def quizzed(notebook, name) -> list[int]:
    """Return the numbers of the questions that the quiz cells show, in order; a quiz may come in parts."""
    numbers, count = [], len(catalogue.questions(name))
    for cell in code_cells(notebook):
        for lesson, *part in calls(cell.source, "quiz"):
            assert lesson == name
            first, last = [*part, 1, count][len(part) :] if len(part) < 2 else part
            numbers += range(first, last + 1)
    return numbers


@pytest.mark.parametrize("name", LESSONS)
def test_starters(name):
    notebook, ids = read(LESSONS[name]), list(catalogue.ids(LESSONS[name]))
    found, problems = starters(notebook, ids)
    assert not problems, "\n".join(problems)
    assert len(set(found.values())) == len(ids)
    assert help_problems(notebook, ids) == []
    in_order = [id for cell in code_cells(notebook) for id in checked(cell.source)]
    assert sorted(in_order) == sorted(ids)
    coded = [id for id in ids if id in CODED]
    assert [id for id in in_order if id in CODED] == coded, "exercises in __init__.py must stand as in the notebook"
    assert quizzed(notebook, name) == list(range(1, len(catalogue.questions(name)) + 1))
    blank = [place for place, cell in enumerate(code_cells(notebook)) if re.search(r"\bTODO$", cell.source, re.M)]
    assert set(blank) <= set(found.values())


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("my_guess = TODO", "my_guess = 6"),
        ('"""Return x', '"""Give x'),
        ("my_guess)", "my_guess)\ncheck('start_here.predict_shape', 1)"),
        ('check("start_here.double"', 'check("start_here.triple"'),
        ('help_with("start_here.double")', ""),
    ],
)
def test_starters_reports(old, new):
    notebook, ids = read(LESSONS["start_here"]), list(catalogue.ids(LESSONS["start_here"]))
    assert starters(notebook, ids)[1] + help_problems(notebook, ids) == []
    assert any(old in cell.source for cell in code_cells(notebook))
    for cell in code_cells(notebook):
        cell.source = cell.source.replace(old, new)
    assert starters(notebook, ids)[1] + help_problems(notebook, ids) != []


@pytest.mark.parametrize("id", CODED)
def test_solution_of_every_exercise(id):
    master, starter = catalogue.solution(id), derived.starter(id)
    assert "SOLUTION" not in starter and "TODO" in starter
    assert master.count("### BEGIN SOLUTION: ") == master.count("### BEGIN") == master.count("### END SOLUTION")
    assert not re.search(r"(?<!: )\bTODO", re.sub(r"### BEGIN.*", "", master)), "a worked solution still has a TODO"
    assert "check(" not in master
    for source in (master, starter):
        ast.parse(source)


def solved(id) -> str:
    """Return the cell that stands where the starter stood."""
    item = CATALOGUE[id]
    if isinstance(item, Prediction):
        return f"{item.name} = {item.answer!r}"
    return catalogue.solution(id) + "\n" + derived.starter(id).splitlines()[-1]


FIRST = f"""
import importlib.util, sys
sys.path.insert(0, {str(ROOT)!r})
from tests.page import figure_rules
figure_problems, figure_calls = [], {{}}
watching = figure_rules.watch(figure_problems)
watching.__enter__()
if importlib.util.find_spec("course_lib.lessons.{{name}}.figures"):
    figure_calls = figure_rules.record(importlib.import_module("course_lib.lessons.{{name}}.figures"))
"""
LAST = "print(*figure_problems, *figure_rules.refusal_problems(figure_calls), sep='\\n')"


def run(name, notebook, folder) -> str:
    """Run the notebook of a lesson with its figures watched, and return what is wrong with them."""
    first, last = map(nbformat.v4.new_code_cell, (FIRST.replace("{name}", name), LAST))
    notebook.cells = [first, *notebook.cells, last]
    environment = {**os.environ, "COURSE_STATIC": "1", "COURSE_PROGRESS": str(folder / "progress.json")}
    client = NotebookClient(notebook, kernel_name="python3", timeout=300, resources={"metadata": {"path": str(folder)}})
    client.execute(env=environment, stderr=subprocess.DEVNULL)
    return "".join(output.get("text", "") for output in last.outputs).strip()


def verdicts(cells) -> dict[str, str]:
    """Return id -> the verdict that a cell shows."""
    found = {}
    for cell in cells:
        texts = [output["data"]["text/plain"] for output in cell.outputs if output.output_type == "display_data"]
        for id in checked(cell.source):
            found[id] = next(words for words in texts if re.match(r"[✓◆✗○■] ", words))
    return found


@pytest.mark.parametrize("name", LESSONS)
def test_solved_notebook_is_correct_everywhere(name, tmp_path):
    notebook, ids = read(LESSONS[name]), list(catalogue.ids(LESSONS[name]))
    cells = code_cells(notebook)
    for id, place in starters(notebook, ids)[0].items():
        cells[place].source = solved(id)
    assert run(name, notebook, tmp_path) == ""
    found = verdicts(cells)
    leads = {id: "✓ Correct." if id in CODED else "◆ Guessed." for id in ids}
    assert {id: words for id, words in found.items() if not words.startswith(leads[id])} == {}
    assert sorted(found) == sorted(ids)
