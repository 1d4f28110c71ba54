"""What `training` trains is what the course shows: outputs, gradients and trainings of its modules, seed by seed."""

import itertools
import math

import numpy as np
import pytest
import torch
from torch import nn

from course_lib.model.activations import ACTIVATIONS
from course_lib.model.block import EncoderBlock
from course_lib.model.ffn import GatedFeedForward, PositionWiseFeedForward
from course_lib.model.training import (
    fit,
    gated_networks,
    networks,
    transformers,
)

STEPS, RATE = 20, 0.03
SHAPES = [(4, 9, 4), (2, 5, 1), (3, 2, 6)]


def draw(*shape, seed=1):
    return torch.randn(*shape, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))


def plain(sizes, activation):
    """Make the course's FFN; where it leads to another width, with another second layer."""
    ffn = PositionWiseFeedForward(*sizes[:2], activation=activation, dropout=0.0)
    if sizes[2] != sizes[0]:
        ffn.down = nn.Linear(*sizes[1:])
    return ffn.double()


def gated(sizes, activation):
    ffn = GatedFeedForward(*sizes[:2], activation=activation, bias=True)
    if sizes[2] != sizes[0]:
        ffn.down = nn.Linear(*sizes[1:])
    return ffn.double()


def copied(module, layers, many, seed):
    """Give a module the numbers of one seed. layers: its weights and biases, in the order of the networks."""
    with torch.no_grad():
        for (weight, bias), W, b in zip(layers, many.parameters[::2], many.parameters[1::2], strict=True):
            weight.copy_(W[seed].T)
            bias.copy_(b[seed, 0])
    return module


def held_together(many, module_of, layers_of, x, y):
    """Compare outputs, gradients, the losses of a training and the numbers it ends at, seed by seed."""
    modules = [copied(module := module_of(), layers_of(module), many, seed) for seed in range(len(many.parameters[0]))]
    close = {"rtol": 1e-9, "atol": 1e-12}
    variables = [parameter.clone().requires_grad_() for parameter in many.parameters]
    outputs = many.forward(variables, x)
    slopes = torch.autograd.grad(outputs.square().sum(), variables)
    for seed, module in enumerate(modules):
        output = module(x)
        torch.testing.assert_close(outputs[seed], output, **close)
        wanted = torch.autograd.grad(output.square().sum(), list(itertools.chain(*layers_of(module))))
        for slope, right in zip(slopes, wanted, strict=True):
            torch.testing.assert_close(slope[seed].squeeze(0) if right.ndim == 1 else slope[seed].T, right, **close)

    losses = fit(many, x, y, steps=STEPS, rate=RATE).losses
    for seed, module in enumerate(modules):
        optimizer, alone = torch.optim.Adam(module.parameters(), lr=RATE), []
        for _ in range(STEPS):
            loss = nn.functional.mse_loss(module(x), y)
            alone.append(loss.item())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        alone.append(nn.functional.mse_loss(module(x), y).item())
        np.testing.assert_allclose(losses[:, seed], alone, rtol=1e-9)
        for parameter, right in zip(many.parameters, itertools.chain(*layers_of(module)), strict=True):
            mine = parameter[seed].squeeze(0) if right.ndim == 1 else parameter[seed].T
            torch.testing.assert_close(mine, right.detach(), rtol=1e-7, atol=1e-9)


def pairs_of(*layers):
    return [(layer.weight, layer.bias) for layer in layers]


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("sizes", SHAPES)
def test_networks_are_the_position_wise_ffn(sizes, activation):
    held_together(
        networks(sizes, 2, activation, first_seed=7),
        lambda: plain(sizes, activation),
        lambda ffn: pairs_of(ffn.up, ffn.down),
        draw(11, sizes[0]),
        draw(11, sizes[2], seed=2),
    )


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("sizes", SHAPES)
def test_gated_networks_are_the_gated_ffn(sizes, activation):
    held_together(
        gated_networks(sizes, 2, activation, first_seed=7),
        lambda: gated(sizes, activation),
        lambda ffn: pairs_of(ffn.gate, ffn.up, ffn.down),
        draw(11, sizes[0]),
        draw(11, sizes[2], seed=2),
    )


class Transformer(nn.Module):
    """The sub-layers of the course's blocks, added to the stream without norms."""

    def __init__(self, d_in, seq_len, d_model, heads, layers, d_ff, activation, parallel):
        super().__init__()
        self.embed, self.read_out = nn.Linear(d_in + seq_len, d_model), nn.Linear(d_model, 1)
        options = {"activation": activation or "relu", "dropout": 0.0}
        self.blocks = nn.ModuleList(EncoderBlock(d_model, heads, d_ff, **options) for _ in range(layers))
        self.has_ffn, self.parallel = activation is not None, parallel
        self.places = torch.eye(seq_len, dtype=torch.float64)

    def forward(self, x):
        x = self.embed(torch.cat([x, self.places.expand(len(x), -1, -1)], dim=-1))
        for block in self.blocks:
            after = x + block.attend(x)
            x = after + block.ffn(x if self.parallel else after) if self.has_ffn else after
        return self.read_out(x[:, -1])

    def layers(self):
        """Return the weights and biases in the order of `transformers`."""
        found = pairs_of(self.embed, self.read_out)
        for block in self.blocks:
            attention = block.attention
            found.append((attention.in_proj_weight, attention.in_proj_bias))
            found += pairs_of(attention.out_proj, *([block.ffn.up, block.ffn.down] if self.has_ffn else []))
        return found


@pytest.mark.parametrize(
    ("activation", "parallel"), [(None, False), ("identity", False), ("relu", False), ("relu", True)]
)
@pytest.mark.parametrize(("heads", "layers"), [(1, 1), (2, 1), (4, 2)])
def test_transformers_are_the_sub_layers_of_the_block(heads, layers, activation, parallel):
    options = {"d_model": 8, "heads": heads, "layers": layers, "d_ff": 12, "activation": activation}
    options["parallel"] = parallel
    many = transformers(2, 5, 2, **options)

    def module():
        made = Transformer(2, 5, **options).double()
        for block in made.blocks:  # what takes no part must not be trained
            for unused in (block.norm1, block.norm2, *([] if activation else [block.ffn])):
                unused.requires_grad_(False)
        return made

    held_together(many, module, Transformer.layers, draw(7, 5, 2), draw(7, 1, seed=2))
