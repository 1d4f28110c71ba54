"""What the course takes a cell for is what the cell does, told from the syntax of every cell of the lessons."""

import ast
import time

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell

from course_lib.content import Prediction
from lessons import catalogue, cells
from lessons.cells import Check, Role
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
    ("id", "source", "found"),
    [
        ("setup", "import math", Role.SETUP),
        ("predict-2", "my_guess = TODO", Role.GUESS),
        ("claims-1-judge", '{\n    "A": TODO,\n}', Role.GUESS),
        ("check-2", 'check("a.predict_b", my_guess)', Role.REPLY),
        ("ex-1-check", "def f(x):\n    return x\n\n\ncheck('a.f', f)", Role.EXERCISE),
        ("ex-1-help", 'help_with("a.f")', Role.HELP),
        ("quiz-more", 'quiz("a", 3, 5)', Role.QUIZ),
        ("warm-up", 'from course_lib.desk import warm_up\n\nwarm_up("a")', Role.WARM_UP),
        ("score", "from course_lib.desk import progress\n\nprogress()", Role.TABLE),
        ("explore-figure", "explore(figure, x=control)", Role.SLIDER),
        ("explore-figure", "# the picture's code\nexplore(figure, x=control)", Role.SLIDER),
        ("opening", "which_bank(lifted=1)", Role.SLIDER),
        ("opening", "try:\n    from a import which_bank\nexcept ImportError:\n    raise\n\nwhich_bank()", Role.SLIDER),
        ("opening", "show(*figures.parts(4))", Role.CODE),
        ("explore-units", "# sixteen widths\nfigure = 1\nexplore(figure, x=control)", Role.CODE),
        ("run-1", "def g(f):\n    check('a.f', f)\n    return x.check('a.f', f)", Role.CODE),
    ],
)
def test_role_of_code(id, source, found):
    assert cells.role(new_code_cell(source, id=id)) == found


@pytest.mark.parametrize(
    ("id", "found"),
    [
        ("explain-1", Role.EXPLANATION),
        ("claims-1-explain", Role.EXPLANATION),
        ("map-explained", Role.TEXT),
        ("explore-text", Role.TEXT),
        ("ex-1-how", Role.TASK),
        ("exercises", Role.TEXT),
        ("equation-llama", Role.EQUATION),
        ("learn", Role.FRAME),
        ("quiz", Role.TEXT),
        ("setup", Role.TEXT),
    ],
)
def test_role_of_text(id, found):
    assert cells.role(new_markdown_cell("check('a.f', f)", id=id)) == found


def test_checks_of_a_learner():
    written = 'check ( "a.f" , answer = f, )\nif x: check("a.g", g)\ncheck("a.h", lambda x: x)\ncheck("a.i", i)  # mine'
    assert cells.checks(written) == [Check("a.f", "f"), Check("a.i", "i")]
    assert cells.CHECK.sub("", 'f = 1\ncheck("a.f", f)') == "f = 1\n"


@pytest.mark.parametrize(
    ("more", "arrays"),
    [("", False), (", arrays=True", True), (" , arrays = True , ", True), (", arrays=False", False)],
)
def test_checks_say_whether_they_want_arrays(more, arrays):
    (check,) = cells.checks(f'check("a.f", f{more})')
    assert check == Check("a.f", "f", arrays)
    assert cells.checks(check.line) == [check]


@pytest.mark.parametrize("more", [", arrays=1", ", arrays=Truest", ", arrays", ", True", ", arrays=True, arrays=True"])
def test_a_check_with_something_else_is_not_read(more):
    assert cells.checks(f'check("a.f", f{more})') == []


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
    start = time.process_time()
    for rest in (" " * 200_000, "\n" * 200_000, begin * 20_000, "a" * 200_000):
        cells.checks(begin + rest)
    assert time.process_time() - start < 5


@pytest.mark.parametrize(("part", "found"), [("", [1, 2, 3]), (", 2", [2, 3]), (", 2, 3", [2, 3]), (", 2, 2", [2])])
def test_questions_that_a_cell_asks(part, found):
    cell = new_code_cell(f'quiz("review"{part})', id="quiz")
    assert (cells.called(cell), list(cells.asked(cell, 3))) == (("quiz", "review"), found)


def test_what_else_is_told_of_a_cell():
    shown = new_code_cell("x = 1", id="run-1")
    folded = new_code_cell("x = 1", id="run-2", metadata={"jupyter": {"source_hidden": True}, "tags": ["optional"]})
    assert (cells.hidden(shown), cells.optional(shown)) == (False, False)
    assert (cells.hidden(folded), cells.optional(folded)) == (True, True)
    assert [cells.guess_of(one) for one in ("check-1", "claims-2-check")] == ["predict-1", "claims-2-judge"]
