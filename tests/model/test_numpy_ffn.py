"""The NumPy formulas against arithmetic by hand, torch's own functions, and each other."""

import math
import subprocess
import sys

import numpy as np
import pytest
import torch
from torch.nn import functional

from course_lib.model import numpy_ffn
from course_lib.model.numpy_ffn import gated_forward

TORCH = {
    "relu": functional.relu,
    "gelu": functional.gelu,
    "gelu_tanh": lambda x: functional.gelu(x, approximate="tanh"),
    "silu": functional.silu,
    "sigmoid": torch.sigmoid,
    "identity": lambda x: x,
}

each = pytest.mark.parametrize("name", list(TORCH))
shapes = pytest.mark.parametrize("leading", [(), (4,), (1,), (2, 4), (2, 3, 4)])


def draw(*shape, seed=0, dtype=np.float64):
    return np.random.default_rng(seed).normal(size=shape).astype(dtype)


@each
@pytest.mark.parametrize(("dtype", "tolerance"), [(np.float64, 1e-12), (np.float32, 1e-6)])
def test_activations_equal_torch(name, dtype, tolerance):
    x = np.linspace(-9, 9, 1801, dtype=dtype)
    expected = TORCH[name](torch.from_numpy(x)).numpy()
    actual = numpy_ffn.ACTIVATIONS[name](x)
    np.testing.assert_allclose(actual, expected, rtol=tolerance, atol=tolerance)
    assert actual.dtype == dtype


@each
def test_activations_at_the_extremes_without_a_warning(name):
    function = numpy_ffn.ACTIVATIONS[name]
    assert np.isnan(function(np.array([math.nan])))
    for dtype in (np.float32, np.float64):
        x = np.array([-1e30, -800, 800, 1e30], dtype)
        np.testing.assert_allclose(function(x), TORCH[name](torch.from_numpy(x)).numpy())
    function(np.array([-math.inf, math.inf]))


@each
def test_activations_take_any_shape_and_plain_numbers(name):
    function = numpy_ffn.ACTIVATIONS[name]
    x = draw(2, 3, 4)
    assert function(x).shape == (2, 3, 4)
    assert float(function(x[0, 1, 2])) == pytest.approx(function(x)[0, 1, 2])
    assert function([1, -1]).dtype == np.float64


@each
def test_activations_refuse_other_inputs(name):
    with pytest.raises(TypeError, match="x must be an array of real numbers"):
        numpy_ffn.ACTIVATIONS[name]("1")
    with pytest.raises(ValueError, match="x must not be empty"):
        numpy_ffn.ACTIVATIONS[name]([])


def test_gated_by_hand():
    W_gate, W_up, W_down = [[1, -1]], [[2, 3]], [[1], [10]]
    assert gated_forward([2], W_gate, W_up, W_down, "relu").tolist() == [8]  # (2 · 4) · 1 + (0 · 6) · 10
    assert gated_forward([2], W_gate, W_up, W_down, "identity").tolist() == [8 - 120]


@shapes
def test_gated_equals_einsum(leading):
    x, W_gate, W_up, W_down = draw(*leading, 5, seed=1), draw(5, 7), draw(5, 7, seed=2), draw(7, 5)
    gate = np.einsum("...i,ij->...j", x, W_gate)
    hidden = gate / (1 + np.exp(-gate)) * np.einsum("...i,ij->...j", x, W_up)
    np.testing.assert_allclose(gated_forward(x, W_gate, W_up, W_down), np.einsum("...j,ji->...i", hidden, W_down))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_dtype_stays(dtype):
    x, W1, W2 = (draw(*shape, dtype=dtype) for shape in [(2, 5), (5, 7), (7, 5)])
    for name in TORCH:
        assert gated_forward(x, W1, W1, W2, name).dtype == dtype


def test_a_callable_activation():
    x, W1, W2 = draw(2, 5), draw(5, 7), draw(7, 5)
    np.testing.assert_array_equal(gated_forward(x, W1, W1, W2, np.tanh), (np.tanh(x @ W1) * (x @ W1)) @ W2)


def test_nan_stays_in_its_own_row():
    x = draw(3, 5)
    x[1, 2] = math.nan
    y = gated_forward(x, draw(5, 7), draw(5, 7, seed=2), draw(7, 5))
    assert np.isnan(y).all(axis=1).tolist() == [False, True, False]
    assert not np.isnan(y[[0, 2]]).any()


def test_inputs_are_left_alone():
    arrays = [draw(2, 5), draw(5, 7), draw(5, 7, seed=2), draw(7, 5)]
    copies = [a.copy() for a in arrays]
    gated_forward(*arrays)
    for array, copy in zip(arrays, copies, strict=True):
        np.testing.assert_array_equal(array, copy)


def test_gated_errors():
    x, W, W_down = draw(2, 5), draw(5, 7), draw(7, 5)
    with pytest.raises(ValueError, match=r"W_gate must have shape .* with d_model = 5"):
        gated_forward(x, draw(4, 7), W, W_down)
    with pytest.raises(ValueError, match=r"W_up must have shape .* with d_ff = 7"):
        gated_forward(x, W, draw(5, 6), W_down)
    with pytest.raises(ValueError, match=r"W_down must have shape .* with d_ff = 7"):
        gated_forward(x, W, W, draw(6, 5))
    with pytest.raises(ValueError, match="unknown activation 'swish': known are 'relu'"):
        gated_forward(x, W, W, W_down, "swish")
    with pytest.raises(TypeError, match="activation must be a function or one of"):
        gated_forward(x, W, W, W_down, 3)
    with pytest.raises(ValueError, match=r"x must have shape \(\.\.\., d_model\), but its shape is \(\)"):
        gated_forward(1.0, W, W, W_down)


def test_no_torch_is_loaded():
    code = "import sys, course_lib, course_lib.model.numpy_ffn as n; n.gelu(1.0); print('torch' in sys.modules)"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "False"
