"""The encoder block against torch's own layer, causal and with dropout."""

import math

import pytest
import torch
from torch import nn

from course_lib.model.block import EncoderBlock

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
