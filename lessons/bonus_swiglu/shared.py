"""What the exercises on gates share: the activations of their gates, and the sizes that they are tried with."""

import numpy as np


def sigmoid(z):
    """Return σ(z) = 1 / (1 + e⁻ᶻ)."""
    return 1 / (1 + np.exp(-z))


def silu(z):
    """Return z · σ(z)."""
    return z * sigmoid(z)


def sizes_to_try() -> list[tuple[tuple[int, ...], dict]]:
    """Return the leading axes of x, and every axis with its size: a sequence, a batch of them, and one token."""
    found = []
    for lead, d_model, d_ff in (((7,), 3, 5), ((2, 7), 5, 3), ((), 2, 5)):
        names = dict(zip(("batch", "seq_len")[2 - len(lead) :], lead, strict=True))
        found.append((lead, {**names, "d_model": d_model, "d_ff": d_ff}))
    return found
