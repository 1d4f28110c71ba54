"""Right answers to the exercises of bonus_swiglu, written in many styles."""

import math

import numpy as np
import torch
from torch import nn


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

STYLES = {
    "bonus_swiglu.product_unit": [minus_in_down, gate_reads_y, negative_unit_first, scaled, steeper_gate, as_tensors],
    "bonus_swiglu.geglu": [with_erf, with_normal, with_linear, fused_geglu, token_by_token],
}
