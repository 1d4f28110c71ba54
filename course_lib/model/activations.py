"""Activations: each function with its derivative.

Every function takes a floating-point tensor of any shape, acts on each value alone, and returns a tensor of the same
shape and dtype. NaN stays NaN, so a fault in the data is never hidden.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

from course_lib.model.one_thread import nn, torch
from courseware import arguments


def relu(x: torch.Tensor) -> torch.Tensor:
    """Return max(0, x), the rectified linear unit (Vaswani et al. 2017, eq. 2).

    Args:
        x: any shape.

    Returns:
        The shape of x; 0 wherever x is negative.

    Raises:
        TypeError: x is not a floating-point tensor (the same holds for every function of this module).
    """
    return torch.relu(arguments.tensor("x", x))


def relu_derivative(x: torch.Tensor) -> torch.Tensor:
    """Return the slope of ReLU: 1 where x > 0, else 0 (at x = 0 there is none; 0 is torch's choice). Any shape."""
    arguments.tensor("x", x)
    return (x > 0).to(x.dtype).masked_fill(x.isnan(), math.nan)


def gelu(x: torch.Tensor) -> torch.Tensor:
    """Return x Φ(x), with Φ the normal distribution function (Hendrycks & Gimpel 2016, section 2).

    Φ(x) = (1 + erf(x / √2)) / 2 is the share of a standard normal population that lies below x.

    Args:
        x: any shape.

    Returns:
        The shape of x.
    """
    return nn.functional.gelu(arguments.tensor("x", x))


def gelu_derivative(x: torch.Tensor) -> torch.Tensor:
    """Return the slope of GELU: Φ(x) + x φ(x), with φ(x) = exp(-x²/2) / √(2π). Any shape."""
    arguments.tensor("x", x)
    distribution = (1 + torch.erf(x / math.sqrt(2))) / 2
    density = torch.exp(-x * x / 2) / math.sqrt(2 * math.pi)
    return distribution + x * density


def gelu_tanh(x: torch.Tensor) -> torch.Tensor:
    """Return x (1 + tanh(√(2/π) (x + 0.044715 x³))) / 2, close to GELU (Hendrycks & Gimpel 2016, section 2).

    Args:
        x: any shape.

    Returns:
        The shape of x; at most 4.8e-4 away from `gelu(x)`.
    """
    return nn.functional.gelu(arguments.tensor("x", x), approximate="tanh")


def gelu_tanh_derivative(x: torch.Tensor) -> torch.Tensor:
    """Return the slope of the tanh form: (1 + t + x (1 - t²) u') / 2, with t = tanh(u) and u as in `gelu_tanh`."""
    arguments.tensor("x", x)
    scale = math.sqrt(2 / math.pi)
    t = torch.tanh(scale * (x + 0.044715 * x**3))
    inner = scale * (1 + 3 * 0.044715 * x**2)
    return (1 + t + x * (1 - t * t) * inner) / 2


def sigmoid(x: torch.Tensor) -> torch.Tensor:
    """Return σ(x) = 1 / (1 + exp(-x)), the gate of the first gated linear unit (Dauphin et al. 2016, section 2).

    Args:
        x: any shape.

    Returns:
        The shape of x; values from 0 to 1.
    """
    return torch.sigmoid(arguments.tensor("x", x))


def sigmoid_derivative(x: torch.Tensor) -> torch.Tensor:
    """Return the slope of the sigmoid: σ(x) (1 - σ(x)). Any shape."""
    s = sigmoid(x)
    return s * (1 - s)


def silu(x: torch.Tensor) -> torch.Tensor:
    """Return x σ(x), the sigmoid linear unit, also called Swish (Hendrycks & Gimpel 2016, section 2).

    Args:
        x: any shape.

    Returns:
        The shape of x.
    """
    return nn.functional.silu(arguments.tensor("x", x))


def silu_derivative(x: torch.Tensor) -> torch.Tensor:
    """Return the slope of SiLU: σ(x) (1 + x (1 - σ(x))). Any shape."""
    s = sigmoid(x)
    return s * (1 + x * (1 - s))


def identity(x: torch.Tensor) -> torch.Tensor:
    """Return x itself: no activation. The bilinear gate uses it (Shazeer 2020, section 2). Any shape."""
    return arguments.tensor("x", x)


def identity_derivative(x: torch.Tensor) -> torch.Tensor:
    """Return the slope of the identity: 1 everywhere. Any shape."""
    return torch.ones_like(arguments.tensor("x", x))


@dataclass(frozen=True)
class Activation:
    """Describe one activation: what it is called and how it is computed.

    Attributes:
        name: the name that `activation` and the layers accept.
        label: the name to print.
        function, derivative: torch functions, any shape to the same shape.
    """

    name: str
    label: str
    function: Callable[[torch.Tensor], torch.Tensor]
    derivative: Callable[[torch.Tensor], torch.Tensor]


#: Every activation of the course, by name.
ACTIVATIONS = {
    row.name: row
    for row in (
        Activation("relu", "ReLU", relu, relu_derivative),
        Activation("gelu", "GELU", gelu, gelu_derivative),
        Activation("gelu_tanh", "GELU (tanh form)", gelu_tanh, gelu_tanh_derivative),
        Activation("silu", "SiLU", silu, silu_derivative),
        Activation("sigmoid", "sigmoid", sigmoid, sigmoid_derivative),
        Activation("identity", "identity", identity, identity_derivative),
    )
}


def activation(name_or_function) -> Callable[[torch.Tensor], torch.Tensor]:
    """Return the activation function with this name, or the function itself when one is given.

    Args:
        name_or_function: a key of ACTIVATIONS such as "gelu", or any callable from tensor to tensor.

    Raises:
        ValueError: no activation has this name; the message lists the known names.
        TypeError: neither a name nor a callable was given.
    """
    functions = {name: row.function for name, row in ACTIVATIONS.items()}
    return arguments.function("activation", name_or_function, functions)
