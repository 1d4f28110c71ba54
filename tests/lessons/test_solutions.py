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


def quizzed(notebook, name) -> list[int]:
    """Return the numbers of the questions that the quiz cells show, in order; a quiz may come in parts."""
    numbers, count = [], len(catalogue.questions(name))
    for cell in code_cells(notebook):
        for lesson, *part in calls(cell.source, "quiz"):
            assert lesson == name
            first, last = [*part, 1, count][len(part) :] if len(part) < 2 else part
            numbers += range(first, last + 1)
    return numbers


def aside(notebook, name) -> set[str]:
    """Return the ids of the questions that optional cells and cells beside an experiment ask."""
    found, questions = set(), catalogue.questions(name)
    for cell in code_cells(notebook):
        if "optional" in cell.metadata.get("tags", []) or cell.id.startswith("why-"):
            for _, first, last in calls(cell.source, "quiz"):
                found |= {question.id for question in questions[first - 1 : last]}
    return found


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
    assert sorted(quizzed(notebook, name)) == list(range(1, len(catalogue.questions(name)) + 1))
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
