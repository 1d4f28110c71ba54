"""The numbers behind the course's emblem: five tokens on their way through one small encoder layer, in NumPy.

The weights are random, so nothing here is trained. The norms, and the addition around the FFN, are left out.
"""

from dataclasses import dataclass

import numpy as np

from course_lib.arguments import integer, real
from course_lib.model import accounting
from course_lib.model.numpy_ffn import relu

WORDS = ("we", "sat", "by", "the", "river")
D_MODEL, D_FF = 8, 32
FEATURE = 3  # of the row, counted from 1, along which it is moved


@dataclass(frozen=True)
class Passage:
    """What the layer makes of the sentence.

    tokens: (5, d_model), what enters. weights: (5, 5), how much of each token (column) attention gives to each row.
    mixed: (5, d_model), what the FFN reads. up, bent: (5, d_ff), before and after ReLU. output: (5, d_model).
    """

    tokens: np.ndarray
    weights: np.ndarray
    mixed: np.ndarray
    up: np.ndarray
    bent: np.ndarray
    output: np.ndarray


def passage(row: int = 2, shift: float = 0.0) -> Passage:
    """Return the sentence on its way, with one row moved between attention and the FFN.

    Args:
        row: the token that is moved, counted from 1; shift: by how much along feature FEATURE.
    """
    row, shift = integer("row", row, 1, len(WORDS)), real("shift", shift)
    rng = np.random.default_rng(0)
    tokens = rng.normal(size=(len(WORDS), D_MODEL))
    query, key, value, out = rng.normal(size=(4, D_MODEL, D_MODEL)) / np.sqrt(D_MODEL)
    scores = np.exp((tokens @ query) @ (tokens @ key).T / np.sqrt(D_MODEL))
    weights = scores / scores.sum(axis=1, keepdims=True)
    mixed = tokens + weights @ (tokens @ value) @ out
    mixed[row - 1, FEATURE - 1] += shift
    W1, b1 = rng.normal(size=(D_MODEL, D_FF)) / np.sqrt(D_MODEL), 0.1 * rng.normal(size=D_FF)
    W2, b2 = rng.normal(size=(D_FF, D_MODEL)) / np.sqrt(D_FF), 0.1 * rng.normal(size=D_MODEL)
    up = mixed @ W1 + b1
    bent = relu(up)
    return Passage(tokens, weights, mixed, up, bent, bent @ W2 + b2)


def parameters() -> dict[str, int]:
    """Return the parameters of the layer's parts, with biases, both norms counted."""
    norms = 2 * accounting.layer_norm_parameters(D_MODEL)
    ffn = accounting.ffn_parameters(D_MODEL, D_FF)
    return {"attention": accounting.attention_parameters(D_MODEL), "FFN": ffn, "norms": norms}
