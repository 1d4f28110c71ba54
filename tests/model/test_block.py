"""The encoder block against torch's own layer, and its parts."""

import math

import pytest
import torch
from torch import nn

from course_lib.model.block import EncoderBlock
from course_lib.model.ffn import PositionWiseFeedForward, SwiGLUFeedForward

orders = pytest.mark.parametrize("norm_first", [False, True])


def pair(norm_first, activation="relu", dropout=0.0, dtype=torch.float64):
    """Return a block and torch's layer with the same weights, none of them at its initial value."""
    torch.manual_seed(0)
    layer = nn.TransformerEncoderLayer(
        8, 2, 32, dropout, activation, batch_first=True, norm_first=norm_first, dtype=dtype
    )
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter.add_(0.1 * torch.randn_like(parameter))
    block = EncoderBlock(8, 2, 32, activation=activation, dropout=dropout, norm_first=norm_first).to(dtype)
    parts = [
        (block.attention, layer.self_attn),
        (block.ffn.up, layer.linear1),
        (block.ffn.down, layer.linear2),
        (block.norm1, layer.norm1),
        (block.norm2, layer.norm2),
    ]
    for ours, theirs in parts:
        ours.load_state_dict(theirs.state_dict())
    return block, layer


def draw(*shape, dtype=torch.float64):
    return torch.randn(*shape, dtype=dtype, generator=torch.Generator().manual_seed(1))


@orders
@pytest.mark.parametrize("activation", ["relu", "gelu"])
@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize("shape", [(5, 8), (3, 5, 8), (1, 1, 8)])
def test_equals_torchs_encoder_layer(norm_first, activation, training, shape):
    block, layer = pair(norm_first, activation)
    x = draw(*shape)
    torch.testing.assert_close(block.train(training)(x), layer.train(training)(x), rtol=1e-12, atol=1e-12)


@orders
@pytest.mark.parametrize("grad", [False, True])
def test_equals_torchs_encoder_layer_in_float32_and_on_its_fast_path(norm_first, grad):
    block, layer = pair(norm_first, dropout=0.3, dtype=torch.float32)
    x = draw(3, 5, 8, dtype=torch.float32)
    with torch.set_grad_enabled(grad):
        torch.testing.assert_close(block.eval()(x), layer.eval()(x), rtol=1e-6, atol=1e-5)


@orders
def test_gradients_equal_those_of_torch(norm_first):
    block, layer = pair(norm_first)
    x = draw(3, 5, 8).requires_grad_()
    ours = torch.autograd.grad(block(x).square().sum(), [x, *block.ffn.parameters()])
    theirs = torch.autograd.grad(layer(x).square().sum(), [x, *layer.linear1.parameters(), *layer.linear2.parameters()])
    for a, b in zip(ours, theirs, strict=True):
        torch.testing.assert_close(a, b, rtol=1e-10, atol=1e-10)


@orders
@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize("grad", [False, True])
@pytest.mark.parametrize("shape", [(5, 8), (3, 5, 8), (1, 1, 8)])
def test_a_causal_block_equals_one_with_an_explicit_mask(norm_first, training, grad, shape):
    block, layer = pair(norm_first)
    causal = EncoderBlock(8, 2, 32, causal=True, dropout=0.0, norm_first=norm_first).double().train(training)
    causal.load_state_dict(block.state_dict())
    x = draw(*shape)
    later = torch.tensor([[column > row for column in range(shape[-2])] for row in range(shape[-2])])
    with torch.set_grad_enabled(grad):
        torch.testing.assert_close(causal(x), layer.train(training)(x, src_mask=later), rtol=1e-12, atol=1e-12)


def test_a_causal_token_does_not_know_what_comes_after_it():
    block = EncoderBlock(8, 2, 32, causal=True, norm_first=True).double().eval()
    x, other = draw(6, 8), draw(6, 8)
    other[3:] += 1
    moved = (block(x) != block(other)).any(dim=1)
    assert moved.tolist() == [False] * 3 + [True] * 3
    plain = EncoderBlock(8, 2, 32, norm_first=True).double().eval()
    assert (plain(x) != plain(other)).any(dim=1).all()  # the same question shows the difference


def test_the_two_orders_differ():
    (post, _), (pre, _) = pair(False), pair(True)
    assert not torch.allclose(post(draw(5, 8)), pre(draw(5, 8)), atol=0.1)


def test_post_norm_returns_normalised_tokens():
    y = EncoderBlock(8, 2, 32).double().eval()(draw(5, 8))
    torch.testing.assert_close(y.mean(dim=-1), torch.zeros(5).double(), rtol=0, atol=1e-12)
    torch.testing.assert_close(y.var(dim=-1, correction=0), torch.ones(5).double(), rtol=0, atol=1e-3)


