"""The worked cells of the exercises; what stands behind BEGIN SOLUTION is what learners start from."""

import numpy as np


# %% hand_wired_and
def hand_wired_and(d_model, a, b, value):
    """Return weights of an FFN that writes value if x[a] = x[b] = 1, else zeros."""
    ### BEGIN SOLUTION: W1, b1, W2, b2 = TODO, TODO, TODO, TODO
    W1 = np.zeros((d_model, 1))
    W1[[a, b]] = 1.0
    b1 = np.array([-1.0])
    W2 = value.reshape(1, d_model)
    b2 = np.zeros(d_model)
    ### END SOLUTION
    return W1, b1, W2, b2
    ### WHY: The column of W1 adds up the two features; only the sum 2 passes the threshold 1, and 1 is left.
    ### WHY: That 1 multiplies the row of W2, and any other token leaves b2 = 0.
