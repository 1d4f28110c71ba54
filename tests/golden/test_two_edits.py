"""No right code is named in a reply to an answer that is wrong in two places; `-m thorough` asks all but one tenth."""

import pytest

from tests.golden import law
from tests.golden.rows import tenth, twice_changed
from tests.lessons.answers import CODED


@pytest.mark.parametrize("rest", [False, pytest.param(True, marks=pytest.mark.thorough)], ids=["tenth", "rest"])
@pytest.mark.parametrize("exercise", CODED)
def test_no_named_place_is_false(exercise, rest):
    for row in tenth(exercise, twice_changed(exercise), rest):
        message = row.verdict(0).message
        assert law.broken(message, row.edit) is None, f"{message}\n{row.edit.changed}"
