"""The story's layer against a calculation word by word, and the numbers that the lessons tell of it."""

import math

import numpy as np
import pytest

from course_lib.model import bank
from course_lib.model.numpy_ffn import relu, silu

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


def test_a_soft_activation_is_soft_on_its_own_scale_only():
    once, scaled = bank.way(activation=silu).written("shore"), bank.way(activation=silu, scale=8).written("shore")
    np.testing.assert_allclose(once, [-0.56, -0.26, -0.56, -0.56, 0.61], atol=0.01)
    assert np.abs(scaled[:4]).max() < 0.06 and scaled[4] > 0.95
    np.testing.assert_allclose(bank.way(activation=relu, scale=8).added, bank.way().added, atol=1e-12)


@pytest.mark.parametrize(
    ("before", "moved", "causal"),
    [("attention", [0, 1, 2, 3, 4], False), ("attention", [1, 2, 3, 4], True), ("FFN", [1], False)],
)
def test_where_a_number_is_moved_decides_which_rows_of_the_stream_move(before, moved, causal):
    change = bank.way(causal=causal, moved=(before, 2, 2, -0.5)).stream - bank.way(causal=causal).stream
    assert np.flatnonzero(np.abs(change).max(axis=1) > 1e-9).tolist() == moved


@pytest.mark.parametrize(
    "wrong", [{"cue": "boat"}, {"moved": ("norm", 1, 1, 0.5)}, {"moved": ("FFN", 6, 1, 0.5)}, {"scale": "big"}]
)
def test_wrong_arguments_are_named(wrong):
    with pytest.raises((TypeError, ValueError), match="must be|known are"):
        bank.way(**wrong)
