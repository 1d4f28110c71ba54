"""What the exercises on experts share: ways to weigh experts, right and wrong, and experts as black boxes."""

import numpy as np


def softmax(z, axis=-1):
    """Return exp(z), divided by its sum along an axis."""
    e = np.exp(z - z.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def largest(z, k, axis=-1):
    """Return True at the k largest along an axis, in the shape of z; of equal values the first ones count."""
    places = np.take(np.argsort(-z, axis=axis, kind="stable"), range(k), axis=axis)
    chosen = np.zeros(z.shape, dtype=bool)
    np.put_along_axis(chosen, places, True, axis=axis)
    return chosen


def top_softmax(z, k):
    """Return a softmax over the k largest of each row, and 0 elsewhere."""
    return softmax(np.where(largest(z, k), z, -np.inf))


def sigmoid(z):
    """Return σ(z) = 1 / (1 + e⁻ᶻ)."""
    return 1 / (1 + np.exp(-z))


class Expert:
    """A small feed-forward network with biases and SiLU as a black box, (tokens, d_model) -> (tokens, d_model)."""

    def __init__(self, rng, d_model, d_ff=4):
        self._weights = [rng.normal(size=size) for size in ((d_model, d_ff), d_ff, (d_ff, d_model), d_model)]

    def __call__(self, x):
        W1, b1, W2, b2 = self._weights
        x = np.asarray(x, dtype=np.float64)
        if x.ndim == 0 or x.shape[-1] != len(W1):
            raise ValueError(f"an expert takes tokens of {len(W1)} features, but an array of shape {x.shape} was given")
        z = x @ W1 + b1
        return z * sigmoid(z) @ W2 + b2
