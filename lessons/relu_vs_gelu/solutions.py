"""The worked cells of the exercises; what follows BEGIN SOLUTION is what learners start from."""

import numpy as np
import torch


# %% gelu_slope
def gelu_slope(x):
    """Return the slope of GELU, x Φ(x), at every value of x."""
    ### BEGIN SOLUTION: return TODO
    share_below = (1 + torch.erf(x / 2**0.5)) / 2
    bell = torch.exp(-x * x / 2) / (2 * np.pi) ** 0.5
    return share_below + x * bell
    ### END SOLUTION
    ### WHY: The slope of a product: the slope of x, 1, times Φ(x), and x times the slope of Φ, which is the bell curve.
    ### WHY: Left of −0.75 the second part wins, and GELU falls.


# %% dead_fraction
def dead_fraction(h):
    """Return the share of units that are 0 on every token; h: (tokens, units)."""
    ### BEGIN SOLUTION: return TODO
    dead = (h == 0).all(dim=0)
    return dead.double().mean()
    ### END SOLUTION
    ### WHY: A unit is a column. .all(dim=0) asks of each column whether every token gives 0, and the mean of the
    ### WHY: answers, as zeros and ones, is the share.
