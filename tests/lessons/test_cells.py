"""What the course takes a cell for is what the cell does, told from the syntax of every cell of the lessons."""

import ast
import time

import pytest

from courseware.content import Prediction
from lessons import catalogue, cells
from lessons.cells import Role
from tests.lessons.cells import calls, checked, code_cells, read

LESSONS = {lesson.name: lesson for lesson in catalogue.lessons()}
CALLS = {
    "help_with": Role.HELP,
    "quiz": Role.QUIZ,
    "warm_up": Role.WARM_UP,
    "progress": Role.TABLE,
    "guesses": Role.TABLE,
}


def role(cell) -> Role:
    """Tell a cell of code by its syntax."""
    tree = ast.parse(cell.source)
    if all(isinstance(one, ast.Try | ast.Import | ast.ImportFrom) for one in tree.body):
        return Role.SETUP
    for id in checked(cell.source):
        return Role.REPLY if isinstance(catalogue.item(id), Prediction) else Role.EXERCISE
    if len(tree.body) == 1 and isinstance(tree.body[0], ast.Assign) and "TODO" in cell.source:
        return Role.GUESS
    for name, found in CALLS.items():
        if calls(cell.source, name):
            return found
    shown = [one for one in tree.body if not isinstance(one, ast.Try | ast.ImportFrom)]
    alone = len(shown) == 1 and any(calls(cell.source, name) for name in ("explore", "which_bank"))
    return Role.SLIDER if alone else Role.CODE


@pytest.mark.parametrize("name", LESSONS)
def test_roles_of_a_lesson(name):
    notebook = read(LESSONS[name])
    code = code_cells(notebook)
    assert {cell.id: cells.role(cell) for cell in code} == {cell.id: role(cell) for cell in code}
    assert [cells.checked(cell) for cell in code] == [next(iter(checked(cell.source)), None) for cell in code]
    texts = {cells.role(cell) for cell in notebook.cells if cell.cell_type != "code"}
    assert {Role.FRAME, Role.TEXT, Role.EXPLANATION if name != "start_here" else Role.TEXT} <= texts
    assert not texts & set(map(cells.role, code))


@pytest.mark.parametrize("name", LESSONS)
def test_a_reply_is_to_the_guess_whose_variable_it_checks(name):
    by_id = {cell.id: cell for cell in code_cells(read(LESSONS[name]))}
    replies = [cell for cell in by_id.values() if cells.role(cell) == Role.REPLY]
    for cell in replies:
        (check,) = cells.checks(cell.source)
        assert cells.variable(by_id[cells.guess_of(cell.id)]) == check.name == catalogue.item(check.id).name
    assert len(replies) == len(catalogue.predictions(name))


@pytest.mark.parametrize(
    "begin",
    [
        'check("a.b", c',
        "check",
        'check("a.b",',
        "check(",
        'check("a.b", answer',
        "check('",
        'check("a.b", c,',
        'check("a.b", c, arrays',
        'check("a.b", c, arrays = True',
    ],
)
def test_no_text_takes_long(begin):
    """The limit is far above what is needed, and far below what a search that begins anew at each sign takes."""
    start = time.process_time()
    for rest in (" " * 200_000, "\n" * 200_000, begin * 20_000, "a" * 200_000):
        cells.checks(begin + rest)
    assert time.process_time() - start < 60
