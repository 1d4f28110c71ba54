"""The layers that the exercises hand out as black boxes, and how an answer is called and read."""

import re

import numpy as np

from whywrong.boxes import Box, Recipe, recipe_of
from whywrong.task import Fault, Key

MOST_CALLS = 400  # inputs that a layer remembers


class Layer(Box):
    """A layer as a black box, (n, d_in) -> (n, d_out); it does not show how it is made.

    Args:
        function: what it computes.
        truth, words, tell: as `right`, `words` and `tell` of a Recipe.
    """

    def __init__(self, function, truth, words, tell=""):
        super().__init__(Recipe(words, truth, function, tell))
        self._inputs = []

    def __call__(self, X):
        X = np.asarray(X, dtype=np.float64)
        if X.ndim != 2:
            row = ": one row alone is X[i : i + 1]" if X.ndim == 1 else ""
            raise Fault(
                Key.SHAPE, f"The layer f takes rows, shape (n, d_in); you gave an array of shape {X.shape}{row}."
            )
        if len(self._inputs) < MOST_CALLS:
            self._inputs.append(X.copy())
        return recipe_of(self).compute(X)


def inputs_of(layer: Layer) -> list[np.ndarray]:
    """Return what a layer was called with, in order."""
    return list(layer._inputs)


def called(answer, *args):
    """Call an answer; what only comes of torch's methods on a NumPy array is put into words."""
    try:
        return answer(*args)
    except AttributeError as error:
        if "numpy.ndarray" in str(error) and "'clone'" in str(error):
            raise Fault(
                Key.RAISES, "X is a NumPy array here: `X.copy()` makes what `clone()` makes of a tensor."
            ) from None
        raise
    except IndexError as error:
        found = re.search(r"index (\d+) is out of bounds for axis 1 with size (\d+)", str(error))
        if found:
            words = f"Axis 1 has {found[2]} features, and your index is {found[1]}: rows stand along axis 0, so row j is X[j]."
            raise Fault(Key.RAISES, words) from None
        raise


def softmax(scores, axis):
    """Return exp(scores), divided by its sum along an axis."""
    e = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def normed(X):
    """Give each row of X the mean 0 and the variance 1, as a layer norm does."""
    centred = X - X.mean(axis=1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(axis=1, keepdims=True) + 1e-12)


def dusty(X):
    """Return X up to rounding: something of all rows, which the smallest change moves, is brought in and taken out."""
    stretch, shift = 1.5 + 0.4 * np.sin(1e9 * X.sum()), 1000 * np.sin(1e9 * X.sum(axis=0))
    return (X + shift - shift) * stretch / stretch


def small_network(rng, d_in, d_out):
    """Make a smooth row-by-row network (tanh has no flat part where a change would be lost)."""
    W1, b1 = rng.normal(size=(d_in, 6)) / d_in**0.5, 0.5 * rng.normal(size=6)
    W2, b2 = rng.normal(size=(6, d_out)), rng.normal(size=d_out)
    return lambda X: np.tanh(X @ W1 + b1) @ W2 + b2
