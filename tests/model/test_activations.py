"""Activations: values, derivatives, published constants and errors."""

import math
import pickle

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from course_lib.model import activations
from course_lib.model.activations import ACTIVATIONS, activation, gelu, gelu_tanh, relu, sigmoid, silu

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


def test_the_table_is_complete():
    assert set(ACTIVATIONS) == set(PLAIN)
    for name, row in ACTIVATIONS.items():
        assert row.name == name
        assert row.label
        assert row.function is getattr(activations, name)
        assert row.derivative is getattr(activations, f"{name}_derivative")


@each
def test_values_equal_the_plain_formula(name):
    expected = torch.tensor([PLAIN[name](x) for x in GRID.tolist()], dtype=torch.float64)
    torch.testing.assert_close(ACTIVATIONS[name].function(GRID), expected, rtol=1e-12, atol=1e-14)


@each
def test_derivative_equals_finite_differences(name):
    row, step = ACTIVATIONS[name], 1e-6
    x = GRID[GRID.abs() > 1e-3] if name == "relu" else GRID
    slope = (row.function(x + step) - row.function(x - step)) / (2 * step)
    torch.testing.assert_close(row.derivative(x), slope, rtol=0, atol=1e-8)


@each
def test_derivative_equals_autograd(name):
    row = ACTIVATIONS[name]
    x = GRID.clone().requires_grad_()
    (slope,) = torch.autograd.grad(row.function(x).sum(), x)
    torch.testing.assert_close(row.derivative(GRID), slope, rtol=1e-12, atol=1e-12)
    assert torch.autograd.gradcheck(row.function, torch.tensor([-2.5, -0.3, 0.7, 3.1]).double().requires_grad_())


@each
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (0, 3)])
def test_shape_and_dtype_stay(name, dtype, shape):
    x = torch.ones(shape, dtype=dtype)
    for function in (ACTIVATIONS[name].function, ACTIVATIONS[name].derivative):
        assert function(x).shape == x.shape
        assert function(x).dtype == dtype


@each
def test_nan_propagates(name):
    x = torch.tensor([math.nan, 1.0])
    assert ACTIVATIONS[name].function(x).isnan().tolist() == [True, False]
    if name != "identity":  # its slope is 1 whatever x is
        assert ACTIVATIONS[name].derivative(x).isnan().tolist() == [True, False]


@each
def test_the_input_is_left_alone(name):
    x = GRID.clone()
    ACTIVATIONS[name].function(x)
    ACTIVATIONS[name].derivative(x)
    assert torch.equal(x, GRID)


@pytest.mark.parametrize("name", ["relu", "gelu", "gelu_tanh", "silu"])
@settings(deadline=None)
@given(z=st.floats(-50, 50))
def test_a_value_minus_its_mirror_image_is_the_input(name, z):
    z = torch.tensor(z, dtype=torch.float64)
    function = ACTIVATIONS[name].function
    torch.testing.assert_close(function(z) - function(-z), z, rtol=1e-12, atol=1e-12)


def test_relu_by_hand():
    assert relu(torch.tensor([2.5, -1.8, 0.0, 5.1])).tolist() == pytest.approx([2.5, 0.0, 0.0, 5.1])


def lowest(function):
    """Return place and value of the minimum, refined around the best point of the grid."""
    centre = GRID[function(GRID).argmin()]
    fine = centre + torch.linspace(-1e-3, 1e-3, 20001, dtype=torch.float64)
    return fine[function(fine).argmin()].item(), function(fine).min().item()


def test_where_gelu_and_silu_are_lowest():
    assert lowest(gelu) == (pytest.approx(-0.751792, abs=2e-6), pytest.approx(-0.169971, abs=1e-6))
    assert lowest(silu) == (pytest.approx(-1.278465, abs=2e-6), pytest.approx(-0.278465, abs=1e-6))


def test_the_slope_of_gelu():
    slope = ACTIVATIONS["gelu"].derivative
    points = torch.tensor([0, math.sqrt(2), -math.sqrt(2)], dtype=torch.float64)
    assert slope(points).tolist() == pytest.approx([0.5, 1.12890, -0.12890], abs=5e-6)
    assert GRID[slope(GRID).argmax()].item() == pytest.approx(math.sqrt(2), abs=1e-3)


def test_how_far_the_approximations_of_gelu_are_off():
    gap = (gelu_tanh(GRID) - gelu(GRID)).abs()
    assert gap.max().item() == pytest.approx(4.732e-4, abs=1e-7)
    assert GRID[gap.argmax()].abs().item() == pytest.approx(2.699, abs=1.1e-3)
    quick = (GRID * sigmoid(1.702 * GRID) - gelu(GRID)).abs()
    assert quick.max().item() == pytest.approx(2.033e-2, abs=5e-6)
    assert GRID[quick.argmax()].abs().item() == pytest.approx(2.270, abs=1.1e-3)


def test_activation_resolves_names_and_functions():
    assert activation("gelu") is gelu
    assert activation(torch.tanh) is torch.tanh
    module = torch.nn.GELU()
    assert activation(module) is module


def test_activation_errors():
    known = "'relu', 'gelu', 'gelu_tanh', 'silu', 'sigmoid', 'identity'"
    with pytest.raises(ValueError, match=f"unknown activation 'swish': known are {known}"):
        activation("swish")
    with pytest.raises(TypeError, match=f"activation must be a function or one of {known}, but NoneType None"):
        activation(None)
    with pytest.raises(TypeError, match="the class SiLU was given"):
        activation(torch.nn.SiLU)


@each
@pytest.mark.parametrize("x", [1.0, [1.0], np.ones(2), torch.ones(2, dtype=torch.int64), torch.ones(2).bool(), None])
def test_other_inputs_are_refused(name, x):
    for function in (ACTIVATIONS[name].function, ACTIVATIONS[name].derivative):
        with pytest.raises(TypeError, match=r"^x must "):
            function(x)


def test_functions_can_be_stored():
    assert pickle.loads(pickle.dumps(gelu)) is gelu
