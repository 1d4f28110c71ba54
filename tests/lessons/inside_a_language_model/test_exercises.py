"""The cases of a count tell its mistakes apart."""

import numpy as np
import pytest

from lessons.inside_a_language_model.units_behind import EXERCISE as BEHIND
from lessons.inside_a_language_model.units_needed import EXERCISE as UNITS


@pytest.mark.parametrize("exercise", [UNITS, BEHIND], ids=lambda exercise: exercise.id)
def test_no_two_wrong_counts_agree_by_chance(exercise):
    for seed in range(30):
        cases = exercise.cases(np.random.default_rng(seed))
        counts = [tuple(mistake.answer(*case.args) for case in cases) for mistake in exercise.mistakes]
        right = tuple(exercise.oracle(*case.args) for case in cases)
        assert len({right, *counts}) == 1 + len(counts)
