"""The worked cells of the exercises; what stands behind BEGIN SOLUTION is what learners start from."""

import numpy as np
import torch


# %% relu
def relu(x):
    """Return ReLU of every value; x is a NumPy array of any shape."""
    ### BEGIN SOLUTION: return TODO
    return np.maximum(x, 0)
    ### END SOLUTION


# %% gelu
def gelu(x):
    """Return the exact GELU, x Φ(x), of every value; x is a tensor."""
    ### BEGIN SOLUTION: return TODO
    share_below = (1 + torch.erf(x / 2**0.5)) / 2
    return x * share_below
    ### END SOLUTION


# %% gelu_tanh
def gelu_tanh(x):
    """Return the tanh form of GELU of every value; x is a tensor."""
    ### BEGIN SOLUTION: return TODO
    inner = (2 / torch.pi) ** 0.5 * (x + 0.044715 * x**3)
    return x * (1 + torch.tanh(inner)) / 2
    ### END SOLUTION


# %% gelu_grad
def gelu_grad(x):
    """Return the slope of the exact GELU at every value; x is a tensor."""
    ### BEGIN SOLUTION: return TODO
    share_below = (1 + torch.erf(x / 2**0.5)) / 2
    density = torch.exp(-(x**2) / 2) / (2 * torch.pi) ** 0.5
    return share_below + x * density
    ### END SOLUTION


# %% dead_fraction
def dead_fraction(h):
    """Return the share of units that are 0 on every token; h: (tokens, d_ff)."""
    ### BEGIN SOLUTION: return TODO
    dead = (h == 0).all(dim=0)
    return dead.double().mean()
    ### END SOLUTION
