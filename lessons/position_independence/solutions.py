"""The worked cells of the exercises; what stands behind BEGIN SOLUTION is what learners start from."""

import numpy as np


# %% rowwise
def rowwise(f, X):
    """Apply f, (d_in,) -> (d_out,), to every row of X (n, d_in): return (n, d_out)."""
    ### BEGIN SOLUTION: return TODO
    return np.stack([f(row) for row in X])
    ### END SOLUTION
    ### WHY: Every row goes into f alone, so nothing that happens in one row can reach another.
    ### WHY: The rows keep their order, because the list keeps it.


# %% which_layers
def position_wise(f, X):
    """Return True if the layer f is position-wise, else False; X is (n, d)."""
    ### BEGIN SOLUTION: return TODO
    alone = np.concatenate([f(X[i : i + 1]) for i in range(len(X))])
    return np.allclose(f(X), alone, rtol=1e-6, atol=1e-9)
    ### END SOLUTION
    ### WHY: A row that goes in alone has no neighbours and always stands at place 0.
    ### WHY: If it still gets the same output as in its sequence, neither the others nor the place had a say.


# %% influence
def influence(f, X):
    """Return M (n, n): M[i, j] is True if row i of f(X) moves with row j of X."""
    ### BEGIN SOLUTION: return TODO
    before, rng = f(X), np.random.default_rng(0)
    M = np.zeros((len(X), len(X)), dtype=bool)
    for j in range(len(X)):
        changed = X.copy()
        changed[j] += rng.normal(size=X.shape[1])
        M[:, j] = (np.abs(f(changed) - before) > 1e-8).any(axis=1)
    return M
    ### END SOLUTION
    ### WHY: A random change hits every feature differently, so no layer is blind to it.
    ### WHY: The fresh copy keeps the changes from piling up, and 1e-8 lies between rounding and the faintest reaction.
