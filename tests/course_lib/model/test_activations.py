"""Activations: values, derivatives, and how far the approximations of GELU are off."""

import math

import numpy as np
import pytest
import torch

from course_lib.model.activations import ACTIVATIONS, gelu, gelu_tanh, sigmoid

GRID = torch.linspace(-8, 8, 16001, dtype=torch.float64)  # steps of 0.001, with 0 in the middle

PLAIN = {
    "relu": lambda x: max(0.0, x),
    "gelu": lambda x: x * math.erfc(-x / math.sqrt(2)) / 2,
    "gelu_tanh": lambda x: 0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x))),
    "silu": lambda x: x / (1 + math.exp(-x)),
    "sigmoid": lambda x: 1 / (1 + math.exp(-x)),
    "identity": lambda x: x,
}

each = pytest.mark.parametrize("name", list(ACTIVATIONS))


@each
def test_values_equal_the_plain_formula(name):
    expected = torch.tensor([PLAIN[name](x) for x in GRID.tolist()], dtype=torch.float64)
    torch.testing.assert_close(ACTIVATIONS[name].function(GRID), expected, rtol=1e-12, atol=1e-14)


@each
def test_derivative_equals_autograd(name):
    row = ACTIVATIONS[name]
    x = GRID.clone().requires_grad_()
    (slope,) = torch.autograd.grad(row.function(x).sum(), x)
    torch.testing.assert_close(row.derivative(GRID), slope, rtol=1e-12, atol=1e-12)
    assert torch.autograd.gradcheck(row.function, torch.tensor([-2.5, -0.3, 0.7, 3.1]).double().requires_grad_())


@each
def test_nan_propagates(name):
    x = torch.tensor([math.nan, 1.0])
    assert ACTIVATIONS[name].function(x).isnan().tolist() == [True, False]
    if name != "identity":  # its slope is 1 whatever x is
        assert ACTIVATIONS[name].derivative(x).isnan().tolist() == [True, False]


def test_how_far_the_approximations_of_gelu_are_off():
    gap = (gelu_tanh(GRID) - gelu(GRID)).abs()
    assert gap.max().item() == pytest.approx(4.732e-4, abs=1e-7)
    assert GRID[gap.argmax()].abs().item() == pytest.approx(2.699, abs=1.1e-3)
    quick = (GRID * sigmoid(1.702 * GRID) - gelu(GRID)).abs()
    assert quick.max().item() == pytest.approx(2.033e-2, abs=5e-6)
    assert GRID[quick.argmax()].abs().item() == pytest.approx(2.270, abs=1.1e-3)
