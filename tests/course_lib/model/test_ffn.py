"""The torch feed-forward networks against NumPy, torch's own layers, and the published equations."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from course_lib.model import numpy_ffn
from course_lib.model.activations import ACTIVATIONS
from course_lib.model.ffn import GatedFeedForward, PositionWiseFeedForward, SwiGLUFeedForward, swiglu_width

CLASSES = [PositionWiseFeedForward, GatedFeedForward, SwiGLUFeedForward]

each_class = pytest.mark.parametrize("cls", CLASSES)
each_activation = pytest.mark.parametrize("name", list(ACTIVATIONS))


def make(cls, *args, seed=0, **kwargs):
    torch.manual_seed(seed)
    return cls(*args, **kwargs).double()


def draw(*shape, seed=1):
    return torch.randn(*shape, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))


def matrix(layer):
    return layer.weight.detach().numpy().T


@each_activation
@pytest.mark.parametrize("leading", [(), (3,), (2, 3)])
def test_equals_numpy(name, leading):
    ffn = make(PositionWiseFeedForward, 5, 7, activation=name).eval()
    x = draw(*leading, 5)
    up, down = ffn.up, ffn.down
    h = numpy_ffn.ACTIVATIONS[name](x.numpy() @ matrix(up) + up.bias.detach().numpy())
    expected = h @ matrix(down) + down.bias.detach().numpy()
    np.testing.assert_allclose(ffn(x).detach().numpy(), expected, rtol=1e-12, atol=1e-13)


@each_activation
@pytest.mark.parametrize("leading", [(), (3,), (2, 3)])
def test_gated_equals_numpy(name, leading):
    ffn = make(GatedFeedForward, 5, 7, activation=name)
    x = draw(*leading, 5)
    expected = numpy_ffn.gated_forward(x.numpy(), matrix(ffn.gate), matrix(ffn.up), matrix(ffn.down), name)
    np.testing.assert_allclose(ffn(x).detach().numpy(), expected, rtol=1e-12, atol=1e-13)


def test_dropout_acts_on_the_output_while_training():
    ffn = make(PositionWiseFeedForward, 50, 60, dropout=0.25)
    x = draw(200, 50)
    torch.manual_seed(0)
    y, whole = ffn(x), ffn.down(ffn.hidden(x))
    dropped = y == 0
    assert dropped.double().mean().item() == pytest.approx(0.25, abs=0.02)
    torch.testing.assert_close(y[~dropped], whole[~dropped] / 0.75, rtol=1e-12, atol=1e-12)
    assert torch.equal(ffn.eval()(x), whole)


@settings(deadline=None)
@given(d_model=st.integers(1, 10**6), multiple_of=st.integers(1, 1000))
def test_width_is_the_next_multiple(d_model, multiple_of):
    width = swiglu_width(d_model, multiple_of)
    exact = swiglu_width(d_model)
    assert exact <= 8 * d_model / 3 < exact + 1
    assert width % multiple_of == 0
    assert exact <= width < exact + multiple_of
