"""The worked cells of the exercises; what stands behind BEGIN SOLUTION is what learners start from."""

import numpy as np


# %% rms_norm
def rms_norm(x, g, eps):
    """Divide each row of x by its root mean square, and multiply it by the gain g."""
    ### BEGIN SOLUTION: return TODO
    mean_square = (x**2).mean(axis=-1, keepdims=True)
    return x / np.sqrt(mean_square + eps) * g
    ### END SOLUTION
    ### WHY: keepdims=True leaves one number for each row, (seq_len, 1), so `/` gives each row its own; g stands along the features.


# %% from_llama
def from_llama(state, layer):
    """Return W_gate, W_up, W_down of one layer, as x @ W wants them."""
    ### BEGIN SOLUTION: W_gate, W_up, W_down = TODO, TODO, TODO
    mlp = f"model.layers.{layer}.mlp"
    W_gate = state[f"{mlp}.gate_proj.weight"].T
    W_up = state[f"{mlp}.up_proj.weight"].T
    W_down = state[f"{mlp}.down_proj.weight"].T
    ### END SOLUTION
    return W_gate, W_up, W_down
    ### WHY: nn.Linear computes x @ weight.T, so its `weight.T` is our W: one column of W_gate, and one row of W_down, for each hidden unit.


# %% which_change
def which_change(ffn, g, W_gate, W_up, W_down, eps):
    """Return which one thing was changed in ffn, an RMSNorm and a gated FFN."""
    ### BEGIN SOLUTION: return TODO
    rng = np.random.default_rng(0)
    x = rng.normal(size=len(g))
    y = ffn(x)
    mean_square = (x**2).mean()
    u = x / np.sqrt(mean_square + eps) * g
    bare = u / g
    by_mean = x / (np.abs(x).mean() + eps) * g
    late = x / (np.sqrt(mean_square) + eps) * g

    def silu(z):
        return z / (1 + np.exp(-z))

    if np.allclose(y, (silu(u @ W_up) * (u @ W_gate)) @ W_down):
        return "gate and up exchanged"
    if np.allclose(y, (silu(u @ W_gate) * (u @ W_up)) @ W_down.T):
        return "down transposed"
    if np.allclose(y, (silu(bare @ W_gate) * (bare @ W_up)) @ W_down):
        return "no gain"
    if np.allclose(y, (silu(by_mean @ W_gate) * (by_mean @ W_up)) @ W_down):
        return "mean"
    if np.allclose(y, (silu(late @ W_gate) * (late @ W_up)) @ W_down):
        return "eps outside"
    return "gelu"
    ### END SOLUTION
    ### WHY: Each test computes what one change would give for the same row. GELU needs no test of its own: it is what is left.
    ### WHY: A random row, because in a row of ones the mean of |x| is the root mean square, and "mean" gives what "eps outside" gives.
