"""What lesson 02 claims in words, held against the functions and the experiments themselves."""

import math

import numpy as np
import pytest
import torch

from course_lib import activations, training
from course_lib.exercises import grade
from course_lib.figures import act as figures
from course_lib.figures.style import Interactive
from course_lib.lessons import l02

GRID = torch.linspace(-8, 8, 16_001, dtype=torch.float64)


def below(x):
    """Return the share of a standard normal population below x."""
    return math.erfc(-x / math.sqrt(2)) / 2


# ---- predictions -----------------------------------------------------------------------------------------------------


def test_the_sum_after_relu():
    values = torch.tensor([2.5, -1.8, 0.0, 5.1], dtype=torch.float64)
    assert l02.RELU_SUM.oracle() == pytest.approx(activations.relu(values).sum().item())


def test_gelu_is_lowest_at_the_answer():
    offered = [-3, -1.5, -0.75, -0.1, 0]
    assert min(offered, key=lambda x: x * below(x)) == l02.LOWEST.oracle()
    assert GRID[activations.gelu(GRID).argmin()].item() == pytest.approx(l02.LOWEST.oracle(), abs=0.002)
    shares = [round(100 * below(x), 1 if x == -3 else None) for x in offered[:4]]
    assert shares == [0.1, 7, 23, 46]
    assert 1 / below(-3) == pytest.approx(700, rel=0.1) and -1.5 * below(-1.5) == pytest.approx(-0.10, abs=0.005)


def test_the_bound_on_the_tanh_form():
    largest = (activations.gelu_tanh(GRID) - activations.gelu(GRID)).abs().max().item()
    assert min(bound for bound in (0.1, 0.01, 0.001, 0.0001) if largest < bound) == l02.ERROR.oracle()
    sigmoid_form = (GRID * torch.sigmoid(1.702 * GRID) - activations.gelu(GRID)).abs().max().item()
    assert 0.01 < sigmoid_form < 0.1  # what the replies to the wrong guesses say


def pushed(activation, shift, seed=0):
    """Train the networks of section 4 and return the shares of units without gradient, the losses and their bound."""
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(128, 8, generator=generator, dtype=torch.float64)
    y = torch.sin(x @ torch.randn(8, 1, generator=generator, dtype=torch.float64) / 2)
    many = training.networks((8, 32, 1), 5, activation)
    many.parameters[1] += shift
    before = [parameter.clone() for parameter in many.parameters]
    losses = training.fit(many, x, y, steps=200, rate=0.01).final
    first = [parameter.clone().requires_grad_() for parameter in many.parameters[:2]]
    output = many.forward(first + many.parameters[2:], x)
    found = torch.autograd.grad(training.mean_squared_error(output, y).sum(), first)
    silent = (torch.cat(found, dim=1).abs().amax(dim=1) < 1e-12).double().mean(dim=1)
    moved = [not torch.equal(old, new) for old, new in zip(before, many.parameters, strict=True)]
    return 100 * silent.numpy(), losses, y.var(unbiased=False).item(), moved


@pytest.mark.parametrize("seed", [0, 1])
def test_pushed_relu_units_die_and_gelu_units_do_not(seed):
    silent, losses, constant, moved = pushed("relu", -3, seed)
    assert (silent == l02.DEAD.oracle()).all()
    assert losses == pytest.approx(constant, rel=1e-3)
    assert moved == [False, False, False, True]  # nothing but the last bias
    silent, losses, constant, _ = pushed("gelu", -3, seed)
    assert (silent == 0).all() and (losses < constant / 100).all()


def test_the_limits_of_the_demonstration():
    for name in ("relu", "gelu", "silu"):
        assert (pushed(name, 0)[0] == 0).all()  # an ordinary start
    assert (pushed("gelu", -10)[0] == 100).all()
    silent, losses, constant, _ = pushed("silu", -10)
    assert (silent == 0).all() and (losses < constant / 5).all()


def test_two_relus_make_the_kink():
    torch.testing.assert_close(activations.relu(GRID) + activations.relu(-GRID), GRID.abs())


# ---- exercises -------------------------------------------------------------------------------------------------------


def central(x, step):
    return (activations.gelu(x + step) - activations.gelu(x - step)) / (2 * step)


def forward(x, step):
    return (activations.gelu(x + step) - activations.gelu(x)) / step


def fourth_order(x, step):
    return (8 * central(x, step) * step - 2 * central(x, 2 * step) * step) / (6 * step)


@pytest.mark.parametrize("step", [1e-3, 2**-10, 1e-4, 1e-5, 1e-6, 1e-7])
@pytest.mark.parametrize("difference", [central, forward, fourth_order])
def test_difference_quotients_are_told_from_the_slope(difference, step):
    for seed in range(5):
        assert grade("act.gelu_grad", lambda x: difference(x, step), seed).key == "mistake:difference"


