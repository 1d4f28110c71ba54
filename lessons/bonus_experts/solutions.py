"""The worked cells of the exercises; what stands behind BEGIN SOLUTION is what learners start from."""

import numpy as np


# %% gates
def gates(logits, k):
    """Return gates: a softmax over the k largest logits of a row, 0 elsewhere."""
    ### BEGIN SOLUTION: return TODO
    best = np.argsort(logits, axis=1)[:, -k:]
    weights = np.zeros(logits.shape)
    np.put_along_axis(weights, best, np.exp(np.take_along_axis(logits, best, axis=1)), axis=1)
    return weights / weights.sum(axis=1, keepdims=True)
    ### END SOLUTION
    ### WHY: `argsort` sorts upwards, so the last k columns are the largest; `put_along_axis` writes their exponentials back to where they came from.
    ### WHY: Everything else is 0 already, so dividing by the row sums is a softmax over the chosen logits.


# %% mixture
def mixture(x, W_router, experts, k):
    """Return the outputs of each token's k experts, weighed by its gates."""
    ### BEGIN SOLUTION: return TODO
    g = gates(x @ W_router, k)
    y = np.zeros(x.shape)
    for i, expert in enumerate(experts):
        y += g[:, [i]] * expert(x)
    return y
    ### END SOLUTION
    ### WHY: `g[:, [i]]` keeps the axis, (tokens, 1), so that each token's gate multiplies all its features.
    ### WHY: An expert that a token did not choose has a gate of 0 there, and what it returns drops out.


# %% balance_loss
def balance_loss(probabilities, chosen):
    """Return E times the sum over the experts of f · P."""
    ### BEGIN SOLUTION: return TODO
    f = chosen.sum(axis=0) / chosen.sum()
    P = probabilities.mean(axis=0)
    return len(f) * np.sum(f * P)
    ### END SOLUTION
    ### WHY: `chosen.sum()` is the number of all choices, k for each token, so f sums to 1 for every k.
    ### WHY: f is counted and P is averaged over the same tokens; the product is taken expert by expert.


# %% kept
def kept(expert, capacity):
    """Return True for each token that still fits into its expert."""
    ### BEGIN SOLUTION: return TODO
    taken, result = {}, []
    for e in expert.tolist():
        taken[e] = taken.get(e, 0) + 1
        result.append(taken[e] <= capacity)
    return np.array(result)
    ### END SOLUTION
    ### WHY: `taken` counts each expert on its own; the token itself is counted before the comparison, so capacity 3 lets the third one in.


# %% which_router_bug
def which_router_bug(f):
    """Return the name of the bug in gates = f(logits, k), or "correct"."""
    ### BEGIN SOLUTION: return TODO
    logits = np.random.default_rng(0).normal(size=(7, 5))
    g = f(logits, 3)
    if np.allclose(g.sum(axis=0), 1):
        return "wrong axis"
    if np.allclose(g[g > 0], 1 / 3):
        return "equal gates"
    if not np.allclose(f(logits + 100, 3), g):
        return "zero logits"
    if not np.allclose(g.sum(axis=1), 1):
        return "not renormalised"
    if (g > 0).sum() < 7 * 3:
        return "one too few"
    return "correct" if (g.argmax(axis=1) == logits.argmax(axis=1)).all() else "wrong expert"
    ### END SOLUTION
    ### WHY: Each test is something that one bug leaves behind. The order matters: inserted zeros also spoil the row sums, so they are looked for first.
    ### WHY: Seven tokens and five experts are different numbers on purpose: rows and columns cannot be confused.


# %% distinct_experts
def distinct_experts(n_experts, k, tokens):
    """Return how many different experts a batch of tokens is expected to use."""
    ### BEGIN SOLUTION: return TODO
    left_out = (1 - k / n_experts) ** tokens
    return n_experts * (1 - left_out)
    ### END SOLUTION
    ### WHY: A token leaves a given expert out with probability 1 − k/E; independent tokens multiply. Then count the experts that are not left out.


# %% active_parameters
def active_parameters(total, n_layers, d_model, d_ff, n_experts, k):
    """Return how many of the parameters work for one token."""
    ### BEGIN SOLUTION: return TODO
    idle = n_layers * (n_experts - k) * 3 * d_model * d_ff
    return total - idle
    ### END SOLUTION
    ### WHY: Only E − k experts of each layer are idle, with three matrices each; everything else is in `total` once and works for every token.
