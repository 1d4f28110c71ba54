"""The story's layer against a calculation word by word."""

import math

import numpy as np
import pytest

from course_lib.model import bank

HEARD = math.exp(6) / (math.exp(6) + 4)  # of the cue, in the row of "bank"


@pytest.mark.parametrize(("cue", "conclusion"), [("river", "shore"), ("money", "vault")])
def test_only_the_row_of_bank_gets_a_conclusion_and_it_is_the_cues(cue, conclusion):
    way = bank.way(cue)
    other = {"shore": "vault", "vault": "shore"}[conclusion]
    np.testing.assert_allclose(way.written(conclusion), [0, 0, 0, 0, 2 * (1 + HEARD - 1.5)], atol=1e-12)
    assert not way.written(other).any()
    np.testing.assert_allclose(way.weights[4], [(1 - HEARD) / 4, HEARD, *[(1 - HEARD) / 4] * 3])
    np.testing.assert_allclose(way.stream, way.mixed + way.added)


def test_each_part_that_is_left_out_is_missed():
    assert not bank.way(attends=False).added.any()
    linear = bank.way(activation=lambda z: z).written("shore")
    np.testing.assert_allclose(linear, [-2.6, -0.6, -2.6, -2.6, 0.98], atol=0.005)
    np.testing.assert_allclose(bank.way().written("shore"), bank.way(causal=True).written("shore"), atol=1e-12)
