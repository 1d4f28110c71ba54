"""The worked cells of the exercises; what stands behind BEGIN SOLUTION is what learners start from."""

import numpy as np


# %% collapse
def collapse(W1, b1, W2, b2):
    """Return the one layer (W, b) that does what both layers do together."""
    ### BEGIN SOLUTION: W, b = TODO, TODO
    W = W1 @ W2
    b = b1 @ W2 + b2
    ### END SOLUTION
    ### WHY: Multiply out (x W1 + b1) W2 + b2: x is multiplied by W1 W2, and everything else is the bias.
    ### WHY: So b1 reaches the output only after it has passed through W2.
    return W, b


# %% xor_weights
def xor_weights():
    """Return W1, b1, W2, b2 so that relu(x @ W1 + b1) @ W2 + b2 is XOR."""
    ### BEGIN SOLUTION: W1, b1, W2, b2 = TODO, TODO, TODO, TODO
    W1 = np.array([[1.0, 1.0], [1.0, 1.0]])
    b1 = np.array([0.0, -1.0])
    W2 = np.array([[1.0], [-2.0]])
    b2 = np.array([0.0])
    ### END SOLUTION
    ### WHY: The first unit counts the ones, 0, 1, 1, 2. The second fires only at (1, 1), and subtracting it twice
    ### WHY: brings the 2 down to 0.
    return W1, b1, W2, b2


# %% is_affine
def is_affine(f, d_in):
    """Return True if f, from (n, d_in) to (n, d_out), is affine, and False if not."""
    ### BEGIN SOLUTION: return TODO
    rng = np.random.default_rng(0)
    zero = f(np.zeros((1, d_in)))
    for scale in (0.1, 1, 10, 100):
        a, b = scale * rng.normal(size=(2, 200, d_in))
        if not np.allclose(f(a + b) + zero, f(a) + f(b), rtol=1e-6, atol=1e-6 * scale):
            return False
    return True
    ### END SOLUTION
    ### WHY: For an affine f both sides of the rule are equal, up to rounding; a bend that lies between the
    ### WHY: probes breaks it. Probes of four sizes find bends near zero and far from it.
