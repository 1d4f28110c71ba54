"""The code of an answer, and the search in changed copies of it.

The search is limited by counts: a verdict is the same on a slow machine as on a fast one.
"""

import ast
import functools
import time
from dataclasses import replace

import numpy as np
import pytest
import torch

from tests.golden import book
from tests.golden.rows import rows
from tests.whywrong.answers import COUNT, CURVE, MODULE, in_file, told
from whywrong import judge, sandbox
from whywrong.answer import Answer
from whywrong.fixes.copies import Budget, TooManyRounds
from whywrong.fixes.edits import EDITS
from whywrong.fixes.search import FixSearch
from whywrong.fixes.source import find_source
from whywrong.judge import grade

# ---- where the code comes from ---------------------------------------------------------------------------------------


def closure():
    half = 0.5

    def f(x):
        return half * x - x**3

    return f


def test_without_its_code_nothing_is_fixed(tmp_path):
    made = {"f": None}
    exec("def f(x):\n    return 0.5 * x - x**3", made)
    for answer in (
        lambda x: 0.5 * x - x**3,
        closure(),
        made["f"],
        np.sin,
        functools.partial(np.power, 2),
        type("Empty", (), {}),
        len,
        3,
    ):
        assert find_source(answer) is None
    assert told(CURVE, lambda x: 0.5 * x - x**3)[0] == "value"


def test_a_decorated_and_an_indented_function(tmp_path):
    source = """
import functools

def doubled(function):
    @functools.wraps(function)
    def wrapped(x):
        return function(x)
    return wrapped

if True:
    @doubled
    def f(x):
        "A docstring
over two lines."
        return 0.5 * x - x**3
"""
    assert (
        told(CURVE, in_file(source.replace('"A', '"""A').replace('lines."', 'lines."""'), tmp_path))[0] == "slip:sign"
    )


CELL = """
scale = 0.5
def f(x):
    return scale * x - x**3

class Net(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.up = nn.Linear(d_in, d_out, dtype=torch.float64)

    def forward(self, x):
        return max(self.up(x), 0)

class Misspelled(nn.Module):
    def foward(self, x):
        return x
"""


def test_a_cell_of_a_notebook(shell):
    shell.user_ns.update(nn=torch.nn, torch=torch)
    assert shell.run_cell(CELL).success
    names = shell.user_ns
    assert told(CURVE, names["f"]) == ("slip:sign", "Almost right: one sign is wrong. Look at `scale * x - x**3`.")
    assert told(MODULE, names["Net"])[0] == "slip:max"
    assert find_source(names["Misspelled"]).definition.name == "Misspelled"
    assert shell.run_cell("def f(x):\n    return 0.5 * x + x**2").success  # a cell that is run again in another form
    assert told(CURVE, names["f"])[0] == "slip:place"


# ---- what the search leaves alone ------------------------------------------------------------------------------------

NOISY = """
count, kept = 0, []

def f(x):
    global count
    count += 1
    print("called")
    return 0.5 * x - x**3
"""


def test_the_search_changes_no_name_and_prints_nothing(tmp_path, capfd):
    answer = in_file(NOISY, tmp_path)
    names = answer.__globals__
    before = {**names}
    verdict = grade(CURVE, answer, 0)
    assert verdict.key == "slip:sign" and verdict.printed == "called"
    called = names["count"]  # by the checks themselves, and not by the fixed code
    assert 0 < called <= 7
    assert {**names, "count": 0} == before and names["f"] is answer
    assert capfd.readouterr() == ("", "")


def test_the_search_is_bounded_in_time(tmp_path):
    terms = " + ".join(f"x * {number}" for number in range(2, 40))
    slow = f"def f(x):\n    for i in range(30_000):\n        i * i\n    return {terms}"
    endless = "def f(x):\n    y = x\n    while y[0] < 1e3:\n        y = y * y + 1\n    return y - x"
    many = "def f(x):\n    return " + " + ".join("x * x" for _ in range(150))
    for source in (slow, endless, many):
        answer = in_file(source, tmp_path)
        begin = time.process_time()
        assert told(CURVE, answer)[0] not in ("correct", "timeout")
        assert time.process_time() - begin < 2.5


def test_each_copy_is_tried_once_in_the_order_of_the_edits(tmp_path):
    answer, tried = in_file("def f(a, b):\n    return a * b - (a - b) // 2", tmp_path), []
    search = FixSearch(answer, tried.append, Budget())
    assert search.find_fix(EDITS[:20]) is None and 0 < len(tried) < 40
    assert tried[0](7.0, 2.0) == 7 * 2 - 5 / 2
    some = len(tried)
    assert search.find_fix(EDITS) is None and some < len(tried) < 300
    every = len(tried)
    assert search.find_fix(EDITS) is None and len(tried) == every
    again = []
    assert FixSearch(answer, again.append, Budget()).find_fix(EDITS) is None and len(again) == every
    # all of them make it right, so it is one small thing, somewhere
    assert FixSearch(answer, callable, Budget()).find_fix(EDITS).name == "place"


def test_all_places_are_fixed_at_once_first_where_an_edit_says_so(tmp_path):
    answer, tried = in_file("def f(a, b):\n    return a // b + b // a", tmp_path), []
    (edit,) = (one for one in EDITS if one.name == "floor-division")
    FixSearch(answer, tried.append, Budget()).find_fix([edit])
    assert [made(7, 2) for made in tried] == [7 / 2 + 2 / 7, 7 / 2 + 0, 3 + 2 / 7]
    tried.clear()
    FixSearch(answer, tried.append, Budget()).find_fix([replace(edit, together=False)])
    assert [made(7, 2) for made in tried] == [7 / 2 + 0, 3 + 2 / 7]


