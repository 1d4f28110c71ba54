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
    """Return the exact GELU, x Φ(x), of every value; x is a tensor."""
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


# %% gelu_tanh
def gelu_tanh(x):
    """Return the tanh form of GELU of every value; x is a tensor."""
    ### BEGIN SOLUTION: return TODO
    inner = (2 / torch.pi) ** 0.5 * (x + 0.044715 * x**3)
    return x * (1 + torch.tanh(inner)) / 2
    ### END SOLUTION
    ### WHY: tanh of the bracket stands in for erf(x/√2), and the cubic term bends it to fit. It becomes GELU's
    ### WHY: gate like the exact one: add 1 and halve.


# %% gelu_grad
def gelu_grad(x):
    """Return the slope of the exact GELU at every value; x is a tensor."""
    ### BEGIN SOLUTION: return TODO
    share_below = (1 + torch.erf(x / 2**0.5)) / 2
    density = torch.exp(-(x**2) / 2) / (2 * torch.pi) ** 0.5
    return share_below + x * density
    ### END SOLUTION
    ### WHY: x Φ(x) is a product: differentiate x and keep Φ(x), then keep x and differentiate Φ, whose slope is φ.
