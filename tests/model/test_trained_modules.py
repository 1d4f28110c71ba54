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
    Networks,
    assembled,
    fit,
    gated_networks,
    mean_squared_error,
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


@pytest.mark.parametrize("cls", [PositionWiseFeedForward, GatedFeedForward])
def test_the_code_of_the_module_is_what_runs(cls, monkeypatch):
    """Change the module and see the trained networks change with it."""
    make = networks if cls is PositionWiseFeedForward else gated_networks
    x = draw(5, 3)
    before = make((3, 4, 3), 2)(x)
    inside = assembled(lambda part, x: part.ffn(x), 2, ffn=(3, 4, 3))(x[:, None])
    monkeypatch.setattr(cls, "forward", lambda self, x: 3 * self.down(self.hidden(x)))
    assert torch.equal(make((3, 4, 3), 2)(x), 3 * before)
    after = assembled(lambda part, x: part.ffn(x), 2, ffn=(3, 4, 3))(x[:, None])
    assert torch.equal(after, 3 * inside if cls is PositionWiseFeedForward else inside)


@pytest.mark.parametrize(
    ("many", "fan_ins"),
    [
        (networks((3, 5, 4, 2), 3, first_seed=6), (3, 5, 4)),
        (networks((3, 5, 2), 3, first_seed=6), (3, 5)),
        (gated_networks((3, 5, 2), 3, first_seed=6), (3, 3, 5)),
    ],
    ids=["deep", "ffn", "gated"],
)
def test_each_seed_draws_its_numbers_in_the_order_of_the_layers(many, fan_ins):
    for seed in range(3):
        generator = torch.Generator().manual_seed(6 + seed)
        for index, parameter in enumerate(many.parameters):
            drawn = torch.rand(parameter.shape[1:], generator=generator, dtype=torch.float64)
            assert torch.equal(parameter[seed], (2 * drawn - 1) * (1 / math.sqrt(fan_ins[index // 2])))


def test_the_defaults():
    x = draw(5, 2)
    for make, default in ((networks, "relu"), (gated_networks, "silu")):
        assert torch.equal(make((2, 3, 2), 2)(x), make((2, 3, 2), 2, default, first_seed=0)(x))
        assert not torch.equal(make((2, 3, 2), 2)(x), make((2, 3, 2), 2, "sigmoid")(x))


@pytest.mark.parametrize("sizes", [(2, 3, 2), (2, 3, 3, 1)])
def test_an_activation_may_be_a_module(sizes):
    x, named, module = draw(5, 2), networks(sizes, 2, "relu"), networks(sizes, 2, nn.ReLU())
    assert torch.equal(named(x), module(x))


def test_making_networks_leaves_the_random_state_and_the_defaults_alone():
    before = torch.random.get_rng_state()
    gated_networks((2, 3, 1), 2)
    networks((2, 3, 3, 1), 2)
    networks((2, 3, 1), 2)
    assert torch.equal(torch.random.get_rng_state(), before)
    assert torch.empty(1).device.type == "cpu"


def test_other_parameters_can_be_lent():
    """The parameters of a call are those that count, be they plain tensors or nn.Parameters."""
    many, others, x = networks((2, 3, 2), 2), networks((2, 3, 2), 2, first_seed=9), draw(5, 2)
    right = many(x)
    lent = Networks([nn.Parameter(parameter) for parameter in others.parameters], many.forward)
    assert torch.equal(lent(x), others(x)) and torch.equal(many(x), right)
    assert mean_squared_error(lent(x), right).min() > 0
