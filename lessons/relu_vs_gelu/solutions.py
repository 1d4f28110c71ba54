"""The worked cells of the exercises; what follows BEGIN SOLUTION is what learners start from."""

import numpy as np
import torch


# %% relu
def relu(x):
    """Return ReLU of every value; x is a NumPy array of any shape."""
    ### BEGIN SOLUTION: return TODO
    return np.maximum(x, 0)
    ### END SOLUTION
    ### WHY: np.maximum compares value by value and makes a new array; x stays as it was.


# %% gelu
def gelu(x):
    """Return the exact GELU, x Φ(x), of every value of x."""
    ### BEGIN SOLUTION: return TODO
    share_below = (1 + torch.erf(x / 2**0.5)) / 2
    return x * share_below
    ### END SOLUTION
    ### WHY: erf runs from −1 to 1 and Φ from 0 to 1, so we add 1 and halve. erf counts in units of √2
    ### WHY: standard deviations: hence the root.


# %% dead_fraction
def dead_fraction(h):
    """Return the share of units that are 0 on every token; h: (tokens, units)."""
    ### BEGIN SOLUTION: return TODO
    dead = (h == 0).all(dim=0)
    return dead.double().mean()
    ### END SOLUTION
    ### WHY: A unit is a column. .all(dim=0) asks of each column whether every token gives 0, and the mean of the
    ### WHY: answers, as zeros and ones, is the share.
