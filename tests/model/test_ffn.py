"""The torch feed-forward networks against NumPy, torch's own layers, and the published equations."""

import copy
import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn
from torch.nn import functional

from course_lib.model import numpy_ffn
from course_lib.model.activations import ACTIVATIONS
from course_lib.model.ffn import GatedFeedForward, PositionWiseFeedForward, SwiGLUFeedForward, swiglu_width

LEADING = [(), (1,), (3,), (2, 3), (2, 3, 4), (0,), (2, 0)]
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


@each_class
def test_options_are_named(cls):
    with pytest.raises(TypeError, match="positional argument"):
        cls(5, 7, 0.0)


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


def test_swiglu_is_the_gated_network_with_silu():
    swiglu, gated = make(SwiGLUFeedForward, 5, 7, bias=True), make(GatedFeedForward, 5, 7, activation="silu", bias=True)
    x = draw(3, 5)
    assert torch.equal(swiglu(x), gated(x))


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
@pytest.mark.parametrize("leading", LEADING)
def test_any_leading_shape(cls, leading):
    ffn = make(cls, 5, 7).eval()
    x = draw(*leading, 5)
    assert ffn(x).shape == (*leading, 5)
    assert ffn.hidden(x).shape == (*leading, 7)


@each_class
def test_forward_is_down_of_hidden(cls):
    ffn = make(cls, 5, 7).eval()
    x = draw(3, 5)
    assert torch.equal(ffn(x), ffn.down(ffn.hidden(x)))


@each_class
def test_batched_and_single_tokens_agree(cls):
    ffn, x = make(cls, 5, 7).eval(), draw(2, 3, 5)
    alone = torch.stack([torch.stack([ffn(token) for token in sequence]) for sequence in x])
    torch.testing.assert_close(ffn(x), alone, rtol=1e-12, atol=1e-13)


@each_class
def test_a_changed_token_moves_only_its_own_output(cls):
    ffn, x = make(cls, 5, 7).eval(), draw(6, 5)
    changed = x.clone()
    changed[2] = math.nan
    same = (ffn(changed) == ffn(x)).all(dim=1)
    assert same.tolist() == [True, True, False, True, True, True]


@each_class
def test_gradients(cls):
    ffn = make(cls, 3, 4, seed=3).eval()
    assert torch.autograd.gradcheck(ffn, draw(2, 3).requires_grad_())
    ffn(draw(2, 3)).sum().backward()
    assert all(p.grad is not None for p in ffn.parameters())


@each_class
def test_float32_and_float64(cls):
    ffn = cls(5, 7)
    assert ffn(torch.zeros(2, 5)).dtype == torch.float32
    assert ffn.double()(torch.zeros(2, 5, dtype=torch.float64)).dtype == torch.float64


def test_a_callable_activation():
    ffn = make(PositionWiseFeedForward, 5, 7, activation=torch.tanh)
    x = draw(3, 5)
    assert torch.equal(ffn.hidden(x), torch.tanh(ffn.up(x)))
    assert "activation=tanh" in repr(ffn)
    module = PositionWiseFeedForward(5, 7, activation=nn.LeakyReLU(0.1))
    assert "activation=LeakyReLU" in repr(module)


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
def test_defaults_and_dropout_rates(cls):
    assert cls(5, 7).dropout.p == (0.1 if cls is PositionWiseFeedForward else 0.0)
    ffn, x = make(cls, 5, 7, dropout=0.0), draw(3, 5)
    assert torch.equal(ffn(x), ffn.eval()(x))


@pytest.mark.parametrize("bias", [True, False])
def test_biases_of_the_gated_network(bias):
    ffn = GatedFeedForward(5, 7, bias=bias)
    assert [(layer.bias is not None) for layer in (ffn.gate, ffn.up, ffn.down)] == [bias] * 3


def test_repr():
    assert "d_model=512, d_ff=2048, activation=relu, dropout=0.1, parameters=2,099,712" in repr(
        PositionWiseFeedForward(512, 2048)
    )
    assert "d_model=4, d_ff=8, activation=silu, dropout=0, parameters=96" in repr(SwiGLUFeedForward(4, 8))


@each_class
def test_copies_and_saved_weights(cls):
    ffn, x = make(cls, 5, 7).eval(), draw(3, 5)
    assert torch.equal(copy.deepcopy(ffn)(x), ffn(x))
    other = make(cls, 5, 7, seed=1).eval()
    other.load_state_dict(ffn.state_dict())
    assert torch.equal(other(x), ffn(x))


