"""The cases of a count tell its mistakes apart, and the examples of a reply pass."""

import re

import numpy as np
import pytest

from course_lib.desk import grade
from lessons.inside_a_language_model.units_behind import EXERCISE as BEHIND
from lessons.inside_a_language_model.units_needed import EXERCISE as UNITS


@pytest.mark.parametrize("exercise", [UNITS, BEHIND], ids=lambda exercise: exercise.id)
def test_no_two_wrong_counts_agree_by_chance(exercise):
    for seed in range(30):
        cases = exercise.cases(np.random.default_rng(seed))
        counts = [tuple(mistake.answer(*case.args) for case in cases) for mistake in exercise.mistakes]
        right = tuple(exercise.oracle(*case.args) for case in cases)
        assert len({right, *counts}) == 1 + len(counts)


@pytest.mark.parametrize(
    "given", [("of",), ("", "!", 40), ("of", "ab", 40)], ids=["one of three", "no context", "two characters"]
)
def test_example_in_a_reply_passes_when_it_is_pasted(given):
    said = grade("inside_a_language_model.my_edit", lambda: given, 0)
    (example,) = re.findall(r'return ("\w+", "\S", \d+)', said.message)
    assert grade("inside_a_language_model.my_edit", lambda: eval(example), 0).key == "correct"


def test_reply_on_false_alarms_speaks_of_a_space_only_where_there_is_one():
    for context, space in (("return", False), ("def ", True)):
        said = grade("inside_a_language_model.my_edit", lambda context=context: (context, "Q", 40), 0)
        assert "fires in other places" in said.message and ("space" in said.message) == space
