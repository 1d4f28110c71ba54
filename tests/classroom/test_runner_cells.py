"""Honest work is judged as right in whatever form a learner's notebook holds it; and wrong work as wrong in each."""

import ast
import subprocess
import sys

import pytest

from classroom import report
from classroom.marking import handed_in, limits, runner, runner_cells
from course_lib import desk
from tests.conftest import ROOT
from whywrong.task import Status

ID = "position_independence.rowwise"
CHECK = f'check("{ID}", rowwise)'
ROWS = "np.stack([f(row) for row in X])"
ANSWER = f"def rowwise(f, X):\n    return {ROWS}"
BY_HELPER = f"def rowwise(f, X):\n    return helper(f, X)\n\n{CHECK}"
HELPER = f"def helper(f, X):\n    return {ROWS}"
HONEST = {
    "line magic": [f"%matplotlib inline\n{ANSWER}\n\n{CHECK}"],
    "cell magic": [f"%%time\n{ANSWER}\n\n{CHECK}"],
    "timed at the end": [f"{ANSWER}\n\n{CHECK}\n%timeit 1 + 1"],
    "shell command": [f"!ls\n{ANSWER}\n\n{CHECK}"],
    "help": [f"{ANSWER}\n\n{CHECK}\nrowwise?"],
    "helper under a magic": [f"%matplotlib inline\n{HELPER}", BY_HELPER],
    "split": [ANSWER, CHECK],
    "split and turned round": [CHECK, ANSWER],
    "helper below": [BY_HELPER, HELPER],
    "helper with the name of a builtin": [HELPER.replace("helper", "sum"), BY_HELPER.replace("helper", "sum")],
    "lambda": [f"helper = lambda f, X: {ROWS}", BY_HELPER],
    "value": ["AXIS = 0", f"def rowwise(f, X):\n    return np.stack([f(row) for row in X], axis=AXIS)\n\n{CHECK}"],
    "two values at once": ["AXIS, OTHER = 0, 1", BY_HELPER, HELPER.replace("X])", "X], axis=AXIS)")],
    "class and its base": [
        f"class A:\n    @staticmethod\n    def all(f, X):\n        return {ROWS}\n\nclass B(A):\n    pass",
        f"def rowwise(f, X):\n    return B.all(f, X) if A else None\n\n{CHECK}",
    ],
    "star import": ["from numpy import *", f"def rowwise(f, X):\n    return stack([f(row) for row in X])\n\n{CHECK}"],
    "spaces": [f'{ANSWER}\n\ncheck ("{ID}" , rowwise, )'],
    "by keyword": [f'{ANSWER}\n\ncheck("{ID}", answer=rowwise)'],
    "another name": [f"{ANSWER.replace('rowwise', 'mine')}\n\n{CHECK.replace('rowwise)', 'mine)')}"],
    "value that cannot be made": ["scale = 1 / 0", f"{ANSWER}\n\nif False:\n    scale\n\n{CHECK}"],
    "broken neighbours": ["def ((", f"{ANSWER}\n\n{CHECK}", "raise ValueError"],
}


def verdicts(lines):
    return [line for line in lines if line.get("id") == ID]


def statuses(cells):
    return [line["status"] for line in verdicts(runner_cells.work(runner.request({"position_independence": cells})))]


@pytest.mark.parametrize("form", HONEST)
def test_honest_form_is_judged_as_right(form):
    assert statuses(HONEST[form]) == ["correct"]


@pytest.mark.parametrize("form", HONEST)
def test_wrong_work_in_the_same_form_is_not(form):
    cells = [cell.replace("f(row)", "f(X[0])") for cell in HONEST[form]]
    assert cells != HONEST[form]
    assert statuses(cells) == ["not yet"]


def test_check_that_wants_arrays_is_answered_as_in_the_notebook():
    arrays = CHECK.replace(")", ", arrays=True)")
    with pytest.raises(ValueError) as refused:
        desk.grade(ID, None, arrays=True)
    work = runner.request({"position_independence": [f"{ANSWER}\n\n{arrays}", f"{ANSWER}\n\n{CHECK}"]})
    first, second = verdicts(runner_cells.work(work))
    assert (first["status"], first["message"]) == ("stopped", str(refused.value))
    assert second["status"] == "correct"


def test_check_without_a_definition_is_not_attempted():
    assert statuses([CHECK]) == ["not attempted"]


class Here:
    """Judges in this process."""

    @staticmethod
    def run(cells):
        return runner.Findings([*runner_cells.work(runner.request(cells))])


@pytest.mark.parametrize("later", ["TODO", "X"])
def test_of_copies_of_a_cell_the_best_counts(later):
    copy = f"def rowwise(f, X):\n    return {later}\n\n{CHECK}"
    for cells in ([f"{ANSWER}\n\n{CHECK}", copy], [copy, f"{ANSWER}\n\n{CHECK}"]):
        one = handed_in.Submission("anna", {"position_independence": cells})
        assert report.results_of(one, Here).status(ID) == Status.CORRECT


def test_values_that_a_cell_makes_itself_are_not_made_again():
    (costly,) = ast.parse("X = row = f = helper = TOTAL = costly()").body
    made = dict.fromkeys(("X", "row", "f", "TOTAL"), costly)
    for cell in (ANSWER, f"TOTAL = 3\n{ANSWER}\nTOTAL = TOTAL + 1", "rows = [row for row in range(3)]"):
        assert runner_cells.needed(ast.parse(cell).body, [made]) == []
    assert runner_cells.needed(ast.parse("TOTAL = TOTAL + 1").body, [made]) == [costly]


PATCHES = {
    "numpy.abs": "np.abs = lambda x, *any: np.zeros(np.shape(x))",
    "numpy.asarray": "old = np.asarray\nnp.asarray = lambda x, *any, **more: np.zeros_like(old(x))",
    "whywrong.answer.close": "from whywrong import answer\nanswer.close = lambda *any: True",
    "numpy.linalg.norm": "class Mine:\n    pass\n\nnp.linalg.norm = Mine()",
}


@pytest.mark.parametrize("name", PATCHES)
def test_code_in_the_place_of_what_judges_earns_nothing(name):
    wrong = ANSWER.replace("f(row)", "f(X[0])")
    cells = [f"import numpy as np\n{PATCHES[name]}\n{wrong}\n\n{CHECK}"]
    ended = limits.run(runner_cells.work, runner.request({"position_independence": cells}))
    (line,) = verdicts(ended.lines)
    assert line["status"] == "stopped" and f"replaces {name} with code of its own" in line["message"]


def test_torch_is_loaded_before_any_cell_runs_within_its_limit_of_memory():
    code = """import sys
from classroom.marking import runner_cells
runner_cells.work = lambda request: print("torch" in sys.modules) or ()
runner_cells.load({})"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("True\n", "")
