"""The training loop: it reaches known optima, equals torch's Adam, and treats every seed as if it were alone."""

import math
import os

import nbformat
import numpy as np
import pytest
import torch
from nbclient import NotebookClient

from course_lib.model import tasks
from course_lib.model.accounting import ffn_parameters
from course_lib.model.training import (
    History,
    Networks,
    assembled,
    fit,
    gated_networks,
    mean_squared_error,
    narrowed,
    networks,
    transformers,
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


def least_squares(x, y):
    design = np.hstack([x.numpy(), np.ones((len(x), 1))])
    best, *_ = np.linalg.lstsq(design, y.numpy(), rcond=None)
    return np.mean((design @ best - y.numpy()) ** 2)


def test_forward_is_that_of_torchs_modules():
    many = networks((2, 5, 3, 1), 3)
    x = torch.linspace(-2, 2, 14, dtype=torch.float64).reshape(7, 2)
    outputs = many(x)
    assert outputs.shape == (3, 7, 1)
    for seed in range(3):
        assert torch.allclose(outputs[seed], modules(many, seed, torch.nn.ReLU)(x), atol=1e-12)


def test_start_is_torchs_range():
    many = networks((4, 100, 9), 20)
    for parameter, fan_in in zip(many.parameters, (4, 4, 100, 100), strict=True):
        bound = 1 / math.sqrt(fan_in)
        assert parameter.abs().max() <= bound and parameter.abs().max() > 0.95 * bound
        assert abs(parameter.mean()) < 0.1 * bound
    assert all(parameter.dtype == torch.float64 for parameter in many.parameters)


@pytest.mark.parametrize("depth", [1, 2])
def test_linear_networks_reach_least_squares(depth):
    many = networks([1] + [6] * (depth - 1) + [1], 3, "identity")
    history = fit(many, X, Y, steps=600, rate=0.05, schedule="cosine")
    assert np.allclose(history.final, least_squares(X, Y), atol=1e-6)
    assert (history.losses >= least_squares(X, Y) - 1e-12).all()


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


def test_a_seed_does_not_depend_on_the_others():
    together = fit(networks((1, 6, 1), 5), X, Y, steps=30)
    for seed in (0, 3):
        alone = fit(networks((1, 6, 1), 1, first_seed=seed), X, Y, steps=30)
        assert np.allclose(alone.losses[:, 0], together.losses[:, seed], rtol=1e-10)
    assert len(set(together.final.tolist())) == 5


def test_data_of_their_own_for_each_seed():
    x, y = torch.stack([X, 2 * X]), torch.stack([Y, Y])
    together = fit(networks((1, 6, 1), 2), x, y, steps=20)
    alone = fit(networks((1, 6, 1), 1, first_seed=1), 2 * X, Y, steps=20)
    assert np.allclose(together.losses[:, 1], alone.losses[:, 0], rtol=1e-10)


def test_repeatable_and_without_the_global_random_state():
    before = torch.random.get_rng_state()
    first, second = (fit(networks((1, 6, 1), 2), X, Y, steps=10).losses for _ in range(2))
    assert np.array_equal(first, second) and torch.equal(torch.random.get_rng_state(), before)


def test_narrowed_keeps_zeros_through_training():
    many = narrowed(networks((1, 8, 1), 3), [1, 4, 8])
    W1, b1, W2, _ = fit(many, X, Y, steps=40).trained.parameters
    for index, width in enumerate((1, 4, 8)):
        assert not W1[index, :, width:].any() and not b1[index, :, width:].any() and not W2[index, width:].any()
        assert W1[index, :, :width].all() and W2[index, :width].all()


def test_narrowed_equals_the_small_network():
    wide = networks((1, 8, 1), 1)
    small = Networks([wide.parameters[0][..., :3], wide.parameters[1][..., :3], wide.parameters[2][:, :3]], None)
    small = Networks([*(p.clone() for p in small.parameters), wide.parameters[3].clone()], wide.forward)
    losses = [fit(many, X, Y, steps=25).losses for many in (narrowed(wide, [3]), small)]
    assert np.allclose(*losses, rtol=1e-10)


def test_narrowed_leaves_the_original_alone():
    many = networks((1, 8, 1), 2)
    before = [parameter.clone() for parameter in many.parameters]
    fit(narrowed(many, [2, 2]), X, Y, steps=3)
    assert all(torch.equal(a, b) for a, b in zip(before, many.parameters, strict=True))


def test_history():
    many = networks((1, 6, 1), 4)
    start = mean_squared_error(many(X), Y).numpy()
    history = fit(many, X, Y, steps=15)
    assert history.losses.shape == (16, 4)
    assert np.allclose(history.losses[0], start)
    assert np.allclose(history.final, mean_squared_error(history.trained(X), Y))
    assert not any(parameter.requires_grad for parameter in history.trained.parameters)
    assert (history.final < start).all()
    assert History(np.array([[9.0, 9.0], [0.24, 0.26]]), many).spread() == "0.25 [0.24, 0.26]"
    assert History(np.array([[0.004, 0.006]]), many).spread(1) == "0.005 [0.004, 0.006]"


def part_of(part, x):
    return part.up(x)


SETTINGS = {"d_model": 16, "heads": 2, "layers": 1, "activation": None, "first_seed": 0}


@pytest.mark.parametrize(
    ("short", "long"),
    [
        (networks((2, 3, 1), 2), networks((2, 3, 1), 2, "relu", first_seed=0)),
        (gated_networks((2, 3, 1), 2), gated_networks((2, 3, 1), 2, "silu", first_seed=0)),
        (assembled(part_of, 2, up=(2, 3, 1)), assembled(part_of, 2, "relu", first_seed=0, up=(2, 3, 1))),
        (transformers(2, 3, 2), transformers(2, 3, 2, **SETTINGS)),
        (
            transformers(2, 3, 2, activation="gelu"),
            transformers(2, 3, 2, **{**SETTINGS, "activation": "gelu"}, d_ff=64),
        ),
    ],
    ids=["networks", "gated", "assembled", "transformers", "with an FFN"],
)
def test_the_defaults(short, long):
    x = torch.linspace(-1, 1, 24, dtype=torch.float64).reshape(4, 3, 2)
    x = x if len(short.parameters) > 6 else x[:, 0]
    torch.testing.assert_close(short.parameters, long.parameters, rtol=0, atol=0)
    assert torch.equal(short(x), long(x))


def test_the_defaults_of_fit():
    short, long = (networks((1, 6, 1), 2) for _ in range(2))
    losses = fit(long, X, Y, steps=400, rate=0.05, loss=mean_squared_error, schedule="constant").losses
    assert np.array_equal(fit(short, X, Y).losses, losses)


def test_each_seed_has_its_own_gated_network():
    three, last = gated_networks((2, 4, 1), seeds=3), gated_networks((2, 4, 1), 1, first_seed=2)
    for many, one in zip(three.parameters, last.parameters, strict=True):
        assert torch.equal(many[2], one[0])
        assert not torch.equal(many[0], many[1])
    assert not torch.equal(three.parameters[0], three.parameters[2])  # gate and up start differently


def test_gated_networks_take_data_of_their_own_for_each_seed_and_learn():
    generator = torch.Generator().manual_seed(0)
    x = torch.rand(3, 50, 2, generator=generator, dtype=torch.float64)
    history = fit(gated_networks((2, 8, 1), 3), x, x.prod(dim=-1, keepdim=True), steps=100)
    assert history.losses.shape == (101, 3)
    assert (history.final < 0.1 * history.losses[0]).all()


def test_size_counts_the_parameters_of_one_network():
    assert networks((2, 56, 1), seeds=3).size == ffn_parameters(2, 56) - 56 - 1 == 225
    assert gated_networks((2, 32, 1), seeds=5).size == 225


def test_assembled_applies_each_part_to_the_last_axis():
    many = assembled(lambda part, x: part.second(part.first(x))[:, :, 0], 3, first=(2, 5, 4), second=(4, 1))
    x = torch.randn(7, 6, 2, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    y = many(x)
    assert y.shape == (3, 7, 1)
    W1, b1, W2, b2, W3, b3 = many.parameters
    for seed in range(3):
        h = torch.relu(x @ W1[seed] + b1[seed]) @ W2[seed] + b2[seed]
        torch.testing.assert_close(y[seed], (h @ W3[seed] + b3[seed])[:, 0])
    alone = assembled(lambda part, x: part.a(x), 1, first_seed=2, a=(2, 3))
    three = assembled(lambda part, x: part.a(x), 3, a=(2, 3))
    assert torch.equal(alone.parameters[0][0], three.parameters[0][2])


def test_another_loss_may_want_another_shape():
    def distance(output, place):
        return (output.mean(dim=1) - place).square().sum(dim=1)

    history = fit(networks((1, 6, 1), 2), X, torch.zeros(3, dtype=torch.float64), steps=3, loss=distance)
    assert history.losses.shape == (4, 2)


def test_losses_of_each_seed():
    output, y = torch.zeros(2, 3, 1, dtype=torch.float64), torch.ones(3, 1, dtype=torch.float64)
    output[1] = 2
    assert mean_squared_error(output, y).tolist() == [1, 1]


def test_one_thread():
    assert torch.get_num_threads() == 1


def test_a_slow_training_leaves_nothing_in_the_notebook():
    """Nor one that is interrupted: what a widget or a bar leaves reads as an error the next day."""
    setup = (
        "import time, torch\n"
        "from course_lib.model.training import fit, networks\n"
        "def slow(x, steps=[]):\n"
        "    time.sleep(0.05)\n"
        "    steps.append(x)\n"
        "    if len(steps) == 130:\n"
        "        raise KeyboardInterrupt\n"
        "x = torch.linspace(-1, 1, 32, dtype=torch.float64)[:, None]"
    )
    call = "_ = fit(networks((1, 6, 1), 1), x, x, steps=65, after=slow)"
    cells = [nbformat.v4.new_code_cell(code) for code in (setup, call, call)]
    NotebookClient(nbformat.v4.new_notebook(cells=cells), allow_errors=True).execute(env=dict(os.environ))
    assert [[one.output_type for one in cell.outputs] for cell in cells] == [[], [], ["error"]]


MANY = networks((1, 2, 1), 1)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: networks((1,), 1), ValueError, "sizes must hold at least two widths"),
        (lambda: networks((1, 0), 1), ValueError, r"sizes\[1\] must be an integer of at least 1, but int 0"),
        (lambda: networks((1, 2.5), 1), TypeError, r"sizes\[1\] must be an integer"),
        (lambda: networks(3, 1), TypeError, "sizes must be"),
        (lambda: networks((1, 1), 0), ValueError, "seeds must be an integer of at least 1"),
        (lambda: networks((1, 1), 1, first_seed=-1), ValueError, "first_seed must be"),
        (lambda: networks((1, 1), 1, "rellu"), ValueError, "unknown activation 'rellu': known are"),
        (lambda: networks((1, 1), 1, 3), TypeError, "activation must be"),
        (lambda: fit("nets", X, Y), TypeError, r"many must be Networks.* but str 'nets'"),
        (lambda: fit(MANY, X.numpy(), Y), TypeError, "x must be a floating-point tensor, but ndarray"),
        (lambda: fit(MANY, X, Y.long()), TypeError, "y must be a floating-point tensor"),
        (lambda: fit(MANY, X[:0], Y), ValueError, "x must not be empty"),
        (lambda: fit(MANY, X / 0, Y), ValueError, "x must be finite"),
        (
            lambda: fit(MANY, X[:, 0], Y),
            ValueError,
            r"x must fit the networks .* its shape is \(32,\)",
        ),
        (lambda: fit(MANY, X.tile(2), Y), ValueError, r"x must fit the networks .* but its shape is \(32, 2\)"),
        (lambda: fit(MANY, X.float(), Y), ValueError, "x must fit the networks .* its dtype torch.float32"),
        (lambda: fit(MANY, X, Y[:, 0]), ValueError, r"the shape of the output, \(1, 32, 1\), .* its shape is \(32,\)"),
        (lambda: fit(MANY, X, Y[:5]), ValueError, r"y must have the shape of the output, .* its shape is \(5, 1\)"),
        (
            lambda: fit(MANY, X, Y.tile(3)),
            ValueError,
            r"shape of the output, .* its shape is \(32, 3\)",
        ),
        (lambda: fit(MANY, X, Y, steps=0), ValueError, "steps must be an integer of at least 1"),
        (lambda: fit(MANY, X, Y, steps=2.0), TypeError, "steps must be an integer"),
        (lambda: fit(MANY, X, Y, rate=0), ValueError, "rate must be"),
        (lambda: fit(MANY, X, Y, rate="fast"), TypeError, "rate must be"),
        (lambda: fit(MANY, X, Y, schedule="linear"), ValueError, "unknown schedule 'linear': known are"),
        (lambda: assembled(3, 2, a=(1, 2)), TypeError, "forward must be a function"),
        (lambda: assembled(print, 2), ValueError, "sizes must name at least one part"),
        (lambda: assembled(print, 0, a=(1, 2)), ValueError, "seeds must be an integer of at least 1"),
        (lambda: assembled(print, 2, a=(1,)), ValueError, "sizes must"),
        (lambda: transformers(2, 6, 3, heads=3), ValueError, "heads must divide d_model"),
        (lambda: transformers(2, 6, 3, layers=0), ValueError, "layers must be an integer"),
        (lambda: transformers(2, 0, 3), ValueError, "seq_len must be an integer"),
        (lambda: gated_networks((2, 3), 1), ValueError, "three widths"),
        (lambda: gated_networks((2, 3, 4, 5), 1), ValueError, "three widths"),
        (lambda: gated_networks((2, 0, 1), 1), ValueError, r"sizes\[1\]"),
        (lambda: gated_networks((2, 1.5, 1), 1), TypeError, r"sizes\[1\]"),
        (lambda: gated_networks(3, 1), TypeError, "sizes"),
        (lambda: gated_networks((2, 3, 1), 0), ValueError, "seeds"),
        (lambda: gated_networks((2, 3, 1), 1, "swish"), ValueError, "swish"),
        (lambda: narrowed(MANY, [1, 2]), ValueError, "one width for each of the 1 networks, but it holds 2"),
        (lambda: narrowed(MANY, [3]), ValueError, r"widths\[0\] must be an integer from 1 to 2, but int 3"),
        (lambda: narrowed(MANY, [0]), ValueError, r"widths\[0\] must be"),
        (lambda: narrowed(networks((1, 2, 2, 1), 1), [1]), ValueError, "no gate, .* it has 6 parameters"),
    ],
)
def test_errors(call, error, words):
    with pytest.raises(error, match=words):
        call()
