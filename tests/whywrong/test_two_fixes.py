"""Two fixes at once: each is made behind a switch of one copy, and both places are named only if no others do."""

import numpy as np
import pytest

from tests.whywrong.answers import CURVE, exercise, in_file, told
from whywrong.fixes.copies import Budget
from whywrong.fixes.edits import EDITS, PUT_BACK
from whywrong.fixes.source import find_source
from whywrong.fixes.two_fixes import TwoFixSearch
from whywrong.judge import grade, last_case

LINE = exercise(lambda x, a, b: a * x + b, [((2.0, 2.5, 1.5),), ((7.0, 0.5, 4.0),), ((3.0, 5.0, 0.5),)])


def switch(source, tmp_path):
    return TwoFixSearch(find_source(in_file(source, tmp_path)), EDITS, PUT_BACK, Budget())


@pytest.mark.parametrize(
    "source",
    [
        "def f(x, k):\n    y = x[:, -k:]\n    return np.sum(y - 1, axis=1) / k",
        "def f(x, k):\n    return [row[0] ** 2 for row in x if row.sum() > k]",
        "def f(x, k):\n    y = 0\n    for row in x:\n        y += row.max()\n    return y if k else -y",
        "def f(x, k):\n    return np.array([[row.sum() - k * i for i in range(3)] for row in x]).max(axis=1) + k",
        "def f(x, k):\n    def g(a, b=1):\n        return a * b\n    return g(x) - (lambda a: a / 2)(k)",
    ],
)
def test_with_no_switch_set_it_is_the_answer(source, tmp_path):
    x, search = np.arange(12.0).reshape(3, 4), switch(source, tmp_path)
    search._budget.rounds_left = 100
    assert search.fixes
    assert np.array_equal(search._answer_with()(x, 2), in_file(source, tmp_path)(x, 2))


def test_a_switch_makes_one_fix_and_two_make_two(tmp_path):
    search = switch("def f(x, k):\n    return (x - k) * (x + 2 * k)", tmp_path)
    signs = [fix for fix in search.fixes if fix.edit.name == "sign"]
    assert {search._answer_with(fix)(5, 1) for fix in signs} == {6 * 7, 4 * 3}
    assert search._answer_with(*signs)(5, 1) == 6 * 3
    assert search._answer_with()(5, 1) == 4 * 7


def test_two_places_are_named(tmp_path):
    source = "def f(x, a, b):\n    y = a + x\n    return y - b"
    assert told(LINE, in_file(source, tmp_path)) == (
        "slip:two-places",
        "Two things are wrong: look at `a + x`, and at `y - b`.",
    )


def test_two_changes_in_all_that_is_returned_are_shown_by_the_smallest_case_that_fails(tmp_path):
    cases = [((5.0, 2.0),), ((7.0, 6.0),), ((3.0, 4.0),)]
    average, answer = exercise(lambda a, b: (a + b) / (a * b), cases), "    return a + b / (a * b) + 17.5"
    verdict = grade(average, in_file(f"def f(a, b):\n{answer}", tmp_path), seed=0)
    says = "Almost right: two changes are needed in what you return. Below is the smallest case that fails."
    assert (verdict.key, verdict.message) == ("slip:two-places", says)
    assert verdict.evidence.startswith("Case 1 of 3 (3 of them differ): a = 5, b = 2\n")  # 5 + 2 is the least, as 3 + 4
    assert last_case(average.id) == {"a": 5.0, "b": 2.0}
    smaller = exercise(average.oracle, [*cases, ((2.0, 3.0),)])
    assert grade(smaller, in_file(f"def f(a, b):\n{answer}", tmp_path), seed=0).evidence.startswith("Case 4 of 4")
    assert last_case(smaller.id) == {"a": 2.0, "b": 3.0}


def test_one_place_is_named_where_the_other_may_be_anywhere(tmp_path):
    source = "def f(x, a, b):\n    y = x * b\n    z = y + a\n    return z - a"
    key, message = told(LINE, in_file(source, tmp_path))
    assert "Two things" not in message, (key, message)


@pytest.mark.parametrize("short", [0, 1])
def test_no_pair_is_named_where_a_place_is_too_long_to_quote(short, tmp_path, monkeypatch):
    search = switch("def f(x, k):\n    return (x - k) * (x + 2 * k)", tmp_path)
    pair, place_of = [fix for fix in search.fixes if fix.edit.name == "sign"], search._place_of
    assert search._describe_pairs([pair]).name == "two-places"
    monkeypatch.setattr(search, "_place_of", lambda fixes: place_of(fixes) if fixes[0] is pair[0] and short else None)
    assert search._describe_pairs([pair]) is None


def test_no_pair_is_tried_without_leave(tmp_path):
    asked = []
    search = switch("def f(x, k):\n    return (x - k) * (x + 2 * k)", tmp_path)
    assert search.find_fixes(60, asked.append, lambda answer: True) is None
    assert len(search.fixes) < len(asked) <= len(search.fixes) + 60


def test_code_that_cannot_be_switched_is_left_alone(tmp_path):
    assert switch("def f(x):\n    return (y := x + 1) * y", tmp_path)._answer_with() is None
    assert told(CURVE, in_file("def f(x):\n    return (y := 0.5 + x) * y + 3", tmp_path))[0] != "slip:two-places"