@pytest.mark.parametrize(("d_model", "multiple_of", "width"), [(512, 1, 1365), (4096, 1, 10922), (4096, 256, 11008)])
def test_published_widths(d_model, multiple_of, width):
    assert swiglu_width(d_model, multiple_of) == width


@settings(deadline=None)
@given(d_model=st.integers(1, 10**6), multiple_of=st.integers(1, 1000))
def test_width_is_the_next_multiple(d_model, multiple_of):
    width = swiglu_width(d_model, multiple_of)
    exact = swiglu_width(d_model)
    assert exact <= 8 * d_model / 3 < exact + 1
    assert width % multiple_of == 0
    assert exact <= width < exact + multiple_of


@pytest.mark.parametrize("arguments", [(0,), (-1,), (4, 0)])
def test_width_errors(arguments):
    with pytest.raises(ValueError, match="must be an integer of at least 1"):
        swiglu_width(*arguments)
    with pytest.raises(TypeError, match="d_model must be an integer"):
        swiglu_width(5.0)


@each_class
@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"d_model": 0}, ValueError, "d_model must be an integer of at least 1, but int 0 was given"),
        ({"d_ff": -8}, ValueError, "d_ff must be an integer of at least 1, but int -8 was given"),
        ({"d_model": 5.0}, TypeError, "d_model must be an integer of at least 1, but float 5.0 was given"),
        ({"d_ff": True}, TypeError, "d_ff must be an integer of at least 1, but bool True was given"),
        ({"dropout": 1}, ValueError, r"dropout must be a number in \[0, 1\), but int 1 was given"),
        ({"dropout": -0.1}, ValueError, r"dropout must be a number in \[0, 1\), but float -0.1 was given"),
        ({"dropout": math.nan}, ValueError, r"dropout must be a number in \[0, 1\), but float nan was given"),
        ({"dropout": "0.1"}, TypeError, r"dropout must be a number in \[0, 1\), but str '0.1' was given"),
    ],
)
def test_wrong_settings(cls, arguments, error, message):
    with pytest.raises(error, match=message):
        cls(**{"d_model": 5, "d_ff": 7} | arguments)


@pytest.mark.parametrize("cls", [PositionWiseFeedForward, GatedFeedForward])
def test_wrong_activation(cls):
    with pytest.raises(ValueError, match="unknown activation 'swish': known are 'relu', 'gelu', 'gelu_tanh', 'silu'"):
        cls(5, 7, activation="swish")
    with pytest.raises(TypeError, match="activation must be a function or one of 'relu'"):
        cls(5, 7, activation=None)


@pytest.mark.parametrize("cls", [GatedFeedForward, SwiGLUFeedForward])
def test_wrong_bias(cls):
    with pytest.raises(TypeError, match="bias must be True or False, but int 1 was given"):
        cls(5, 7, bias=1)


@each_class
@pytest.mark.parametrize(
    ("x", "error", "message"),
    [
        (torch.zeros(2, 6), ValueError, r"last dimension of x must be d_model = 5, but the shape of x is \(2, 6\)"),
        (torch.zeros(5, 2), ValueError, r"last dimension of x must be d_model = 5, but the shape of x is \(5, 2\)"),
        (torch.tensor(1.0), ValueError, r"last dimension of x must be d_model = 5, but the shape of x is \(\)"),
        (torch.zeros(2, 5).long(), TypeError, "x must hold floating-point numbers, but its dtype is torch.int64"),
        (
            torch.zeros(2, 5).double(),
            TypeError,
            "x must have the dtype of the weights, torch.float32, but its dtype is",
        ),
        (np.zeros((2, 5)), TypeError, r"x must be a torch tensor, but ndarray of shape \(2, 5\) was given"),
        ([[0.0] * 5], TypeError, "x must be a torch tensor, but list"),
        (None, TypeError, "x must be a torch tensor, but NoneType None was given"),
    ],
)
def test_wrong_inputs(cls, x, error, message):
    ffn = cls(5, 7)
    for function in (ffn, ffn.hidden):
        with pytest.raises(error, match=message):
            function(x)


def test_gelu_in_the_module_is_the_exact_one():
    ffn = make(PositionWiseFeedForward, 5, 7, activation="gelu")
    x = draw(3, 5)
    assert torch.equal(ffn.hidden(x), functional.gelu(ffn.up(x)))


def test_torch_runs_on_one_thread():
    assert torch.get_num_threads() == 1
