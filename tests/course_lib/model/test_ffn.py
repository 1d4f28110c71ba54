"""The torch feed-forward networks against NumPy, torch's own layers, and the published equations."""

import copy
import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

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


@pytest.mark.parametrize("name", ["relu", "gelu"])
def test_equals_the_feed_forward_of_torchs_encoder_layer(name):
    layer = nn.TransformerEncoderLayer(8, 2, 32, dropout=0.0, activation=name, dtype=torch.float64)
    ffn = make(PositionWiseFeedForward, 8, 32, dropout=0.0, activation=name)
    ffn.up.load_state_dict(layer.linear1.state_dict())
    ffn.down.load_state_dict(layer.linear2.state_dict())
    x = draw(2, 3, 8)
    torch.testing.assert_close(ffn(x), layer._ff_block(x), rtol=0, atol=0)


def test_swiglu_equals_the_published_equation_of_llama():
    """Compare with w2(silu(w1(x)) * w3(x)), the names and order of Touvron et al. 2023."""
    w1, w3 = draw(8, 21, seed=2), draw(8, 21, seed=3)
    w2, x = draw(21, 8, seed=4), draw(2, 3, 8)
    ffn = make(SwiGLUFeedForward, 8, 21)
    with torch.no_grad():
        for layer, w in ((ffn.gate, w1), (ffn.up, w3), (ffn.down, w2)):
            layer.weight.copy_(w.T)
    expected = torch.einsum("bsf,fd->bsd", (x @ w1) * torch.sigmoid(x @ w1) * (x @ w3), w2)
    torch.testing.assert_close(ffn(x), expected, rtol=1e-12, atol=1e-12)


def test_two_gated_units_multiply():
    """Check act(a) · b + act(-a) · (-b) = a · b, for every activation whose mirror images differ by the input."""
    for name in ("relu", "gelu", "gelu_tanh", "silu"):
        ffn = make(GatedFeedForward, 2, 2, activation=name)
        with torch.no_grad():
            ffn.gate.weight.copy_(torch.tensor([[1.0, 0.0], [-1.0, 0.0]]))
            ffn.up.weight.copy_(torch.tensor([[0.0, 1.0], [0.0, -1.0]]))
            ffn.down.weight.copy_(torch.tensor([[1.0, 1.0], [0.0, 0.0]]))
        x = draw(50, 2)
        torch.testing.assert_close(ffn(x)[:, 0], x[:, 0] * x[:, 1], rtol=1e-12, atol=1e-12)


@each_class
def test_a_changed_token_moves_only_its_own_output(cls):
    ffn, x = make(cls, 5, 7).eval(), draw(6, 5)
    changed = x.clone()
    changed[2] = math.nan
    same = (ffn(changed) == ffn(x)).all(dim=1)
    assert same.tolist() == [True, True, False, True, True, True]


def test_dropout_acts_on_the_output_while_training():
    ffn = make(PositionWiseFeedForward, 50, 60, dropout=0.25)
    x = draw(200, 50)
    torch.manual_seed(0)
    y, whole = ffn(x), ffn.down(ffn.hidden(x))
    dropped = y == 0
    assert dropped.double().mean().item() == pytest.approx(0.25, abs=0.02)
    torch.testing.assert_close(y[~dropped], whole[~dropped] / 0.75, rtol=1e-12, atol=1e-12)
    assert torch.equal(ffn.eval()(x), whole)


@each_class
def test_copies_and_saved_weights(cls):
    ffn, x = make(cls, 5, 7).eval(), draw(3, 5)
    assert torch.equal(copy.deepcopy(ffn)(x), ffn(x))
    other = make(cls, 5, 7, seed=1).eval()
    other.load_state_dict(ffn.state_dict())
    assert torch.equal(other(x), ffn(x))


@settings(deadline=None)
@given(d_model=st.integers(1, 10**6), multiple_of=st.integers(1, 1000))
def test_width_is_the_next_multiple(d_model, multiple_of):
    width = swiglu_width(d_model, multiple_of)
    exact = swiglu_width(d_model)
    assert exact <= 8 * d_model / 3 < exact + 1
    assert width % multiple_of == 0
    assert exact <= width < exact + multiple_of
