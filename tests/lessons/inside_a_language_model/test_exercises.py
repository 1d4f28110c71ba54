"""What two exercises say of forms that are wrong, and that the cases of a count tell its mistakes apart."""

import numpy as np
import pytest

from course_lib.desk import grade
from lessons.inside_a_language_model.units_needed import EXERCISE as UNITS


@pytest.mark.parametrize(
    ("returned", "words"),
    [
        (("", "X", 40), "The context must not be empty"),
        (("X", "def", 40), "one single character, and yours are 3"),
        (("def", "", 40), "one single character, and yours are 0"),
        (("def", "→", 40), "none of the 97"),
        (("def", "X"), "but a tuple of 2 was returned"),
        ({"def": "X"}, "but a dict was returned"),
    ],
)
def test_an_edit_in_a_wrong_form(returned, words):
    verdict = grade("inside_a_language_model.my_edit", lambda: returned, 0)
    assert verdict.status == "not yet" and words in verdict.message, verdict


@pytest.mark.parametrize("returned", [("self", "i", -40), ("return", "x", -40), ("name", "!", 0)])
def test_a_size_that_promotes_nothing_is_told_first(returned):
    assert grade("inside_a_language_model.my_edit", lambda: returned, 0).key == "mistake:not-positive"


def test_no_two_wrong_counts_agree_by_chance():
    for seed in range(30):
        cases = UNITS.cases(np.random.default_rng(seed))
        counts = [tuple(mistake.answer(*case.args) for case in cases) for mistake in UNITS.mistakes]
        right = tuple(UNITS.oracle(*case.args) for case in cases)
        assert len({right, *counts}) == 1 + len(counts)
