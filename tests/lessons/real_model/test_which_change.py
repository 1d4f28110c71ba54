"""The changes can be told apart, from each other and from no change at all."""

import itertools

import numpy as np
import pytest

from lessons.real_model.which_change import EXERCISE, NAMES, compute
from whywrong.boxes import recipe_of

TOLERANCE = 1e-5  # that of np.allclose, as a share of what is compared


@pytest.mark.parametrize("seed", range(20))
def test_each_change_is_far_from_the_others_and_from_none(seed):
    cases = EXERCISE.cases(np.random.default_rng(seed))
    assert sorted(recipe_of(case.args[0]).right for case in cases) == sorted(2 * NAMES)
    for ffn, *weights in (case.args for case in cases):
        x = np.random.default_rng(seed).normal(size=(4, len(weights[0])))
        outputs = {change: compute(change, x, *weights) for change in (*NAMES, "none")}
        assert np.array_equal(ffn(x), outputs[recipe_of(ffn).right])
        for (one, y), (other, z) in itertools.combinations(outputs.items(), 2):
            gap = np.abs(y - z).max()
            assert gap > 100 * TOLERANCE * np.abs([y, z]).max(), (one, other, gap)


def test_in_rows_of_one_size_mean_and_eps_outside_are_the_same():
    """What the replies about these two say."""
    _, *weights = EXERCISE.cases(np.random.default_rng(0))[0].args
    for x in (np.ones((2, len(weights[0]))), np.array([[1.0, -1.0]]).repeat(len(weights[0]), axis=1)[:, ::2]):
        np.testing.assert_allclose(compute("mean", x, *weights), compute("eps outside", x, *weights))
