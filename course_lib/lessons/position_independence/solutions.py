"""The worked cells of the exercises; what stands behind BEGIN SOLUTION is what learners start from."""

import numpy as np


# %% rowwise
def rowwise(f, X):
    """Apply f, (d_in,) -> (d_out,), to every row of X (n, d_in): return (n, d_out)."""
    ### BEGIN SOLUTION: return TODO
    return np.stack([f(row) for row in X])
    ### END SOLUTION


# %% influence
def influence(f, X):
    """Return M (n, n): M[i, j] is True if row i of f(X) moves when row j of X changes."""
    ### BEGIN SOLUTION: return TODO
    before, rng = f(X), np.random.default_rng(0)
    M = np.zeros((len(X), len(X)), dtype=bool)
    for j in range(len(X)):
        changed = X.copy()
        changed[j] += rng.normal(size=X.shape[1])
        M[:, j] = (np.abs(f(changed) - before) > 1e-7).any(axis=1)
    return M
    ### END SOLUTION


# %% conv_weight
def conv_weight(W):
    """Return the Conv1d weight (d_out, d_in, 1) that does what x @ W does."""
    ### BEGIN SOLUTION: return TODO
    return W.T[:, :, None]
    ### END SOLUTION


# %% which_layers
def which_layers(layers, X):
    """Return a list of True or False: is each layer position-wise? X is (n, d)."""
    ### BEGIN SOLUTION: return [TODO for f in layers]
    answers = []
    for f in layers:
        alone = np.concatenate([f(X[i : i + 1]) for i in range(len(X))])
        answers.append(np.allclose(f(X), alone, rtol=1e-6, atol=1e-9))
    return answers
    ### END SOLUTION
