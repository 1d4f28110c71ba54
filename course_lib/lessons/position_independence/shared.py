"""The layers that the exercises hand out as black boxes, and how answers of True and False are read."""

import numpy as np

from course_lib.content import Fault, Key


class Layer:
    """A layer as a black box, (n, d_in) -> (n, d_out); it does not show how it is made.

    Args:
        function: what it computes.
        truth: what is to be found out about it, for `truth_of`.
    """

    def __init__(self, function, truth):
        self._function, self._truth = function, truth

    def __call__(self, X):
        X = np.asarray(X, dtype=np.float64)
        if X.ndim != 2:
            raise ValueError(f"this layer takes rows, shape (n, d_in), but an array of shape {X.shape} was given")
        return self._function(X)


def truth_of(layer: Layer):
    """Return what is to be found out about a layer."""
    return layer._truth


def softmax(scores, axis):
    """Return exp(scores), divided by its sum along an axis."""
    e = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def normed(X):
    """Give each row of X the mean 0 and the variance 1, as a layer norm does."""
    centred = X - X.mean(axis=1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(axis=1, keepdims=True) + 1e-12)


def small_network(rng, d_in, d_out):
    """Make a smooth row-by-row network (tanh has no flat part where a change would be lost)."""
    W1, b1 = rng.normal(size=(d_in, 6)) / d_in**0.5, 0.5 * rng.normal(size=6)
    W2, b2 = rng.normal(size=(6, d_out)), rng.normal(size=d_out)
    return lambda X: np.tanh(X @ W1 + b1) @ W2 + b2


def as_zeros_and_ones(name, value, shape):
    """Turn an array of True and False, or of 1 and 0, into float64; what is no such array is left to the checks."""
    if not isinstance(value, np.ndarray) or value.dtype.kind not in "biuf":
        return value
    value = value.astype(np.float64)
    if value.shape == shape and np.isfinite(value).all() and not np.isin(value, (0, 1)).all():
        raise Fault(Key.VALUE, f"{name} holds other numbers than 0 and 1: answer each question with True or False.")
    return value
