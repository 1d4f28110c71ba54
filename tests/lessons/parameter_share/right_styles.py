"""Right answers in other styles than the worked ones."""

import math
from fractions import Fraction

import numpy as np
import torch
from torch import nn

from course_lib.model import accounting

TINY = 1_100_048_384  # the sum of the four parts


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


def ffn_is_twice_attention(d, heads, kv):
    width = d // heads
    attention = sum(math.prod(shape) for shape in ((d, d), (d, kv * width), (d, kv * width), (d, d)))
    return 2 * attention / (3 * d)


def bisected(d_model, n_heads, n_kv_heads):
    attention = accounting.attention_parameters(d_model, False, n_heads, n_kv_heads)
    low, high = 0.0, 4.0 * d_model
    for _ in range(80):
        middle = (low + high) / 2
        ffn = 3 * d_model * middle
        low, high = (middle, high) if ffn < 2 * (ffn + attention) / 3 else (low, middle)
    return low


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
    "parameter_share.layer_share": [
        real_layer,
        exact_fraction,
        one_minus_the_rest,
        lambda d_model, d_ff: 1 / (1 + (4 * d_model**2 + 8 * d_model) / (2 * d_model * d_ff + d_ff + d_model)),
        lambda d, f: torch.tensor(2.0 * d * f + f + d) / (2 * d * f + f + 9 * d + 4 * d**2),
        lambda d, f: np.float64(2 * d * f + f + d) / (2 * d * f + f + 9 * d + 4 * d**2),
    ],
    "parameter_share.two_thirds": [
        ffn_is_twice_attention,
        bisected,
        lambda d, h, k: 4 * d * (h + k) / (3 * h),
        lambda d, h, k: Fraction(4 * d * (h + k), 3 * h),
        lambda d_model, n_heads, n_kv_heads: np.float64(4) / 3 * d_model * (1 + n_kv_heads / n_heads),
        lambda d, h, k: torch.tensor(4 * d * (1 + k / h) / 3, dtype=torch.float64),
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
