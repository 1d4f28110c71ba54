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


# %% dispatch
def dispatch_here(x, chosen, gates, mine):
    """Return what this machine's experts add to y, each run on its own tokens only."""
    ### BEGIN SOLUTION: return TODO
    y = np.zeros(x.shape)
    for number, expert in mine.items():
        tokens, slot = np.where(chosen == number)
        y[tokens] += gates[tokens, slot, None] * expert(x[tokens])
    return y
    ### END SOLUTION
    ### WHY: `tokens` says who chose the expert, and `slot` as which choice, so `gates[tokens, slot, None]` is the column of their gates.
    ### WHY: Within one round a token stands in `tokens` once, so `+=` loses nothing.


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
