"""The NumPy formulas: the gated network against einsum, extremes without a warning, no torch."""

import math

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
def test_activations_at_the_extremes_without_a_warning(name):
    function = numpy_ffn.ACTIVATIONS[name]
    assert np.isnan(function(np.array([math.nan])))
    for dtype in (np.float32, np.float64):
        x = np.array([-1e30, -800, 800, 1e30], dtype)
        np.testing.assert_allclose(function(x), TORCH[name](torch.from_numpy(x)).numpy())
    function(np.array([-math.inf, math.inf]))


@shapes
def test_gated_equals_einsum(leading):
    x, W_gate, W_up, W_down = draw(*leading, 5, seed=1), draw(5, 7), draw(5, 7, seed=2), draw(7, 5)
    gate = np.einsum("...i,ij->...j", x, W_gate)
    hidden = gate / (1 + np.exp(-gate)) * np.einsum("...i,ij->...j", x, W_up)
    np.testing.assert_allclose(gated_forward(x, W_gate, W_up, W_down), np.einsum("...j,ji->...i", hidden, W_down))
