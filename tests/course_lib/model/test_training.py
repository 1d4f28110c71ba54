"""The training loop: it reaches known optima, equals torch's Adam, and treats every seed as if it were alone."""

import math

import numpy as np
import pytest
import torch

from course_lib.model import tasks
from course_lib.model.training import (
    Networks,
    fit,
    narrowed,
    networks,
)

X, Y = tasks.wave(32)


def modules(many, seed, activation):
    """Copy the network of one seed into torch modules."""
    layers = []
    for W, b in zip(many.parameters[::2], many.parameters[1::2], strict=True):
        layer = torch.nn.Linear(*W.shape[1:], dtype=torch.float64)
        layer.weight.data, layer.bias.data = W[seed].T.clone(), b[seed, 0].clone()
        layers += [layer, activation()]
    return torch.nn.Sequential(*layers[:-1])


def test_start_is_torchs_range():
    many = networks((4, 100, 9), 20)
    for parameter, fan_in in zip(many.parameters, (4, 4, 100, 100), strict=True):
        bound = 1 / math.sqrt(fan_in)
        assert parameter.abs().max() <= bound and parameter.abs().max() > 0.95 * bound
        assert abs(parameter.mean()) < 0.1 * bound
    assert all(parameter.dtype == torch.float64 for parameter in many.parameters)


def torch_adam(net, x, y, steps, rate, loss, schedule=None):
    optimizer = torch.optim.Adam(net.parameters(), lr=rate)
    scheduler = schedule and torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        value = loss(net(x), y)
        losses.append(value.item())
        value.backward()
        optimizer.step()
        if scheduler:
            scheduler.step()
    return [*losses, loss(net(x), y).item()]


@pytest.mark.parametrize("schedule", ["constant", "cosine"])
def test_equals_torchs_adam(schedule):
    x, y = tasks.xor()
    many = networks((2, 4, 1), 2)
    nets = [modules(many, seed, torch.nn.ReLU) for seed in range(2)]
    history = fit(many, x, y, steps=40, rate=0.03, schedule=schedule)
    for seed, net in enumerate(nets):
        expected = torch_adam(net, x, y, 40, 0.03, torch.nn.functional.mse_loss, schedule == "cosine")
        assert np.allclose(history.losses[:, seed], expected, rtol=1e-9, atol=1e-12)


def test_repeatable_and_without_the_global_random_state():
    before = torch.random.get_rng_state()
    first, second = (fit(networks((1, 6, 1), 2), X, Y, steps=10).losses for _ in range(2))
    assert np.array_equal(first, second) and torch.equal(torch.random.get_rng_state(), before)


def test_narrowed_equals_the_small_network():
    wide = networks((1, 8, 1), 1)
    small = Networks([wide.parameters[0][..., :3], wide.parameters[1][..., :3], wide.parameters[2][:, :3]], None)
    small = Networks([*(p.clone() for p in small.parameters), wide.parameters[3].clone()], wide.forward)
    losses = [fit(many, X, Y, steps=25).losses for many in (narrowed(wide, [3]), small)]
    assert np.allclose(*losses, rtol=1e-10)