@orders
def test_dropout_acts_on_the_outputs_of_the_two_sub_layers(norm_first):
    block = EncoderBlock(8, 2, 32, dropout=0.4, norm_first=norm_first).double()
    x = draw(5, 8)
    torch.manual_seed(3)
    y = block(x)
    torch.manual_seed(3)
    first = block.norm1(x) if norm_first else x
    middle = x + nn.functional.dropout(block.attention(first, first, first)[0], 0.4)
    middle = middle if norm_first else block.norm1(middle)
    second = block.norm2(middle) if norm_first else middle
    expected = middle + nn.functional.dropout(block.ffn.down(block.ffn.hidden(second)), 0.4)
    torch.testing.assert_close(y, expected if norm_first else block.norm2(expected), rtol=1e-12, atol=1e-12)


@orders
def test_another_ffn(norm_first):
    torch.manual_seed(0)
    ffn = SwiGLUFeedForward(8, 21)
    block = EncoderBlock(8, 2, None, norm_first=norm_first, ffn=ffn).double().eval()
    assert block.ffn is ffn
    x = draw(5, 8)
    middle = x + block.attend(block.norm1(x)) if norm_first else block.norm1(x + block.attend(x))
    y = middle + ffn(block.norm2(middle)) if norm_first else block.norm2(middle + ffn(middle))
    assert torch.equal(block(x), y)


def test_settings_reach_the_ffn():
    ffn = EncoderBlock(8, 2, 32, dropout=0.3, activation="gelu").ffn
    assert isinstance(ffn, PositionWiseFeedForward)
    assert (ffn.d_model, ffn.d_ff, ffn.dropout.p) == (8, 32, 0.3)
    assert ffn.activation(torch.tensor(-1.0)).item() == pytest.approx(-0.158655, abs=1e-6)


def test_repr():
    text = repr(EncoderBlock(512, 8, 2048))
    assert "d_model=512, n_heads=8, post-norm, parameters=3,152,384" in text
    assert "pre-norm" in repr(EncoderBlock(8, 2, 32, norm_first=True)) and "causal" not in text
    assert "n_heads=2, causal, post-norm" in repr(EncoderBlock(8, 2, 32, causal=True))


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"d_model": 0}, ValueError, "d_model must be an integer of at least 1, but int 0 was given"),
        ({"n_heads": 3}, ValueError, "n_heads must divide d_model, but 3 does not divide 8"),
        ({"n_heads": 2.0}, TypeError, "n_heads must be an integer"),
        ({"d_ff": 0}, ValueError, "d_ff must be an integer of at least 1"),
        ({"d_ff": None}, TypeError, "d_ff must be an integer of at least 1, but NoneType None was given"),
        ({"dropout": 1.0}, ValueError, r"dropout must be a number in \[0, 1\)"),
        ({"dropout": -1, "ffn": nn.Identity()}, ValueError, r"dropout must be a number in \[0, 1\)"),
        ({"activation": "swish"}, ValueError, "unknown activation 'swish': known are"),
        ({"causal": 1}, TypeError, "causal must be True or False, but int 1 was given"),
        ({"norm_first": "yes"}, TypeError, "norm_first must be True or False, but str 'yes' was given"),
        ({"ffn": "swiglu"}, TypeError, "ffn must be a torch module, but str 'swiglu' was given"),
        ({"ffn": SwiGLUFeedForward}, TypeError, "ffn must be a torch module, but type"),
    ],
)
def test_wrong_settings(arguments, error, message):
    with pytest.raises(error, match=message):
        EncoderBlock(**{"d_model": 8, "n_heads": 2, "d_ff": 32} | arguments)


@pytest.mark.parametrize(
    ("x", "error", "message"),
    [
        (torch.zeros(5, 7), ValueError, r"last dimension of x must be d_model = 8, but the shape of x is \(5, 7\)"),
        (torch.zeros(8), ValueError, r"x must have shape \(seq_len, d_model\) or .*, but its shape is \(8,\)"),
        (torch.zeros(1, 2, 5, 8), ValueError, r"x must have shape .*, but its shape is \(1, 2, 5, 8\)"),
        (torch.zeros(5, 8).long(), TypeError, "x must hold floating-point numbers"),
        (torch.zeros(5, 8).double(), TypeError, "x must have the dtype of the weights, torch.float32"),
        ([[0.0] * 8], TypeError, "x must be a torch tensor"),
    ],
)
def test_wrong_inputs(x, error, message):
    block = EncoderBlock(8, 2, 32)
    for function in (block, block.attend):
        with pytest.raises(error, match=message):
            function(x)


def test_nan_reaches_every_token_through_attention():
    x = draw(5, 8)
    x[1, 0] = math.nan
    assert EncoderBlock(8, 2, 32).double().eval()(x).isnan().all()
