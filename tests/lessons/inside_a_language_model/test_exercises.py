"""The cases of a count tell its mistakes apart."""

import numpy as np

from lessons.inside_a_language_model.units_needed import EXERCISE as UNITS


def test_no_two_wrong_counts_agree_by_chance():
    for seed in range(30):
        cases = UNITS.cases(np.random.default_rng(seed))
        counts = [tuple(mistake.answer(*case.args) for case in cases) for mistake in UNITS.mistakes]
        right = tuple(UNITS.oracle(*case.args) for case in cases)
        assert len({right, *counts}) == 1 + len(counts)
