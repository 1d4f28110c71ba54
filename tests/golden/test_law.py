"""No reply to what was left out, swapped, or wrong in two places names right code; `-m thorough` asks the rest."""

import pytest

from tests.golden import law
from tests.golden.edits import Omission, omissions
from tests.golden.rows import omitted, tenth, twice_changed
from tests.lessons.answers import CODED


@pytest.mark.parametrize("rest", [False, pytest.param(True, marks=pytest.mark.thorough)], ids=["tenth", "rest"])
@pytest.mark.parametrize("changed", [omitted, twice_changed])
@pytest.mark.parametrize("exercise", CODED)
def test_no_named_place_is_false(exercise, changed, rest):
    for row in tenth(exercise, changed(exercise), rest):
        message = row.verdict(0).message
        assert law.broken(message, row.edit) is None, f"{message}\n{row.edit.changed}"


SOURCE = '''def f(x, W, b):
    """Return 2 * relu(x @ W + b)."""
    z = x @ W + b
    z[z < 0] = 0
    if z is None or x is b:
        return None
    return np.multiply(2, z)
'''


def omission(*lines: str) -> Omission:
    """Return the omission from SOURCE, or the swap in it, that leaves these lines in the place of the changed ones."""
    return next(one for one in omissions(SOURCE) if [line.strip() for line in one.lines()[1]] == [*lines])


@pytest.mark.parametrize(
    ("lines", "seen"),
    [
        (["z = x @ W"], ["x @ W"]),
        (["z = b"], ["b"]),
        (["z = x + b"], ["x"]),
        (["if z is None:"], ["z is None"]),
        (["return np.multiply(z)"], ["np.multiply(z)"]),
        (["return np.multiply(2)"], ["np.multiply(2)"]),
        (["z = x @ W + b"], ["z", "z", "z"]),  # the statement below is left out
        (["return None"], []),
        (["pass"], []),
        (["z = W @ x + b"], ["W", "x"]),
        (["z = x @ b + W"], ["b", "W"]),
        (["def f(x, b, W):"], ["W", "b", "b"]),
    ],
)
def test_an_omission_is_seen_in_what_it_was_taken_from(lines, seen):
    one = omission(*lines)
    assert sorted(one.changed[begin:end] for begin, end in one.arounds) == sorted(seen)
