"""Right answers in other styles than the worked ones."""

import math
from fractions import Fraction

import numpy as np
import torch
from torch import nn

from course_lib.model import accounting
from course_lib.model.ffn import PositionWiseFeedForward

TINY = 1_100_048_384  # the sum of the four parts


def layer_by_layer(d_model, d_ff, bias):
    up = d_model * d_ff
    down = d_ff * d_model
    if bias:
        up += d_ff
        down += d_model
    return up + down


def loop_of_shapes(d, f, bias):
    total = 0
    for rows, columns in ((d, f), (f, d)):
        total += rows * columns
        if bias:
            total += columns
    return total


def as_module(d_model, d_ff, bias):
    modules = nn.ModuleList([nn.Linear(d_model, d_ff, bias=bias), nn.Linear(d_ff, d_model, bias=bias)])
    return sum(p.numel() for p in modules.parameters())


def class_without_its_bias(d_model, d_ff, bias):
    count = accounting.count_parameters(PositionWiseFeedForward(d_model, d_ff))
    return count if bias else count - d_ff - d_model


def numpy_products(d, f, bias):
    return np.prod([d, f]) + np.prod([f, d]) + (np.sum([f, d]) if bias else 0)


def four_projections(d_model, bias):
    total = 0
    for _ in range(4):
        total += d_model * d_model
        total += d_model if bias else 0
    return total


def packed(d, bias):
    return d * 3 * d + d * d + (3 * d + d if bias else 0)


def real_attention(d_model, bias):
    return accounting.count_parameters(nn.MultiheadAttention(d_model, 1, bias=bias))


def real_layer(d_model, d_ff):
    layer = nn.TransformerEncoderLayer(d_model, 1, d_ff)
    part = sum(p.numel() for name, p in layer.named_parameters() if name.startswith("linear"))
    return part / sum(p.numel() for p in layer.parameters())


def exact_fraction(d, f):
    ffn = 2 * d * f + f + d
    return Fraction(ffn, ffn + 4 * d * d + 8 * d)


def one_minus_the_rest(d, f):
    ffn, rest = 2 * d * f + f + d, 4 * d * d + 8 * d
    return 1 - rest / (ffn + rest)


def searched(d_model, d_ff):
    n = 0
    while 4 * d_model**2 + 2 * n * d_model < 2 * d_model * d_ff:
        n += 1
    return n


def solved(d_model, d_ff):
    ffn, projections, each = 2 * d_model * d_ff, 4 * d_model * d_model, 2 * d_model
    return (ffn - projections) / each


def matrix_by_matrix():
    def count(*shapes):
        return sum(math.prod(shape) for shape in shapes)

    attention = 22 * count((2048, 2048), (2048, 256), (2048, 256), (2048, 2048))
    ffns = 22 * count((2048, 5632), (2048, 5632), (5632, 2048))
    return attention, ffns, count(*[(2048,)] * 45), count((32_000, 2048), (2048, 32_000))


def in_a_list():
    return [22 * 2 * 2048 * (2048 + 256), 66 * 2048 * 5632, 45 * 2048, 64_000 * 2048]


def as_floats():
    return tuple(float(count) for count in matrix_by_matrix())


def as_an_array():
    return np.array(matrix_by_matrix())


def as_a_dict():
    return dict(zip(("attention", "ffns", "norms", "tables"), matrix_by_matrix(), strict=True))


def with_accounting():
    one = accounting.attention_parameters(2048, False, 32, 4) + 0
    norm = accounting.layer_norm_parameters(2048, bias=False)
    return 22 * one, 22 * accounting.gated_parameters(2048, 5632), 44 * norm + norm, 2 * 32_000 * 2048


STYLES = {
    "parameter_share.ffn": [
        layer_by_layer,
        loop_of_shapes,
        as_module,
        class_without_its_bias,
        numpy_products,
        lambda d, f, b: 2 * d * f + b * (f + d),
        lambda d_model, d_ff, bias: (d_model + bias) * d_ff + (d_ff + bias) * d_model,
        lambda d, f, bias: float(2 * d * f + (f + d) * int(bias)),
    ],
    "parameter_share.attention": [
        four_projections,
        packed,
        real_attention,
        lambda d, bias: 4 * d * (d + bias),
        lambda d, bias: 4 * d**2 + (4 * d if bias else 0),
        lambda d, bias: np.int64(4) * d * (d + int(bias)),
        lambda d, bias: torch.zeros(4, d, d + bias).numel(),
    ],
    "parameter_share.layer_share": [
        real_layer,
        exact_fraction,
        one_minus_the_rest,
        lambda d_model, d_ff: 1 / (1 + (4 * d_model**2 + 8 * d_model) / (2 * d_model * d_ff + d_ff + d_model)),
        lambda d, f: torch.tensor(2.0 * d * f + f + d) / (2 * d * f + f + 9 * d + 4 * d**2),
        lambda d, f: np.float64(2 * d * f + f + d) / (2 * d * f + f + 9 * d + 4 * d**2),
    ],
    "parameter_share.crossover": [
        lambda d_model, d_ff: d_ff - 2 * d_model,
        searched,
        solved,
        lambda d, f: float(f - d - d),
        lambda d, f: np.int64(f) - 2 * d,
        lambda d_model, d_ff: (2 * d_model * d_ff - 4 * d_model**2) // (2 * d_model),
    ],
    "parameter_share.tiny_llama": [
        matrix_by_matrix,
        in_a_list,
        as_floats,
        as_an_array,
        as_a_dict,
        with_accounting,
    ],
}
