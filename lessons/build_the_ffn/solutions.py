"""The worked cells of the exercises; what stands behind BEGIN SOLUTION is what learners start from."""

import numpy as np
import torch
from torch import nn


# %% every_step
def every_step(x, W1, b1, W2, b2):
    """Return z (before ReLU), h (after it) and y (the output)."""
    ### BEGIN SOLUTION: z, h, y = TODO, TODO, TODO
    z = x @ W1 + b1
    h = np.maximum(z, 0)
    y = h @ W2 + b2
    ### END SOLUTION
    return z, h, y
    ### WHY: `@` works on the last axis alone, so the same three lines serve a token, a sequence and a batch.
    ### WHY: `np.maximum` returns a new array, so z keeps its negative values.


# %% module
class FFN(nn.Module):
    """Map (..., d_model) up to (..., d_ff), apply ReLU, and map back down."""

    def __init__(self, d_model, d_ff):
        ### BEGIN SOLUTION: self.up, self.down = TODO, TODO
        super().__init__()
        self.up = nn.Linear(d_model, d_ff)
        self.down = nn.Linear(d_ff, d_model)
        ### END SOLUTION

    def forward(self, x):
        ### BEGIN SOLUTION: return TODO
        h = torch.relu(self.up(x))
        return self.down(h)
        ### END SOLUTION
        ### WHY: The layers are made once, in `__init__`, so that their weights live on between two calls.
        ### WHY: As attributes of a module they are found by `parameters()`, and training can reach them.


# %% which_bug
def which_bug(f):
    """Return the name of the bug in f(x, W1, b1, W2, b2), or "correct"."""
    ### BEGIN SOLUTION: return TODO
    rng = np.random.default_rng(0)
    x, b1, b2 = rng.normal(size=(4, 3)), rng.normal(size=6), rng.normal(size=3)
    W1, W2 = rng.normal(size=(3, 6)), rng.normal(size=(6, 3))
    y = f(x, W1, b1, W2, b2)
    alone = np.vstack([f(row[None], W1, b1, W2, b2) for row in x])
    if not np.allclose(alone, y):
        return "mixes positions"
    if np.allclose(f(x, 0 * W1, 0 * b1, 0 * W2, 0 * b2), x):
        return "residual inside"
    if f(x, W1, b1, W2, b2 - 100).min() >= 0:
        return "activation last"
    if np.allclose(f(x, W1, b1 + 1, W2, b2), y) or np.allclose(f(x, W1, b1, W2, b2 + 1), y):
        return "missing bias"
    if np.allclose(f(x, 2 * W1, b1, W2, b2), y) or np.allclose(f(x, W1, b1, 2 * W2, b2), y):
        return "tied weights"
    if np.allclose(y + f(-x, W1, b1, W2, b2), 2 * f(0 * x, W1, b1, W2, b2)):
        return "no activation"
    return "correct"
    ### END SOLUTION
    ### WHY: Each test is something that the equation promises and one bug breaks.
    ### WHY: Biases that are not zero and several rows are needed: with zeros, or one row, some bugs look right.
