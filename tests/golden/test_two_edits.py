"""No right code is named in a reply to an answer that is wrong in two places; `-m thorough` asks all but one tenth."""

import pytest

from tests.golden import law
from tests.golden.edits import edits, pairs
from tests.golden.rows import tenth, twice_changed
from tests.lessons.answers import CODED


@pytest.mark.parametrize("rest", [False, pytest.param(True, marks=pytest.mark.thorough)], ids=["tenth", "rest"])
@pytest.mark.parametrize("exercise", CODED)
def test_no_named_place_is_false(exercise, rest):
    for row in tenth(exercise, twice_changed(exercise), rest):
        message = row.verdict(0).message
        assert law.broken(message, row.edit) is None, f"{message}\n{row.edit.changed}"


def test_there_are_many():
    assert sum(len(twice_changed(id)) for id in CODED) > 500


SOURCE = 'def f(x, W, b):\n    """Return x @ W + b."""\n    z = x @ W\n    y = z + b\n    return 2 * y\n'


def both(one: str, other: str):
    """Return the two changes of SOURCE that make two of its lines read like that."""
    lines = {two: {line.strip() for line in two.changed.splitlines()} for two in pairs(SOURCE, 10_000)}
    return next(two for two, those in lines.items() if {one, other} <= those)


@pytest.mark.parametrize(
    ("message", "how"),
    [
        ("Look at `z - b`.", None),
        ("Look at `x * W`, and at `z - b`.", None),
        ("Two things are wrong. One is a sign: look at `z - b`.", None),
        ("Look at `2 * y`.", "points at `2 * y`"),
        ("Look at `z - b`, and at `2 * y`.", "points at `2 * y`"),
    ],
)
def test_the_law_can_be_broken(message, how):
    assert law.broken(message, both("z = x * W", "y = z - b")) == how


def test_both_changes_are_made_and_seen_where_they_are():
    for two in pairs(SOURCE, 10_000):
        seen = [two.changed[begin:end] for begin, end in two.arounds]
        assert two.first.new in seen[0] and two.second.new in seen[1], (two.changed, seen)
        for (first, last), one in zip(two.changed_lines, (two.first, two.second), strict=True):
            lines = "\n".join(two.changed.splitlines()[first - 1 : last])
            assert one.new in lines
    assert len(pairs(SOURCE, 7)) == 7 and len(edits(SOURCE)) > 7
