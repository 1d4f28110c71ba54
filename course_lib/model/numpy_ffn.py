"""The activations and the gated network in plain NumPy: an independent second opinion on the torch modules.

Row vectors throughout: a token is a row, a layer is x @ W + b, and W has the shape (d_in, d_out). float32 stays
float32 when every argument is float32; lists and whole numbers become float64. NaN stays NaN; empty arrays are
refused.
"""

import math

import numpy as np

from courseware import arguments


def relu(x) -> np.ndarray:
    """Return max(0, x) (Vaswani et al. 2017, eq. 2).

    Args:
        x: any shape, not empty.

    Returns:
        The shape of x.

    Raises:
        TypeError, ValueError: x is not an array of numbers (the same holds for every activation of this module).
    """
    return np.maximum(_values(x), 0)


def gelu(x) -> np.ndarray:
    """Return x Φ(x) = x (1 + erf(x / √2)) / 2 (Hendrycks & Gimpel 2016, section 2). Any shape, not empty."""
    x = _values(x)
    erf = np.frompyfunc(math.erf, 1, 1)(np.asarray(x / math.sqrt(2)))
    with np.errstate(invalid="ignore"):
        return x * (1 + np.asarray(erf, dtype=x.dtype)) / 2


def gelu_tanh(x) -> np.ndarray:
    """Return x (1 + tanh(√(2/π) (x + 0.044715 x³))) / 2 (Hendrycks & Gimpel 2016, section 2). Any shape, not empty."""
    x = _values(x)
    with np.errstate(over="ignore", invalid="ignore"):
        return x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))) / 2


def sigmoid(x) -> np.ndarray:
    """Return σ(x) = 1 / (1 + exp(-x)) (Dauphin et al. 2016, section 2). Any shape, not empty."""
    with np.errstate(over="ignore"):  # exp(-x) may become infinite; the quotient is then 0, as it should be
        return 1 / (1 + np.exp(-_values(x)))


def silu(x) -> np.ndarray:
    """Return x σ(x) (Hendrycks & Gimpel 2016, section 2). Any shape, not empty."""
    x = _values(x)
    with np.errstate(invalid="ignore"):
        return x * sigmoid(x)


def identity(x) -> np.ndarray:
    """Return x itself: no activation. Any shape, not empty."""
    return _values(x)


#: Every activation of this module, by the name it has in `course_lib.model.activations` too.
ACTIVATIONS = {function.__name__: function for function in (relu, gelu, gelu_tanh, silu, sigmoid, identity)}


def gated_forward(x, W_gate, W_up, W_down, activation="silu") -> np.ndarray:
    """Return (activation(x W_gate) ⊙ (x W_up)) W_down (Shazeer 2020, section 2).

    Args:
        x: (..., d_model), any leading shape.
        W_gate, W_up: (d_model, d_ff) each.
        W_down: (d_ff, d_model).
        activation: a key of ACTIVATIONS, or any callable from array to array.

    Returns:
        (..., d_model)

    Raises:
        TypeError: an argument is not numeric.
        ValueError: shapes do not fit, an array is empty, or the activation is unknown.
    """
    sizes = {}
    x = _values(x, "x", ("...", "d_model"), sizes)
    W_gate = _values(W_gate, "W_gate", ("d_model", "d_ff"), sizes)
    W_up = _values(W_up, "W_up", ("d_model", "d_ff"), sizes)
    W_down = _values(W_down, "W_down", ("d_ff", "d_model"), sizes)
    gate = arguments.function("activation", activation, ACTIVATIONS)(x @ W_gate)
    return (gate * (x @ W_up)) @ W_down


def _values(value, name="x", axes=None, sizes=None) -> np.ndarray:
    return arguments.array(name, value, axes, sizes, finite=False)