def test_float32_is_told_from_float64():
    assert grade("act.gelu_grad", lambda x: activations.gelu_derivative(x.float()).double(), 0).key != "correct"
    assert grade("act.gelu", lambda x: activations.gelu(x.float()).double(), 0).key == "value"
    assert grade("act.gelu_tanh", lambda x: activations.gelu_tanh(x.float()).double(), 0).key == "value"


# ---- figures ---------------------------------------------------------------------------------------------------------

X = np.linspace(-4, 4, 81)
NAMES = ["relu", "gelu", "silu"]


def test_captions_follow_the_data():
    means = np.stack([np.maximum(X, 0)] * 2)
    assert "ReLU 0, GELU 0.17" in figures.gates(X, means, ["relu", "gelu"])[1]
    assert "−0.1 (" not in figures.curves_and_slopes(X, ["relu"])[1]
    assert "lowest at x = −0.8 (" in figures.curves_and_slopes(X, ["relu", "gelu"])[1]
    caption = figures.approximation_errors(X, [np.cos(X) / 100, X / 1000], ["first", "second"])[1]
    assert "first is off by at most 0.01, at |x| = 0" in caption and "second is off by at most 0.004" in caption
    caption = figures.first_gradients([[0, 0, 0.5], [0.01, 0.02, 0.03]], ["relu", "gelu"])[1]
    assert "ReLU: 2 of 3 units get exactly 0" in caption and "GELU: 0 of 3 units" in caption
    assert "ReLU: 2 of 2 units" in figures.first_gradients([[0, 0]], ["relu"])[1]
    shares = np.zeros((2, 3, 4))
    shares[0, 2] = 1
    caption = figures.death_by_shift([0, -1, -2], shares, shares + 0.5, ["relu", "gelu"])[1]
    assert "shifts 0, −1, −2: ReLU 0, 0, 100 %; GELU 0, 0, 0 %" in caption and "ReLU 1.5, GELU 0.5" in caption
    errors = np.array([[[1.0, 2], [3, 4]], [[1, 2], [2, 3]]])
    caption = figures.task_errors(errors, ["a", "b"], ["relu", "gelu"])[1]
    assert "(ReLU lower in every seed)" in caption and "(the ranges overlap)" in caption


def test_tangents_touch_the_curves():
    interactive = figures.tangents(NAMES)
    assert isinstance(interactive, Interactive)
    assert "value −0.159 and slope −0.0833" in interactive.update(x=-1.0)
    assert "ReLU has no slope at its kink" in interactive.update(x=0) and "kink" not in interactive.update(x=0.1)
    interactive.update(x=1.5)
    for name, tangent in zip(NAMES, interactive.moving[::3], strict=True):
        row = activations.ACTIVATIONS[name]
        at = torch.tensor([1.5], dtype=torch.float64)
        (x0, x1), (y0, y1) = tangent.get_data()
        assert (y1 - y0) / (x1 - x0) == pytest.approx(row.derivative(at).item())
        assert (y0 + y1) / 2 == pytest.approx(row.function(at).item())


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: figures.gates(X, [X], ["tanh"]), "names must be taken from 'relu', 'gelu', 'silu', but str 'tanh'"),
        (lambda: figures.gates(X, [X, X], ["relu"]), "means must hold one row for each of the 1 names"),
        (lambda: figures.gates(X, [X[1:]], ["relu"]), r"means must have shape \(1, 81\)"),
        (lambda: figures.tangents([]), "names must hold at least one"),
        (lambda: figures.tangents(NAMES).update(x=5), "x must be"),
        (lambda: figures.first_gradients([[-1.0, 1]], ["relu"]), "gradients must not be negative"),
        (lambda: figures.death_by_shift([0], [[[0.5]]], [[[0.0]]], ["relu"]), "losses must be positive"),
        (lambda: figures.death_by_shift([0, 1], [[[0.5]]], [[[1.0]]], ["relu"]), "shares must have shape"),
        (lambda: figures.task_errors([[[0.0]]], ["a"], ["relu"]), "errors must be positive"),
        (lambda: figures.task_errors([[[1.0]]], ["a", "b"], ["relu"]), "errors must have shape"),
        (lambda: figures.approximation_errors(X, [X] * 4, list("abcd")), "names must hold one to three"),
        (lambda: figures.approximation_errors(X, [X], ["a", "b"]), "errors must hold one row for each of the 2 names"),
        (lambda: figures.curves_and_slopes([np.nan, 1], NAMES), "x must be finite"),
    ],
)
def test_wrong_data_is_refused(call, words):
    with pytest.raises((ValueError, TypeError), match=words):
        call()
