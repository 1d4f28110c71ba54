"""The worked cells of the exercises; what stands behind BEGIN SOLUTION is what learners start from."""

import numpy as np

from course_lib.model.one_thread import torch


# %% product_unit
def product_unit():
    """Return W_gate, W_up, W_down of a SwiGLU network that maps (x, y) to x · y."""
    ### BEGIN SOLUTION: W_gate, W_up, W_down = TODO, TODO, TODO
    W_gate = np.array([[1.0, -1.0], [0.0, 0.0]])
    W_up = np.array([[0.0, 0.0], [1.0, -1.0]])
    W_down = np.array([[1.0], [1.0]])
    ### END SOLUTION
    return W_gate, W_up, W_down


### WHY: Unit 0 gives SiLU(x) · y and unit 1 gives SiLU(−x) · (−y); their sum is (SiLU(x) − SiLU(−x)) · y = x · y.
### WHY: The columns of W_gate and W_up are the units, because x stands on the left.


# %% geglu
def geglu(x, W, V, b, c):
    """Return GELU(x W + b) ⊗ (x V + c) for x of shape (..., d_model)."""
    ### BEGIN SOLUTION: return TODO
    gate = torch.nn.functional.gelu(x @ W + b)
    return gate * (x @ V + c)
    ### END SOLUTION
    ### WHY: W and b belong inside GELU, V and c outside: each letter stays where the equation has it.
