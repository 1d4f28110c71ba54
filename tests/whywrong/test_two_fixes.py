"""Two fixes at once: each is made behind a switch of one copy, and both places are named only if no others do."""

import numpy as np
import pytest

from tests.whywrong.answers import exercise, in_file, told
from whywrong.fixes.copies import Budget
from whywrong.fixes.edits import EDITS, PUT_BACK
from whywrong.fixes.source import find_source
from whywrong.fixes.two_fixes import TwoFixSearch

LINE = exercise(lambda x, a, b: a * x + b, [((2.0, 2.5, 1.5),), ((7.0, 0.5, 4.0),), ((3.0, 5.0, 0.5),)])


def switch(source, tmp_path):
    return TwoFixSearch(find_source(in_file(source, tmp_path)), EDITS, PUT_BACK, Budget())


def test_two_places_are_named(tmp_path):
    source = "def f(x, a, b):\n    y = a + x\n    return y - b"
    assert told(LINE, in_file(source, tmp_path)) == (
        "slip:two-places",
        "Two things are wrong: look at `a + x`, and at `y - b`.",
    )


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
