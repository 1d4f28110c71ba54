"""Probes: counted by hand, and on networks whose inside is known."""

import math

import numpy as np
import pytest
import torch
from torch import nn

from course_lib.model.ffn import GatedFeedForward, PositionWiseFeedForward
from course_lib.model.probes import influence, rank


class Attention(nn.Module):
    """Self-attention of a sequence with itself, causal if asked."""

    def __init__(self, causal=False):
        super().__init__()
        self.causal = causal
        self.inner = nn.MultiheadAttention(4, 2, batch_first=True, dtype=torch.float64)

    def forward(self, x):
        mask = torch.ones(len(x), len(x)).triu(1).bool() if self.causal else None
        return self.inner(x, x, x, attn_mask=mask)[0]


def convolution(x):
    weight = torch.linspace(-1, 1, 4 * 4 * 3, dtype=torch.float64).reshape(4, 4, 3)
    return nn.functional.conv1d(x.T[None], weight, padding=1)[0].T


def draw(*shape):
    return torch.randn(*shape, dtype=torch.float64, generator=torch.Generator().manual_seed(1))


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(0)


def test_values_that_carry_gradients():
    h = PositionWiseFeedForward(8, 32).hidden(torch.randn(4, 8))
    assert h.requires_grad
    assert rank(h) <= 3


@pytest.mark.parametrize("cls", [PositionWiseFeedForward, GatedFeedForward])
def test_an_ffn_keeps_to_the_diagonal(cls):
    matrix = influence(cls(4, 16).double().eval(), draw(6, 4))
    assert matrix.shape == (6, 6)
    assert (matrix[~np.eye(6, dtype=bool)] == 0).all()
    assert (matrix.diagonal() > 0).all()


def test_attention_reaches_everywhere_and_causal_attention_backwards():
    assert (influence(Attention().eval(), draw(6, 4)) > 0).all()
    causal = influence(Attention(causal=True).eval(), draw(6, 4))
    assert ((causal > 0) == np.tril(np.ones((6, 6), bool))).all()


def test_a_convolution_reaches_its_neighbours():
    distance = np.abs(np.subtract.outer(np.arange(6), np.arange(6)))
    assert ((influence(convolution, draw(6, 4)) > 0) == (distance <= 1)).all()


def test_rows_are_outputs_and_columns_are_inputs():
    matrix = influence(lambda x: torch.stack([x[0], x[0] + x[2]]), draw(3, 4))
    assert matrix.shape == (2, 3)
    assert ((matrix > 0) == [[True, False, False], [True, False, True]]).all()


def test_the_size_of_an_influence():
    x = draw(3, 4)
    np.testing.assert_allclose(influence(lambda x: 3 * x, x), 3 * np.eye(3), atol=1e-12)


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


def test_relu_raises_the_rank_and_a_linear_layer_cannot():
    x = draw(512, 8)
    for dtype in (torch.float32, torch.float64):
        ffn = PositionWiseFeedForward(8, 32).to(dtype).eval()
        h = x.to(dtype)
        assert [rank(h), rank(ffn.up(h)), rank(ffn.hidden(h)), rank(ffn(h))] == [8, 8, 32, 8]


def test_rank_ignores_the_mean():
    assert rank(np.ones((5, 3))) == 0
    assert rank([[1, 2], [2, 4], [3, 6]]) == 1
    assert rank(np.eye(4)) == 3


def test_wrong_values():
    with pytest.raises(ValueError, match="h must be finite, but it holds NaN or infinity"):
        rank(torch.tensor([[math.nan, 1.0]]))
    with pytest.raises(ValueError, match="h must not be empty"):
        rank(np.zeros((0, 3)))
    with pytest.raises(TypeError, match="h must be an array of real numbers"):
        rank("zeros")


def test_wrong_shapes():
    with pytest.raises(ValueError, match=r"h must have shape \(tokens, features\), but its shape is \(3,\)"):
        rank(np.ones(3))


def test_wrong_functions():
    x = draw(3, 4)
    with pytest.raises(TypeError, match="f must be callable, but NoneType None was given"):
        influence(None, x)
    with pytest.raises(ValueError, match=r"f\(x\) must have shape \(n_out, features\), but its shape is \(3,\)"):
        influence(lambda x: x.sum(dim=1), x)
    with pytest.raises(ValueError, match=r"f\(x\) must be finite"):
        influence(lambda x: x / 0, x)
    with pytest.raises(ValueError, match=r"x must have shape \(n_in, features\), but its shape is \(2, 3, 4\)"):
        influence(torch.tanh, draw(2, 3, 4))
    with pytest.raises(TypeError, match="x must hold floating-point numbers"):
        influence(torch.tanh, x.long())


def test_wrong_seed():
    with pytest.raises(ValueError, match="seed must be an integer of at least 0"):
        influence(torch.tanh, draw(3, 4), seed=-1)
