"""The code of an answer, and the search in changed copies of it.

The search is limited by counts: a verdict is the same on a slow machine as on a fast one.
"""

from dataclasses import replace

import numpy as np
import pytest
import torch

from tests.golden import book
from tests.golden.rows import rows
from tests.whywrong.answers import CURVE, MODULE, in_file, told
from whywrong import judge, sandbox
from whywrong.fixes.copies import Budget
from whywrong.fixes.edits import EDITS
from whywrong.fixes.search import FixSearch
from whywrong.fixes.source import find_source
from whywrong.judge import grade

# ---- where the code comes from ---------------------------------------------------------------------------------------


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


def test_a_search_in_slow_endless_or_long_code_ends(tmp_path):
    terms = " + ".join(f"x * {number}" for number in range(2, 40))
    slow = f"def f(x):\n    for i in range(30_000):\n        i * i\n    return {terms}"
    endless = "def f(x):\n    y = x\n    while y[0] < 1e3:\n        y = y * y + 1\n    return y - x"
    many = "def f(x):\n    return " + " + ".join("x * x" for _ in range(150))
    for source in (slow, endless, many):
        answer = in_file(source, tmp_path)
        assert told(CURVE, answer)[0] not in ("correct", "timeout")


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


# ---- how far it goes -------------------------------------------------------------------------------------------------

LONG = [  # kept answers with one change whose searches are long
    ("inside_the_block.repair", "4: pass"),
    ("parameter_share.layer_share", "5: norms = 2"),
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


def test_a_very_long_answer_is_not_fixed(tmp_path):
    source = "def f(x):\n    return " + " + ".join("x * x" for _ in range(150))
    budget = Budget()
    assert FixSearch(in_file(source, tmp_path), callable, budget).find_fix(EDITS) is None
    assert budget.ended and budget.tries == Budget().tries
