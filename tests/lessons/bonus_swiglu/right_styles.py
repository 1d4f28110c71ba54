"""Right answers to the exercises of bonus_swiglu, written in many styles."""

import math
from fractions import Fraction

import numpy as np
import torch
from torch import nn

from course_lib.model import ffn, numpy_ffn


def with_tanh(x, gate_matrix, up_matrix, down_matrix):
    z = np.matmul(x, gate_matrix)
    opened = z * (1 + np.tanh(z / 2)) / 2
    return np.matmul(opened * np.matmul(x, up_matrix), down_matrix)


def with_einsum(x, G, U, D):
    z = np.einsum("...i,ij->...j", x, G)
    up = np.einsum("...i,ij->...j", x, U)
    return np.einsum("...j,ji->...i", z * np.reciprocal(1 + np.exp(-z)) * up, D)


def fused(x, W_gate, W_up, W_down):
    z, up = np.split(x @ np.concatenate([W_gate, W_up], axis=1), 2, axis=-1)
    return (z * up / (1 + np.exp(-z))) @ W_down


def unit_by_unit(x, W_gate, W_up, W_down):
    y = np.zeros_like(x)
    for unit in range(W_gate.shape[1]):
        z = x @ W_gate[:, unit]
        y += (z / (1 + np.exp(-z)) * (x @ W_up[:, unit]))[..., None] * W_down[unit]
    return y


def from_the_library(x, W_gate, W_up, W_down):
    return numpy_ffn.gated_forward(x, W_gate, W_up, W_down, "silu")


def through_torch(x, W_gate, W_up, W_down):
    x, g, u, d = map(torch.from_numpy, (x, W_gate, W_up, W_down))
    return ((nn.functional.silu(x @ g) * (x @ u)) @ d).numpy()


def up_in_steps(d_model, multiple_of):
    width = 8 * d_model // 3
    while width % multiple_of != 0:
        width = width + 1
    return width


def with_remainder(d_model, multiple_of):
    width = int(4 * d_model * 2 / 3)
    rest = width % multiple_of
    return width if rest == 0 else width + multiple_of - rest


def first_multiple(d_model, multiple_of):
    least = Fraction(8 * d_model, 3).__floor__()
    return next(m for m in range(multiple_of, 5 * d_model + multiple_of, multiple_of) if m >= least)


def minus_in_down():
    return np.array([[1, -1], [0, 0]]), np.array([[0, 0], [1, 1]]), np.array([[1], [-1]])


def gate_reads_y():
    return [[0, 0], [1, -1]], [[1, -1], [0, 0]], [[1], [1]]


def negative_unit_first():
    W_gate, W_up, W_down = np.zeros((2, 2)), np.zeros((2, 2)), np.ones((2, 1))
    W_gate[0] = -1, 1
    W_up[1] = -1, 1
    return W_gate, W_up, W_down


def scaled():
    return np.array([[1.0, -1.0], [0.0, 0.0]]), np.array([[0.0, 0.0], [4.0, -4.0]]), np.full((2, 1), 0.25)


def steeper_gate():
    return np.array([[2.0, -2.0], [0.0, 0.0]]), np.array([[0.0, 0.0], [1.0, -1.0]]), np.full((2, 1), 0.5)


def as_tensors():
    return torch.tensor([[1, -1], [0, 0]]), torch.tensor([[0.0, 0.0], [1.0, -1.0]]), torch.ones(2, 1)


def with_erf(x, W, V, b, c):
    z = x @ W + b
    return z * (1 + torch.erf(z / math.sqrt(2))) / 2 * (x @ V + c)


def with_normal(x, weights, other, bias, other_bias):
    z = torch.matmul(x, weights) + bias
    gate = z * torch.distributions.Normal(0.0, 1.0).cdf(z)
    return gate * (torch.matmul(x, other) + other_bias)


def with_linear(x, W, V, b, c):
    gate = nn.functional.linear(x, W.T, b)
    return nn.GELU()(gate).mul(nn.functional.linear(x, V.T, c))


def fused_geglu(x, W, V, b, c):
    gate, up = (x @ torch.cat([W, V], dim=1) + torch.cat([b, c])).chunk(2, dim=-1)
    return torch.special.ndtr(gate) * gate * up


def token_by_token(x, W, V, b, c):
    rows = x.reshape(-1, x.shape[-1])
    result = torch.stack([nn.functional.gelu(row @ W + b) * (row @ V + c) for row in rows])
    return result.reshape(*x.shape[:-1], W.shape[1])


# Numbers of any kind in the right places are as good as arrays of float64.
ACCEPTS = {"bonus_swiglu.product_unit": {"list for array", "integers", "float32"}}

BORROWED = {
    "bonus_swiglu.forward": [from_the_library, numpy_ffn.gated_forward],
    "bonus_swiglu.width": [ffn.swiglu_width, lambda d_model, multiple_of: ffn.swiglu_width(d_model, multiple_of)],
}

STYLES = {
    "bonus_swiglu.forward": [
        with_tanh,
        with_einsum,
        fused,
        unit_by_unit,
        through_torch,
    ],
    "bonus_swiglu.width": [
        up_in_steps,
        with_remainder,
        first_multiple,
        lambda d_model, multiple_of: -(-(8 * d_model // 3) // multiple_of) * multiple_of,
        lambda d, m: math.ceil(int(8 * d / 3) / m) * m,
        lambda d, m: int(np.ceil(int(2 / 3 * (4 * d)) / m) * m),
    ],
    "bonus_swiglu.product_unit": [minus_in_down, gate_reads_y, negative_unit_first, scaled, steeper_gate, as_tensors],
    "bonus_swiglu.geglu": [with_erf, with_normal, with_linear, fused_geglu, token_by_token],
}
