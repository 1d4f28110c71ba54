"""Notebooks hold the cells that learners start from; conftest.py runs each with the solutions in their place."""

import ast
import re

import pytest

from lessons import catalogue
from publish.author import derived
from tests.lessons.answers import CODED
from tests.lessons.cells import calls, checked, code_cells, read, starters

LESSONS = {lesson.name: lesson for lesson in catalogue.lessons()}


def help_problems(notebook, ids) -> list[str]:
    """Report every coded exercise that has not exactly one cell with its buttons."""
    sources = [line for cell in code_cells(notebook) for line in cell.source.splitlines()]
    wanted = {id: f'help_with("{id}")' for id in ids if id in CODED}
    return [f"{id}: no cell with its help" for id, line in wanted.items() if sources.count(line) != 1]


def quizzed(notebook, name) -> list:
    """Return the cells that ask questions; each names itself."""
    found = [(cell, call) for cell in code_cells(notebook) for call in calls(cell.source, "quiz")]
    assert all(call == [name, cell.id][: 1 + (cell.id != "quiz")] for cell, call in found)
    return [cell for cell, _ in found]


def aside(notebook, name) -> set[str]:
    """Return the ids of the questions that optional cells and cells beside an experiment ask."""
    found = quizzed(notebook, name)
    cells = {cell.id for cell in found if "optional" in cell.metadata.get("tags", []) or cell.id.startswith("why-")}
    return {question.id for question in catalogue.questions(name) if question.cell in cells}


@pytest.mark.parametrize("name", LESSONS)
def test_every_question_that_a_later_lesson_can_ask_is_asked_again(name):
    again = {question.id for question in catalogue.questions(name) if question.again}
    every = {question.id for question in catalogue.questions(name)}
    later = LESSONS[name] in catalogue.series()[:-1] and name != "review"  # which asks of all lessons before it
    assert again == (every - aside(read(LESSONS[name]), name) if later else set())


@pytest.mark.parametrize("name", LESSONS)
def test_a_question_that_is_asked_elsewhere_speaks_of_no_lesson_as_this_one(name):
    for question in catalogue.questions(name):
        asked = [question.again] * bool(question.again)
        texts = [text for one in asked for text in (one.prompt, *(o.text + o.reason for o in one.options))]
        assert not re.search(r"\bthis lesson\b", " ".join(texts), re.IGNORECASE), question.id


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
    assert {cell.id for cell in quizzed(notebook, name)} == {one.cell for one in catalogue.questions(name)}
    blank = [place for place, cell in enumerate(code_cells(notebook)) if re.search(r"\bTODO$", cell.source, re.M)]
    assert set(blank) <= set(found.values())


@pytest.mark.parametrize("id", CODED)
def test_solution_of_every_exercise(id):
    master, starter = catalogue.solution(id), derived.starter(id)
    assert "SOLUTION" not in starter and "TODO" in starter
    assert master.count("### BEGIN SOLUTION: ") == master.count("### BEGIN") == master.count("### END SOLUTION")
    assert not re.search(r"(?<!: )\bTODO", re.sub(r"### BEGIN.*", "", master)), "a worked solution still has a TODO"
    assert "check(" not in master
    for source in (master, starter):
        ast.parse(source)
