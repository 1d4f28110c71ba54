"""The worked cells of the exercises; what stands behind BEGIN SOLUTION is what learners start from."""

import numpy as np


# %% f1
def f1(active, label):
    """Return F1: twice the hits, divided by firings plus places of the context."""
    ### BEGIN SOLUTION: return TODO
    hits = (active & label).sum()
    return 2 * hits / (active.sum() + label.sum())
    ### END SOLUTION
    ### WHY: With precision p = hits / active and recall r = hits / label, the harmonic mean 2pr / (p + r) is exactly this fraction.


# %% my_edit
def my_edit():
    """Return a context, the character that shall follow it, and the size of the edit."""
    ### BEGIN SOLUTION: return TODO
    return "def", "X", 40
    ### END SOLUTION
    ### WHY: "def" ends a word that stands for one thing only, so one direction tells it. With the space behind it the unit would also fire after other spaces.


# %% active_units
def active_units(h):
    """Return the mean number of active units, and how many units work anywhere."""
    ### BEGIN SOLUTION: return TODO
    active = h > 0
    return active.sum(axis=1).mean(), active.any(axis=0).sum()
    ### END SOLUTION
    ### WHY: A row is a character and a column is a unit: count along the row, then look down the column.


# %% promotes
def promotes(W_down, gain, W_out, unit):
    """Return how a unit's output weights change the logit of every character."""
    ### BEGIN SOLUTION: return TODO
    w = W_down[:, unit]
    return W_out @ (gain * (w - w.mean()))
    ### END SOLUTION
    ### WHY: nn.Linear stores W_2 as (d_model, d_ff), so a unit owns a column. The last norm centres, then multiplies by its gain, and the read-out takes the product with each row of W_out.


# %% units_needed
def units_needed(h, W_down, share):
    """Return how many units reach a share of the sum of all their lengths."""
    ### BEGIN SOLUTION: return TODO
    sizes = np.sort(h * np.linalg.norm(W_down, axis=0))[::-1]
    running = np.cumsum(sizes)
    return int(np.argmax(running >= share * running[-1])) + 1
    ### END SOLUTION
    ### WHY: A unit adds its hidden value times its column; after ReLU the value is not negative, so the length of that is h times the length of the column.


# %% where_it_is_zero
def where_it_is_zero(h, W_down, stream, predict, unit):
    """Return the largest change of a logit where the unit is 0, and elsewhere."""
    ### BEGIN SOLUTION: return TODO
    without = stream - h[:, [unit]] * W_down[:, unit]
    change = abs(predict(without) - predict(stream)).max(axis=1)
    silent = h[:, unit] == 0
    return change[silent].max(), change[~silent].max()
    ### END SOLUTION
    ### WHY: Where the unit is 0, the two streams are the same numbers. If predict looks at each place alone, so are the logits: that is the proof, and it holds for any weights.
    ### WHY: An earlier FFN has attention behind it. There the stream at another place can be different, and predict carries the difference over.


# %% units_behind
def units_behind(h, W_down, gain, w_out):
    """Return how many units make half of what is written for and against a character."""
    ### BEGIN SOLUTION: return TODO
    writes = h * ((w_out * gain) @ (W_down - W_down.mean(axis=0)))
    sizes = np.sort(abs(writes))[::-1]
    return int((np.cumsum(sizes) < sizes.sum() / 2).sum()) + 1
    ### END SOLUTION
    ### WHY: The stream is a sum, and the norm's centring and gain are linear: each unit's part of the logit can be computed alone. Only the division is not linear, and it is one number for all.
