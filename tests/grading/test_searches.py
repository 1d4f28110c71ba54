"""The searches for what is wrong are limited by counts: a verdict is the same on a slow machine as on a fast one."""

import pytest

from course_lib.grading import judge, sandbox
from course_lib.grading.answer import Answer
from course_lib.grading.mending import Budget, TooManyRounds, found_by_mending
from course_lib.grading.repairs import REPAIRS
from course_lib.grading.slips import HELPERS, SLIPS
from tests.golden import book
from tests.golden.rows import rows
from tests.grading.answers import COUNT, CURVE, in_file, told

LONG = [  # answers with one change whose searches are the longest, by their seconds and by their tries
    ("inside_the_block.repair", "4: pass"),
    ("inside_a_language_model.units_needed", "3: sizes = h * np.linalg.norm(W_down, axis=0)[::-1]"),
    ("parameter_share.layer_share", "4: attention = 4 * d_model + 4 * d_model"),
]


@pytest.mark.parametrize(("id", "change"), LONG)
def test_a_slow_machine_and_a_higher_fuse_say_the_same(id, change, monkeypatch):
    (row,) = (row for row in rows(id) if row.edit is not None and row.change == change)
    said, clock_of = book.kept(id)[row.title], sandbox._thread_clock
    monkeypatch.setattr(sandbox, "_thread_clock", lambda thread: lambda: 3 * clock_of(thread)())
    assert book.of(row) == said
    monkeypatch.undo()
    monkeypatch.setattr(judge, "FUSE_SECONDS", 1e6)
    assert book.of(row) == said


def test_the_fuse_ends_a_search(monkeypatch, tmp_path):
    def never_done(self, mended):
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
            found_by_mending(in_file(source, tmp_path), SLIPS + REPAIRS, HELPERS, lambda made: made(2.0) == 0, budget)
            budget.tries, budget.ended = 400, False


def test_a_mended_answer_that_never_ends_is_left(tmp_path):
    """With `n + 1` the loop has no end; each such mend is given up after its rounds, and the right one is found."""
    source = "def f(d, f, bias):\n    n, total = f, 0\n    while n != 0:\n        n, total = n - 1, total + d\n"
    source += "    return total - (d + f if bias else 0)"
    assert told(COUNT, in_file(source, tmp_path))[0] == "slip:sign"


def tried(slips, budget) -> int:
    """Return how many mended answers a search runs that finds nothing."""
    runs = []
    assert found_by_mending(test_tries_are_counted, slips, HELPERS, runs.append, budget) is None
    return len(runs)


def test_tries_are_counted():
    for most in (0, 1, 7):
        budget = Budget(most)
        assert tried(SLIPS + REPAIRS, budget) <= most and budget.ended
    small, wide = Budget(nodes=1000), Budget()
    assert 0 < tried(SLIPS + REPAIRS, small) < tried(SLIPS + REPAIRS, wide)
    assert small.ended and not wide.ended


def test_a_very_long_answer_is_not_mended(tmp_path):
    source = "def f(x):\n    return " + " + ".join("x * x" for _ in range(150))
    budget = Budget()
    assert found_by_mending(in_file(source, tmp_path), SLIPS + REPAIRS, HELPERS, lambda made: True, budget) is None
    assert budget.ended and budget.tries == Budget().tries