def _is(made, x, right):
    try:
        return made(x) == right
    except TypeError:  # a fix that is for arrays alone
        return False


def test_where_all_places_at_once_are_one_place_that_one_is_named(tmp_path):
    """Of two products only the second has a second way to be transposed, and that is the fix."""
    answer = in_file("def f(x, W, b):\n    y = b.T @ b\n    return x @ W + 0 * y", tmp_path)

    def is_right(fixed):
        try:
            return fixed(np.ones((4, 3)), np.ones((4, 2)), np.ones(5)).shape == (3, 2)
        except ValueError:
            return False

    missing = [edit for edit in EDITS if edit.says.startswith("A transpose is missing")]
    found = FixSearch(answer, is_right, Budget()).find_fix(missing)
    assert found.says == "A transpose is missing: look at `x @ W`."


def test_what_is_found_points_at_the_place_and_is_sure(tmp_path):
    search = FixSearch(in_file("def f(x):\n    return 2 * x + 1", tmp_path), lambda made: _is(made, 2, 3), Budget())
    found = search.find_fix(EDITS)
    assert (found.key, found.sure, ast.unparse(found.at)) == ("slip:sign", True, "2 * x + 1")
    assert found.says.endswith("Look at `2 * x + 1`.")


# ---- how far it goes -------------------------------------------------------------------------------------------------

LONG = [  # answers with one change whose searches are the longest, by their seconds and by their tries
    ("inside_the_block.repair", "4: pass"),
    ("parameter_share.layer_share", "4: attention = 4 * d_model + 4 * d_model"),
]


@pytest.mark.parametrize(("id", "change"), LONG)
def test_a_slow_machine_and_a_higher_fuse_say_the_same(id, change, monkeypatch):
    (row,) = (row for row in rows(id) if row.edit is not None and row.change == change)
    said, clock_of = book.kept(id)[row.title], sandbox._thread_clock
    whole = "\n| " in said
    monkeypatch.setattr(sandbox, "_thread_clock", lambda thread: lambda: 3 * clock_of(thread)())
    assert book.of(row, whole) == said
    monkeypatch.undo()
    monkeypatch.setattr(judge, "FUSE_SECONDS", 1e6)
    assert book.of(row, whole) == said


def test_the_fuse_ends_a_search(monkeypatch, tmp_path):
    def never_done(self, fixed):
        while True:
            pass

    monkeypatch.setattr(judge, "FUSE_SECONDS", 0.1)
    monkeypatch.setattr(Answer, "passes", never_done)
    assert told(CURVE, in_file("def f(x):\n    return 0.5 * x - x**3", tmp_path))[0] == "value"


ENDLESS = {
    "while": "def f(x):\n    n = 3\n    while n > 0:\n        n = n - 1\n    return n * x - x**3",
    "for": "def f(x):\n    for n in range(3):\n        x = x + n\n    return x - x**3",
    "comprehension": "def f(x):\n    return sum([n for n in range(3)]) * x - x**3",
}


@pytest.mark.parametrize("source", ENDLESS.values(), ids=ENDLESS)
def test_the_rounds_of_loops_are_counted(source, tmp_path):
    budget = Budget(rounds=2)
    with pytest.raises(TooManyRounds):
        for _ in range(50):
            FixSearch(in_file(source, tmp_path), lambda made: _is(made, 2.0, 0), budget).find_fix(EDITS)
            budget.tries, budget.ended = 400, False


def test_a_fixed_answer_that_never_ends_is_left(tmp_path):
    """With `n + 1` the loop has no end; each such fix is given up after its rounds, and the right one is found."""
    source = "def f(d, f, bias):\n    n, total = f, 0\n    while n != 0:\n        n, total = n - 1, total + d\n"
    source += "    return total - (d + f if bias else 0)"
    assert told(COUNT, in_file(source, tmp_path))[0] == "slip:sign"


def tried(budget) -> int:
    """Return how many fixed answers a search runs that finds nothing."""
    runs = []
    assert FixSearch(test_tries_are_counted, runs.append, budget).find_fix(EDITS) is None
    return len(runs)


def test_tries_are_counted():
    for most in (0, 1, 7):
        budget = Budget(most)
        assert tried(budget) <= most and budget.ended
    small, wide = Budget(nodes=1000), Budget()
    assert 0 < tried(small) < tried(wide)
    assert small.ended and not wide.ended


def test_a_very_long_answer_is_not_fixed(tmp_path):
    source = "def f(x):\n    return " + " + ".join("x * x" for _ in range(150))
    budget = Budget()
    assert FixSearch(in_file(source, tmp_path), callable, budget).find_fix(EDITS) is None
    assert budget.ended and budget.tries == Budget().tries


def test_a_fixed_copy_has_no_decorators(tmp_path):
    """A decorator may register or count what it is given, and must not get hundreds of copies."""
    source = """
given = []

@given.append
def f(x):
    pass

@lambda function: given.append(function) or function
def f(x):
    return 0.5 * x - x**3
"""
    answer = in_file(source, tmp_path)
    assert told(CURVE, answer)[0] == "slip:sign"
    assert len(answer.__globals__["given"]) == 2
