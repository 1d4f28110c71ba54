"""Probes: counted by hand, and on networks whose inside is known."""

import math

import numpy as np
import pytest
import torch

from course_lib.model.ffn import GatedFeedForward, PositionWiseFeedForward
from course_lib.model.probes import influence, rank


def draw(*shape):
    return torch.randn(*shape, dtype=torch.float64, generator=torch.Generator().manual_seed(1))


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)


@pytest.mark.parametrize("cls", [PositionWiseFeedForward, GatedFeedForward])
def test_an_ffn_keeps_to_the_diagonal(cls):
    matrix = influence(cls(4, 16).double().eval(), draw(6, 4))
    assert matrix.shape == (6, 6)
    assert (matrix[~np.eye(6, dtype=bool)] == 0).all()
    assert (matrix.diagonal() > 0).all()


def test_rows_are_outputs_and_columns_are_inputs():
    matrix = influence(lambda x: torch.stack([x[0], x[0] + x[2]]), draw(3, 4))
    assert matrix.shape == (2, 3)
    assert ((matrix > 0) == [[True, False, False], [True, False, True]]).all()


def test_influence_of_numpy_functions():
    x = np.arange(12.0).reshape(3, 4)
    for function in (np.tanh, lambda x: x.cumsum(axis=0)):
        assert influence(function, x).shape == (3, 3)
    np.testing.assert_allclose(influence(lambda x: x.cumsum(axis=0), x), np.tril(np.ones((3, 3))))
    np.testing.assert_allclose(influence(lambda x: x - x.mean(axis=0), x.tolist()), np.abs(np.eye(3) - 1 / 3))


def test_influence_repeats_and_leaves_everything_alone():
    ffn, x = PositionWiseFeedForward(4, 8).double().eval(), draw(3, 4)
    before = x.clone()
    state = torch.get_rng_state()
    first = influence(ffn, x)
    assert np.array_equal(first, influence(ffn, x))
    assert not np.array_equal(first, influence(ffn, x, seed=1))
    assert torch.equal(x, before)
    assert torch.equal(torch.get_rng_state(), state)
    assert all(p.grad is None for p in ffn.parameters())


def test_rank_ignores_the_mean():
    assert rank(np.ones((5, 3))) == 0
    assert rank([[1, 2], [2, 4], [3, 6]]) == 1
    assert rank(np.eye(4)) == 3
